// Package ring is the two election algorithms for nodes that stand in a ring, as a function: the core of one node, without
// clock, disk, network, goroutines or randomness. It is here to be compared with package bully, not to be relied on.
//
//   - [ChangRoberts]: an id goes round. Each node passes on what is higher than its own id, swallows what is lower, and who
//     gets its own id back leads. E. Chang and R. Roberts, An improved algorithm for decentralized extrema-finding in
//     circular configurations of processes, CACM 22(5), 1979; the second round, ELECTED, and the words of G. Coulouris et
//     al., Distributed Systems, 5th edition, §15.3.
//   - [Lists]: a list goes round, to which each node adds itself. When it is back, the highest in it leads. G. Le Lann,
//     Distributed systems – towards a formal approach, IFIP 1977; as A. Tanenbaum and M. van Steen teach it, Distributed
//     Systems, 2nd edition, §6.5.1, with two rounds and failed neighbours skipped.
//
// This is the loop that a host writes round it:
//
//	node, err := ring.New(ring.Config{ID: 2, Ring: []int{1, 2, 3}, Form: ring.Lists})
//	if err != nil {
//		return err
//	}
//	in := ring.Start() // or Restart: nothing is on disk
//	for {
//		out := node.Step(in)
//		if out.Ignored != "" {
//			log.Print(out.Ignored) // bad input: nothing has changed
//		}
//		for _, t := range out.Stop {
//			timers.Stop(t)
//		}
//		for _, t := range out.Set {
//			timers.Set(t) // from now on; one that runs begins anew
//		}
//		for _, m := range out.Send {
//			network.Send(m)
//		}
//		in = <-inputs // Receive, Ended or Suspect
//	}
//
// # What the sources leave open
//
// Chang and Roberts have no failures; Tanenbaum has nodes that are down, and says that one "skips over" them. So that a node
// knows whom to skip, every message of an election is answered with an ACK here, in both forms, and who gets none in time
// sends the same to the next but one. Sources do not count these ACKs: there is one for each message that arrives. An ACK that
// is late or lost makes two messages of one, and the rings of the sources have nothing against that. Here a node at least
// does not pass on what it is passing on already.
//
// How a node comes to think that its leader is dead is not said either. Here a leader sends HEARTBEAT to all, and a
// follower that hears none for a time suspects it. Of two leaders the higher is followed, as in an election.
//
// No source says what becomes of who waits for the end of an election that is lost. Here it begins another after a time,
// unless it is told to hold on (Config.NoRetry).
//
// A node that was down knows nothing and asks for nothing: it waits for a leader to be heard of, like one that starts for
// the first time. So the highest, once back, follows a lower leader until the next election.
//
// # What an election costs
//
// Of n nodes, without faults, and with the ACKs left out:
//
//   - ChangRoberts, one starter: n+d ELECTION, where d is how many hops it is from the starter to the highest: n if that
//     starts itself, and 2n−1 if its neighbour behind it does. Then n ELECTED.
//   - ChangRoberts, all start: an id goes until it meets a higher one, the highest all round. That is 2n−1 ELECTION if ids
//     ascend in the direction in which messages go, and n(n+1)/2 if they descend. Then n ELECTED.
//   - Lists: n ELECTION and n COORDINATOR for each starter; 2n² if all start. Places of the ring where nobody is alive cost
//     the same as others: a message that is sent and not answered.
package ring
