package ring

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"

	"github.com/seed-fdf591db/bully/model/internal/frame"
	"github.com/seed-fdf591db/bully/spec"
)

// role is what a node is doing; message is a type and an id.
type (
	role    uint8
	message uint8
)

const (
	follower role = iota
	candidate
	leader

	election    message = 0
	coordinator message = 8 // added to the id

	none = 0 // no node
)

// The budgets, in the order of the constants that bound them.
const (
	crash = iota
	restart
	cutting
	faults
)

// String returns the role's word.
func (r role) String() string {
	return string([...]spec.Role{spec.Follower, spec.Candidate, spec.Leader}[r])
}

func (x message) kind() message { return x & coordinator }
func (x message) id() int       { return int(x & 7) }

// String returns the message in TLA+.
func (x message) String() string {
	word := spec.Election
	if x.kind() == coordinator {
		word = spec.Coordinator
	}
	return fmt.Sprintf("[type |-> %q, id |-> %d]", word, x.id())
}

// What the models share.
type (
	set  = frame.Set
	link = frame.Link
)

// queue holds messages in 4 bits each, the first in the lowest. No message is zero, since no id is.
type queue uint64

func (q queue) length() int   { return (bits.Len64(uint64(q)) + 3) / 4 }
func (q queue) head() message { return message(q & 15) }

// push returns q with x at its end. No run that the explorer has room for comes near 16 messages on one link.
func (q queue) push(x message) queue {
	if q.length() == 16 {
		panic("ring: 16 messages on one link, which is more than a state has room for")
	}
	return q | queue(x)<<(4*q.length())
}

// String returns the messages in TLA+, with commas between.
func (q queue) String() string {
	var words []string
	for ; q != 0; q >>= 4 {
		words = append(words, q.head().String())
	}
	return strings.Join(words, ", ")
}

// state is a state of the module. What belongs to no node or link is zero.
type state struct {
	role   [maxNodes + 1]role
	leader [maxNodes + 1]uint8
	order  uint8 // the place in model.orders
	up     set
	cut    uint8 // the place in model.Cuts
	budget [faults]uint8
	net    [maxNodes * (maxNodes - 1)]queue
}

func (s *state) leads(i int) bool { return s.up.Has(i) && s.role[i] == leader }

func (s *state) become(i int, r role, l int) { s.role[i], s.leader[i] = r, uint8(l) }

// quiet reports whether nothing is under way at all.
func (s *state) quiet(m *model) bool {
	var all queue
	for _, q := range s.net[:len(m.Links)] {
		all |= q
	}
	return all == 0
}

func (m *model) isCut(s *state, i, j int) bool { return m.IsCut(s.cut, i, j) }

// alive reports whether node i finds node j alive. No node is not alive.
func (m *model) alive(s *state, i, j int) bool {
	return s.up.Has(j) && (i == j || !m.isCut(s, i, j) && !m.isCut(s, j, i))
}

// after returns the node to which node i sends: itself if it is alone.
func (m *model) after(s *state, i int) int {
	next := &m.orders[s.order]
	j := next[i]
	for m.skips && j != i && !m.alive(s, i, j) {
		j = next[j]
	}
	return j
}

// pack appends the packed form of s to b: a byte for each node, one each for order, up, cut and the budgets, and a
// number of variable length for each queue.
func (m *model) pack(b []byte, s *state) []byte {
	for i := 1; i <= m.N; i++ {
		b = append(b, byte(s.role[i])|s.leader[i]<<2)
	}
	b = append(b, s.order, byte(s.up), s.cut)
	b = append(b, s.budget[:]...)
	for _, q := range s.net[:len(m.Links)] {
		b = binary.AppendUvarint(b, uint64(q))
	}
	return b
}

// unpack sets s to the state whose packed form is b.
func (m *model) unpack(b []byte, s *state) {
	for i := 1; i <= m.N; i++ {
		s.role[i], s.leader[i] = role(b[i-1]&3), b[i-1]>>2
	}
	b = b[m.N:]
	s.order, s.up, s.cut = b[0], set(b[1]), b[2]
	b = b[3+copy(s.budget[:], b[3:]):]
	for k := range m.Links {
		q, n := binary.Uvarint(b)
		s.net[k], b = queue(q), b[n:]
	}
}
