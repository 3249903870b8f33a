package behaviour

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/traces/itf"
)

var (
	colours  = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)
	first    = regexp.MustCompile(`(?m)^ *(State 1: ?<|1: <Initial|0\. Initial state|1: Stuttering)`)
	atOnce   = regexp.MustCompile(`(?m)is violated by the initial state:?\s*$`)
	heading  = regexp.MustCompile(`^(?:State )?(\d+): ?<(\w+)(?:\(([^)]*)\))?.*>\s*$`)
	stutters = regexp.MustCompile(`^(?:State )?\d+: ?Stuttering|^and then: nothing ever changes again`)
	goesBack = regexp.MustCompile(`^(?:\s*Back to state:? (\d+)|and then: back to state (\d+))`)
	broken   = regexp.MustCompile(`(?:Invariant|Action property|Property|Step property) (\S+) is violated|^TLC: violates (\S+)`)
	asks     = regexp.MustCompile(`^((?:models|witnesses|mutants)/\w+)(?:: (.*))?$`)
	explored = regexp.MustCompile(`^ *(\d+)\. (Initial state|(\w+)(?:\(([^)]*)\))?)$`)
	variable = regexp.MustCompile(`^(?:/\\ )?(\w+) = (.*)$`)
	ended    = regexp.MustCompile(`^(Error: |Finished |The number of states|\d[\d,]* states generated|Progress\()`)
)

// Is reports whether a text looks like a counterexample.
func Is(text []byte) bool {
	text = colours.ReplaceAll(text, nil)
	return first.Match(text) || atOnce.Match(text) || isDump(text) || itf.Is(text)
}

// Read reads the first counterexample of a text. The error says what is missing, or cannot be read.
func Read(text []byte) (*Behaviour, error) {
	text = bytes.ReplaceAll(colours.ReplaceAll(text, nil), []byte("\r"), nil)
	if isDump(text) {
		return readDump(text)
	}
	if itf.Is(text) {
		return readITF(text)
	}
	r := reader{b: &Behaviour{}}
	for line := range strings.Lines(string(text)) {
		if r.done {
			break
		}
		if err := r.line(strings.TrimRight(line, "\n ")); err != nil {
			return nil, fmt.Errorf("line %d: %w", r.number, err)
		}
	}
	if err := r.close(); err != nil {
		return nil, err
	}
	if len(r.b.Steps) == 0 {
		return nil, errors.New("TLC prints a counterexample as State 1, State 2 and so on: there is no state here")
	}
	r.b.more = len(first.FindAllIndex(text, -1)) - 1
	return r.b, r.b.parse()
}

// reader reads a text, line by line.
type reader struct {
	b        *Behaviour
	number   int // of the line
	block    []string
	name     string // that was said last, and its question
	question string
	inState  bool
	changing bool // states are said by what changes, as the explorer prints them
	done     bool
}

// line takes the next line of the text.
func (r *reader) line(line string) error {
	r.number++
	if strings.HasPrefix(line, "@!@!@") { // it begins or ends a message of TLC's
		return nil
	}
	if r.changing {
		return r.change(line)
	}
	if found := explored.FindStringSubmatch(line); found != nil && found[2] == "Initial state" && !r.inState {
		r.changing = true
		r.begin("", "")
		return nil
	}
	switch found := heading.FindStringSubmatch(line); {
	case found != nil:
		if found[1] == "1" && len(r.b.Steps) > 0 || r.inState && len(r.b.Steps) > 0 && found[1] != strconv.Itoa(len(r.b.Steps)+1) {
			r.done = true // the next counterexample
			return nil
		}
		if err := r.close(); err != nil {
			return err
		}
		r.begin(found[2], found[3])
		return nil
	case stutters.MatchString(line):
		r.b.Stuck = true
		return r.end()
	}
	if found := goesBack.FindStringSubmatch(line); found != nil {
		r.b.Back, _ = strconv.Atoi(found[1] + found[2])
		return r.end()
	}
	return r.other(line)
}

// other takes a line that is no heading.
func (r *reader) other(line string) error {
	if found := asks.FindStringSubmatch(line); found != nil {
		if len(r.b.Steps) > 0 {
			return r.end()
		}
		r.name, r.question = found[1], found[2]
		return nil
	}
	if found := broken.FindStringSubmatch(line); found != nil && len(r.b.Steps) == 0 {
		r.b.Property = strings.TrimSuffix(found[1]+found[2], ".")
		r.b.Name, r.b.Question = r.name, r.question
		if atOnce.MatchString(line) {
			r.begin("", "")
		}
		return nil
	}
	if strings.HasPrefix(line, "Error: Deadlock") || strings.HasPrefix(line, "Deadlock reached") {
		r.b.Property, r.b.Stuck = "Deadlock", true
		return nil
	}
	switch {
	case !r.inState:
	case line == "" || ended.MatchString(line):
		if len(r.block) > 0 {
			if err := r.close(); err != nil {
				return err
			}
		}
		if ended.MatchString(line) && len(r.b.Steps) > 0 && !strings.HasPrefix(line, "Progress(") {
			r.done = r.done || !strings.HasPrefix(line, "Error: ")
		}
	default:
		r.block = append(r.block, line)
	}
	return nil
}

// begin begins a state.
func (r *reader) begin(action, args string) {
	if action == "Initial" {
		action = ""
	}
	r.b.Steps = append(r.b.Steps, Step{Action: action, Args: numbers(args), State: map[string]string{}})
	r.inState, r.block = true, nil
}

// end ends the counterexample.
func (r *reader) end() error {
	r.done = true
	return r.close()
}

// close reads the state that has been collected.
func (r *reader) close() error {
	if !r.inState {
		return nil
	}
	r.inState = false
	if r.changing {
		return nil
	}
	state := r.b.Steps[len(r.b.Steps)-1].State
	name := ""
	for _, line := range r.block {
		found := variable.FindStringSubmatch(line)
		switch {
		case found != nil && (strings.HasPrefix(line, `/\`) || name == ""):
			name = found[1]
			state[name] = found[2]
		case name != "":
			state[name] += "\n" + line
		default:
			return fmt.Errorf("%q is no variable with its value", line)
		}
	}
	if len(state) == 0 {
		return fmt.Errorf("state %d has no variables", len(r.b.Steps))
	}
	return nil
}

// numbers reads parameters such as 3→1 or 2, 0.
func numbers(args string) (all []int) {
	for _, word := range strings.FieldsFunc(args, func(c rune) bool { return c == ',' || c == ' ' || c == '→' }) {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil // a record or the like: the states will tell
		}
		all = append(all, n)
	}
	return all
}

// TLC's option -dumpTrace json writes the states as pairs of a number and the variables, and the actions as triples of a state,
// what is done, and the next state. Sets and sequences are both arrays there, and the arguments of functions are texts.
type dump struct {
	Counterexample *dump
	State          [][]json.RawMessage
	Action         [][]json.RawMessage
}

// isDump reports whether a text is such a dump.
func isDump(text []byte) bool {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || text[0] != '{' || !bytes.Contains(text, []byte(`"state"`)) {
		return false
	}
	var d dump
	return json.Unmarshal(text, &d) == nil && (d.State != nil || d.Counterexample != nil)
}

// readDump reads what TLC dumps as JSON.
func readDump(text []byte) (*Behaviour, error) {
	var d dump
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("this is not what TLC dumps: %w", err)
	}
	if d.Counterexample != nil {
		d = *d.Counterexample
	}
	if len(d.State) == 0 {
		return nil, errors.New("TLC dumps a list of states: there is none here")
	}
	b := &Behaviour{}
	for i, state := range d.State {
		var variables map[string]any
		if len(state) != 2 {
			return nil, fmt.Errorf("state %d is no pair of a number and variables", i+1)
		}
		numbers := json.NewDecoder(bytes.NewReader(state[1]))
		numbers.UseNumber() // as they are written: 1000000 and not 1e+06
		if numbers.Decode(&variables) != nil {
			return nil, fmt.Errorf("state %d is no pair of a number and variables", i+1)
		}
		s := Step{State: map[string]string{}}
		for name, value := range variables {
			s.State[name] = written(value)
		}
		b.Steps = append(b.Steps, s)
	}
	for i, action := range d.Action {
		var done struct{ Name string }
		if len(action) == 3 && json.Unmarshal(action[1], &done) == nil && i+1 < len(b.Steps) {
			b.Steps[i+1].Action = done.Name
		}
	}
	return b, b.parse()
}

// written writes a value of a dump in TLA+.
func written(value any) string {
	switch v := value.(type) {
	case string:
		return strconv.Quote(v)
	case bool:
		return strings.ToUpper(strconv.FormatBool(v))
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = written(v[i])
		}
		return "<<" + strings.Join(parts, ", ") + ">>"
	case map[string]any:
		var parts []string
		for key, result := range v {
			name := key
			if len(key) == 0 || !strings.ContainsRune("<0123456789", rune(key[0])) {
				name = strconv.Quote(key)
			}
			parts = append(parts, name+" :> "+written(result))
		}
		slices.Sort(parts)
		if len(parts) == 0 {
			return "<<>>"
		}
		return "(" + strings.Join(parts, " @@ ") + ")"
	}
	return fmt.Sprint(value)
}
