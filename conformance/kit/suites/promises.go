package suites

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/conformance/monitor"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

// seen holds what others see of a node to what its disk has, and to what they have seen before.
func (h *hosts) seen(n *hosted, m *spec.Message) error {
	if err := h.shows(n, m.Configuration); err != nil {
		return err
	}
	if err := h.asks(n, m); err != nil {
		return err
	}
	kept := n.kept()
	bound, to := kept.Epoch, spec.NodeID{}
	switch m.Type {
	case spec.Claim: // of the next epoch, which it promises to nobody before it wins
		bound++
	case spec.Grant:
		to = m.To
	case spec.Coordinator, spec.Heartbeat:
		to = n.id
	}
	switch {
	case h.lenient:
	case m.Epoch > bound:
		return h.talk.wrong("R4", fmt.Sprintf("the message %s leaves while the disk of %s has the epoch %d: a crash now, and that epoch is forgotten", m, n.id, kept.Epoch))
	case !to.IsNone() && (kept.Epoch != m.Epoch || kept.Grantee != to) && !(m.Type == spec.Heartbeat && kept.Epoch > m.Epoch):
		return h.talk.wrong("R4", fmt.Sprintf("the message %s leaves while the disk of %s has the epoch %d, promised to %s: a crash now, and that promise is forgotten",
			m, n.id, kept.Epoch, named(kept.Grantee)))
	}
	if to.IsNone() {
		return nil
	}
	if err := h.promise(n, m.Epoch, to); err != nil || to != n.id {
		return err
	}
	return h.leads(n, m.Epoch)
}

// asks holds a number that others see of a node to what its disk has reserved, and to those that they have seen before its last crash: it must
// be above all of them (R50).
func (h *hosts) asks(n *hosted, m *spec.Message) error {
	switch m.Type {
	case spec.OK, spec.Assent, spec.Grant, spec.Refuse, spec.Ack: // the number is another node's
		return nil
	}
	kept := n.kept().Reserved
	switch {
	case m.Question > kept && !h.lenient:
		return h.talk.wrong("R4", fmt.Sprintf("the message %s leaves while the disk of %s has reserved numbers up to %d: a crash now, and that number is used again", m, n.id, kept))
	case m.Question <= n.used:
		rule := "R50"
		if n.unreserved {
			rule = "R4"
		}
		return h.talk.wrong(rule, fmt.Sprintf("the message %s is of a number that %s had used before it crashed, up to %d: old answers would count", m, n.id, n.used))
	}
	n.asked = max(n.asked, m.Question)
	return nil
}

// shows holds a configuration that others see of a node to its disk, to what they have seen of it before, and to all others that have
// been of this epoch and version.
func (h *hosts) shows(n *hosted, c spec.Configuration) error {
	kept := n.kept().Configuration
	switch {
	case h.first.IsNone():
		return nil
	case c.Newer(kept) && !h.lenient:
		return h.talk.wrong("R4", fmt.Sprintf("a message leaves with the configuration %s while the disk of %s has %s: a crash now, and it is forgotten", c, n.id, kept))
	}
	now := h.shown.Seen(n.place)
	now.Configuration = c
	return h.see(n, now)
}

// see takes what others see of a node, which breaks no promise.
func (h *hosts) see(n *hosted, now monitor.View) error {
	if breach := h.shown.Breaks(n.place, &now); breach != nil {
		return h.talk.wrong(h.blames(n, breach, now.Leads), breach.Text())
	}
	h.shown.Note(n.place, &now)
	return nil
}

// blames returns what is broken: the promise, unless that comes of what was forgotten in a crash.
func (h *hosts) blames(n *hosted, breach *monitor.Breach, epoch spec.Epoch) string {
	for _, voter := range h.nodes {
		if breach.Promise.Name == spec.OneLeaderPerEpoch && slices.ContainsFunc(voter.broken, func(v vote) bool { return v.epoch == epoch }) {
			return "R4"
		}
	}
	if breach.Promise.Name == spec.ConfigurationMonotonic && n.forgot {
		return "R4"
	}
	return string(breach.Promise.Name)
}

// promise keeps what others have seen of a promise, which must be the first for its epoch, or the same again.
func (h *hosts) promise(n *hosted, epoch spec.Epoch, to spec.NodeID) error {
	v := vote{n.id, epoch}
	if earlier, is := h.promised[v]; is && earlier != to {
		return h.talk.wrong(h.blamed(v), fmt.Sprintf("%s promises epoch %d to %s, and had promised it to %s: two nodes can lead it", n.id, epoch, to, earlier))
	}
	h.promised[v] = to
	return nil
}

// leads keeps that others see a node lead an epoch.
func (h *hosts) leads(n *hosted, epoch spec.Epoch) error {
	now := h.shown.Seen(n.place)
	now.Leads = epoch
	return h.see(n, now)
}

// blamed returns the rule by which a promise should have been kept.
func (h *hosts) blamed(v vote) string {
	if slices.Contains(h.node(v.by).broken, v) {
		return "R4" // it was forgotten in a crash
	}
	return "R17"
}

// stays holds the state after a step to the one before it: neither epoch nor configuration goes back, nor does what the disk has.
func (h *hosts) stays(n *hosted, q *port.Request, before *spec.State) error {
	s := &n.state
	is := s.Durable()
	if is.Reserved = 0; q.Op == port.Restart {
		is.Reserved = q.Promise.Reserved // it goes on behind these: asks sees to that
	}
	if q.Op == port.Restart && is != *q.Promise {
		return h.talk.wrong("R30", fmt.Sprintf("%s restarts with epoch %d, promised to %s%s, and its disk has epoch %d, promised to %s%s",
			n.id, s.Epoch, named(s.Grantee), of(s.Configuration), q.Promise.Epoch, named(q.Promise.Grantee), of(q.Promise.Configuration)))
	}
	was, now := monitor.ViewOf(before), monitor.ViewOf(s)
	h.states.Note(n.place, &was)
	if breach := h.states.Breaks(n.place, &now); breach != nil {
		return h.talk.wrong(string(breach.Promise.Name), breach.Text())
	}
	if s.Role == spec.Leader {
		return h.leads(n, s.Epoch)
	}
	return nil
}

// of says a configuration after something else, or nothing where members are fixed.
func of(c spec.Configuration) string {
	if c.IsNone() {
		return ""
	}
	return ", configuration " + c.String()
}

// named names a node, or none.
func named(id spec.NodeID) string {
	if id.IsNone() {
		return "nobody"
	}
	return id.String()
}
