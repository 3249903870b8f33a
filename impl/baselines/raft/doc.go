// Package raft is the election half of Raft as a function: the core of one node, without clock, disk, network, goroutines
// or randomness. There is no log: all logs count as equal, so the restriction of §5.4.1 never forbids a vote. It takes an
// [Input] — a start, a message, the end of a timer — and returns an [Output]: what the host must do, in order of duty. The
// same node given the same inputs returns the same outputs.
//
// This is the loop that a host writes round it:
//
//	node, err := raft.New(raft.Config{ID: 2, Nodes: 5, PreVote: true, CheckQuorum: true})
//	if err != nil {
//		return err
//	}
//	var in raft.Input = raft.Start(onDisk) // the zero Start if there is nothing yet
//	for {
//		out := node.Step(in)
//		if out.Ignored != "" {
//			log.Print(out.Ignored) // bad input: nothing has changed
//		}
//		if out.Save {
//			if err := disk.Save(out.Saved); err != nil {
//				return err // for good: nothing of this step may leave the node
//			}
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
//		in = <-inputs // a Message, or the Timer that has ended
//	}
//
// # How long timers run
//
// That is the host's to say. With an election timeout of T, [Lease] and [Quorum] run for T, [Heartbeat] for a part of T, and
// [Election] for a time that is drawn from T to 2T anew each time that it is set. Whatever the host says, and in whatever
// order inputs come, a term has at most one leader.
//
// # Sources
//
// Rules cite, as §, Ongaro and Ousterhout, "In Search of an Understandable Consensus Algorithm", USENIX ATC 2014, in the
// extended version; and as D, Ongaro, "Consensus: Bridging Theory and Practice", Stanford 2014. Where these leave a gap, they
// cite go.etcd.io/raft and the issue in which the gap was found.
//
// The rules of candidates and voters are in election.go, those of leaders and followers in reign.go.
package raft
