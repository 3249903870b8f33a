package behaviour

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

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
