package blame

import (
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

// Asked returns the rule that a wrong step breaks, as far as further questions to the port show it: of several rules that use another one,
// a port that breaks that one does wrong wherever it is used; and if it does right elsewhere, it is the rule that the input is taken by. The rule
// given is what is thought of it so far.
func Asked(p *port.Process, c *conformance.Case, got spec.Step, rule string) string {
	if c.Want.Ignored || got.Ignored || c.Input.Starts() || !p.Usable() || rule == "R51" || slices.Contains(ofMembers, rule) {
		return rule
	}
	a := &asker{port: p, c: c}
	if q, is := a.small(); is && a.ask(q) == right {
		return "R2"
	}
	for _, helper := range []struct {
		rule  string
		other func() (question, bool)
	}{{"R50", a.late}, {"R6", a.rests}, {"R7", a.learns}, {"R3", a.counts}, {"R5", a.releases}} {
		q, is := helper.other()
		if !is {
			continue
		}
		switch a.ask(q) {
		case wrong:
			if helper.rule == "R3" && changes(a.c) {
				return "R42"
			}
			return helper.rule
		case right:
			if rule == helper.rule {
				rule = check.RuleOf(c)
			}
		}
	}
	if rule == "R20" && c.Before.Role != spec.Claimant && a.ask(oneGrant()) == right { // it wins as it claims, and not otherwise
		return "R16"
	}
	if check.RuleOf(c) == "R20" && c.Before.Leader == c.Input.Message.From && rule == "R20" {
		q := a.same()
		if q.before.Leader, q.before.Lease = (spec.NodeID{}), 0; a.ask(q) == right { // it wins where the GRANT ends no lease
			return "R19"
		}
	}
	return rule
}

// answer is what came of a question.
type answer int

const (
	unknown answer = iota // the port did not answer it
	right
	wrong
)

// question is a step from a state.
type question struct {
	id      spec.NodeID
	members []spec.NodeID
	before  spec.State
	in      spec.Input
}

// asker asks a port what is like a case.
type asker struct {
	port  *port.Process
	c     *conformance.Case
	model conformance.Model
}

// ask asks it.
func (a *asker) ask(q question) (came answer) {
	if !a.port.Usable() {
		return unknown
	}
	q = numbered(q)
	failure := port.Guard(func() {
		want := a.model.Step(q.id, q.members, q.before, q.in)
		if came = wrong; a.port.Subject().Step(q.id, q.members, q.before, q.in).Equal(want) {
			came = right
		}
	})
	if failure != nil && failure.Kind != port.Wrong {
		return unknown
	}
	return came
}

// same returns the question of the case itself.
func (a *asker) same() question {
	return question{a.c.ID, a.c.Members, a.c.Before.Clone(), a.c.Input}
}

// small returns the same with epochs of one digit, if they are large (R2).
func (a *asker) small() (question, bool) {
	const large, little = 1 << 31, 4
	q := a.same()
	if max(q.before.Epoch, q.in.Message.Epoch) < large || changes(a.c) { // of a configuration these would be others
		return q, false
	}
	if q.before.Epoch == spec.MaxEpoch && (q.in.Timer == spec.ElectionTimer || q.in.Timer == spec.CoordinatorTimer) {
		q.members = five() // of whom one backer is no quorum, so that it may not claim either
		before := spec.State{Role: q.before.Role, Epoch: little, Grantee: q.members[0], Support: q.members[1:2]}
		if q.id = q.members[2]; !q.before.Leader.IsNone() {
			before.Leader = q.members[0]
		}
		q.before = before
		return q, true
	}
	down := func(e spec.Epoch) spec.Epoch {
		switch base := a.c.Before.Epoch; {
		case base < large || e >= base:
			return min(e-min(e, base)+little, little+9)
		case e+little > base:
			return e - (base - little)
		}
		return min(e, 1)
	}
	q.in.Message.Epoch, q.before.Epoch = down(q.in.Message.Epoch), down(q.before.Epoch)
	return q, true
}

// Whatever is asked of no node of the case is asked of node 3 of five.
func five() (ids []spec.NodeID) {
	for n := range uint64(5) {
		ids = append(ids, spec.IntegerID(n+1))
	}
	return ids
}

// rests returns another input on which a node rests (R6), if the case is one: the end of the claim timer (R22), or of the election timer (R14).
func (a *asker) rests() (question, bool) {
	ids, want := five(), &a.c.Want.State
	q := question{ids[2], ids, spec.State{Role: spec.Claimant, Epoch: 4, Grantee: ids[0], Support: ids[1:2]}, spec.Input{Timer: spec.ClaimTimer}}
	if a.c.Input.Timer == spec.ClaimTimer {
		q.before.Role, q.in.Timer = spec.Candidate, spec.ElectionTimer
	}
	switch {
	case len(want.Support) > 0:
		return q, false
	case want.Role == spec.Electing:
		q.before.Leader = ids[0]
	case want.Role != spec.Follower:
		return q, false
	}
	switch a.c.Input.Message.Type {
	case spec.Claim, spec.Coordinator, spec.Heartbeat: // which are granted, and followed
		return q, false
	}
	return q, true
}

// learns returns another message with the same epoch, from which a node does no more than learn it (R7).
func (a *asker) learns() (question, bool) {
	q := a.same()
	m := &q.in.Message
	claimant := q.before.Role == spec.Claimant
	m.Keeps = spec.NodeID{}
	switch m.Type {
	case spec.Election, spec.OK, spec.Assent, spec.ImBack, spec.Refuse:
		m.Type = spec.Ack
	case spec.Grant:
		if claimant && m.Epoch == q.before.Epoch+1 {
			return q, false // it counts
		}
		m.Type = spec.Ack
	case spec.Ack:
		m.Type = spec.Refuse
	default:
		return q, false
	}
	if m.Type == spec.Ack && q.before.Role == spec.Leader && m.Epoch == q.before.Epoch {
		m.Type = spec.Refuse
	}
	if m.Type == spec.Refuse && claimant {
		m.Type = spec.Grant
		return q, m.Epoch != q.before.Epoch+1
	}
	return q, true
}

// releases returns another message of the same sender that ends its lease, and no other's (R5).
func (a *asker) releases() (question, bool) {
	q := a.same()
	m, kept := &q.in.Message, q.before.Leader
	m.Keeps, m.Granted = spec.NodeID{}, spec.Granted{}
	switch {
	case q.in.Call == spec.HolderDeadCall:
		q.in = spec.Input{Message: spec.Message{Type: spec.Resign, From: kept, To: q.id, Epoch: q.before.Epoch, Question: max(q.before.Lease, 1)}}
		return q, true
	case m.Type == spec.Resign:
		m.Type, m.Epoch = spec.ImBack, min(m.Epoch, q.before.Epoch)
		return q, true
	case m.Type == spec.Grant && q.before.Role == spec.Claimant:
		m.Type, m.Question = spec.Resign, max(m.Question, q.before.Lease)
		return q, true
	case m.Type == spec.Election, m.Type == spec.ImBack:
		m.Type = spec.Resign
		return q, true
	}
	return q, false
}

// counts returns another input on which it matters whether as many are a quorum (R3): where the case is about claiming, a GRANT; else
// whether a candidate may claim.
func (a *asker) counts() (question, bool) {
	q, in := a.same(), &a.c.Input
	behind := slices.Clone(q.before.Support)
	claims := false
	switch {
	case in.Timer == spec.ElectionTimer, in.Timer == spec.CoordinatorTimer:
		claims = true
	case in.Message.Type == spec.Assent:
		claims, behind = true, append(behind, in.Message.From)
	case in.Message.Type == spec.Grant && q.before.Role == spec.Claimant:
		behind = append(behind, in.Message.From)
	case in.Message.Type == spec.Ack && a.c.Before.Role == spec.Leader:
		behind = answeredTo(a.c)
	case in.Message.Type == spec.Resign && q.before.Role == spec.Claimant:
	default:
		return q, false
	}
	slices.SortFunc(behind, spec.NodeID.Compare)
	behind = slices.Compact(behind)
	own := q.before.Configuration
	if kind := kindIn(a.c, q.id); changes(a.c) && (kind != spec.Voter || q.in.Message.Configuration != own && q.in.Timer == "") {
		return q, false
	}
	q.before = spec.State{Role: spec.Candidate, Epoch: 4, Support: behind, Configuration: own.At(4, own.Version)}
	q.in = spec.Input{Timer: spec.ElectionTimer}
	if claims {
		if len(behind) == 0 {
			return q, false
		}
		last := len(behind) - 1
		q.before.Role, q.before.Support = spec.Claimant, behind[:last]
		q.in = spec.Input{Message: spec.Message{Type: spec.Grant, From: behind[last], To: q.id, Epoch: 5, Configuration: q.before.Configuration}}
	}
	return q, true
}

// answeredTo returns who has answered, after the ACK of a case, what that answers, or more.
func answeredTo(c *conformance.Case) (ids []spec.NodeID) {
	m := &c.Input.Message
	for _, a := range c.Before.Answered {
		if a.Question >= m.Question && a.Node != m.From {
			ids = append(ids, a.Node)
		}
	}
	return append(ids, m.From)
}

// oneGrant is a GRANT that is not enough (R20).
func oneGrant() question {
	ids := five()
	return question{ids[2], ids, spec.State{Role: spec.Claimant, Epoch: 4},
		spec.Input{Message: spec.Message{Type: spec.Grant, From: ids[0], To: ids[2], Epoch: 5}}}
}

// AsText reports whether ids are in the order of their texts where they should be in that of their ranks (R1).
func AsText(want, got []spec.NodeID) bool {
	texts := slices.SortedFunc(slices.Values(want), func(a, b spec.NodeID) int { return strings.Compare(a.String(), b.String()) })
	return !slices.Equal(want, got) && slices.Equal(texts, got)
}

// SentAsText is AsText for messages that are sent to many.
func SentAsText(want, got []spec.Message) bool {
	return AsText(receivers(want), receivers(got))
}

// receivers returns to whom the messages of the last broadcast are.
func receivers(messages []spec.Message) (ids []spec.NodeID) {
	for k := range messages {
		if k > 0 && messages[k].Type != messages[k-1].Type {
			ids = nil
		}
		ids = append(ids, messages[k].To)
	}
	return ids
}
