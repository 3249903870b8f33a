// Package behaviour makes recordings of counterexamples: of what TLC prints (plainly, with its option -tool, or by tla/check -v; with
// or without colours), of what it dumps as JSON, and of what the explorer of package explore finds, or workbench check prints of it.
//
//	b, err := behaviour.Read(text)
//	if err != nil {
//		return err
//	}
//	trace, err := b.Trace() // the error says why the behaviour cannot be said as a trace
//	f, err := b.Recording()      // … but a recording there is of each
//
// The modules of tla are known: their nodes, what is under way between them, and who leads. Of any other module the recording shows
// the variables. A behaviour of module Cluster is told as a trace of our protocol is, step by step with its rule, if its steps
// are such: a mutant takes some that the rules do not allow, and there the indicator Rules goes red.
package behaviour
