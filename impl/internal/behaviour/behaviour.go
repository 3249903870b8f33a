package behaviour

import (
	"fmt"
	"strings"

	"github.com/seed-fdf591db/bully/model/explore"
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
	more  int // how many counterexamples there are besides in the same text
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

// parse reads the values of all states.
func (b *Behaviour) parse() error {
	for i := range b.Steps {
		s := &b.Steps[i]
		s.terms = make(map[string]term, len(s.State))
		for name, text := range s.State {
			t, err := parse(text)
			if err != nil {
				return fmt.Errorf("state %d: %s: %w", i+1, name, err)
			}
			s.terms[name] = t
		}
		if i > 0 && len(s.terms) != len(b.Steps[0].terms) {
			return fmt.Errorf("state %d has %d variables, and state 1 has %d", i+1, len(s.terms), len(b.Steps[0].terms))
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
