package transport

import (
	"fmt"
	"net"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// memory is what is known of the record of a node: at least this much. It never goes back, over restarts either: a run that begins
// with less has lost the record, or has an old copy of it. Then its promises are lost as well (R4, R32), and nobody is to heed it. What
// it has said before its first step, it has said without a promise: it may have crashed before it saved anything.
type memory struct {
	boot        uint64 // of the run that was met last; 0 if none ever was
	incarnation uint64 // of that run
	record
}

// lost returns what this does not know that a later life of the node would, in words, and "" if it may be one. Nor is it one if it is
// an earlier one, whose connection comes late.
func (k *memory) lost(said life) string {
	if k.boot == 0 || said.boot == k.boot {
		return ""
	}
	return said.lacks(k.record)
}

// meets notes a life that has lost nothing.
func (k *memory) meets(said life) {
	if k.boot != said.boot {
		k.boot, k.incarnation = said.boot, said.incarnation
		k.add(said.record)
	}
}

// began notes that this life has taken its first step, as whoever says anything has: with the number after those reserved.
func (k *memory) began(said life) { k.reserved = max(k.reserved, said.reserved+1) }

// heard notes a message that this life has sent.
func (k *memory) heard(said life, m *spec.Message) {
	k.began(said)
	k.said(m)
}

// lostDisk notes that a program at an address, which says that it is a node, does not know what that has said, and returns what is
// wrong with it.
func (t *TCP) lostDisk(l *link, said life, at net.Addr) error {
	if l.in != nil && l.said.boot != said.boot {
		l.other = at
	}
	if !l.lostDisk {
		l.lostDisk = true
		t.tell(l, LostDisk)
	}
	return fmt.Errorf("it is node %v, and its disk is lost, or an old copy: %s when it started", l.node, l.memory.lost(said))
}

// Remembers returns the incarnation of the disk that a node had when it was heard last, and false if nothing is remembered that a new
// disk would not know: then a node of that id may begin with one.
func (t *TCP) Remembers(node spec.NodeID) (incarnation uint64, remembers bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.byNode[node]
	if l == nil || (record{}).lacks(l.memory.record) == "" {
		return 0, false
	}
	return l.memory.incarnation, true
}

// goesOn notes that the run of a node that is heeded has said something. If another run of it was turned away before, the one has not
// followed the other: somebody runs two programs under one id. That is said by name, and not more often than once a minute.
func (t *TCP) goesOn(l *link, p *inbound) {
	if l.other == nil || !l.twice.allow(time.Now()) {
		return
	}
	t.config.Logger.Error("two programs run as one node, and the one that knows less is not heeded: stop it, and never give two nodes one id, or one a copy of another's folder",
		"twice", l.node, "heeded", p.raw.RemoteAddr(), "not_heeded", l.other)
	l.other, l.lostDisk = nil, false
	t.tell(l, Twice)
}

// begun is the frame that says no more than that its sender has taken its first step. Its code is of no type: who does not know it passes
// over it (R34.3).
var begun = []byte{0, 0, 0, 2, spec.WireVersion, 0}

// Begun tells every node that is connected, now or later, that this one has taken its first step, and so has written its record. A
// first start sends nothing (R32), and a follower speaks to its leader alone: else nobody but that one would know the disk for lost.
func (t *TCP) Begun() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begun = true
	for _, l := range t.byNode {
		if l.out != nil {
			l.out.wake()
		}
	}
}

// Record returns what Config has said that the record of this node is.
func (t *TCP) Record() spec.Durable { return t.config.Record }
