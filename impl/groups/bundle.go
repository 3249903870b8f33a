package groups

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/seed-fdf591db/bully/impl/internal/membership"
	"github.com/seed-fdf591db/bully/spec"
)

// A bundle is what one node says to another in one turn of its loop, in all groups. Integers are varints, but for the numbers of groups, which are eight
// bytes, big-endian; members are their places, ascending by id, from 1 on, in a byte, and 0 is none:
//
//	version: a byte, 1   parts: a byte, of which bit i says that part i is there
//	part 0  beats   number of the list, how many, and of each group, epoch, question: HEARTBEATs
//	part 1  repeat  number of a list: that list once more, each question one higher; its number is one higher too
//	part 2  acks    number of a list: an ACK of each of its beats
//	part 3  resync  the list that was repeated is not known here: say the next one whole
//	part 4  names   the nodes that the sender knows (package membership): then places are places there
//	part 5  firsts  how many, and of each group, digest: what it began with, as a node says when it is connected, and when it adds one
//	part 6  placed  digest: of the weights and pins that the sender goes by; said when it is connected
//	then    items   how many, and of each code of its type in a byte (section 7), group, epoch, question;
//	                of an ELECTION whom it keeps; of a RESIGN who was granted, which epoch, by which question
//
// Where members change, names come first of all where there are beats or items, and behind the question of each is what its group began with, and its configuration (package membership). Digests are of
// eight bytes.
//
// So a node that leads a thousand groups, in none of which anything happens, says it in some ten bytes; and so are all of them acknowledged. Each beat is a message
// all the same, to the node of its group alone: a group that does not beat is not in the list, and the list is said whole.
// A bundle that is lost is so many lost messages.
type bundle struct {
	beats   *list
	repeats uint64 // 0 if nothing is repeated
	acks    uint64 // 0 if no list is acknowledged as a whole
	resync  bool
	items   []item

	// Where members change:
	names  []spec.NodeID // nil if neither beats nor items are there
	firsts []first
	placed uint64 // 0 if it is not said
}

// A first is what a group began with: a digest of its first members.
type first struct{ group, first uint64 }

// A list is what a node has said of the groups that it leads.
type list struct {
	number  uint64 // not 0
	beats   []beat
	repeats uint64 // how often it was repeated

	groups  []*group // whose they are here; nil if that was not looked up
	changes uint64   // … as of so many changes of what groups there are
}

// A beat is a HEARTBEAT, or an ACK, of a group.
type beat struct {
	group    uint64
	epoch    spec.Epoch
	question spec.Question
	of       *stated // nil where members are fixed
}

// An item is any message.
type item struct {
	beat
	kind    byte // its code, from 1 on
	keeps   int  // a place, or none
	granted granted
}

type granted struct {
	by       int // a place, or none
	epoch    spec.Epoch
	question spec.Question
}

const bundleVersion = 1

// The parts of a bundle.
const (
	hasBeats = 1 << iota
	hasRepeat
	hasAcks
	hasResync
	hasNames
	hasFirsts
	hasPlaced
)

// none is the place of no member.
const none = -1

var types = spec.MessageTypes()

func codeOf(t spec.MessageType) byte { return byte(slices.Index(types, t) + 1) }

var (
	electionCode  = codeOf(spec.Election)
	heartbeatCode = codeOf(spec.Heartbeat)
	ackCode       = codeOf(spec.Ack)
	resignCode    = codeOf(spec.Resign)
)

// empty reports whether there is nothing to say.
func (b *bundle) empty() bool {
	return b.beats == nil && b.repeats == 0 && b.acks == 0 && !b.resync && len(b.items) == 0 && len(b.firsts) == 0 && b.placed == 0
}

// append appends the bytes of a bundle.
func (b *bundle) append(to []byte) []byte {
	parts := byte(0)
	for i, has := range []bool{b.beats != nil, b.repeats != 0, b.acks != 0, b.resync, b.names != nil, len(b.firsts) > 0, b.placed != 0} {
		if has {
			parts |= 1 << i
		}
	}
	to = append(to, bundleVersion, parts)
	if b.names != nil {
		to = membership.AppendNames(to, b.names)
	}
	if b.beats != nil {
		to = binary.AppendUvarint(to, b.beats.number)
		to = binary.AppendUvarint(to, uint64(len(b.beats.beats)))
		for i := range b.beats.beats {
			to = b.beats.beats[i].append(to)
		}
	}
	for _, number := range []uint64{b.repeats, b.acks} {
		if number != 0 {
			to = binary.AppendUvarint(to, number)
		}
	}
	if len(b.firsts) > 0 {
		to = binary.AppendUvarint(to, uint64(len(b.firsts)))
		for _, f := range b.firsts {
			to = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(to, f.group), f.first)
		}
	}
	if b.placed != 0 {
		to = binary.BigEndian.AppendUint64(to, b.placed)
	}
	to = binary.AppendUvarint(to, uint64(len(b.items)))
	for i := range b.items {
		m := &b.items[i]
		to = append(to, m.kind)
		to = m.beat.append(to)
		switch m.kind {
		case electionCode:
			to = append(to, byte(m.keeps+1))
		case resignCode:
			to = append(to, byte(m.granted.by+1))
			to = binary.AppendUvarint(to, uint64(m.granted.epoch))
			to = binary.AppendUvarint(to, uint64(m.granted.question))
		}
	}
	return to
}

func (m *beat) append(to []byte) []byte {
	to = binary.BigEndian.AppendUint64(to, m.group)
	to = binary.AppendUvarint(binary.AppendUvarint(to, uint64(m.epoch)), uint64(m.question))
	if m.of != nil {
		to = append(to, m.of.bytes...)
	}
	return to
}

var errBundle = errors.New("groups: this is no bundle")

// readBundle reads a bundle. Whether its messages are valid is for the nodes to say that they are given to.
func readBundle(data []byte) (bundle, error) { return new(reader).bundle(data) }

func (r *reader) bundle(data []byte) (b bundle, err error) {
	r.data, r.bad, r.names = data, false, nil
	if r.byte() != bundleVersion {
		return b, errBundle
	}
	parts := r.byte()
	if parts&hasNames != 0 {
		var ok bool
		if b.names, r.data, ok = membership.ReadNames(r.data); !ok || len(b.names) == 0 || len(b.names) > mostPlaces {
			return bundle{}, errBundle
		}
		r.names = b.names
		r.find()
	}
	if parts&hasBeats != 0 {
		b.beats = &list{number: r.varint()}
		n := r.count()
		b.beats.beats = make([]beat, 0, n)
		for range n {
			b.beats.beats = append(b.beats.beats, r.beat())
		}
		r.bad = r.bad || b.beats.number == 0
	}
	if parts&hasRepeat != 0 {
		b.repeats = r.varint()
		r.bad = r.bad || b.repeats == 0
	}
	if parts&hasAcks != 0 {
		b.acks = r.varint()
		r.bad = r.bad || b.acks == 0
	}
	b.resync = parts&hasResync != 0
	if parts&hasFirsts != 0 {
		for range r.count() {
			b.firsts = append(b.firsts, first{r.word(), r.word()})
		}
	}
	if parts&hasPlaced != 0 {
		b.placed = r.word()
	}
	n := r.count()
	b.items = make([]item, 0, n)
	for range n {
		m := item{kind: r.byte(), keeps: none, granted: granted{by: none}}
		m.beat = r.beat()
		switch m.kind {
		case electionCode:
			m.keeps = int(r.byte()) - 1
		case resignCode:
			m.granted = granted{int(r.byte()) - 1, spec.Epoch(r.varint()), spec.Question(r.varint())}
		}
		r.bad = r.bad || m.kind == 0 || int(m.kind) > len(types)
		b.items = append(b.items, m)
	}
	if r.bad || len(r.data) > 0 {
		return bundle{}, errBundle
	}
	return b, nil
}

// A reader takes bytes from the front of data.
type reader struct {
	data  []byte
	names []spec.NodeID // nil where members are fixed
	bad   bool          // there were too few, or they were wrong

	loop   *loop  // whose groups they are of, or nil
	places []int  // of the names, in the loop
	moved  []byte // members, with those
}

func (r *reader) byte() byte {
	if len(r.data) == 0 {
		r.bad = true
		return 0
	}
	b := r.data[0]
	r.data = r.data[1:]
	return b
}

func (r *reader) varint() uint64 {
	v, n := binary.Uvarint(r.data)
	if n <= 0 {
		r.bad, r.data = true, nil
		return 0
	}
	r.data = r.data[n:]
	return v
}

// count reads how many of something follow, of which each has ten bytes or more.
func (r *reader) count() uint64 {
	n := r.varint()
	if n > uint64(len(r.data))/10 {
		r.bad = true
		return 0
	}
	return n
}

func (r *reader) beat() (m beat) {
	m.group = r.word()
	m.epoch, m.question = spec.Epoch(r.varint()), spec.Question(r.varint())
	if r.names != nil {
		m.of = r.stated(m.group)
	}
	return m
}

// word reads eight bytes.
func (r *reader) word() uint64 {
	if len(r.data) < 8 {
		r.bad, r.data = true, nil
		return 0
	}
	n := binary.BigEndian.Uint64(r.data)
	r.data = r.data[8:]
	return n
}

// A peer is another member, with what is to be said to it, and what it has said last.
type peer struct {
	id    spec.NodeID
	place int

	beats, acks []beat
	items       []item
	resync      bool
	firsts      []first
	placing     uint64 // the weights and pins of this node, if they are to be said
	placed      uint64 // those of the peer; 0 if it has not said them

	said    list // the last list that was said to it; of number 0 if there is none that it knows
	number  uint64
	heard   list // the last that it has said
	scratch []beat
}

// idle reports whether there is nothing to say.
func (p *peer) idle() bool {
	return len(p.beats) == 0 && len(p.acks) == 0 && len(p.items) == 0 && !p.resync && len(p.firsts) == 0 && p.placing == 0
}

// forget notes that the other end may know nothing of what was said before: the connection is another one, or it asks for it.
func (p *peer) forget() { p.said = list{beats: p.said.beats[:0]} }

// maxItems is how many messages are in a bundle, where their groups have few members: it is far shorter than what a transport takes. What each says of members takes room too.
const maxItems = 12_000

// itemsOf returns how many messages are in a bundle of a node of changing members that knows so many nodes.
func itemsOf(places int) int { return min(maxItems, 1_000_000/(60+5*places)) }

// take returns the next bundle of what there is to say, and takes it out. It is to be made bytes before anything else is said.
func (p *peer) take(most int) (b bundle) {
	b.resync, p.resync = p.resync, false
	b.placed, p.placing = p.placing, 0
	n := min(len(p.firsts), maxItems)
	if b.firsts = p.firsts[:n]; n == len(p.firsts) {
		p.firsts = p.firsts[:0]
	} else {
		p.firsts = p.firsts[n:]
	}
	p.takeBeats(&b, most)
	p.takeAcks(&b)
	n = min(len(p.items), most)
	if b.items = p.items[:n]; n == len(p.items) {
		p.items = p.items[:0]
	} else {
		p.items = p.items[n:]
	}
	return b
}

// takeBeats says the beats as the last list once more, if they are that.
func (p *peer) takeBeats(b *bundle, most int) {
	if len(p.beats) == 0 {
		return
	}
	n := min(len(p.beats), most)
	beats, whole := p.beats[:n], n == len(p.beats)
	if p.beats = p.beats[n:]; whole {
		p.beats = beats[:0]
	}
	p.number++
	if whole && p.said.number == p.number-1 && follow(p.said.beats, beats) {
		b.repeats = p.said.number
		p.said.repeats++
	} else {
		p.said.repeats, p.said.groups = 0, nil
		b.beats = &list{number: p.number, beats: beats}
	}
	p.said.number = p.number
	p.said.beats = append(p.said.beats[:0], beats...)
}

// follow reports whether beats are those of a list once more.
func follow(last, now []beat) bool {
	return slices.EqualFunc(last, now, func(a, b beat) bool {
		return a.group == b.group && a.epoch == b.epoch && a.question+1 == b.question && a.of.same(b.of)
	})
}

// repeated reports whether two lists are of the same beats.
func repeated(a, b []beat) bool {
	return slices.EqualFunc(a, b, func(a, b beat) bool {
		return a.group == b.group && a.epoch == b.epoch && a.question == b.question && a.of.same(b.of)
	})
}

// takeAcks says that a list is acknowledged as a whole, if it is.
func (p *peer) takeAcks(b *bundle) {
	if len(p.acks) > 0 && p.heard.number != 0 && repeated(p.acks, p.heard.beats) {
		b.acks = p.heard.number
	} else {
		for _, m := range p.acks {
			p.items = append(p.items, item{beat: m, kind: ackCode, keeps: none, granted: granted{by: none}})
		}
	}
	p.acks = p.acks[:0]
}

// hearBeats returns the beats that a bundle says, whole or as the last ones once more. They are not to be kept.
func (p *peer) hearBeats(b *bundle) []beat {
	switch {
	case b.beats != nil:
		p.heard = *b.beats
	case b.repeats == 0:
		return nil
	case p.heard.number != b.repeats:
		p.resync = true
		return nil
	default:
		p.heard.number++
		for i := range p.heard.beats {
			p.heard.beats[i].question++
		}
	}
	return p.heard.beats
}

// hearAcks returns the beats that are acknowledged as a whole, of the list that was said last or, if that was only repeated since, of an earlier one.
// They are not to be kept.
func (p *peer) hearAcks(b *bundle) []beat {
	if b.acks == 0 || b.acks > p.said.number || p.said.number-b.acks > p.said.repeats {
		return nil
	}
	ago := spec.Question(p.said.number - b.acks)
	p.scratch = append(p.scratch[:0], p.said.beats...)
	for i := range p.scratch {
		p.scratch[i].question -= ago
	}
	return p.scratch
}
