package traces

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// accepted is the verdict on a chunk that is as it must be; brokenFrame is that on one that ends in another state than the
// next begins in, though its events are good. TLC gives the other verdicts as Parts.
const (
	accepted    = "accepted"
	brokenFrame = "frame"
)

// Part is what of an event does not fit. The set is closed. The words are those of module TraceCluster.
type Part string

// What may not fit, in the order in which it is looked at.
const (
	startedPart   Part = "started"           // a Start of a node that has a record (R32)
	upPart        Part = "up"                // a Restart of a node that runs (R30)
	downPart      Part = "down"              // a step of a node that does not run (section 2)
	linkPart      Part = "link"              // the message was not sent (section 2)
	cutPart       Part = "cut"               // a Cut that changes nothing
	unheededPart  Part = "unheeded"          // the timer does not run, or the call is none that the node heeds (R28, R35, R41, R47)
	StatePart     Part = "state"             // the state after is another; what is sent may be too
	sentPart      Part = "sent"              // what is sent is something else
	monotonicPart Part = "EpochMonotonic"    // the epoch of the node goes back
	leaderPart    Part = "OneLeaderPerEpoch" // another node has led the epoch before

	// Only where members change.
	startPart Part = "start"                  // no node starts for the first time with that configuration (R49)
	olderPart Part = "ConfigurationMonotonic" // the configuration of the node gets older
	listPart  Part = "OneConfiguration"       // the epoch and the version of the configuration have named other members before

	FormPart Part = "form" // the line is not of the form of section 14: the reader has refused it, not TLC
)

// explanations says what each Part means, in the words of a report.
var explanations = map[Part]string{
	startedPart:   "the node has a record, and starts for the first time only once (R32)",
	upPart:        "the node runs, and cannot start (R30)",
	downPart:      "the node does not run, and takes no step (section 2)",
	linkPart:      "the message was never put on its link (section 2)",
	cutPart:       "these links are cut already, and no others (section 2)",
	unheededPart:  "that is no step in the state of the node (R28, R35, R41, R47)",
	StatePart:     "the state after is not what the rules say",
	sentPart:      "what is sent is not what the rules say",
	monotonicPart: "the epoch of the node goes back",
	leaderPart:    "another node has led this epoch",
	startPart:     "a node does not begin with this configuration (R49)",
	olderPart:     "the configuration of the node gets older",
	listPart:      "this epoch and version have named other members before",
}

// verdict is what TLC has printed of a chunk.
type verdict struct {
	chunk, at int // from 1, as in module TraceData
	word      string
	before    said   // zero for the network's events, and where nothing is wrong
	step      answer // what TLC says that the node does; the same
}

// said is a state as TLC prints it, answer a step, and told a message.
type (
	said struct {
		role                        string
		leader, grantee             rank
		epoch                       int
		support                     []rank
		lease, asked, latest, dated int
		answered                    []int // of each rank
		conf                        saidConf
	}
	saidConf struct {
		epoch, version               int
		voters, witnesses, observers []rank
		ranks                        []int // of each node
		addresses                    []int // of each node; see configurations.address
	}
	answer struct {
		after said
		sent  []told
	}
	told struct {
		kind     string
		from, to rank
		epoch    int
		question int
		keeps    rank
		granted  struct {
			by              rank
			epoch, question int
		}
		names rank
		conf  saidConf
	}
)

// jsonOf has the brackets of tuples and sets, and what they are in JSON. They come in no string that is printed.
var jsonOf = strings.NewReplacer("<<", "[", ">>", "]", "{", "[", "}", "]")

// parseVerdicts reads what TLC has printed.
func parseVerdicts(printed []string) ([]verdict, error) {
	all := make([]verdict, len(printed))
	for i, line := range printed {
		text, err := strconv.Unquote(line)
		if err == nil {
			err = json.Unmarshal([]byte(jsonOf.Replace(text)), &all[i])
		}
		if err != nil {
			return nil, fmt.Errorf("TLC prints what is no verdict: %.200s (%w)", line, err)
		}
	}
	return all, nil
}

func (v *verdict) UnmarshalJSON(text []byte) error {
	var kind string
	if err := tuple(text, &kind, &v.chunk, &v.at, &v.word, &v.before, &v.step); err != nil {
		return err
	}
	if kind != "verdict" || v.word == "" {
		return fmt.Errorf("it begins with %q, and the word is %q", kind, v.word)
	}
	return nil
}

func (s *said) UnmarshalJSON(text []byte) error {
	return tuple(text, &s.role, &s.leader, &s.lease, &s.epoch, &s.grantee, &s.support, &s.asked, &s.latest, &s.dated, &s.answered, &s.conf)
}

func (c *saidConf) UnmarshalJSON(text []byte) error {
	return tuple(text, &c.epoch, &c.version, &c.voters, &c.witnesses, &c.observers, &c.ranks, &c.addresses)
}

func (a *answer) UnmarshalJSON(text []byte) error { return tuple(text, &a.after, &a.sent) }

func (m *told) UnmarshalJSON(text []byte) error {
	return tuple(text, &m.kind, &m.from, &m.to, &m.epoch, &m.question, &m.keeps, &m.granted.by, &m.granted.epoch, &m.granted.question, &m.names, &m.conf)
}

// tuple reads an array with one thing for each of parts. An empty one is nothing at all, and leaves them as they are.
func tuple(text []byte, parts ...any) error {
	var raw []json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	if len(raw) == 0 {
		return nil
	}
	if len(raw) != len(parts) {
		return fmt.Errorf("%d parts, not %d: %.100s", len(raw), len(parts), text)
	}
	for i, part := range parts {
		if err := json.Unmarshal(raw[i], part); err != nil {
			return err
		}
	}
	return nil
}

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
	case linkPart:
		r.Expected, r.Got = t.latest(e.Input.Message.From, e.Input.Message.To, at), e.Input.Message.String()
	case unheededPart:
		r.Before = t.stateOf(&said.before).String()
	case startPart:
		r.Got = e.State.String()
	case StatePart, sentPart, monotonicPart, leaderPart, olderPart, listPart:
		r.Before = t.stateOf(&said.before).String()
		r.Expected = t.lines(t.stateOf(&said.step.after).String(), said.step.sent)
		r.Got = e.State.String()
		for _, m := range e.Sent {
			r.Got += "\n" + m.String()
		}
	}
	v.Refused, v.byTLC = r, true
}
