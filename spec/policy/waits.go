package policy

import (
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// afterLeases returns how much longer than the others a node keeps a lease: only the one that comes next does, by half a
// Delay. Whoever keeps the lease still refuses the next one's ELECTION, and a lease ends only by standing (R8, R15). So
// to stagger the ends of leases, highest first, would make the highest ask in vain until a quorum of lower ones has stood
// too. Instead all stand, about when the lease ends, and the highest a little later, to be answered by ASSENT at once;
// if it is not there, the next lower one stands already. Without a lease, patience is staggered as R37 says: see stagger.
func (p *Policy) afterLeases(holder int) time.Duration {
	if p.peers.Higher&^p.peers.Dead&^One(holder) == 0 {
		return p.timing.Delay / 2
	}
	return 0
}

// stagger returns how long this node, which keeps no lease, lets higher ones stand first: once Stagger for each that may
// (R37, Besides 1). Those that are dead, and the one whose lease was released last, will not.
func (p *Policy) stagger() time.Duration {
	before := p.peers.Higher &^ p.peers.Dead &^ p.freed
	return time.Duration(before.Size()) * p.timing.Stagger
}

// backoff returns how long to wait after attempts that failed (R37, Besides 5). It is jittered, so that two that disturb
// each other part.
func (p *Policy) backoff() time.Duration {
	if p.attempts == 0 {
		return 0
	}
	wait := p.timing.backoff(p.attempts)
	return wait/2 + p.jitter(wait/2)
}

// parting returns how much longer than T_coord a node waits that has stood in vain more than once. Two nodes whose T_coord
// ends within one Delay of each other can refuse each other's claims for ever (L13).
func (p *Policy) parting() time.Duration {
	if p.attempts < 2 {
		return 0
	}
	return p.backoff()
}

// preemption returns when a follower of a lower node stands: ever later if it has been in vain (R9, L11).
func (p *Policy) preemption(now Instant) Instant {
	if p.timing.Preempt < 0 {
		return Never
	}
	wait := p.timing.Preempt
	if p.preempts > 0 {
		wait = p.timing.preemption(p.preempts)
		wait += p.jitter(wait / 4)
	}
	return max(now.Add(min(wait, MaxTiming)), p.hold)
}

// Hold leaves pre-emption out until then: this node has handed over by name, and the one that it has named is to lead for so long (R51).
func (p *Policy) Hold(until Instant) {
	p.hold = until
	if p.Due[PreemptTimer] != Never {
		p.Due.later(PreemptTimer, until)
	}
}

// jitter returns a random time below d.
func (p *Policy) jitter(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return time.Duration(p.random.Int64N(int64(d)))
}

// deferred is an ELECTION that is not given to the node yet; of no type if there is none.
type deferred struct {
	message spec.Message
	until   Instant
}

// Defers reports whether m is not to be given to the node yet, and keeps it: an ELECTION of a node that keeps no lease, while this one
// does. Most likely its holder is dead, and who asks has heard of that a little sooner. To refuse it would make it ask again, some
// milliseconds later. So it waits for Defer, or until that is proved here too; a network may do as much with any message. One waits at
// a time. Whose own lease is about to end, for the leader is silent, answers at once: who asks has only been a little sooner, and a
// refusal is what makes it wait for this node.
func (p *Policy) Defers(m *spec.Message, now Instant) bool {
	if m.Type != spec.Election || !m.Keeps.IsNone() || p.deferred.message.Type != "" || !p.keeps() || p.gives(now) {
		return false
	}
	p.deferred = deferred{*m, now.Add(p.timing.Defer)}
	return true
}

// keeps reports whether the node keeps the lease of another, of whom it does not know that it is dead.
func (p *Policy) keeps() bool { return One(p.leader)&p.peers.Others&^p.peers.Dead != 0 }

// gives reports whether the node is about to give the leader up, as others may have done.
func (p *Policy) gives(now Instant) bool {
	return min(p.Due[PatienceTimer], p.Due[CoordinatorTimer]).After(now) <= p.timing.Delay
}

// Deferred returns the message that was deferred, if it is to be given to the node now, and does not keep it: for what it waited has come to
// pass, or something else has come from its sender, whose messages are taken in their order. From is who that is, or none.
func (p *Policy) Deferred(from spec.NodeID, now Instant) (m spec.Message, ok bool) {
	w := p.deferred
	if w.message.Type == "" || w.message.From != from && p.keeps() && now.Before(w.until) {
		return spec.Message{}, false
	}
	p.deferred = deferred{}
	return w.message, true
}

// DeferredUntil returns until when a message is deferred at most, or Never.
func (p *Policy) DeferredUntil() Instant {
	if p.deferred.message.Type == "" {
		return Never
	}
	return p.deferred.until
}
