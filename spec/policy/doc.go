// Package policy decides when the timers of a node end, within the bounds of R36 and R37. It is what hosts run, and what is
// simulated: it has no clock, no network and no goroutine, and draws random numbers from what it is given. So the same calls
// make the same waits.
//
// A host makes a [Policy] for its node, and tells it of every step ([Policy.Follow]) and of what it learns of the others
// ([Policy.Connected], [Policy.Broken], [Policy.Heard], [Policy.Proved]). After each call [Policy.Due] says when each timer ends.
// One that ends is taken out ([Policy.Ended]) before its end is given to the node:
//
//	p := policy.New(policy.LAN(), rand.New(rand.NewPCG(1, 2)), peers)
//	for {
//		now := ... // when a message has come, or the first of p.Due has ended
//		p.Follow(&policy.Step{Began: before, Now: now, Action: ..., Arm: ..., Role: ..., Leader: ..., Latest: ..., Dated: ..., ...})
//		if p.ElectionOver(hasQuorum) {
//			p.Ended(policy.ElectionTimer) // and its end is given to the node
//		}
//	}
//
// Who the members are it is told by places, in an order that the host keeps: see [Peers]. What it knows beside the state of the
// node only ever makes timers longer than their bounds, or shorter where nothing is waited for any more; so it may be wrong.
package policy
