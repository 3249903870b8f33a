package explore

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
)

// Kind tells violations apart.
type Kind uint8

// The kinds of violation.
const (
	Invariant    Kind = iota // the last state violates an invariant
	StepProperty             // the last step violates a step property
	Deadlock                 // the last state has no successor
)

// Violation is a broken property and a shortest run that breaks it.
type Violation struct {
	// Kind says what was violated.
	Kind Kind
	// Property is the name of the invariant or step property, or "Deadlock".
	Property string
	// Run starts with an initial state, and ends with the violation.
	Run []Event
}

// Event is a step and the state after it.
type Event struct {
	// Step led to State. It is the zero Step in the first event of a run.
	Step Step
	// State is the whole state, as Model.Render gives it.
	State []Variable
}

// finding is a violation before its run is known.
type finding struct {
	kind        Kind
	property    string // never empty, if something was found
	length      int    // of the run, in states
	fingerprint uint64 // of the state that violates property, or whose step does
	step        int    // for a StepProperty, which step of that state it is: 1, 2, …
}

// found reports whether f is a finding at all.
func (f finding) found() bool { return f.property != "" }

// before reports whether f is to be reported rather than g. The order depends only on
// the model: the shorter run first, then what TLC checks first, then the fingerprint.
func (f finding) before(g finding) bool {
	if !f.found() || !g.found() {
		return f.found()
	}
	return cmp.Or(
		cmp.Compare(f.length, g.length),
		cmp.Compare(f.kind, g.kind),
		cmp.Compare(f.fingerprint, g.fingerprint),
		cmp.Compare(f.step, g.step)) < 0
}

// visited is a state on the way to a finding.
type visited struct {
	state []byte
	step  Step
	from  *visited // nil for an initial state
}

// errUnrepeatable says that the steps that were found once cannot be found again.
var errUnrepeatable = errors.New("explore: the model does not repeat itself (or two states " +
	"have one fingerprint): the run to a violation cannot be rebuilt")

// violation rebuilds the run to f. The table knows of each state only the fingerprint
// of its parent, and half of that: so the run is walked back over fingerprints, and then
// forward from the initial states, following all states that may lie on it.
func (r *run) violation(f finding) (*Violation, error) {
	levels := f.length
	if f.kind == StepProperty {
		levels--
	}
	wanted := make([]map[uint64]bool, levels)
	wanted[levels-1] = map[uint64]bool{f.fingerprint: true}
	for i := levels - 1; i > 0; i-- {
		wanted[i-1] = map[uint64]bool{}
		for fp := range wanted[i] {
			r.table.parents(r.table.lookup(fp), wanted[i-1])
		}
	}
	last := r.replay(wanted)
	if last != nil && f.kind == StepProperty {
		last = r.nth(last, f.step)
	}
	if last == nil {
		return nil, fmt.Errorf("%w: %s after %d states", errUnrepeatable, f.property, f.length)
	}
	v := &Violation{Kind: f.kind, Property: f.property, Run: make([]Event, f.length)}
	for i := f.length - 1; i >= 0; i, last = i-1, last.from {
		v.Run[i] = Event{last.step, r.model.Render(last.state)}
	}
	return v, nil
}

// replay goes forward through the wanted states of each level, and returns the one of
// the last level. Among several ways, it takes the first in the order of Init and Next.
func (r *run) replay(wanted []map[uint64]bool) *visited {
	var reached []*visited
	meet := func(level int, state []byte, step Step, from *visited) {
		if fp := fingerprint(state); wanted[level][fp] {
			delete(wanted[level], fp)
			reached = append(reached, &visited{bytes.Clone(state), step, from})
		}
	}
	r.model.Init(func(state []byte) { meet(0, state, Step{}, nil) })
	for level := 1; level < len(wanted); level++ {
		sources := reached
		reached = nil
		for _, from := range sources {
			r.workers[0].expander.Expand(from.state, func(step Step, next []byte, _ string) {
				meet(level, next, step, from)
			})
		}
	}
	if len(reached) == 0 {
		return nil
	}
	return reached[0]
}

// nth returns the state after the nth step of from, or nil if there is none.
func (r *run) nth(from *visited, n int) *visited {
	var found *visited
	r.workers[0].expander.Expand(from.state, func(step Step, next []byte, _ string) {
		if n--; n == 0 {
			found = &visited{bytes.Clone(next), step, from}
		}
	})
	return found
}
