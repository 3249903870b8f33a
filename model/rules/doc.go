// Package rules is one node of the protocol as a function: from the state of a node and what happens to it, to the state after and
// the messages sent. It is written by hand from the rules in spec/README.md, beside tla/Node.tla, and shares nothing with the
// implementation: the three are compared, so each must be able to err alone. It has no clock, no network and no memory.
//
// # An answer
//
// [Names.Answer] says what a node does with one input, in the words of package spec, so that any implementation can be compared
// with it, step by step:
//
//	names, err := rules.NewNames(ids) // all that may occur, ascending
//	if err != nil {
//		return err
//	}
//	state := spec.State{Role: spec.Follower, Configuration: first}
//	for in := range inputs {
//		want, err := names.Answer(id, &state, &in)
//		if err != nil {
//			return err // not a question: see there
//		}
//		if got := node.Step(in); !got.State.Equal(want.After) || !slices.Equal(got.Sent, want.Sent) {
//			return fmt.Errorf("%v: %v and %v are wanted", in, want.After, want.Sent)
//		}
//		state = want.After
//	}
//
// [Names.Restart] says what comes after a crash, and [CheckState] what states a node can be in at all.
//
// # A node
//
// The names ask [Rules], the transition function of a node over ranks and sets, which package cluster asks too:
//
//	r := rules.New()
//	step := r.Hear(i, s, m)
//	save(step.State) // before anything is sent, if epoch, grantee or configuration changed (R4, R42)
//	send(step.Sent())
//	s = step.State
//
// # Static members
//
// A cluster whose members never change is one whose configuration is a constant. In package spec its nodes have none, and their
// messages say none; here they have one of all members, of epoch 0 and version 1, that no rule replaces: see [NewStaticNames].
//
// # Beside the TLA+
//
// A rule that a mutant may replace is a field of Rules, named like the operator of tla/Node.tla; [Rules.Replace] takes the names
// of tla/MCCluster.tla. What a node does is in inputs.go, election.go, claim.go and reign.go, with the operators of Node.tla in
// their order. Where TLA+ says set, the code has bits ([Set]); where it says string, a small integer whose String is the word.
package rules
