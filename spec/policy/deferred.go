package policy

import "github.com/seed-fdf591db/bully/spec"

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
