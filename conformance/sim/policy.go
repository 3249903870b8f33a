package sim

import (
	"math/bits"
	"time"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// Timing is what a host is given: see package policy, which is what hosts run.
type Timing = policy.Timing

// waits is what a host knows beside the state of its node, to decide when timers end.
type waits struct {
	policy policy.Policy
	ends   policy.Ends // as the network has them

	heard [MaxNodes]time.Duration // when the step began that sent the last message taken from each node
	tried [MaxNodes]time.Duration // when the attempt began that proved each node dead
}

// newWaits makes a host know nothing, as one that has just been started does.
func (r *Runner) newWaits(i rank) {
	h := &r.hosts[i]
	h.waits = waits{policy: policy.New(r.plan.Timing, &h.random, h.view.peers(i))}
	h.ends = h.policy.Due
}

// peers returns who is who for node i. Its places are ranks.
func (w *who) peers(i rank) policy.Peers {
	higher := func(k, l int) bool { return w.higher(rank(k), rank(l)) }
	return policy.NewPeers(int(i), policy.Set(w.members), policy.Set(w.electors), policy.Set(w.voters), higher)
}

// place returns the place of a node in the policy of node i.
func (w *who) place(i, of rank) int {
	if of != none && of != i && !w.members.has(of) {
		return policy.NonMember
	}
	return int(of)
}

// clock is what the clock of a node shows, when it has saved what it is about to save.
func (r *Runner) clock(i rank) policy.Instant { return policy.Instant(r.net.Clock(int(i))) }

// follow lets the policy of a host follow a step that began then, and does what it says.
func (r *Runner) follow(i rank, was *view, out *spec.Step, began policy.Instant) {
	h, clock := &r.hosts[i], r.clock(i)
	if now := &h.view; now.configuration != was.configuration {
		stay := policy.Set(now.members | one(i))
		h.policy.Reconfigure(now.peers(i), func(s policy.Set) policy.Set { return s & stay })
	}
	h.policy.Follow(&policy.Step{Began: began, Now: clock, Action: actions[r.in.action], Names: r.waitsFor(i), From: h.view.place(i, r.in.from), Cancel: out.Cancel,
		Arm: out.Arm, Sent: out.Sent, Role: out.State.Role, Leader: h.view.place(i, h.view.leader),
		Latest: out.State.Latest, Dated: out.State.Dated})
	r.endElection(i, clock)
}

// endElection ends the election of a candidate that has nothing more to wait for, and sets timers.
func (r *Runner) endElection(i rank, now policy.Instant) {
	h := &r.hosts[i]
	if h.view.role == candidate && h.policy.ElectionOver(h.view.quorum(h.view.support|one(i))) {
		h.policy.Due[election] = now
	}
	r.setTimers(i, now)
}

// setTimers sets the timers whose ends are others than before, and stops those that run no longer.
func (r *Runner) setTimers(i rank, now policy.Instant) {
	h := &r.hosts[i]
	for others := h.ends.Others(&h.policy.Due); others != 0; others &= others - 1 {
		t := bits.TrailingZeros8(uint8(others))
		if h.ends[t] = h.policy.Due[t]; h.ends[t] == policy.Never {
			r.net.StopTimer(int(i), t)
		} else {
			r.net.SetTimer(int(i), t, h.ends[t].After(now))
		}
	}
}

// wake puts off what waits for others if a host was held up, and reports whether it was.
func (r *Runner) wake(i rank) bool {
	now := r.clock(i)
	if r.hosts[i].policy.HeldUp(now) == 0 {
		return false
	}
	r.setTimers(i, now)
	return true
}

// hears notes that a message of a node has been taken, whose step began then.
func (h *host) hears(from int, began time.Duration) {
	h.heard[from] = began
	h.policy.Heard(from)
}

// proved tells a node that another is dead, unless it has taken a message that this one has sent since (R37, Besides 2). What
// has come of the proof since it was asked for does not count: it was true then.
func (r *Runner) proved(i, j rank) {
	h := &r.hosts[i]
	if h.heard[j] >= h.tried[j] || !h.view.members.has(j) {
		return
	}
	h.policy.Proved(int(j))
	if h.view.leader == j {
		r.result.Stats.Proofs++
		r.call(i, spec.HolderDeadCall)
	}
	if !r.broken() && r.net.Up(int(i)) {
		now := r.clock(i)
		h.policy.Died(now)
		r.endElection(i, now)
	}
}

// connected tells a node that it is connected to another.
func (r *Runner) connected(i, j rank) {
	if r.hosts[i].view.members.has(j) {
		now := r.clock(i)
		r.hosts[i].policy.Connected(int(j), now)
		r.setTimers(i, now)
	}
}

// probeAll lets the host of i try all nodes that are down.
func (r *Runner) probeAll(i rank) {
	for j := range rank(len(r.members)) {
		if !r.net.Up(int(j)) {
			r.probeSoon(i, j)
		}
	}
}

// probeSoon lets the host of i try whether j lives, when it has had time to see that their connection is broken.
func (r *Runner) probeSoon(i, j rank) {
	if i != j {
		wait := r.hosts[i].random.In(Range{Max: r.plan.Timing.Delay})
		r.net.At(r.net.Now()+wait, probeTag|uint32(i)<<4|uint32(j))
	}
}

// probe tries whether j lives. If it does not, and its machine can be reached, the answer is a proof. If the machine cannot
// be reached, nothing is proved, and it is tried again.
func (r *Runner) probe(i, j rank) {
	if !r.net.Up(int(i)) || r.net.Up(int(j)) {
		return
	}
	h := &r.hosts[i]
	if r.net.IsCut(int(i), int(j)) || r.net.IsCut(int(j), int(i)) {
		wait := r.plan.Timing.Heartbeat + time.Duration(h.random.Below(uint64(r.plan.Timing.Heartbeat)))
		r.net.At(r.net.Now()+wait, probeTag|uint32(i)<<4|uint32(j))
		return
	}
	h.policy.Broken(int(j))
	h.tried[j] = r.net.Now()
	there, back := h.random.In(r.plan.Links.Delay), h.random.In(r.plan.Links.Delay)
	r.net.Call(int(i), there+back, proofTag|uint32(j))
}

// connectAll lets a node that has started connect to all others.
func (r *Runner) connectAll(i rank) {
	for j := range rank(len(r.members)) {
		r.connectSoon(i, j)
	}
}

// connectSoon lets two nodes connect, when one of them has had time to try, if hosts see their connections.
func (r *Runner) connectSoon(i, j rank) {
	if i != j && r.plan.Proofs {
		wait := r.hosts[i].random.In(Range{Max: r.plan.Timing.Delay})
		r.net.At(r.net.Now()+wait, linkTag|uint32(i)<<4|uint32(j))
	}
}

// connect lets two nodes know that they are connected, if both run and can reach each other.
func (r *Runner) connect(i, j rank) {
	if r.net.Up(int(i)) && r.net.Up(int(j)) && !r.net.IsCut(int(i), int(j)) && !r.net.IsCut(int(j), int(i)) {
		there := r.hosts[i].random.In(r.plan.Links.Delay)
		r.net.Call(int(j), there, upTag|uint32(i))
		r.net.Call(int(i), there+r.hosts[j].random.In(r.plan.Links.Delay), upTag|uint32(j))
	}
}
