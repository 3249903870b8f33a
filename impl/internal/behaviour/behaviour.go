// Package behaviour makes recordings of counterexamples: of what TLC prints (plainly, with its option -tool, or by tla/check -v; with
// or without colours), of what it dumps as JSON, and of what the explorer of package explore finds, or workbench check prints of it.
//
//	b, err := behaviour.Read(text)
//	if err != nil {
//		return err
//	}
//	trace, err := b.Trace() // the error says why the behaviour cannot be said as a trace
//	f, err := b.Recording() // … but a recording there is of each
//
// The modules of tla are known: their nodes, what is under way between them, and who leads. Of any other module the recording shows
// the variables. A behaviour of module Cluster is told as a trace of our protocol is, step by step with its rule, if its steps
// are such: a mutant takes some that the rules do not allow, and there the indicator Rules goes red.
package behaviour

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/tla/check/value"
)

// Behaviour is a counterexample: the states of a system, one after the other.
type Behaviour struct {
	Name     string // of its configuration, such as mutants/ClusterGrantsTwice; "" if it is not said
	Question string // that the configuration asks; "" if it is not said
	Property string // that is violated; "" if it is not said
	Steps    []Step // of which the first is the initial state
	// Back is the number of the state, from 1, to which the behaviour goes back for ever; 0 if it ends with its last state.
	Back int
	// Stuck says that nothing ever changes again after the last state, and that this is what is wrong.
	Stuck bool
	more  int  // how many counterexamples there are besides in the same text
	zero  bool // its first state has the number 0 where it was read, and not 1
}

// Step is a step, and the state after it.
type Step struct {
	Action string // the name of the action; "" of the initial state
	Args   []int  // its parameters, if they are known
	State  map[string]string
	terms  map[string]term
}

// Of makes a behaviour of what the explorer has found.
func Of(v *explore.Violation, name, question string) (*Behaviour, error) {
	b := &Behaviour{Name: name, Question: question, Property: v.Property, Stuck: v.Kind == explore.Deadlock}
	for i, e := range v.Run {
		s := Step{Action: e.Step.Action, State: map[string]string{}}
		if i > 0 {
			s.Args = []int{int(e.Step.Args[0]), int(e.Step.Args[1])}
		}
		for _, x := range e.State {
			s.State[x.Name] = x.Value
		}
		b.Steps = append(b.Steps, s)
	}
	return b, b.parse()
}

// number returns the number of a state, as the text from which it was read counts.
func (b *Behaviour) number(i int) int {
	if b.zero {
		return i
	}
	return i + 1
}

// parse reads the values of all states.
func (b *Behaviour) parse() error {
	for i := range b.Steps {
		s := &b.Steps[i]
		s.terms = make(map[string]term, len(s.State))
		for name, text := range s.State {
			t, err := parse(text)
			if err != nil {
				return fmt.Errorf("state %d: %s: %w", b.number(i), name, err)
			}
			s.terms[name] = t
		}
		if i > 0 && len(s.terms) != len(b.Steps[0].terms) {
			return fmt.Errorf("state %d has %d variables, and state %d has %d", b.number(i), len(s.terms), b.number(0), len(b.Steps[0].terms))
		}
	}
	return nil
}

// title says what the behaviour is, in a few words.
func (b *Behaviour) title() string {
	name := b.Name[strings.LastIndexByte(b.Name, '/')+1:]
	if name == "" {
		name = "Counterexample"
	}
	if b.Property == "" {
		return name
	}
	return name + ": against " + b.Property
}

// term is a TLA+ value. Its text is the canonical one: two terms are the same if their texts are.
type term struct {
	text  string
	open  byte   // '{', '<', '[' or '(' of a set, a tuple, a record or another function; 0 of anything else
	items []term // elements, or the results of a function
	keys  []string
}

// parse reads a value as TLC writes it.
func parse(text string) (term, error) {
	v, err := value.Parse(text)
	return termOf(v), err
}

func termOf(v value.Value) term {
	t := term{text: v.Text, open: v.Open, keys: v.Keys}
	for _, item := range v.Items {
		t.items = append(t.items, termOf(item))
	}
	return t
}

// field returns what a function is at a key, such as role of a record; the zero term if it has no such key.
func (t term) field(key string) term {
	for i, k := range t.keys {
		if k == key {
			return t.items[i]
		}
	}
	return term{}
}

// at returns what a function of 1..n is at i.
func (t term) at(i int) term {
	if t.open == '<' && i >= 1 && i <= len(t.items) {
		return t.items[i-1]
	}
	return t.field(strconv.Itoa(i))
}

// has reports whether a set has an element.
func (t term) has(text string) bool {
	for i := range t.items {
		if t.items[i].text == text {
			return true
		}
	}
	return false
}

// number returns the number that a term is; 0 if it is none.
func (t term) number() int {
	n, err := strconv.Atoi(t.text)
	if err != nil {
		return 0 // Atoi would return the largest there is for one that is too large
	}
	return n
}

// word returns a string without its quotes, and any other term as it is.
func (t term) word() string { return strings.Trim(t.text, `"`) }

// pair returns the two numbers of a tuple such as <<1, 2>>, or of the text of one.
func pair(text string) (a, b int, ok bool) {
	first, second, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(text, "<<"), ">>"), ", ")
	a, err1 := strconv.Atoi(first)
	b, err2 := strconv.Atoi(second)
	return a, b, ok && err1 == nil && err2 == nil
}
