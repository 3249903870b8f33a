package membership

import (
	"encoding/binary"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// Configurations in few bytes, where there are many of the same nodes, as on the disk and on the wire of many groups: their ids are in a list that is written once, and a
// configuration names their places in it. It has no addresses: those are in the cluster's own configuration alone. Integers are varints:
//
//	names: how many, and each id in 16 bytes
//	configuration: epoch, version, how many members, and of each its place in the names and its kind (1 voter, 2 witness, 3 observer; 4 more if a rank follows), and
//	               perhaps its rank; the empty configuration is of version 0 and has none, and none is the epoch 2^53 alone
const (
	idSize = len(spec.NodeID{})
	ranked = 4
	none   = uint64(spec.MaxEpoch) + 1
)

var kinds = spec.MemberKinds()

// AppendNames appends a list of ids.
func AppendNames(b []byte, ids []spec.NodeID) []byte {
	b = binary.AppendUvarint(b, uint64(len(ids)))
	for i := range ids {
		b = append(b, ids[i][:]...)
	}
	return b
}

// ReadNames reads a list of ids from the front of b, and returns what follows.
func ReadNames(b []byte) (ids []spec.NodeID, rest []byte, ok bool) {
	n, b, ok := number(b)
	if !ok || n > uint64(len(b)/idSize) {
		return nil, nil, false
	}
	for range n {
		ids, b = append(ids, spec.NodeID(b[:idSize])), b[idSize:]
	}
	return ids, b, true
}

// Append appends a configuration, whose members have these places in the names.
func Append(b []byte, c spec.Configuration, place func(spec.NodeID) int) []byte {
	if c.IsNone() {
		return binary.AppendUvarint(b, none)
	}
	b = binary.AppendUvarint(b, uint64(c.Epoch))
	b = binary.AppendUvarint(b, c.Version)
	b = binary.AppendUvarint(b, uint64(c.Len()))
	for _, m := range c.Members() {
		b = binary.AppendUvarint(b, uint64(place(m.ID)))
		kind := byte(slices.Index(kinds, m.Kind) + 1)
		if m.Rank == 0 {
			b = append(b, kind)
			continue
		}
		b = binary.AppendUvarint(append(b, kind|ranked), uint64(m.Rank))
	}
	return b
}

// Read reads a configuration from the front of b, and returns what follows. It is false if there is no valid one.
func Read(b []byte, names []spec.NodeID) (c spec.Configuration, rest []byte, ok bool) {
	var head [3]uint64
	for i := range head {
		if head[i], b, ok = number(b); !ok {
			return c, nil, false
		}
		if i == 0 && head[i] == none {
			return c, b, true
		}
	}
	if head[2] > spec.MaxChangingMembers {
		return c, nil, false
	}
	members := make([]spec.Member, head[2])
	for i := range members {
		if members[i], b, ok = readMember(b, names); !ok {
			return c, nil, false
		}
	}
	c, err := spec.NewConfiguration(spec.Epoch(head[0]), head[1], members)
	return c, b, err == nil
}

func readMember(b []byte, names []spec.NodeID) (m spec.Member, rest []byte, ok bool) {
	place, b, ok := number(b)
	if !ok || place >= uint64(len(names)) || len(b) == 0 {
		return m, nil, false
	}
	m.ID = names[place]
	kind := b[0] &^ ranked
	if kind == 0 || int(kind) > len(kinds) {
		return m, nil, false
	}
	m.Kind = kinds[kind-1]
	if b[0]&ranked == 0 {
		return m, b[1:], true
	}
	rank, b, ok := number(b[1:])
	m.Rank = uint16(rank)
	return m, b, ok && rank > 0 && rank <= spec.MaxRank
}

// Moved appends the members of a configuration from the front of b, behind its epoch and version, with other places: those at the places here, all below 128. It returns what follows, and
// false if these are no members, or one is at a place that is not known here, and below 0. What it appends need not be valid.
func Moved(to, b []byte, places []int) (moved, rest []byte, ok bool) {
	if len(b) == 0 || b[0] > spec.MaxChangingMembers {
		return to, nil, false
	}
	count := b[0]
	to, b = append(to, count), b[1:]
	for range count {
		if len(b) < 2 || int(b[0]) >= len(places) || places[b[0]] < 0 {
			return to, nil, false
		}
		to = append(to, byte(places[b[0]]), b[1])
		more := b[1]&ranked != 0
		for b = b[2:]; more; b = b[1:] { // the rank
			if len(b) == 0 {
				return to, nil, false
			}
			to, more = append(to, b[0]), b[0] >= 1<<7
		}
	}
	return to, b, true
}

// number reads a varint.
func number(b []byte) (n uint64, rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 {
		return 0, nil, false
	}
	return n, b[size:], true
}
