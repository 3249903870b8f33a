package groups

import (
	"encoding/binary"
	"slices"

	"github.com/seed-fdf591db/bully/impl/internal/membership"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// Without returns a bundle without what it says of a group in messages of its own, and whether it said anything.
func Without(bytes []byte, group string) (rest []byte, said bool) {
	b, err := readBundle(bytes)
	if err != nil {
		panic(err)
	}
	n := len(b.items)
	b.items = slices.DeleteFunc(b.items, func(m item) bool { return m.group == number([]byte(group)) })
	if b.empty() {
		return nil, true
	}
	return b.append(nil), len(b.items) < n
}

// Watchers returns how many watch a node.
func (g *Groups) Watchers() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.watchers)
}

// Lie returns a bundle in which a node says that it and another are the members of a group, in such an epoch, which began with such members.
func Lie(from, to spec.NodeID, group string, epoch spec.Epoch, first uint64) []byte {
	names := []spec.NodeID{from, to}
	of := &stated{first: first, configuration: firstOf(names, nil).At(epoch, 9)}
	of.bytes = membership.Append(binary.BigEndian.AppendUint64(nil, first), of.configuration, func(id spec.NodeID) int { return slices.Index(names, id) })
	b := bundle{names: names, items: []item{{beat: beat{number([]byte(group)), epoch, 1, of}, kind: heartbeatCode, keeps: none, granted: granted{by: none}}}}
	return b.append(nil)
}

// Refuses returns a bundle in which a node of fixed members says in a group that it has granted such an epoch.
func Refuses(group string, epoch spec.Epoch) []byte { return says(spec.Refuse, group, epoch) }

// Claims returns a bundle in which a node of fixed members claims such an epoch of a group.
func Claims(group string, epoch spec.Epoch) []byte { return says(spec.Claim, group, epoch) }

func says(kind spec.MessageType, group string, epoch spec.Epoch) []byte {
	return (&bundle{items: []item{{beat: beat{number([]byte(group)), epoch, 1, nil}, kind: codeOf(kind), keeps: none, granted: granted{by: none}}}}).append(nil)
}

// Says reports whether a message of such a type is in a bundle.
func Says(bytes string, kind spec.MessageType) bool {
	b, err := readBundle([]byte(bytes))
	if err != nil {
		panic(err)
	}
	return slices.ContainsFunc(b.items, func(m item) bool { return m.kind == codeOf(kind) })
}

// PlaceOfNobody returns which place no node has where one is free: none, which is below 0.
func PlaceOfNobody() int {
	l := &loop{members: []spec.NodeID{spec.IntegerID(1), {}}}
	return l.place(spec.NodeID{})
}

// Frees reports whether the place of a node is freed that nobody knows any more, while something waits to be said that names it, or not.
func Frees(waits bool) bool {
	l := &loop{members: []spec.NodeID{spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)}, peers: []*peer{nil, {}, {}}}
	if waits {
		l.peers[2].items = append(l.peers[2].items, item{keeps: 1})
	}
	l.free(policy.One(0) | policy.One(2))
	return l.members[1].IsNone() && !l.reformed
}
