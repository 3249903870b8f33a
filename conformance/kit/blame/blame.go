// Package blame says which rule of spec/README.md a wrong step breaks. Of a port that learns no epochs, say, every rule by which a
// message is taken looks broken, and is not; it is R7 that is. check.RuleOf alone, which knows the input and not what came of it,
// names another rule for 16 of the 30 ports of ports/selftest that break such a rule; without Asked it is 12 of them.
//
//	if !got.Equal(c.Want) {
//		rule := blame.Rule(&c, got)
//		if blame.IDs(process, &c) {
//			rule = "R1"
//		} else {
//			rule = blame.Asked(process, &c, got, rule)
//		}
//	}
package blame

import (
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

// Rule returns the rule that a wrong step breaks. It is the one that the input is taken by (check.RuleOf), unless the
// difference shows that it is one which that rule uses: what a quorum is (R3), the bound of epochs (R2), winning (R20), claiming
// (R16), learning (R7), numbers (R50, R5, R26); and of changing members what becomes of the configuration, who is counted, and who is told. The case is a
// question, with the answer that it should have had.
func Rule(c *conformance.Case, got spec.Step) string {
	rule := check.RuleOf(c)
	before, want, is := &c.Before, &c.Want.State, &got.State
	switch {
	case c.Want.Ignored || got.Ignored || c.Input.Starts():
		return rule
	case namesWrongly(c, &got):
		return "R51"
	case changes(c) && ruleOfMembers(c, &got) != "":
		return ruleOfMembers(c, &got)
	case changes(c) && slices.Contains(ofMembers, rule):
		return rule
	case ruleOfNumbers(&c.Want, &got) != "":
		return ruleOfNumbers(&c.Want, &got)
	case !changes(c) && want.Role != is.Role && counted(c):
		return "R3"
	case before.Epoch == spec.MaxEpoch && want.Role != is.Role && before.Role != is.Role && (is.Role == spec.Claimant || is.Role == spec.Leader):
		return "R2"
	case is.Role == spec.Leader && before.Role != spec.Leader && c.Input.Call == "" && mayCount(c):
		return "R20"
	case want.Role == spec.Leader && is.Role == spec.Claimant && before.Role != spec.Claimant: // who needs nobody's GRANT wins at once
		return "R16"
	case c.Input.Timer == spec.CoordinatorTimer && is.Role == want.Role && is.Leader != want.Leader: // it ends the lease before it claims
		return "R15"
	case is.Role == spec.Claimant && want.Role == spec.Claimant && before.Role != spec.Claimant:
		return "R16"
	case learnsWrongly(c, is):
		return "R7"
	}
	return rule
}

// mayCount reports whether an input is one on which a node can win.
func mayCount(c *conformance.Case) bool {
	m := &c.Input.Message
	switch m.Type {
	case spec.Grant:
		return c.Before.Role == spec.Claimant && m.Epoch == c.Before.Epoch+1 && m.Question == c.Before.Asked
	case spec.Election, spec.OK, spec.ImBack, spec.Ack, spec.Refuse: // a lease may end with it, but nobody counts then
		return false
	}
	return true
}

// learnsWrongly reports whether a message should have taught its epoch, and has not, or the other way round.
func learnsWrongly(c *conformance.Case, is *spec.State) bool {
	before, want, m := &c.Before, &c.Want.State, &c.Input.Message
	switch m.Type {
	case spec.Election, spec.OK, spec.Assent, spec.ImBack, spec.Ack, spec.Grant:
	case spec.Refuse:
		if before.Role == spec.Claimant {
			return false // R21 comes first
		}
	default:
		return false
	}
	switch {
	case m.Epoch <= before.Epoch || m.Type == spec.Grant && before.Role == spec.Claimant && m.Epoch == before.Epoch+1:
		return false
	case want.Epoch == m.Epoch:
		return is.Epoch != want.Epoch || is.Grantee != want.Grantee || before.Role == spec.Leader && is.Role == spec.Leader
	}
	return is.Epoch == m.Epoch // it is the node's own claim
}

// plain returns a case whose ids are 1, 2, 3 …, and nothing else another: or false if its ids are so, or are none.
func plain(c *conformance.Case) (conformance.Case, bool) {
	m, nodes := &c.Input.Message, c.Members
	if changes(c) {
		nodes = nodesOf(c)
	}
	message := c.Input.OfMessage() && c.Input.Configuration.IsNone()
	if message && m.Validate() != nil || len(nodes) == 0 || nodes[len(nodes)-1] == spec.IntegerID(uint64(len(nodes))) {
		return *c, false
	}
	name := func(id spec.NodeID) spec.NodeID {
		if id.IsNone() {
			return id
		}
		if i := slices.Index(nodes, id); i >= 0 {
			return spec.IntegerID(uint64(i + 1))
		}
		return spec.IntegerID(uint64(len(nodes) + 1))
	}
	names := func(ids []spec.NodeID) []spec.NodeID {
		renamed := make([]spec.NodeID, len(ids))
		for i := range ids {
			renamed[i] = name(ids[i])
		}
		return renamed
	}
	p := conformance.Case{ID: name(c.ID), Members: names(nodes), Before: c.Before, Input: c.Input}
	p.Before.Configuration = renamed(c.Before.Configuration, name)
	p.Input.Message.Configuration, p.Input.Configuration = renamed(m.Configuration, name), renamed(c.Input.Configuration, name)
	p.Before.Leader, p.Before.Grantee, p.Before.Support = name(c.Before.Leader), name(c.Before.Grantee), names(c.Before.Support)
	p.Before.Answered = slices.Clone(c.Before.Answered)
	for i := range p.Before.Answered {
		p.Before.Answered[i].Node = name(p.Before.Answered[i].Node)
	}
	p.Input.Message.From, p.Input.Message.To = name(m.From), name(m.To)
	p.Input.Message.Keeps, p.Input.Message.Granted.By = name(m.Keeps), name(m.Granted.By)
	model := conformance.Model{}
	p.Want = model.Step(p.ID, p.Members, p.Before, p.Input)
	return p, true
}

// Starts reports whether a port starts a node if the ids are plain; not if they are. If it has refused to start one, it is the ids that
// it refuses, or how they ascend (R1).
func Starts(p *port.Process, id spec.NodeID, members []spec.NodeID) bool {
	c, other := plain(&conformance.Case{ID: id, Members: members, Before: check.Survivor(spec.Durable{}), Input: spec.Input{Call: spec.StartCall}})
	if !other || !p.Usable() {
		return false
	}
	reply, err := p.Ask(&port.Request{Op: port.Begin, Node: "plain", Me: &c.ID, Members: c.Members})
	return err == nil && reply.State != nil
}

// IDs reports whether a port that has answered a case wrongly answers it rightly if the ids are plain: then it is the ids
// that it compares wrongly (R1).
func IDs(p *port.Process, c *conformance.Case) bool {
	q, other := plain(c)
	if !other || !p.Usable() {
		return false
	}
	right := false
	failure := port.Guard(func() { right = p.Subject().Step(q.ID, q.Members, q.Before, q.Input).Equal(q.Want) })
	return failure == nil && right
}
