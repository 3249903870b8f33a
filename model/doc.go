// Package model is the protocol as a program that can be run and explored: one node's transition function, and a cluster of such
// nodes under faults. It is written by hand from the rules in spec/README.md, action for action beside tla/Node.tla and
// tla/Cluster.tla, and shares nothing with the implementation: the three are compared, so each must be able to err alone.
//
// # A node
//
// [Rules] is the transition function of a node. It takes the node's id, its state and what happens, and returns a [Step]: the state
// after, and the messages sent. It has no clock, no network and no memory of its own:
//
//	rules, err := model.NewRules(3) // members 1, 2 and 3
//	if err != nil {
//		return err
//	}
//	var s model.State // blank: a node's first start
//	for in := range inputs {
//		var step model.Step
//		switch {
//		case in.Message != nil:
//			step = rules.Hear(i, s, *in.Message)
//		case in.Resign:
//			step = rules.Resign(i, s)
//		case in.HolderDead:
//			step = rules.HolderDead(i, s)
//		default:
//			step = rules.Timeout(i, s, in.Timer)
//		}
//		save(step.State) // before anything is sent, if epoch or grantee changed (R4)
//		send(step.Sent())
//		s = step.State
//	}
//
// After a crash, s is rules.Survives(s), and the node comes back with rules.Restart(i, s).
//
// # A cluster
//
// [New] builds the model of a configuration: so many nodes, one FIFO queue per directed link, a topology, and a budget of faults.
// Package explore visits all its states:
//
//	m, err := model.New(configuration)
//	if err != nil {
//		return err
//	}
//	result, err := explore.Run(ctx, m, explore.Options{})
//
// States, steps and counts are those of TLC for the same configuration. [Transitions] explores a configuration for the steps that
// single nodes take there, and [Unpack] says what a packed state is.
//
// # Beside the TLA+
//
// A rule that a mutant may replace is a field of Rules, named like the operator; [Rules.Replace] and the replacements of a
// configuration take the names of tla/MCCluster.tla. What a node does is in election.go, claim.go and reign.go, with the operators
// of Node.tla in their order; the cluster is in cluster.go (variables, network, receipts), timers.go, faults.go and proof.go (what
// configurations put in the place of its operators), and its properties in invariants.go. Where TLA+ says set, the code has bits ([Set]); where it says string, a small integer whose String
// is the word.
package model
