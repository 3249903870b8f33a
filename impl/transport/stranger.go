package transport

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// What strangers may cost. A stranger is a node that is no member, as far as this one knows: it is to join, or has been
// removed, or its configuration is newer; or it is hostile.
const (
	maxStrangers  = 16                    // are known at a time, and may connect in a row;
	meetEvery     = 50 * time.Millisecond // then one may so often
	strangerBurst = 100                   // messages of one are read in a row,
	strangerEvery = 10 * time.Millisecond // and then one so often
	strangerInbox = 64                    // messages of one may wait for Next
	maxWaiting    = 16                    // messages to one may wait for a connection
)

var (
	errRestarted = errors.New("the node has restarted")
	errIdle      = errors.New("nothing has been sent for a while to a node that is no member")
	errCrowded   = fmt.Errorf("more than %d nodes that are no members have connected since", maxStrangers)
)

// meet makes a link to a node that has connected and is no member.
func (t *TCP) meet(node spec.NodeID) *link {
	l := newLink(t.config, node, t.inbox.add(node, min(strangerInbox, t.config.Inbox)))
	t.byNode[node] = l
	t.estrange(l)
	return l
}

// estrange adds a link to those of strangers. If there are too many, the one that has been quiet for longest gives way.
func (t *TCP) estrange(l *link) {
	t.strangers = append(t.strangers, l)
	t.noted(l)
	if len(t.strangers) > maxStrangers {
		t.part(slices.MinFunc(t.strangers, func(a, b *link) int { return cmp.Compare(a.recent, b.recent) }))
	}
}

// noted notes that something has come of a node.
func (t *TCP) noted(l *link) {
	t.recent++
	l.recent = t.recent
}

// part ends the link of a stranger, and forgets it. Its counters are kept.
func (t *TCP) part(l *link) {
	t.strangers = slices.DeleteFunc(t.strangers, func(s *link) bool { return s == l })
	delete(t.byNode, l.node)
	if l.in != nil {
		_ = l.in.raw.Close()
		l.in = nil
	}
	if c := l.out; c != nil {
		t.unuse(l, c, errCrowded)
		_ = c.raw.Close()
	}
	l.abandon()
	l.stats.Lost += uint64(l.waiting.clear())
	l.stats.Undelivered += uint64(l.box.messages.n)
	t.inbox.remove(l.box)
	l.gone = true
	for _, c := range []struct{ sum, of *uint64 }{
		{&t.past.Sent, &l.stats.Sent}, {&t.past.Received, &l.stats.Received}, {&t.past.BytesOut, &l.stats.BytesOut},
		{&t.past.BytesIn, &l.stats.BytesIn}, {&t.past.Lost, &l.stats.Lost}, {&t.past.Dropped, &l.stats.Dropped},
	} {
		*c.sum += *c.of
	}
}

// countFor returns the counters of a link: of one that is gone, those of the past.
func (t *TCP) countFor(l *link) *LinkStats {
	if l.gone {
		return &t.past
	}
	return &l.stats
}

// giveUp drops what has waited for a stranger who could not be reached. What was sent since may be for a later run of its
// program.
func (t *TCP) giveUp(l *link, a attempt) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for ; !l.member && l.said.boot == a.boot && a.owed > 0 && l.waiting.n > 0; a.owed-- {
		l.waiting.pop()
		l.stats.Lost++
	}
}

// restarted drops what was sent to the run of a stranger's program before the one that says this.
func (t *TCP) restarted(l *link, said hello) {
	if l.said.boot == said.boot {
		return
	}
	l.stats.Lost += uint64(l.waiting.clear())
	if c := l.out; c != nil && !l.member && c.boot != said.boot {
		t.unuse(l, c, errRestarted)
		_ = c.raw.Close()
	}
}
