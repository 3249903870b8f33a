// Package detector judges from arrivals whether another node is alive. It is pure: it has no clock and no
// goroutine, never looks at the time, and leaves all that happens to its caller, the host.
//
// The rules let a host use any detector, because a timer that ends early costs no promise but OneActing, and a late
// one costs time only (spec/README.md §9). What a host needs is how long to wait after the last arrival: Patience.
// Two detectors say so. Fixed waits for the same time always. Phi learns from the arrivals and waits longer where they
// are irregular; its Patience is a formula, so that the host sets one timer, and polls nothing. This is the loop that
// a host writes:
//
//	for {
//		asked := due // when the loop wants to be woken, if nothing arrives before
//		select {
//		case <-network.Wake():
//		case <-timer.C:
//		}
//		now := time.Now()
//		if now.Sub(asked) > late { // this node did not run, which Suspended says too; others may be well
//			quiet := now.Add(2 * heartbeat) // what is queued is taken, and the next heartbeat arrives
//			phi.Paused(quiet)
//			due = later(due, quiet)
//		}
//		for message := range network.Received() { // what has arrived is taken before any timer ends
//			if message.From != leader { // somebody new is followed
//				leader = message.From
//				phi.Reset()
//			}
//			phi.Heard(now)
//			due = now.Add(phi.Patience(now))
//		}
//		if !now.Before(due) {
//			suspect(leader)
//		}
//	}
//
// What makes detectors flap in the field, and what is done about it here:
//
//   - Regular arrivals make a deviation near zero, and then the first hiccup is a suspicion: MinDeviation, and Floor,
//     which is bound d of R37.
//   - One pause of 15 s is learned, and detection is slow for a thousand heartbeats: a gap after a suspicion is not learned.
//   - Nothing learned of such gaps, a node that has become slower for good is suspected at every heartbeat: each suspicion
//     that proves false doubles the patience (Chandra and Toueg 1996), and a window of arrivals in time takes one
//     doubling back.
//   - A node that dies before its first arrival is never suspected: the wait begins with the first Patience, and
//     two samples that were never measured stand in for the window.
//   - The node itself did not run, and suspects all others when it wakes: its loop puts suspicion off.
//   - Whoever was stopped or suspended finds a queue of arrivals, and learns intervals of nothing: Paused.
//   - Phi becomes infinite and breaks what prints it: here it is finite for every time there is.
//
// # Sources
//
// Hayashibara, Défago, Yared and Katayama: The φ accrual failure detector. SRDS 2004. The threshold of 8, the window of
// 1000, the least deviation, the bootstrap of mean ± mean/4 and not learning after a suspicion are those of Akka's
// PhiAccrualFailureDetector; the guard against local pauses is that of Cassandra's FailureDetector. That a node should
// doubt itself before others: Dadgar, Phillips and Currey, Lifeguard, 2017. That patience must grow with mistakes:
// Chandra and Toueg, Unreliable failure detectors for reliable distributed systems, JACM 43(2), 1996.
package detector
