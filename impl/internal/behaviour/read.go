package behaviour

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
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
	return first.Match(text) || atOnce.Match(text) || isDump(text)
}

// Read reads the first counterexample of a text. The error says what is missing, or cannot be read.
func Read(text []byte) (*Behaviour, error) {
	text = bytes.ReplaceAll(colours.ReplaceAll(text, nil), []byte("\r"), nil)
	if isDump(text) {
		return readDump(text)
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
	b         *Behaviour
	number    int // of the line
	block     []string
	name      string // that was said last, and its question
	question  string
	inState   bool
	changing  bool // states are said by what changes, as the explorer prints them
	done      bool
	messaging bool // within TLC's messages
}

// line takes the next line of the text.
func (r *reader) line(line string) error {
	r.number++
	if strings.HasPrefix(line, "@!@!@") {
		r.messaging = true
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
