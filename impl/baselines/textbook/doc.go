// Package textbook is the Bully election as it is taught: ELECTION to those with higher ids, OK, COORDINATOR, and the
// highest that runs wins. It is the core of one node as a function, without clock, disk, network, goroutines or
// randomness. There are no quorums, no leases, and no epochs that anybody compares. It is here to be compared with, and
// to show how it goes wrong; package bully is what to use.
//
// This is the loop that a host writes round it:
//
//	node, err := textbook.New(textbook.Config{ID: 3, Nodes: 5})
//	if err != nil {
//		return err
//	}
//	in := textbook.Start() // or Restart: nothing is ever on disk
//	for {
//		out := node.Step(in)
//		if out.Ignored != "" {
//			counters[out.Ignored]++ // bad input: nothing has changed
//		}
//		for _, t := range out.Stop {
//			timers.Stop(t)
//		}
//		for _, t := range out.Set {
//			timers.Set(t, lengths[t]) // from now on; one that runs is begun anew
//		}
//		for _, m := range out.Send {
//			network.Send(m)
//		}
//		in = <-inputs // Receive, Ended or Suspect
//	}
//
// How long a timer runs is the host's to say. As taught, T_elec is a round trip: long enough for an OK to come if any
// will; and T_coord is 2·T_elec: long enough for whoever said OK to win its own election, and say so.
//
// # Sources
//
// The rules are those of tla/Textbook.tla, and each has its name. Where they come from:
//
//   - Garcia-Molina: H. Garcia-Molina, Elections in a Distributed Computing System, IEEE Transactions on Computers C-31(1),
//     1982: the Bully Algorithm. Its second stage, in which a winner has the others halt before it leads, and its
//     coordinator that asks whether all are normal, are left out here, as textbooks leave them out.
//   - Tanenbaum: A. S. Tanenbaum, M. van Steen, Distributed Systems, 2nd edition, 2007, section 6.5.1.
//   - Coulouris: G. Coulouris, J. Dollimore, T. Kindberg, G. Blair, Distributed Systems, 5th edition, 2011, section 15.3.
//   - Practice: what exercises and small implementations add, so that it runs for longer than one election: the
//     HEARTBEAT of a leader, the cool-down and the question IM_BACK of a node that returns, a stamp on each reign.
//
// What is sent is as many messages as people count only if the highest node, who has nobody to ask, waits T_elec like
// all others before it says that it leads; so it does here, unless [Config].Shortcut is set.
package textbook
