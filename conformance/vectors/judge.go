package vectors

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/kit/blame"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

// ownID matches the id that begins a reply. In a case it is as in its file, so that it is the same by hand.
var ownID = regexp.MustCompile(`^(\{\s*"id"\s*:\s*)[0-9]+`)

// Run asks a port what the vector says. The first reply that is not right is a *port.Failure.
func (v *Vector) Run(ctx context.Context, p *port.Process) error {
	if err := v.parse(); err != nil {
		return err
	}
	known := map[string]*conformance.Case{} // the nodes, each with its last step
	var first *port.Failure
	var rules []string // that were broken
	for k := range v.Steps {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failure, ids, err := v.ask(p, known, k)
		if err != nil {
			return err
		}
		if failure == nil {
			continue
		}
		if ids && !slices.Contains(rules, failure.Rule) {
			rules = append(rules, failure.Rule)
		}
		if first == nil {
			first = failure
		}
		if !v.isAbout("R1") || failure.Kind == port.Erred || !p.Usable() {
			break
		}
	}
	if first == nil {
		return nil
	}
	if len(rules) > 1 { // what goes wrong under several rules when ids are hard to compare is the comparison
		first.Rule = "R1"
	}
	return first
}

// isAbout reports whether the vector is about a rule first.
func (v *Vector) isAbout(rule string) bool { return len(v.Rules) > 0 && v.Rules[0] == rule }

// ask asks what step k asks, and says how the reply is wrong, or nil; and whether it can be so because ids are compared wrongly.
func (v *Vector) ask(p *port.Process, known map[string]*conformance.Case, k int) (failure *port.Failure, ids bool, err error) {
	s, q, want := v.Steps[k], v.parsed[k].request, v.parsed[k].reply
	step := caseOf(known, q, want)
	switch {
	case step != nil:
		p.Took(check.RuleOf(step))
	case q.Op == port.Write || q.Op == port.Read:
		p.Took("R38")
	}
	got, answer, err := p.AskText(s.Request)
	failure = &port.Failure{}
	switch {
	case errors.As(err, &failure):
		own := *failure // a port that is of no more use gives the same one again
		failure = &own
		failure.Rule = cmp.Or(own.Rule, v.blame(q, step, want, nil, ""))
	case err != nil:
		return nil, false, fmt.Errorf("%s: %w", v.Case, err)
	default:
		rule, problem := differs(q, want, got)
		if problem == "" {
			return nil, false, nil
		}
		ids = !sameButOrder(want, got)
		failure.Kind, failure.Rule, failure.Problem = kindOf(want, got), v.blame(q, step, want, got, rule), problem
		failure.Reply = answer
		if step != nil && failure.Kind == port.Wrong && failure.Rule != "R1" {
			if blame.IDs(p, step) {
				failure.Rule = "R1"
				failure.Problem += "\nids with the ids 1, 2, 3 … in their place it does the right thing"
			} else if rule == "" {
				failure.Rule = blame.Asked(p, step, outcome(got), failure.Rule)
			}
		}
		if failure.Kind == port.Erred && q.Me != nil && blame.Starts(p, *q.Me, q.Members) {
			failure.Rule = "R1"
			failure.Problem += "\nids with the ids 1, 2, 3 … in their place it says no error: are these not ascending for it?"
		}
	}
	failure.Last = nil
	for _, before := range v.Steps[:k] {
		failure.Last = append(failure.Last, before.Request)
	}
	failure.Request = s.Request
	failure.Reply = ownID.ReplaceAllString(failure.Reply, fmt.Sprintf("${1}%d", q.ID))
	failure.Problem += "\nexpected " + s.Reply
	return failure, ids, nil
}

// orderedAsText reports whether what should ascend by rank ascends as text: the support, or to whom is sent.
func orderedAsText(want, got *port.Reply) bool {
	return want.State != nil && got.State != nil && (blame.AsText(want.State.Support, got.State.Support) ||
		blame.SentAsText(sortOut(want.Effects, "").sent, sortOut(got.Effects, "").sent))
}

// sameButOrder reports whether two steps come to the same state, and one sends what the other does, but in another order, or not all of
// it: that is no question of who is higher.
func sameButOrder(want, got *port.Reply) bool {
	if want.State == nil || got.State == nil || !want.State.Equal(*got.State) {
		return false
	}
	count := map[spec.Message]int{}
	for _, m := range sortOut(want.Effects, "").sent {
		count[m]++
	}
	missing, more := len(count), 0
	for _, m := range sortOut(got.Effects, "").sent {
		switch count[m]--; {
		case count[m] == 0:
			missing--
		case count[m] < 0:
			more++
		}
	}
	return missing == 0 || more == 0
}

// parsed is a step as it was read. It is not changed.
type parsed struct {
	request *port.Request
	reply   *port.Reply
}

// parse reads all steps, once.
func (v *Vector) parse() error {
	v.once.Do(func() {
		for _, s := range v.Steps {
			q, want, err := s.parse()
			if err != nil {
				v.err = fmt.Errorf("%s: %w", v.Case, err)
				return
			}
			v.parsed = append(v.parsed, parsed{q, want})
		}
	})
	return v.err
}

// kindOf says in which way a port has failed whose reply is not the one wanted.
func kindOf(want, got *port.Reply) port.Kind {
	switch {
	case got.Error != "" && want.Error == "":
		return port.Erred
	case got.Unsupported != "" && want.Unsupported == "":
		return port.Missing
	}
	return port.Wrong
}

// parse reads a step. What a message of the request is does not matter here.
func (s *Step) parse() (*port.Request, *port.Reply, error) {
	var q port.Request
	var want port.Reply
	if err := json.Unmarshal([]byte(s.Reply), &want); err != nil {
		return nil, nil, fmt.Errorf("the reply %s: %w", s.Reply, err)
	}
	err := json.Unmarshal([]byte(s.Request), &q)
	if err != nil && want.Error != "" { // it is meant to be none: what it is about is all that matters
		var about struct {
			ID             uint64
			Op             port.Op
			Node, Resource string
		}
		err = json.Unmarshal([]byte(s.Request), &about)
		q = port.Request{ID: about.ID, Op: about.Op, Node: about.Node, Resource: about.Resource}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the request %s: %w", s.Request, err)
	}
	return &q, &want, nil
}

// caseOf returns a step as package conformance has it, or nil if it is none. It keeps the state of the node.
func caseOf(known map[string]*conformance.Case, q *port.Request, want *port.Reply) *conformance.Case {
	if want.State == nil {
		return nil
	}
	c := known[q.Node]
	if q.Me != nil {
		c = &conformance.Case{ID: *q.Me, Members: q.Members, Before: spec.State{Role: spec.Follower}}
		switch {
		case q.Promise != nil:
			c.Before = check.Survivor(*q.Promise)
		case q.Op == port.Begin:
			c.Before.Configuration = want.State.Configuration
		}
		known[q.Node] = c
	} else if c != nil {
		c.Before = c.Want.State
	}
	if c == nil {
		return nil
	}
	c.Input = spec.Input{Timer: q.Timer, Call: q.Call, Hold: q.Hold}
	if q.Names != nil {
		c.Input.Names = *q.Names
	}
	switch q.Op {
	case port.Begin:
		c.Input.Call = spec.StartCall
	case port.Restart:
		c.Input.Call = spec.RestartCall
	case port.Receive:
		_ = json.Unmarshal(q.Message, &c.Input.Message) // if it is none, it stays zero: malformed
	}
	if q.Call == spec.ChangeCall {
		_ = json.Unmarshal(q.Configuration, &c.Input.Configuration) // as with a message
	}
	c.Want = spec.Step{Ignored: want.Ignored != "", State: *want.State, Sent: sortOut(want.Effects, "").sent}
	if q.Op == port.Load {
		return nil
	}
	return c
}

// helpers are rules that other rules use: no input is theirs alone, and what they have done wrong does not show by itself. For R1 see
// Run, for all others package blame.
var helpers = []string{"R5", "R6", "R40"}

// outcome returns what a port has done as package conformance has it.
func outcome(r *port.Reply) spec.Step {
	return spec.Step{Ignored: r.Ignored != "", State: *r.State, Sent: sortOut(r.Effects, "").sent}
}

// blame returns the rule that a step has broken: that of the duty, or the one that the difference shows, or that the input is taken
// by. What a vector is about comes first, if it can be. There is no reply got of a port that has failed.
func (v *Vector) blame(q *port.Request, c *conformance.Case, want, got *port.Reply, duty string) string {
	about := ""
	if len(v.Rules) > 0 {
		about = v.Rules[0]
	}
	switch {
	case duty != "":
		return duty
	case q.Op == port.Write || q.Op == port.Read:
		return "R38"
	case want != nil && got != nil && orderedAsText(want, got):
		return "R1"
	case q.Op == port.Load && q.State.Epoch == spec.MaxEpoch && (got == nil || got.Error != ""): // it refuses the last epoch
		return "R2"
	case c == nil, about == "" && (got == nil || got.Error != ""): // what is about the protocol has failed of that
		return ""
	case q.Op == port.Call && !slices.Contains([]spec.Call{spec.ResignCall, spec.HolderDeadCall, spec.ChangeCall}, q.Call): // there is no such call
		return "R28"
	case c.Want.Ignored && q.Op == port.Receive && (about == "R33" || about == "R34"):
		return about
	}
	rule := check.RuleOf(c)
	if got == nil || got.State == nil {
		if about == "R2" && c.Before.Epoch == spec.MaxEpoch { // what it sends is of an epoch beyond the bound, and so no reply
			return about
		}
		return rule
	}
	is := outcome(got)
	shown := blame.Rule(c, is)
	switch {
	case shown != rule:
		return shown
	case about == "R5" && is.State.Leader == c.Want.State.Leader: // the lease is as it should be
		return rule
	case slices.Contains(helpers, about):
		return about
	}
	return rule
}
