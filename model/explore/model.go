// Package explore visits every reachable state of a finite transition system,
// breadth first, and reports the shortest run that breaks one of its properties.
//
// A system is a [Model]. It writes each state as a short string of bytes, so that
// one state has exactly one form; the explorer copies those bytes, tells states
// apart by a fingerprint of 64 bits, and never looks inside. What it counts is what
// TLC counts for the same system: distinct states, states generated and depth. The
// counts, and the run it reports, do not depend on the number of workers. It keeps about
// 24 bytes for each distinct state, and the states themselves of only two levels.
//
// The loop to write:
//
//	m, err := promises.New(configuration)
//	if err != nil {
//		return err
//	}
//	result, err := explore.Run(ctx, m, explore.Options{})
//	if err != nil {
//		return err // cancelled, or a *LimitError: nothing was decided
//	}
//	if result.Violation != nil {
//		fmt.Println(result.Violation)
//	}
//	fmt.Println(result.Distinct, result.Generated, result.Depth)
package explore

import "strconv"

// Model is a transition system over packed states; see [Expander]. Its methods are
// called by one goroutine at a time, and must answer the same whenever they are asked.
type Model interface {
	// Init calls emit once for each initial state, duplicates included. emit copies state,
	// and calls Check of an Expander.
	Init(emit func(state []byte))
	// Expander returns a new Expander. Run asks for one for each of its workers.
	Expander() Expander
	// Render returns the variables of state as TLA+ values, in the order in which the
	// module declares them.
	Render(state []byte) []Variable
	// Unchecked names the properties of the configuration that the explorer cannot
	// check (liveness). It is empty if the run decides everything.
	Unchecked() []string
}

// Expander computes the steps of a [Model]. It may hold scratch memory: each worker has
// its own, and never calls one of its methods while another (or its emit) is running.
// Neither method may change the state it is given, nor keep it after it returns.
type Expander interface {
	// Check returns the name of the first violated invariant of state, or "".
	Check(state []byte) string
	// Expand calls emit once for each successor that TLC would generate, in the order of
	// Next, duplicates included. emit copies next. broken is the name of the step
	// property that this very step violates, or "".
	Expand(state []byte, emit func(step Step, next []byte, broken string))
}

// Step names one step: an action of Next with its parameters.
type Step struct {
	// Action is the name of the disjunct of Next. It is empty for no step at all.
	Action string
	// Args are the parameters of the action, in order; Form says how they are read.
	Args [2]int8
	// Form says how many parameters there are, and what they mean.
	Form Form
}

// Form is the way in which a [Step] is written.
type Form uint8

// The forms of a step.
const (
	// Nodes is the form of an action of nodes, whose ids start at 1: an argument of 0 is
	// absent. It prints Settle, Crash(2) or OnClaim(3→1).
	Nodes Form = iota
	// One is the form of an action with one parameter, which may be 0: Write(0).
	One
	// Two is the form of an action with two parameters that are not the two ends of a
	// message: Promise(2, 0).
	Two
)

// String returns the step as people write it, such as OnClaim(3→1) or Crash(2).
func (s Step) String() string {
	a, b := strconv.Itoa(int(s.Args[0])), strconv.Itoa(int(s.Args[1]))
	switch {
	case s.Form == Two:
		return s.Action + "(" + a + ", " + b + ")"
	case s.Form == Nodes && s.Args[1] != 0:
		return s.Action + "(" + a + "→" + b + ")"
	case s.Form == One, s.Args[0] != 0:
		return s.Action + "(" + a + ")"
	}
	return s.Action
}

// Variable is one variable of a state.
type Variable struct {
	// Name is the variable's name in the TLA+ module.
	Name string
	// Value is its value as a TLA+ expression without line breaks, such as
	// <<[role |-> "follower", epoch |-> 0]>>.
	Value string
}

// Configuration is what a .cfg file says, as the constructors of the models take it.
type Configuration struct {
	// Module is the name of the root module, such as MCPromises.
	Module string
	// Specification is Spec (safety only) or FairSpec (with fairness).
	Specification string
	// Constants are the assigned constants, values as written: "N": "3".
	Constants map[string]string
	// Replacements are the replaced operators and constants: "IsQuorum": "AnySet".
	Replacements map[string]string
	// Invariants are the names of the state properties to check.
	Invariants []string
	// Properties are the names of the step and liveness properties to check.
	Properties []string
}
