package sim

import (
	"math/bits"
	"time"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/sim/world"
	"github.com/seed-fdf591db/bully/spec"
)

// policy is what a host knows beside the state of its node, to decide when timers end (R36, R37).
type policy struct {
	random   world.Random
	attempts int // how often it has stood since a leader was last known
	preempts int // pre-emptions since this node last led, or followed a higher one
	answered set // of a candidate: who has answered
	assented set // of an electing node: whom it has said ASSENT
	dead     set // who is proved dead, and has not been heard of since

	heard [MaxNodes]time.Duration // when the step began that sent the last message taken from each node
	tried [MaxNodes]time.Duration // when the attempt began that proved each node dead
}

// follow sets and stops timers after a step (R36).
func (r *Runner) follow(i rank, was *view, out *conformance.Output) {
	h := &r.hosts[i]
	now := &h.view
	r.learn(h, i, was, out)
	for t := uint8(out.Cancel); t != 0; t &= t - 1 {
		r.world.StopTimer(int(i), bits.TrailingZeros8(t))
	}
	for t := uint8(out.Arm); t != 0; t &= t - 1 {
		if kind := bits.TrailingZeros8(t); kind != preempt || r.plan.Timing.Preempt >= 0 {
			r.world.SetTimer(int(i), kind, r.length(kind, i, was))
		}
	}
	switch now.role {
	case follower:
		if was.role == follower && was.leader != none && now.leader == none && now.voters.has(i) {
			r.world.SetTimerBy(int(i), heartbeat, r.soon(i)) // a release, after which patience may end early, once (R36.6)
		}
	case electing:
		if out.Arm == 0 && r.assents(h, out) {
			r.world.SetTimer(int(i), coordinator, r.length(coordinator, i, was)) // this one needs its time too (R36.5)
		}
	}
	r.endElection(i)
}

// learn keeps what a host knows up to date.
func (r *Runner) learn(h *host, i rank, was *view, out *conformance.Output) {
	now := &h.view
	switch now.role {
	case leader:
		h.attempts, h.preempts = 0, 0
	case follower:
		if now.leader != none {
			h.attempts = 0
			if !now.outranked(now.leader, i) {
				h.preempts = 0
			}
		}
	case candidate:
		if was.role != candidate {
			h.attempts++
			h.answered = 0
			if r.in.timer == preempt {
				h.preempts++
			}
		} else if a := r.in.action; a == okAction || a == assentAction || a == refuseAction {
			h.answered |= one(r.in.from)
		}
	case claimant:
		if was.role == electing {
			h.attempts++
		}
	case electing:
		if was.role != electing {
			h.assented = 0
			r.assents(h, out)
		}
	}
}

// assents reports whether an electing node says ASSENT to one that it has not said it to before.
func (r *Runner) assents(h *host, out *conformance.Output) bool {
	if len(out.Sent) == 0 || out.Sent[0].Type != spec.Assent || h.assented.has(r.in.from) {
		return false
	}
	h.assented |= one(r.in.from)
	return true
}

// length returns how long a timer runs that is armed by a step.
func (r *Runner) length(kind int, i rank, was *view) time.Duration {
	t, h := &r.plan.Timing, &r.hosts[i]
	switch kind {
	case quorum:
		return t.Quorum
	case beat:
		return t.Beat
	case claim:
		return t.Claim
	case election:
		return t.Election
	case preempt:
		return h.preemption(t)
	case coordinator:
		wait := t.Coordinator
		if h.view.leader == none {
			wait += r.stagger(i)
		}
		if h.attempts > 1 {
			wait += h.backoff(t)
		}
		return wait
	}
	switch {
	case h.view.leader != none:
		return t.Heartbeat
	case r.in.given.Start:
		return r.stagger(i)
	case r.in.given.Call == spec.ResignCall: // the others come first
		return t.Heartbeat + r.stagger(i)
	case was.role == candidate || was.role == claimant:
		return h.backoff(t) + r.stagger(i)
	case was.role == electing && was.leader != none: // a release, after which patience may end early, once (R36.6)
		return r.soon(i)
	}
	return t.Heartbeat + r.stagger(i)
}

// stagger returns how long a node without a lease lets higher ones stand first (R37, Besides 1).
func (r *Runner) stagger(i rank) time.Duration {
	higher := r.hosts[i].view.voters &^ (one(i)<<1 - 1) &^ r.hosts[i].dead
	return time.Duration(higher.size()) * r.plan.Timing.Stagger
}

// soon returns how long a node waits after a release: until the others know of it as well, and the higher ones have stood.
func (r *Runner) soon(i rank) time.Duration { return r.plan.Timing.Delay + r.stagger(i) }

// Waits after attempts in vain double so often at most: the others are bounded by most as well.
const maxDoublings, maxPreemptDoublings = 8, 2

// most returns the longest wait after an attempt in vain, beside what is waited in any case.
func (t *Timing) most() time.Duration { return 2 * t.Heartbeat }

// mostWait returns the longest wait of a follower or an electing node.
func (t *Timing) mostWait() time.Duration {
	return max(t.Coordinator, t.Heartbeat) + t.most() + (MaxNodes-1)*t.Stagger
}

// mostPreempt returns the longest wait before a pre-emption.
func (t *Timing) mostPreempt() time.Duration {
	wait := max(t.Preempt, t.Heartbeat) << maxPreemptDoublings
	return wait + wait/4
}

// backoff returns how long to wait after an attempt in vain: twice as long after each further one (R36.6; R37, Besides 5),
// jittered, so that two that disturb each other part. T_coord needs it as well: where clocks and links are regular, two nodes
// whose T_coord ends within one δ can grant each other the same epoch for ever, each time all anew.
func (h *host) backoff(t *Timing) time.Duration {
	wait := min(t.Delay<<min(max(h.attempts-1, 0), maxDoublings), t.most())
	return wait/2 + h.random.In(world.Range{Max: wait / 2})
}

// preemption returns how long a node follows a lower one: longer if it has stood in vain (R9, L11).
func (h *host) preemption(t *Timing) time.Duration {
	if h.preempts == 0 {
		return t.Preempt
	}
	wait := max(t.Preempt, t.Heartbeat) << min(h.preempts, maxPreemptDoublings)
	return wait + h.random.In(world.Range{Max: wait / 4})
}

// endElection ends the election of a candidate that has nobody to wait for: all have answered or are dead; or nobody can say
// OK any more, and it may claim (R37, Besides 2).
func (r *Runner) endElection(i rank) {
	h := &r.hosts[i]
	if h.view.role != candidate {
		return
	}
	others := h.view.electors &^ one(i)
	higher := h.view.voters &^ (one(i)<<1 - 1)
	if others&^h.answered&^h.dead == 0 || higher&^h.dead == 0 && h.view.quorum(h.view.support|one(i)) {
		r.world.SetTimer(int(i), election, 0)
	}
}
