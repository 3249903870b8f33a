package groups

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/seed-fdf591db/bully/impl/internal/membership"
	"github.com/seed-fdf591db/bully/spec"
)

// Where members change each message says those of its group (R43). This file makes and reads that, and says what is believed of it.

// stated is what each message of a group says of its members, where these change. It is not changed once it is made.
type stated struct {
	first         uint64 // 0 if the sender does not know
	configuration spec.Configuration
	bytes         []byte // the same, with the places of names
}

// same reports whether two say the same.
func (s *stated) same(t *stated) bool {
	return s == t || s != nil && t != nil && s.first == t.first && s.configuration == t.configuration
}

// states returns what a group says of its members with a message.
func (l *loop) states(g *group, c spec.Configuration) *stated {
	if !l.changing {
		return nil
	}
	if s := g.said; s == nil || s.first != g.first || s.configuration != c {
		s = &stated{first: g.first, configuration: c}
		l.encode(s, g.said)
		g.said = s
	}
	return g.said
}

// members returns how the members are said, behind first, epoch and version.
func (s *stated) members() []byte {
	r := reader{data: s.bytes[8:]}
	r.varint()
	r.varint()
	return r.data
}

// encode makes the bytes of what is said, of the same members as something else or not.
func (l *loop) encode(s, like *stated) {
	s.bytes = binary.BigEndian.AppendUint64(nil, s.first)
	if like == nil || !like.configuration.SameMembers(s.configuration) {
		s.bytes = membership.Append(s.bytes, s.configuration, l.place)
		return
	}
	s.bytes = binary.AppendUvarint(binary.AppendUvarint(s.bytes, uint64(s.configuration.Epoch)), s.configuration.Version)
	s.bytes = append(s.bytes, like.members()...)
}

// stated reads what a message says of the members of its group. Of a group that is here it is nearly always what this node says itself, and then it is not there twice.
func (r *reader) stated(group uint64) *stated {
	if s := r.known(group); s != nil {
		return s
	}
	whole, s, ok := r.data, new(stated), false
	s.first = r.word()
	if s.configuration, r.data, ok = membership.Read(r.data, r.names); !ok || s.configuration.IsNone() {
		r.bad, r.data = true, nil
	}
	s.bytes = slices.Clone(whole[:len(whole)-len(r.data)])
	return s
}

// find finds the places of the names that a bundle begins with.
func (r *reader) find() {
	r.places = r.places[:0]
	for _, id := range r.names {
		if r.loop != nil {
			r.places = append(r.places, r.loop.place(id))
		}
	}
}

// known reads what a message says of members if these are the ones that its group has here; else it reads nothing, and returns nil. All that has the members of a group has the same bytes of
// them then, of whichever epoch; and nothing is sorted, or compared by ids.
func (r *reader) known(group uint64) *stated {
	if r.loop == nil {
		return nil
	}
	g := r.loop.byKey[group]
	if g == nil || g.configuration.IsNone() {
		return nil
	}
	ours, there := r.loop.states(g, g.configuration), reader{data: r.data}
	s := stated{first: there.word()}
	epoch, version, members := spec.Epoch(there.varint()), there.varint(), there.data
	moved, rest, ok := membership.Moved(r.moved[:0], members, r.places)
	r.moved = moved
	if !ok || there.bad || !bytes.Equal(moved, ours.members()) {
		return nil
	}
	s.configuration = g.configuration.At(epoch, version)
	if s.configuration.Validate() != nil {
		return nil // and what reads it then says so
	}
	if r.data = rest; ours.same(&s) {
		return ours
	}
	r.loop.encode(&s, ours)
	return &s
}

// understands reports whether a bundle is of a node that has changing members as this one has, or fixed ones; and makes the places in it those of this node.
func (l *loop) understands(p *peer, b *bundle) bool {
	if (b.beats != nil || len(b.items) > 0) && l.changing != (b.names != nil) {
		return false
	}
	if !l.changing {
		return true
	}
	if b.placed != 0 {
		p.placed, l.looks = b.placed, true
	}
	l.hearFirsts(p, b.firsts)
	for i := range b.items {
		for _, at := range []*int{&b.items[i].keeps, &b.items[i].granted.by} {
			if *at == none {
				continue
			}
			if *at >= len(b.names) {
				return false
			}
			if *at = l.admit(b.names[*at]); *at == none {
				return false
			}
		}
	}
	return true
}

// heeds reports whether a message may be given to a group: not if a node that is a member neither of the group nor of the cluster, as this node has them, says that there are other members
// (R43, decision 0032); nor if it is of a group of that name which has begun with others.
func (l *loop) heeds(g *group, p *peer, said *stated) bool {
	if g.first != 0 && said.first != 0 && said.first != g.first {
		l.quarrel(g, p)
		return false
	}
	if !said.configuration.Newer(g.configuration) {
		return true
	}
	if known := g.members | l.all; !known.Has(p.place) {
		l.stats.Unbelieved++
		return false
	}
	if g.first == 0 {
		g.first = said.first // it is told now what it is added to
	}
	return l.fits(said.configuration)
}
