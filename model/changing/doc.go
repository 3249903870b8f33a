// Package changing is package model for members that come and go: a node with a configuration, and a cluster of such nodes
// under faults and changes. It is written by hand from the rules in spec/README.md, action for action beside
// tla/ChangingNode.tla and tla/ChangingCluster.tla, and shares nothing with the implementation: the three are compared, so each
// must be able to err alone. Of package model it has the ids, sets and words, and no rule.
//
// # An answer
//
// [Step] says what a node does with one input, in the words of package spec, so that any implementation can be compared with
// it, step by step:
//
//	before, err := changing.Start(id, first)
//	if err != nil {
//		return err
//	}
//	state := before.After
//	for in := range inputs {
//		want, err := changing.Step(id, state, in)
//		if err != nil {
//			return err // not a question: see there
//		}
//		if got := node.Step(in); !got.State.Equal(want.After) || !slices.Equal(got.Sent, want.Sent) {
//			return fmt.Errorf("%v: %v and %v are wanted", in, want.After, want.Sent)
//		}
//		state = want.After
//	}
//
// [Restart] says what comes after a crash, and [CheckState] what states a node can be in at all.
//
// # A node
//
// Step asks [Rules], the transition function of a node over ranks and sets. Each takes the node's id, its state and what
// happens, and returns an [Outcome]:
//
//	r := changing.NewRules()
//	o := r.Hear(i, s, m)
//	save(o.State) // before anything is sent, if epoch, grantee or configuration changed (R4, R42)
//	send(o.Sent())
//	s = o.State
//
// # A cluster
//
// [New] builds the model of a configuration of module MCChangingCluster, all of whose states package explore visits:
//
//	m, err := changing.New(configuration)
//	if err != nil {
//		return err
//	}
//	result, err := explore.Run(ctx, m, explore.Options{})
//
// States, steps and counts are those of TLC for the same configuration. [Transitions] explores a configuration for the steps
// that single nodes take there, and [Unpack] says what a packed state is.
//
// # Beside the TLA+
//
// A rule that a mutant may replace is a field of Rules, named like the operator; [Rules.Replace] and the replacements of a
// configuration take the names of tla/MCChangingCluster.tla. What a node does is in inputs.go, election.go, claim.go and
// reign.go, with the operators of ChangingNode.tla in their order; the cluster is in cluster.go, timers.go and faults.go, its
// properties in properties.go, still.go and witnesses.go, and its constants in topology.go. What a cluster comes to in the end
// the explorer asks of the states that last (still.go); liveness is TLC's.
package changing
