package behaviour

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/traces/itf"
)

// actionTaken is the variable in which Quint says which action a state has come by (its option --mbt).
const actionTaken = "mbt::actionTaken"

// readITF reads what Apalache or Quint writes: a sequence of states, which need not say by which actions they have come. A variable
// whose name begins with the names of modules, as Quint writes them, is known by the rest of its name.
func readITF(text []byte) (*Behaviour, error) {
	f, err := itf.Read(text)
	if err != nil {
		return nil, err
	}
	b := &Behaviour{Back: f.Loop + 1, zero: true}
	for k, state := range f.States {
		s := Step{State: map[string]string{}}
		for name, v := range state.Values {
			short := name[strings.LastIndexByte(name, ':')+1:]
			switch {
			case name == actionTaken && k > 0:
				s.Action = v.Text
			case strings.HasPrefix(name, "mbt::"):
			case s.State[short] != "":
				return nil, fmt.Errorf("state %d: two variables end in %s", k, short)
			default:
				if s.State[short], err = inTLA(v); err != nil {
					return nil, fmt.Errorf("state %d: %s: %w", k, name, err)
				}
			}
		}
		if said := ""; k > 0 && json.Unmarshal(state.Meta["action"], &said) == nil && said != "" {
			s.Action = said
		}
		b.Steps = append(b.Steps, s)
	}
	return b, b.parse()
}

// inTLA writes a value in TLA+.
func inTLA(v itf.Value) (string, error) {
	parts := make([]string, len(v.Items))
	for i := range v.Items {
		part, err := inTLA(v.Items[i])
		if err == nil && v.Kind == itf.Map {
			var key string
			key, err = inTLA(v.Keys[i])
			part = key + " :> " + part
		}
		if err != nil {
			return "", err
		}
		if v.Kind == itf.Record {
			part = strconv.Quote(v.Names[i]) + " :> " + part
		}
		parts[i] = part
	}
	switch v.Kind {
	case itf.Bool:
		return strings.ToUpper(v.Text), nil
	case itf.Int:
		return v.Text, nil
	case itf.String:
		return strconv.Quote(v.Text), nil
	case itf.Set:
		return "{" + strings.Join(parts, ", ") + "}", nil
	case itf.Unserializable:
		return "", fmt.Errorf("its writer could not write %.80q", v.Text)
	case itf.Map, itf.Record:
		if len(parts) > 0 {
			return "(" + strings.Join(parts, " @@ ") + ")", nil
		}
	}
	return "<<" + strings.Join(parts, ", ") + ">>", nil
}
