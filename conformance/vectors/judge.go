package vectors

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
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
	got, answer, err := p.AskText(s.Request)
	failure = &port.Failure{}
	switch {
	case errors.As(err, &failure):
		own := *failure // a port that is of no more use gives the same one again
		failure = &own
		failure.Rule = v.blame(q, step, nil, "")
	case err != nil:
		return nil, false, fmt.Errorf("%s: %w", v.Case, err)
	default:
		rule, problem := Differs(q, want, got)
		if problem == "" {
			return nil, false, nil
		}
		ids = !sameButOrder(want, got)
		failure.Kind, failure.Rule, failure.Problem = kindOf(want, got), v.blame(q, step, got, rule), problem
		failure.Reply = answer
		if step != nil && failure.Kind == port.Wrong && failure.Rule != "R1" && blame.IDs(p, step) {
			failure.Rule = "R1"
			failure.Problem += "\nids with the ids 1, 2, 3 … in their place it does the right thing"
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
	if err := json.Unmarshal([]byte(s.Request), &q); err != nil {
		return nil, nil, fmt.Errorf("the request %s: %w", s.Request, err)
	}
	if err := json.Unmarshal([]byte(s.Reply), &want); err != nil {
		return nil, nil, fmt.Errorf("the reply %s: %w", s.Reply, err)
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
		if q.Promise != nil {
			c.Before.Epoch, c.Before.Grantee = q.Promise.Epoch, q.Promise.Grantee
		}
		known[q.Node] = c
	} else if c != nil {
		c.Before = c.Want.After
	}
	if c == nil {
		return nil
	}
	c.Input = conformance.Input{Start: q.Op == port.Begin, Restart: q.Op == port.Restart, Timer: q.Timer, Call: q.Call}
	if q.Op == port.Receive {
		_ = json.Unmarshal(q.Message, &c.Input.Message) // if it is none, it stays zero: malformed
	}
	c.Want = conformance.Outcome{Ignored: want.Ignored != "", After: *want.State}
	if q.Op == port.Load {
		return nil
	}
	return c
}

// helpers are rules that other rules use: no input is theirs alone, and what they have done wrong does not show by itself. For R1 see
// Run, for all others package blame.
var helpers = []string{"R5", "R6", "R40"}

// blame returns the rule that a step has broken: that of the duty, or the one that the difference shows, or that the input is taken
// by. What a vector is about comes first, if it can be. There is no reply got of a port that has failed.
func (v *Vector) blame(q *port.Request, c *conformance.Case, got *port.Reply, duty string) string {
	about := ""
	if len(v.Rules) > 0 {
		about = v.Rules[0]
	}
	switch {
	case duty != "":
		return duty
	case q.Op == port.Write || q.Op == port.Read:
		return "R38"
	case c == nil:
		return ""
	case c.Want.Ignored && q.Op == port.Receive && (about == "R33" || about == "R34"):
		return about
	}
	rule := conformance.RuleOf(c)
	if got == nil || got.State == nil {
		if about == "R2" && c.Before.Epoch == spec.MaxEpoch { // what it sends is of an epoch beyond the bound, and so no reply
			return about
		}
		return rule
	}
	is := conformance.Outcome{Ignored: got.Ignored != "", After: *got.State}
	shown := blame.Rule(c, is)
	switch {
	case shown != rule:
		return shown
	case about == "R5" && is.After.Leader == c.Want.After.Leader: // the lease is as it should be
		return rule
	case slices.Contains(helpers, about):
		return about
	}
	return rule
}

// Differs says how a reply is not the one wanted, or "": the first field that is another, what it should be and what it is. The rule
// is that of the host's duty that cannot be done (R4, R36, R39), or "".
func Differs(q *port.Request, want, got *port.Reply) (rule, problem string) {
	switch {
	case got.Error != "" && want.Error == "":
		return "", "the port says that it has failed: " + got.Error
	case got.Unsupported != "" && want.Unsupported == "":
		return "", "the port says that it does not support this: " + got.Unsupported
	case (want.Unsupported != "") != (got.Unsupported != ""):
		return "", `"unsupported" is expected, and why`
	}
	if problem = first(
		field("ok", want.OK, got.OK),
		pointer("admitted", want.Admitted, got.Admitted), pointer("highest", want.Highest, got.Highest), pointer("value", want.Value, got.Value),
	); problem != "" || want.State == nil {
		return "", problem
	}
	switch {
	case want.Ignored != "" && got.Ignored == "":
		return "", `no step is expected, "ignored" and why; got a step`
	case want.Ignored == "" && got.Ignored != "":
		return "", "a step is expected; got none: " + got.Ignored
	}
	if problem = states(want.State, got.State); problem != "" || want.Ignored != "" {
		return "", problem
	}
	return effects(q, want.Effects, got.Effects)
}

// states compares two states, a field at a time.
func states(want, got *spec.State) string {
	return first(
		field("state.role", want.Role, got.Role),
		field("state.leader", want.Leader, got.Leader),
		field("state.epoch", want.Epoch, got.Epoch),
		field("state.grantee", want.Grantee, got.Grantee),
		texts("state.support", want.Support, got.Support),
	)
}

// duties are effects sorted out.
type duties struct {
	save        *spec.Durable
	over        *spec.Epoch
	cancel, arm conformance.Timers
	sent        []spec.Message
	tell        *port.Told
}

// sortOut sorts effects out. To cancel the timer whose end is the input is as good as not to.
func sortOut(effects []port.Effect, ended spec.Timer) (d duties) {
	for k := range effects {
		e := &effects[k]
		switch {
		case e.Save != nil:
			d.save = e.Save
		case e.Over != nil:
			d.over = e.Over
		case e.Cancel != "" && e.Cancel != ended:
			d.cancel |= conformance.TimersOf(e.Cancel)
		case e.Arm != "":
			d.arm |= conformance.TimersOf(e.Arm)
		case e.Send != nil:
			d.sent = append(d.sent, *e.Send)
		case e.Tell != nil:
			d.tell = e.Tell
		}
	}
	return d
}

// effects compares what a host is to do. Messages come first: whom a wrong one hurts is somebody else.
func effects(q *port.Request, wanted, gotten []port.Effect) (rule, problem string) {
	want, got := sortOut(wanted, q.Timer), sortOut(gotten, q.Timer)
	for k := range max(len(want.sent), len(got.sent)) {
		switch {
		case k >= len(got.sent):
			return "", fmt.Sprintf("effects: send number %d is missing: expected %s", k+1, want.sent[k])
		case k >= len(want.sent):
			return "", fmt.Sprintf("effects: send number %d is one too many: %s", k+1, got.sent[k])
		case want.sent[k] != got.sent[k]:
			return "", fmt.Sprintf("effects: send number %d: expected %s, got %s", k+1, want.sent[k], got.sent[k])
		}
	}
	if rule, problem = port.Disorder(gotten); problem != "" {
		return rule, problem
	}
	for _, duty := range []struct{ rule, problem string }{
		{"R4", pointer("effects: save", want.save, got.save)},
		{"R39", pointer("effects: over", want.over, got.over)},
		{"R36", sets("effects: cancel", want.cancel, got.cancel)},
		{"R36", sets("effects: arm", want.arm, got.arm)},
		{"R39", pointer("effects: tell", want.tell, got.tell)},
	} {
		if duty.problem != "" {
			return duty.rule, duty.problem
		}
	}
	return "", ""
}

// first returns the first problem, or "".
func first(problems ...string) string {
	for _, p := range problems {
		if p != "" {
			return p
		}
	}
	return ""
}

// field says that two values differ, or "".
func field[T comparable](name string, want, got T) string {
	if want == got {
		return ""
	}
	return texts(name, want, got)
}

// pointer says that two values differ, or that one of them is missing, or "".
func pointer[T comparable](name string, want, got *T) string {
	switch {
	case want == nil && got == nil:
		return ""
	case want == nil:
		return fmt.Sprintf("%s is there, %s, and should not be", name, text(got))
	case got == nil:
		return fmt.Sprintf("%s is missing: expected %s", name, text(want))
	}
	return field(name, *want, *got)
}

// sets says that two sets of timers differ, or "".
func sets(name string, want, got conformance.Timers) string {
	if want == got {
		return ""
	}
	return fmt.Sprintf("%s: expected %s, got %s", name, want, got)
}

// texts says that two values are not the same text, or "".
func texts(name string, want, got any) string {
	if w, g := text(want), text(got); w != g {
		return fmt.Sprintf("%s: expected %s, got %s", name, w, g)
	}
	return ""
}

// text returns a value as JSON, where a list of nothing is [].
func text(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	if bytes.Equal(data, []byte("null")) {
		if _, list := value.([]spec.NodeID); list {
			return "[]"
		}
	}
	return string(data)
}
