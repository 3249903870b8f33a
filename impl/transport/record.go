package transport

import (
	"encoding/binary"
	"fmt"
	"net"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// A record is how far the record of a node has come. None of it ever goes back, over restarts either (R2, R42, R50).
type record struct {
	reserved      spec.Question
	epoch         spec.Epoch
	granted       bool       // the epoch is promised to somebody
	configuration spec.Stamp // zero where members are fixed
	saves         uint64     // of the log of many groups; 0 of a node of one election
}

// recordSize is how many bytes a record takes in a handshake, without the saves that follow that of a node of many groups.
const recordSize = 4*8 + 1

// recordOf returns what the others are told of a record.
func recordOf(kept spec.Durable) record {
	return record{reserved: kept.Reserved, epoch: kept.Epoch, granted: !kept.Grantee.IsNone(), configuration: kept.Configuration.Stamp()}
}

func (r record) append(b []byte) []byte {
	for _, n := range []uint64{uint64(r.reserved), uint64(r.epoch), uint64(r.configuration.Epoch), r.configuration.Version} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	if r.granted {
		return append(b, grantedBit)
	}
	return append(b, 0)
}

// The bits of the last byte of a record in a handshake.
const (
	grantedBit = 1
	bundlesBit = 2 // the node is one of many groups
)

// readRecord reads a record from as many bytes as one takes, and whether its node is one of many groups. It is false if the last of them has other bits.
func readRecord(b []byte) (r record, bundles, ok bool) {
	n := func(i int) uint64 { return binary.BigEndian.Uint64(b[8*i:]) }
	last := b[recordSize-1]
	return record{spec.Question(n(0)), spec.Epoch(n(1)), last&grantedBit != 0, spec.Stamp{Epoch: spec.Epoch(n(2)), Version: n(3)}, 0}, last&bundlesBit != 0, last <= grantedBit|bundlesBit
}

// problem returns why there is no such record, or "".
func (r record) problem() string {
	switch {
	case r.reserved > spec.MaxReserved:
		return "more numbers are reserved than there are (R50)"
	case r.epoch > spec.MaxEpoch:
		return "there is no such epoch (R2)"
	case r.configuration.Epoch > r.epoch || r.configuration.Version > spec.MaxVersion:
		return "there is no such configuration (R42)"
	case r.saves > maxSaves:
		return "no log of groups has so many saves"
	}
	return ""
}

// lacks returns what a record does not know of another, in words, and "" if it knows all.
func (r record) lacks(of record) string {
	switch {
	case r.reserved < of.reserved:
		return fmt.Sprintf("it has used numbers up to %d, and its record knew of %d", of.reserved, r.reserved)
	case r.epoch < of.epoch:
		return fmt.Sprintf("it has held epoch %d, and its record knew of %d", of.epoch, r.epoch)
	case r.epoch == of.epoch && of.granted && !r.granted:
		return fmt.Sprintf("it has promised epoch %d to somebody, and its record knew of no promise", of.epoch)
	case r.saves < of.saves:
		return fmt.Sprintf("it has saved %d times in its groups, and its log of them knew of %d", of.saves, r.saves)
	case r.configuration.Compare(of.configuration) < 0:
		return fmt.Sprintf("it has held version %d of the members, of epoch %d, and its record knew of version %d, of epoch %d",
			of.configuration.Version, of.configuration.Epoch, r.configuration.Version, r.configuration.Epoch)
	}
	return ""
}

// said notes what a message says of the record of its sender: whatever that holds is written before it is said (R4). A CLAIM is of
// the epoch after the one that is held (R16). Who grants or leads has promised the epoch; who hands over, that of the claim (R18).
// Who acknowledges has not always: a candidate does that in an epoch that it has learned (R7, R23).
func (r *record) said(m *spec.Message) {
	epoch, granted := m.Epoch, false
	switch m.Type {
	case spec.Claim:
		epoch = max(epoch, 1) - 1
	case spec.Grant, spec.Coordinator, spec.Heartbeat:
		granted = true
	case spec.Resign:
		epoch, granted = max(epoch, m.Granted.Epoch), true
	}
	switch m.Type {
	case spec.Election, spec.Claim, spec.Coordinator, spec.Heartbeat, spec.Resign, spec.ImBack: // the others echo a number
		r.reserved = max(r.reserved, m.Question)
	}
	r.promised(epoch, granted)
	if c := m.Configuration.Stamp(); r.configuration.Compare(c) < 0 {
		r.configuration = c
	}
}

// promised notes that a record holds an epoch, promised to somebody or not.
func (r *record) promised(epoch spec.Epoch, granted bool) {
	switch {
	case epoch > r.epoch:
		r.epoch, r.granted = epoch, granted
	case epoch == r.epoch:
		r.granted = r.granted || granted
	}
}

// add notes what another, later or earlier, record of the node holds.
func (r *record) add(other record) {
	r.reserved = max(r.reserved, other.reserved)
	r.saves = max(r.saves, other.saves)
	r.promised(other.epoch, other.granted)
	if r.configuration.Compare(other.configuration) < 0 {
		r.configuration = other.configuration
	}
}

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

// began notes that this life has taken its first step, as whoever says anything has: with the number after those reserved. A log of groups has been begun anew before. Where members are fixed,
// a node of groups has no other record.
func (k *memory) began(said life) {
	if said.bundles {
		k.saved(said.saves + 1)
	}
	if !said.bundles || said.incarnation != 0 {
		k.reserved = max(k.reserved, said.reserved+1)
	}
}

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
