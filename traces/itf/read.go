package itf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
)

// File is a file of that format.
type File struct {
	Meta   map[string]json.RawMessage // what is said of the file; nil if nothing is
	Vars   []string                   // the names of the variables
	States []State
	Loop   int // the state, from 0, to which the last one goes back for ever; -1 if it does not
}

// State is a state: what each variable is.
type State struct {
	Meta   map[string]json.RawMessage // what is said of it
	Values map[string]Value
}

// deepest is how deep values may be nested: those of module Cluster are 7 deep.
const deepest = 64

// Is reports whether a text looks like a file of that format: a JSON object with "vars" and "states".
func Is(text []byte) bool {
	var fields struct{ Vars, States json.RawMessage }
	text = bytes.TrimSpace(text)
	return len(text) > 0 && text[0] == '{' && bytes.Contains(text, []byte(`"states"`)) && bytes.Contains(text, []byte(`"vars"`)) &&
		json.Unmarshal(text, &fields) == nil && fields.Vars != nil && fields.States != nil
}

// Read reads a file. The error says what is wrong, and where.
func Read(text []byte) (*File, error) {
	r := reader{json.NewDecoder(bytes.NewReader(text))}
	r.UseNumber()
	f := &File{Loop: -1}
	err := r.object(func(name string) error {
		switch name {
		case "#meta":
			return named("#meta", r.Decode(&f.Meta))
		case "vars":
			return named("vars", r.Decode(&f.Vars))
		case "loop":
			return named("loop", r.Decode(&f.Loop))
		case "states":
			return r.states(f)
		}
		return r.Decode(new(json.RawMessage)) // params, and what a later version may have
	})
	if err == nil {
		if _, more := r.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something follows the object")
		}
	}
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("it ends too early: an ITF file is one JSON object")
	case err != nil:
		return nil, err
	case len(f.States) == 0:
		return nil, errors.New("it has no states: an ITF file is a JSON object with \"vars\" and \"states\"")
	case f.Loop < -1 || f.Loop >= len(f.States):
		return nil, fmt.Errorf("loop: there is no state %d to go back to", f.Loop)
	}
	return f, f.complete()
}

// complete looks whether each state says all variables.
func (f *File) complete() error {
	for k := range f.States {
		for _, name := range f.Vars {
			if _, is := f.States[k].Values[name]; !is {
				return fmt.Errorf("state %d: %s is missing, which is one of vars", k, name)
			}
		}
		if n := len(f.States[k].Values); n == 0 || n != len(f.States[0].Values) {
			return fmt.Errorf("state %d has %d variables, and state 0 has %d", k, n, len(f.States[0].Values))
		}
	}
	return nil
}

func named(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

// reader reads JSON token by token, so that a field given twice is seen.
type reader struct{ *json.Decoder }

// object reads an object whose brace is to come.
func (r reader) object(field func(name string) error) error {
	t, err := r.Token()
	if err != nil {
		return err
	}
	if t != json.Delim('{') {
		return errors.New("an object is wanted")
	}
	return r.fields(field)
}

// fields reads the fields of an object up to its end.
func (r reader) fields(field func(name string) error) error {
	var seen []string
	for r.More() {
		t, err := r.Token()
		if err != nil {
			return err
		}
		name := t.(string)
		if slices.Contains(seen, name) {
			return fmt.Errorf("%q is there twice", name)
		}
		seen = append(seen, name)
		if err := field(name); err != nil {
			return err
		}
	}
	_, err := r.Token()
	return err
}

func (r reader) states(f *File) error {
	if t, err := r.Token(); err != nil || t != json.Delim('[') {
		return errors.Join(err, errors.New("states: a list is wanted"))
	}
	for k := 0; r.More(); k++ {
		s := State{Values: map[string]Value{}}
		err := r.object(func(name string) error {
			if name == "#meta" {
				return named("#meta", r.Decode(&s.Meta))
			}
			v, err := r.value(0)
			s.Values[name] = v
			return named(name, err)
		})
		if err != nil {
			return fmt.Errorf("state %d: %w", k, err)
		}
		f.States = append(f.States, s)
	}
	_, err := r.Token()
	return err
}

var integer = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,99})$`)

// value reads a value.
func (r reader) value(depth int) (Value, error) {
	if depth > deepest {
		return Value{}, fmt.Errorf("it is nested more than %d deep", deepest)
	}
	t, err := r.Token()
	if err != nil {
		return Value{}, err
	}
	switch t := t.(type) {
	case bool:
		return Value{Kind: Bool, Text: fmt.Sprint(t)}, nil
	case string:
		return Word(t), nil
	case json.Number: // before 2023 integers were written so
		return number(t.String())
	case json.Delim:
		if t == '[' {
			return r.rest(Value{Kind: List}, depth)
		}
		return r.braced(depth)
	}
	return Value{}, errors.New("null is no value")
}

func number(text string) (Value, error) {
	if !integer.MatchString(text) {
		return Value{}, fmt.Errorf("%.40q is no integer", text)
	}
	return Value{Kind: Int, Text: text}, nil
}

// rest reads what is in a list up to its end.
func (r reader) rest(v Value, depth int) (Value, error) {
	for r.More() {
		item, err := r.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.Items = append(v.Items, item)
	}
	_, err := r.Token()
	return v, err
}

// braced reads what is in braces: a record, or what one name that begins with # says.
func (r reader) braced(depth int) (v Value, err error) {
	v.Kind = Record
	special := ""
	err = r.fields(func(name string) error {
		if special != "" || len(name) > 0 && name[0] == '#' && len(v.Names) > 0 {
			return fmt.Errorf("%q stands beside %q: what begins with # stands alone", name, special+v.first())
		}
		if len(name) == 0 || name[0] != '#' {
			item, err := r.value(depth + 1)
			v.set(Word(name), item)
			return named(name, err)
		}
		special = name
		item, err := r.value(depth + 1)
		if err == nil {
			v, err = item.as(name)
		}
		return err
	})
	return v, err
}

func (v Value) first() string {
	if len(v.Names) == 0 {
		return ""
	}
	return v.Names[0]
}

// as returns what a value is under a name such as #set.
func (v Value) as(name string) (Value, error) {
	switch {
	case name == "#bigint" && v.Kind == String:
		return number(v.Text)
	case name == "#unserializable" && v.Kind == String:
		return Value{Kind: Unserializable, Text: v.Text}, nil
	case name == "#tup" && v.Kind == List:
		return Of(Tuple, v.Items...), nil
	case name == "#set" && v.Kind == List:
		return Of(Set, v.Items...), nil
	case name == "#map" && v.Kind == List:
		function := Value{Kind: Map}
		for _, pair := range v.Items {
			if (pair.Kind != List && pair.Kind != Tuple) || len(pair.Items) != 2 {
				return v, errors.New("#map is a list of pairs, each a key and what the map is there")
			}
			function.set(pair.Items[0], pair.Items[1])
		}
		return function, nil
	}
	return v, fmt.Errorf("%s is not known, or not of this: there are #bigint and #unserializable of a text, #tup, #set and #map of a list", name)
}
