package textbook

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"

	"github.com/seed-fdf591db/bully/model/internal/frame"
	"github.com/seed-fdf591db/bully/spec"
)

// role is what a node is doing; message is the type of one.
type (
	role    uint8
	message uint8
)

const (
	follower role = iota
	candidate
	electing
	leader

	election    message = 1
	ok          message = 2
	coordinator message = 3

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
	return string([...]spec.Role{spec.Follower, spec.Candidate, spec.Electing, spec.Leader}[r])
}

// What the models share.
type (
	set  = frame.Set
	link = frame.Link
)

func (m *model) above(i int) set { return set(1<<(m.N+1) - 1<<(i+1)) }

// some reports whether is is true of some member of s.
func (m *model) some(s set, is func(i int) bool) bool {
	for i := 1; i <= m.N; i++ {
		if s.Has(i) && is(i) {
			return true
		}
	}
	return false
}

// queue holds messages in 2 bits each, the first in the lowest.
type queue uint64

func (q queue) length() int   { return (bits.Len64(uint64(q)) + 1) / 2 }
func (q queue) head() message { return message(q & 3) }

// push returns q with x at its end. No run that the explorer has room for comes near 32 messages on one link.
func (q queue) push(x message) queue {
	if q.length() == 32 {
		panic("textbook: 32 messages on one link, which is more than a state has room for")
	}
	return q | queue(x)<<(2*q.length())
}

// has reports whether x is in q.
func (q queue) has(x message) bool {
	for ; q != 0; q >>= 2 {
		if q.head() == x {
			return true
		}
	}
	return false
}

// String returns the messages as TLA+ strings, with commas between.
func (q queue) String() string {
	var words []string
	for ; q != 0; q >>= 2 {
		words = append(words, fmt.Sprintf("%q", [...]spec.MessageType{1: spec.Election, spec.OK, spec.Coordinator}[q.head()]))
	}
	return strings.Join(words, ", ")
}

// state is a state of the module. What belongs to no node or link is zero.
type state struct {
	role   [maxNodes + 1]role
	leader [maxNodes + 1]uint8
	up     set
	cut    uint8 // the place in model.Cuts
	budget [faults]uint8
	net    [maxNodes * (maxNodes - 1)]queue
}

func (s *state) leads(i int) bool      { return s.up.Has(i) && s.role[i] == leader }
func (s *state) inElection(i int) bool { return s.role[i] == candidate || s.role[i] == electing }

func (s *state) become(i int, r role, l int) { s.role[i], s.leader[i] = r, uint8(l) }

// silent reports whether nothing is under way between node i and those in others.
func (s *state) silent(m *model, i int, others set) bool {
	return !m.some(others, func(j int) bool { return s.net[m.Index[i][j]]|s.net[m.Index[j][i]] != 0 })
}

// quiet reports whether nothing is under way at all.
func (s *state) quiet(m *model) bool {
	var all queue
	for _, q := range s.net[:len(m.Links)] {
		all |= q
	}
	return all == 0
}

func (m *model) isCut(s *state, k int) bool { return m.Cuts[s.cut]>>k&1 != 0 }

func (m *model) linked(s *state, i, j int) bool {
	return !m.isCut(s, m.Index[i][j]) && !m.isCut(s, m.Index[j][i])
}

// pack appends the packed form of s to b: a byte for each node, one each for up, cut and the budgets, and a number of
// variable length for each queue.
func (m *model) pack(b []byte, s *state) []byte {
	for i := 1; i <= m.N; i++ {
		b = append(b, byte(s.role[i])|s.leader[i]<<2)
	}
	b = append(b, byte(s.up), s.cut)
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
	s.up, s.cut = set(b[0]), b[1]
	b = b[2+copy(s.budget[:], b[2:]):]
	for k := range m.Links {
		q, n := binary.Uvarint(b)
		s.net[k], b = queue(q), b[n:]
	}
}
