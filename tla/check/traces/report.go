package traces

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// Verdict is what became of one trace.
type Verdict struct {
	File     string   `json:"file"`
	Members  int      `json:"members"` // where they change, whoever was ever one
	Events   int      `json:"events"`  // that could be read
	CutShort bool     `json:"cut_short,omitempty"`
	Refused  *Refusal `json:"refused,omitempty"` // nil if the trace is accepted
	Expect   *Expect  `json:"expect,omitempty"`  // what must become of it; nil if it must be accepted

	byTLC bool // Refused is TLC's
}

// Refusal says where a trace is not what the protocol allows, and why.
type Refusal struct {
	Line     int    `json:"line"` // the header is line 1, and the event n is line n+1
	Part     Part   `json:"part"`
	Problem  string `json:"problem"`
	Before   string `json:"before,omitempty"`   // the state of the node before, as TLC has it
	Expected string `json:"expected,omitempty"` // what TLC says should be, a line for each thing
	Got      string `json:"got,omitempty"`      // what the trace has instead
}

// Error returns all of it in several lines.
func (r *Refusal) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "line %d: %s: %s", r.Line, r.Part, r.Problem)
	for _, part := range []struct{ name, text string }{{"before", r.Before}, {"expected", r.Expected}, {"got", r.Got}} {
		if part.text != "" {
			fmt.Fprintf(&b, "\n  %-8s  %s", part.name, strings.ReplaceAll(part.text, "\n", "\n            "))
		}
	}
	return b.String()
}

// OK reports whether the trace has become what it must.
func (v *Verdict) OK() bool {
	if v.Expect == nil {
		return v.Refused == nil
	}
	return v.Refused != nil && v.Refused.Line == v.Expect.Line
}

// String says what became of the trace, and what should have if that is something else.
func (v *Verdict) String() string {
	text := v.File + ": accepted"
	if v.Refused != nil {
		text = v.File + ": refused at " + v.Refused.Error()
	}
	if !v.OK() && v.Expect != nil {
		text += fmt.Sprintf("\n  It must be refused at line %d, by %s.", v.Expect.Line, v.Expect.Rule)
	}
	return text
}

// refusedByReader makes a refusal of what a spec.TraceReader says.
func refusedByReader(err error) *Refusal {
	r := &Refusal{Line: 1, Part: FormPart, Problem: err.Error()}
	var fault *spec.TraceError
	if errors.As(err, &fault) {
		r.Line = fault.Line
		r.Problem = strings.TrimPrefix(r.Problem, fmt.Sprintf("line %d: ", fault.Line))
	}
	return r
}

// refuse takes the verdict that an event of a trace is refused. What the reader refused comes after all events.
func (v *Verdict) refuse(t *trace, at int, said *verdict) {
	e := t.eventAt(at)
	r := &Refusal{Line: at + 2, Part: Part(said.word)}
	r.Problem = fmt.Sprintf("%s: %s", what(&e), explanations[r.Part])
	switch r.Part {
	case LinkPart:
		r.Expected, r.Got = t.latest(t.events[at].input.link, at), e.Input.Message.String()
	case UnheededPart:
		r.Before = t.stateOf(&said.before).String()
	case StartPart:
		r.Got = e.State.String()
	case StatePart, SentPart, MonotonicPart, LeaderPart, OlderPart, ListPart:
		r.Before = t.stateOf(&said.before).String()
		r.Expected = t.lines(t.stateOf(&said.step.after).String(), said.step.sent)
		r.Got = e.State.String()
		for _, m := range e.Sent {
			r.Got += "\n" + m.String()
		}
	}
	v.Refused, v.byTLC = r, true
}
