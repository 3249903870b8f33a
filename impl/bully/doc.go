// Package bully is the protocol of spec/README.md as a function: the core of one node, without clock, disk, network,
// goroutines or randomness. It takes an [Input] — a start, a message, the end of a timer, a call — and returns an
// [Output]: what the host must do, in order of duty. The same node given the same inputs returns the same outputs.
//
// This is the loop that a host writes round it:
//
//	node, err := bully.New(id, members)
//	if err != nil {
//		return err
//	}
//	in := bully.Start() // or Restart, with the promise that is on disk
//	for {
//		out := node.Step(in)
//		if out.Ignored != "" {
//			counters[out.Ignored]++ // bad input: nothing has changed
//		}
//		if out.Save {
//			if err := disk.Save(out.Promise); err != nil {
//				return err // for good: nothing of this step may leave the node (R4)
//			}
//		}
//		if out.ReignEnded {
//			user.ReignIsOver() // before anybody else hears of it (R39)
//		}
//		if out.Changed {
//			network.Know(node.Configuration()) // of changing members only
//		}
//		for t := range out.Cancel.All() {
//			timers.Cancel(t)
//		}
//		for t := range out.Arm.All() {
//			timers.Arm(t) // from now on; one that runs is restarted (R36)
//		}
//		for _, m := range out.Send {
//			network.Send(m)
//		}
//		if out.LeaderChanged {
//			user.Tell(node.Leader())
//		}
//		in = <-inputs // Receive, Ended, Resign, HolderDead or Change
//	}
//
// Members that come and go are begun with [NewChanging] instead: then a node has a configuration, which says who they are
// (R42), keeps it on disk with the promise, and takes any newer one from what it hears. A leader is asked for another one
// by [Change]; [Node.MayChange] says why it may not be, and [Node.Settled] when a quorum holds it.
//
// How long a timer runs is the host's to say, within the bounds of R37. Whatever it says, and in whatever order inputs
// come, an epoch has at most one leader.
//
// No input makes a step panic. What no rule is for is ignored, and [Output].Ignored says why (R33, R34, R35).
//
// The rules are in election.go, claim.go and reign.go, in the order of section 8 of the specification; those about
// configurations are in configuration.go; what they share is in state.go, and the timers of section 9 are in timers.go.
// Each function begins with whom it does not concern, then changes the state, then sends. The step that gives an input to
// its rule is in step.go, with what comes of it.
package bully
