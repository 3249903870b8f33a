// Package check says whether what was recorded of a run is what the specification allows.
//
// [Trace] reads a trace (section 14 of the specification), whoever wrote it: a simulator, a test, or real machines whose
// records were merged. It takes every step again by the rules of the model, and looks at the links, the crashes and the
// promises. This is the loop that its user writes:
//
//	for _, name := range names {
//		file, err := os.Open(name)
//		if err != nil {
//			return err
//		}
//		report, err := check.Trace(file, check.Options{})
//		_ = file.Close()
//		if err != nil {
//			return fmt.Errorf("%s: %w", name, err)
//		}
//		fmt.Printf("%s: %d events, %d reigns\n", name, report.Events, report.Reigns)
//	}
//
// The error says in which line the trace departs from the specification, which rule that breaks, what was expected there
// and what came:
//
//	line 12: R17: node 2 of {1 2 3} takes OnClaim (1→2 CLAIM epoch:4) in another way than the rules
//	  before    follower leader:3 epoch:3 grantee:3 support:{}
//	  expected  follower leader:3 epoch:3 grantee:3 support:{}
//	            2→1 REFUSE epoch:3
//	  got       electing leader:1 epoch:4 grantee:1 support:{}
//	            2→1 GRANT epoch:4
//	  A CLAIM is granted unless the node keeps another's lease, or has promised that epoch, or a higher one, already.
//
// Members may be fixed or change (R40); the header of a trace says so. A trace is read once, from its beginning to its
// end, in memory that does not grow with its length. Each concept has a file of its own: what nodes do (replay.go),
// the rules by which they do it (rulebook.go), what is under way (links.go).
//
// What is promised (section 3 of the specification) has a file a promise: its name, its sentence, and what is asked of a run. Checkers, simulators, suites of tests
// and indicators of recordings ask the same ones: a new promise is one new file here, and a line in promise.go, besides what TLA+ and the model ask. A [Monitor] is fed
// with what is seen of nodes, and knows no rule, no message and no time; who goes on after a breach, to show what holds just now, uses [Lights]:
//
//	m := check.NewMonitor(check.MonitorOptions{Members: members})
//	…
//	now := check.ViewOf(&state) // of node i after a step
//	if breach := m.Breaks(i, &now); breach != nil {
//		return breach // such as: OneLeaderPerEpoch: nodes 2 and 3 have both led epoch 4
//	}
//	m.Note(i, &now)
//
// A [Case] is a question about one step of a node, and its answer. [RuleOf] says by which rule the answer is what it is, and
// [MayStand], [Outranked] and their like what of a state says who may do what (R42). They know no answer: package conformance has those.
//
//	c := check.Case{ID: me, Members: members, Before: before, Input: in, Want: want}
//	c.Rule = check.RuleOf(&c) // such as R17
//	if !got.Equal(c.Want) {
//		fmt.Println(c.Explain(&got)) // the rule, what was expected, what came
//	}
package check

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// Options say what else is asked of a trace. The zero Options ask for what holds of every run.
type Options struct {
	// OneActing refuses two nodes that act as leader at the same moment. It holds of a run in which all timers are on time,
	// no proof of death is false (R37), and the events are in the order in which they happened: of a simulation.
	OneActing bool
	// Strict refuses a trace that a crash of its writer has cut short.
	Strict bool
	// Observe, if it is not nil, is told every step of a node that is as it must be, in the order of the trace. Want is what
	// the node did. The memory of the case is used again.
	Observe func(*Case)
}

// Report is what a trace is, as far as it is as it must be.
type Report struct {
	Members  []spec.NodeID          // ascending
	Events   uint64                 // how many there are
	Actions  map[spec.Action]uint64 // how many there are of each action; an action that never comes is left out
	Reigns   uint64                 // how many there are: an epoch and the node that leads it
	CutShort bool                   // the last line has no LF
	Unheard  []Unheard              // the nodes of which nothing more is recorded, though others have gone on
}

// Unheard is a node whose record just ends: it was killed perhaps, or its writer was, and nobody was left to say so. What a trace says of
// it last is no news of what it is (section 14).
type Unheard struct {
	Node spec.NodeID `json:"node"`
	Line int         `json:"line"` // of its last event
	Said int         `json:"said"` // how many messages have been put on links to it since
}

// String says it as in: node 5 is heard no more after line 812: 31 messages to it since.
func (u Unheard) String() string {
	return fmt.Sprintf("node %s is heard no more after line %d: %d messages to it since", u.Node, u.Line, u.Said)
}

// UnheardFrom is from how many messages on, none of which was received nor a timer ended meanwhile, a node is heard no more. A node that
// runs takes messages one by one, and if all of them are lost its patience ends before so many have been sent.
const UnheardFrom = 10

// TraceError says where a trace is not what the specification allows, and why.
type TraceError struct {
	Line     int    // from 1; the header is line 1, and the event n is line n+1
	Rule     string // a rule, such as R17; or a promise, such as OneLeaderPerEpoch; or a section, such as "section 2"
	Problem  string // what is wrong
	Before   string // the state of the node before; "" if that says nothing
	Expected string // one thing a line; "" if the problem says it all
	Got      string // the same
	unsent   bool   // the message of the line was not sent before
	cause    error
}

// Error returns all of it in several lines, and then what the rule comes to.
func (e *TraceError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "line %d: %s: %s", e.Line, e.Rule, e.Problem)
	for _, part := range []struct{ name, text string }{{"before", e.Before}, {"expected", e.Expected}, {"got", e.Got}} {
		if part.text != "" {
			fmt.Fprintf(&b, "\n  %-8s  %s", part.name, strings.ReplaceAll(part.text, "\n", "\n            "))
		}
	}
	if says := Sentence(e.Rule); says != "" {
		fmt.Fprintf(&b, "\n  %s", says)
	}
	return b.String()
}

// Unwrap returns the error of package spec if the trace could not be read, and else nil.
func (e *TraceError) Unwrap() error { return e.cause }

// The sections of the specification that have a say in traces, besides the rules.
const (
	nodesAndLinks = "section 2"
	traceFormat   = "section 14"
)

// sentences says what comes to more than one rule of section 8.
var sentences = map[string]string{
	nodesAndLinks: "The network may lose, repeat, reorder and delay what was sent, but delivers nothing else; a node that is down does nothing.",
	traceFormat:   "A trace is a header and events, one a line, each with the fields of its action and no other, numbered from 1.",
	"R4":          "A crash leaves a node its promise, epoch and grantee, and nothing else.",
	"R40":         "The members are the ids of all nodes; a trace is checked by the model, which has so many at most.",
}

// Sentence returns what the Rule of a TraceError comes to, in a sentence; "" for what is none.
func Sentence(rule string) string {
	if says, ok := sentences[rule]; ok {
		return says
	}
	return cmp.Or(PromiseSentence(rule), spec.Sentence(rule))
}

// MaxNodes is how many nodes a trace can speak of, to be checked: if members change, all that are ever members.
const MaxNodes = rules.MaxIDs

// Trace reads a trace to its end, and returns what it is. The error is a [TraceError], which is of the first line that is
// not as it must be; the report is then of the lines before it. A trace without events is an error too, and so is one of
// more members than MaxNodes.
//
// That messages are lost, repeated, overtaken or late is legal, and need not be said in the trace; that they are invented is not.
func Trace(r io.Reader, o Options) (Report, error) {
	in, err := spec.NewTraceReader(r)
	if err != nil {
		return Report{}, unreadable(err)
	}
	p, err := newReplay(in.Header(), o)
	if err != nil {
		return Report{}, err
	}
	var e spec.Event
	for {
		err := in.Read(&e)
		switch {
		case err == io.EOF:
			return p.end(false)
		case errors.Is(err, io.ErrUnexpectedEOF) && !o.Strict:
			return p.end(true)
		case err != nil:
			return p.report(), unreadable(err)
		}
		if fault := p.event(&e); fault != nil {
			fault.Line = int(e.Seq) + 1
			if fault.unsent {
				fault.Problem += overtaken(in, e.Input.Message)
			}
			return p.report(), fault
		}
	}
}

// overtaken says which later line of a trace says the message of a line at which nobody had: that line was overtaken, as where records
// are merged by clocks that differ. It is "" if no such line follows.
func overtaken(in *spec.TraceReader, m spec.Message) string {
	var e spec.Event
	for in.Read(&e) == nil {
		if slices.Contains(e.Sent, m) {
			return fmt.Sprintf("; line %d says it, and was overtaken by this one", e.Seq+1)
		}
	}
	return ""
}

// unreadable makes an error of this package of one of a TraceReader.
func unreadable(err error) error {
	fault := &TraceError{Rule: traceFormat, Problem: err.Error(), cause: err}
	var read *spec.TraceError
	if errors.As(err, &read) {
		fault.Line, fault.Problem = read.Line, strings.TrimPrefix(err.Error(), fmt.Sprintf("line %d: ", read.Line))
	}
	return fault
}

// end is what Trace returns once the last event was read.
func (r *replay) end(cutShort bool) (Report, error) {
	report := r.report()
	report.CutShort = cutShort
	if report.Events == 0 {
		return report, &TraceError{Line: 1, Rule: traceFormat, Problem: "no event follows: a trace of nothing shows nothing"}
	}
	return report, nil
}

func (r *replay) report() Report {
	report := Report{Members: r.members, Events: r.events, Actions: map[spec.Action]uint64{}, Reigns: r.monitor.Reigns()}
	for i, n := range r.counts {
		if n > 0 {
			report.Actions[actions[i]] = n
		}
	}
	for i := range r.nodes {
		if n := &r.nodes[i]; n.up && n.said >= UnheardFrom {
			report.Unheard = append(report.Unheard, Unheard{Node: r.members[i-1], Line: n.line, Said: n.said})
		}
	}
	return report
}

// newReplay returns a replay of a run, before its first event.
func newReplay(h spec.Header, o Options) (*replay, error) {
	rules, err := newRulebook(h)
	if err != nil {
		return nil, &TraceError{Line: 1, Rule: "R40", Problem: fmt.Sprintf("%d members: up to %d can be checked", len(h.Members), MaxNodes), cause: err}
	}
	return &replay{
		options: o, rules: rules, members: h.Members, nodes: make([]node, len(h.Members)+1), links: newLinks(len(h.Members)),
		monitor: watch(h.Members, o),
	}, nil
}

// watch returns a monitor of the promises that are asked of a trace.
func watch(members []spec.NodeID, o Options) *Monitor {
	m := NewMonitor(MonitorOptions{Members: members})
	if !o.OneActing {
		m.Late()
	}
	return m
}

// viewOf returns what an event shows of its node.
func viewOf(e *spec.Event) View {
	v := ViewOf(&e.State)
	if e.Action == spec.CrashAction {
		return v.Down()
	}
	return v
}

// promises says which promise is broken if the state of node i becomes that of an event, and remembers what the event shows of it.
func (r *replay) promises(i rules.ID, e *spec.Event) *TraceError {
	r.view = viewOf(e)
	breach := r.monitor.Breaks(int(i)-1, &r.view)
	if breach == nil {
		return nil
	}
	return &TraceError{Rule: string(breach.Promise.Name), Problem: breach.Problem, Got: breach.Got}
}
