package itf

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Kind is what a value is.
type Kind int

const (
	Bool Kind = iota
	Int
	String
	List  // a sequence
	Tuple // of one length
	Set
	Map    // a function: keys, and what it is at each
	Record // a function whose keys are names
	// Unserializable is what a tool could not write, such as an infinite set: its text alone.
	Unserializable
)

// Value is a value of TLA+.
type Value struct {
	Kind  Kind
	Text  string   // of an Int its digits, of a Bool true or false; of a String and an Unserializable what it says
	Items []Value  // of a List, Tuple and Set; of a Map and a Record what it is at each key
	Keys  []Value  // of a Map
	Names []string // of a Record
}

// Number returns an integer as a value.
func Number[N ~int | ~uint64](n N) Value { return Value{Kind: Int, Text: fmt.Sprint(n)} }

// Word returns a text as a value.
func Word[T ~string](text T) Value { return Value{Kind: String, Text: string(text)} }

// Of returns a list, a tuple or a set.
func Of(kind Kind, items ...Value) Value { return Value{Kind: kind, Items: items} }

// set adds to a map or a record.
func (v *Value) set(key, item Value) {
	if v.Kind == Record {
		v.Names = append(v.Names, key.Text)
	} else {
		v.Keys = append(v.Keys, key)
	}
	v.Items = append(v.Items, item)
}

// Equal reports whether two values are the same: the order in a set, a map or a record is none, and a list is a map of 1..n.
func (v Value) Equal(w Value) bool { return v.identical(w) || v.canonical() == w.canonical() }

// identical reports whether two values are written alike.
func (v Value) identical(w Value) bool {
	return v.Kind == w.Kind && v.Text == w.Text && slices.Equal(v.Names, w.Names) &&
		slices.EqualFunc(v.Items, w.Items, Value.identical) && slices.EqualFunc(v.Keys, w.Keys, Value.identical)
}

// canonical returns a text that is the same of the same values.
func (v Value) canonical() string {
	parts := make([]string, len(v.Items))
	for i := range v.Items {
		parts[i] = v.Items[i].canonical()
		switch v.Kind {
		case List, Tuple:
			parts[i] = Number(i+1).canonical() + ":" + parts[i]
		case Map:
			parts[i] = v.Keys[i].canonical() + ":" + parts[i]
		case Record:
			parts[i] = strconv.Quote(v.Names[i]) + ":" + parts[i]
		}
	}
	kind := v.Kind
	if kind == List || kind == Tuple {
		kind = Map
	}
	slices.Sort(parts)
	parts = slices.Compact(parts)
	return fmt.Sprintf("%d%q(%s)", kind, v.Text, strings.Join(parts, ","))
}

// MarshalJSON writes the value as ITF has it.
func (v Value) MarshalJSON() ([]byte, error) { return v.append(nil), nil }

func (v Value) append(b []byte) []byte {
	switch v.Kind {
	case Bool:
		return append(b, v.Text...)
	case Int:
		return append(append(append(b, `{"#bigint":"`...), v.Text...), `"}`...)
	case String:
		return appendText(b, v.Text)
	case Unserializable:
		return append(appendText(append(b, `{"#unserializable":`...), v.Text), '}')
	case List:
		return v.appendItems(b)
	case Tuple:
		return append(v.appendItems(append(b, `{"#tup":`...)), '}')
	case Set:
		return append(v.appendItems(append(b, `{"#set":`...)), '}')
	case Map:
		pairs := Value{Kind: List}
		for i := range v.Items {
			pairs.Items = append(pairs.Items, Of(List, v.Keys[i], v.Items[i]))
		}
		return append(pairs.appendItems(append(b, `{"#map":`...)), '}')
	}
	b = append(b, '{')
	for i := range v.Items {
		if i > 0 {
			b = append(b, ',')
		}
		b = v.Items[i].append(append(appendText(b, v.Names[i]), ':'))
	}
	return append(b, '}')
}

func (v Value) appendItems(b []byte) []byte {
	b = append(b, '[')
	for i := range v.Items {
		if i > 0 {
			b = append(b, ',')
		}
		b = v.Items[i].append(b)
	}
	return append(b, ']')
}

func appendText(b []byte, text string) []byte {
	quoted, _ := json.Marshal(text) // of a text it never fails
	return append(b, quoted...)
}
