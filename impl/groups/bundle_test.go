package groups

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/impl/internal/membership"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

var drawBeat = rapid.Custom(func(t *rapid.T) beat {
	return beat{rapid.Uint64().Draw(t, "group"), spec.Epoch(rapid.Uint64Range(0, uint64(spec.MaxEpoch)).Draw(t, "epoch")),
		spec.Question(rapid.Uint64Range(1, uint64(spec.MaxQuestion)).Draw(t, "question")), nil}
})

// drawStated is what a message says of members that are among names.
func drawStated(t *rapid.T, names []spec.NodeID) *stated {
	s := &stated{first: rapid.Uint64().Draw(t, "first"), configuration: spec.EmptyConfiguration()}
	if n := rapid.IntRange(0, len(names)).Draw(t, "members"); n > 0 {
		s.configuration = firstOf(names[:n], func(spec.NodeID) uint16 { return rapid.Uint16().Draw(t, "rank") }).At(3, rapid.Uint64Range(1, 9).Draw(t, "version"))
	}
	s.bytes = membership.Append(binary.BigEndian.AppendUint64(nil, s.first), s.configuration, func(id spec.NodeID) int { return slices.Index(names, id) })
	return s
}

var drawItem = rapid.Custom(func(t *rapid.T) item {
	m := item{beat: drawBeat.Draw(t, "beat"), kind: byte(rapid.IntRange(1, len(types)).Draw(t, "kind")), keeps: none, granted: granted{by: none}}
	switch m.kind {
	case electionCode:
		m.keeps = rapid.IntRange(none, 63).Draw(t, "keeps")
	case resignCode:
		m.granted = granted{rapid.IntRange(none, 63).Draw(t, "by"), 3, 4}
	}
	return m
})

// What is written is read, and nothing that is cut or longer is.
func TestBundleForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b bundle
		if rapid.Bool().Draw(t, "beats") {
			b.beats = &list{number: rapid.Uint64Min(1).Draw(t, "number"), beats: rapid.SliceOfN(drawBeat, 1, 20).Draw(t, "list")}
		}
		b.repeats, b.acks = rapid.Uint64().Draw(t, "repeats"), rapid.Uint64().Draw(t, "acks")
		b.resync = rapid.Bool().Draw(t, "resync")
		b.items = rapid.SliceOfN(drawItem, 1, 20).Draw(t, "items")
		if rapid.Bool().Draw(t, "members change") {
			b.names = ids(rapid.IntRange(1, 5).Draw(t, "names"))
			for i := range b.items {
				b.items[i].of = drawStated(t, b.names)
			}
			for i := 0; b.beats != nil && i < len(b.beats.beats); i++ {
				b.beats.beats[i].of = drawStated(t, b.names)
			}
			b.firsts = rapid.SliceOf(rapid.Custom(func(t *rapid.T) first {
				return first{rapid.Uint64().Draw(t, "group"), rapid.Uint64().Draw(t, "digest")}
			})).Draw(t, "firsts")
			if b.placed = rapid.Uint64().Draw(t, "placed"); len(b.firsts) == 0 {
				b.firsts = nil
			}
		}
		data := b.append(nil)
		got, err := readBundle(data)
		require.NoError(t, err)
		require.Equal(t, b, got)
		_, err = readBundle(data[:rapid.IntRange(0, len(data)-1).Draw(t, "cut")])
		require.ErrorIs(t, err, errBundle)
		_, err = readBundle(append(data, 0))
		require.ErrorIs(t, err, errBundle)
	})
}

func FuzzReadBundle(f *testing.F) {
	f.Add((&bundle{beats: &list{number: 1, beats: []beat{{1, 2, 3, nil}}}, items: []item{{beat: beat{1, 2, 3, nil}, kind: electionCode}}}).append(nil))
	of := &stated{first: 7, configuration: firstOf(ids(3), nil)}
	of.bytes = membership.Append(binary.BigEndian.AppendUint64(nil, of.first), of.configuration, func(id spec.NodeID) int { return slices.Index(ids(3), id) })
	f.Add((&bundle{names: ids(3), firsts: []first{{1, 7}}, placed: 8, items: []item{{beat: beat{1, 2, 3, of}, kind: electionCode}}}).append(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := readBundle(data)
		if err != nil {
			return
		}
		again, err := readBundle(b.append(nil))
		require.NoError(t, err)
		require.Equal(t, b, again)
	})
}

// pair is two peers, each as the other has it: what one takes the other reads, but for what is lost.
type pair struct{ a, b *peer }

func (p *pair) say(t require.TestingT, lost bool) (beats, acks []beat, size int) {
	b := p.a.take(maxItems)
	data := b.append(nil)
	if lost {
		return nil, nil, len(data)
	}
	got, err := readBundle(data)
	require.NoError(t, err)
	if got.resync {
		p.b.forget()
	}
	return append([]beat(nil), p.b.hearBeats(&got)...), append([]beat(nil), p.b.hearAcks(&got)...), len(data)
}

func (p *pair) turned() *pair { return &pair{p.b, p.a} }

func beatsOf(n int, q spec.Question) (all []beat) {
	for i := range n {
		all = append(all, beat{uint64(i + 1), 4, q, nil})
	}
	return all
}

func ids(n int) (all []spec.NodeID) {
	for i := range n {
		all = append(all, spec.IntegerID(uint64(i+1)))
	}
	return all
}

// A list of beats is said whole once, and then in some bytes, as long as nothing changes; so are its acknowledgements. What was lost is said again.
func TestBeatsAreRepeated(t *testing.T) {
	p := &pair{&peer{number: 7}, &peer{number: 9}}
	turn := func(all []beat, lost bool) (heard []beat, size int) {
		p.a.beats = append(p.a.beats, all...)
		heard, _, size = p.say(t, lost)
		return heard, size
	}
	heard, size := turn(beatsOf(1000, 5), false)
	require.Equal(t, beatsOf(1000, 5), heard)
	require.Greater(t, size, 9000)
	heard, size = turn(beatsOf(1000, 6), false)
	require.Equal(t, beatsOf(1000, 6), heard)
	require.Less(t, size, 20)

	p.b.acks = append(p.b.acks, heard...)
	_, acks, size := p.turned().say(t, false)
	require.Equal(t, beatsOf(1000, 6), acks)
	require.Less(t, size, 20)

	p.b.acks = append(p.b.acks, heard[1:]...) // one group has not answered
	_, acks, size = p.turned().say(t, false)
	require.Empty(t, acks)
	require.Greater(t, size, 9000)

	turn(beatsOf(1000, 7), true)
	heard, _ = turn(beatsOf(1000, 8), false)
	require.Empty(t, heard, "what it repeats is not known")
	_, _, _ = p.turned().say(t, false) // it asks
	heard, size = turn(beatsOf(1000, 9), false)
	require.Equal(t, beatsOf(1000, 9), heard)
	require.Greater(t, size, 9000)

	heard, size = turn(beatsOf(999, 10), false) // one group does not beat
	require.Equal(t, beatsOf(999, 10), heard)
	require.Greater(t, size, 9000)
}

// Whatever is lost, a beat or an acknowledgement that is heard was said, and when nothing is lost any more all are.
func TestBeatsSurviveLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &pair{&peer{number: 7}, &peer{number: 9}}
		q := spec.Question(0)
		n := 3
		turns := rapid.IntRange(1, 30).Draw(t, "turns")
		for turn := range turns + 3 {
			calm := turn >= turns
			if !calm && rapid.IntRange(0, 4).Draw(t, "changes") == 0 {
				n = rapid.IntRange(1, 5).Draw(t, "groups")
			}
			if !calm && rapid.IntRange(0, 9).Draw(t, "connects anew") == 0 {
				p.a.forget()
			}
			q++
			said := beatsOf(n, q)
			p.a.beats = append(p.a.beats, said...)
			heard, _, _ := p.say(t, !calm && rapid.IntRange(0, 3).Draw(t, "lost") == 0)
			if len(heard) > 0 {
				require.Equal(t, said, heard)
			}
			p.b.acks = append(p.b.acks, heard...)
			_, acks, _ := p.turned().say(t, !calm && rapid.IntRange(0, 3).Draw(t, "answer lost") == 0)
			for _, m := range acks {
				require.Contains(t, said, m)
			}
			if turn == turns+2 {
				require.Equal(t, said, heard)
			}
		}
	})
}

// A group ranks the members as its placement does, and names them by that inside; and nothing leaves it with these names.
func TestAliases(t *testing.T) {
	members := []spec.NodeID{spec.IntegerID(3), spec.IntegerID(7), spec.IntegerID(9)}
	g, l := newGroup("a", 1, []spec.NodeID{members[1], members[2], members[0]}, members), &loop{members: members}
	require.Equal(t, spec.IntegerID(3), l.alias(g, 1))
	require.Equal(t, spec.IntegerID(1), l.alias(g, 0))
	for place := range members {
		require.Equal(t, place, l.placeOf(g, l.alias(g, place)))
		p := spec.Durable{Epoch: 3, Grantee: members[place]}
		require.Equal(t, p, l.onDisk(g, l.inGroup(g, p)))
	}
	require.Equal(t, none, l.placeOf(g, spec.NodeID{}))
	require.Equal(t, spec.NodeID{}, l.alias(g, none), "no node has no alias")
	require.Equal(t, spec.Durable{Epoch: 3}, l.onDisk(g, l.inGroup(g, spec.Durable{Epoch: 3})))
	const all = 1<<3 - 1
	higher := func(place int) policy.Set { return policy.NewPeers(place, all, all, all, g.higher).Higher }
	require.Equal(t, 1, higher(2).Size())
	require.True(t, higher(2).Has(1), "a group must rank node 2 above node 3 if its placement does")
	require.Equal(t, 2, higher(0).Size())
}

// A node that is connected, and has not said by which weights it goes, or was not heard, is asked; until it has, it agrees to nothing.
func TestWeightsAreAskedFor(t *testing.T) {
	l := &loop{members: ids(3), peers: []*peer{nil, {place: 1}, {place: 2}}, up: policy.One(1), placed: 7}
	g := &group{members: policy.One(0) | policy.One(1) | policy.One(2)}
	require.False(t, l.agreed(g), "peers that have not stated their weights do not agree")
	require.True(t, l.peers[1].resync, "node 2 must be asked for its weights")
	require.False(t, l.peers[2].resync, "it is not connected")
	for placed, agreed := range map[uint64]bool{7: true, 8: false} {
		l.peers[1].placed, l.peers[1].resync = placed, false
		require.Equal(t, agreed, l.agreed(g))
		require.False(t, l.peers[1].resync, "node 2 has stated its weights, and must not be asked again")
	}
}
