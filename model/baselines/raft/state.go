package raft

import (
	"encoding/binary"
	"math/bits"

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
	precandidate
	candidate
	leader

	requestPreVote message = iota - 4
	preVote
	requestVote
	vote
	appendEntries
	refuse

	messages = 6
	none     = 0 // no node
)

// The budgets, in the order of the constants that bound them.
const (
	restart = iota
	cutting
	faults
)

// String returns the role's word.
func (r role) String() string {
	return [...]string{string(spec.Follower), "precandidate", string(spec.Candidate), string(spec.Leader)}[r]
}

// String returns the word of the type.
func (t message) String() string {
	return [...]string{"REQUEST_PRE_VOTE", "PRE_VOTE", "REQUEST_VOTE", "VOTE", "APPEND", "REFUSE"}[t]
}

// What the models share.
type (
	set     = frame.Set
	link    = frame.Link
	linkSet = frame.LinkSet
)

// traffic is what is under way on a link: a bit for each message. Those of a low term have the low bits.
type traffic uint32

func bit(t message, term int) traffic { return 1 << (messages*(term-1) + int(t)) }

// first returns the message of the lowest bit.
func (x traffic) first() (t message, term int) {
	k := bits.TrailingZeros32(uint32(x))
	return message(k % messages), k/messages + 1
}

// allOf returns the messages of type t of all terms.
func allOf(t message) traffic {
	var all traffic
	for term := 1; term <= maxTerm; term++ {
		all |= bit(t, term)
	}
	return all
}

// node is the state of one node. Term and vote are durable.
type node struct {
	term, vote, leader uint8
	role               role
	votes              set
}

// started returns a node as it starts, with a term and a vote on disk.
func started(term, vote uint8) node { return node{term: term, vote: vote} }

// heard returns x after it has heard of a term. A higher one makes a follower of it, without a vote yet.
func (x node) heard(term int) node {
	if term > int(x.term) {
		return started(uint8(term), none)
	}
	return x
}

// state is a state of the module. What belongs to no node or link is zero.
type state struct {
	node   [maxNodes + 1]node
	net    [maxNodes * (maxNodes - 1)]traffic
	cut    uint8 // the place in model.Cuts
	budget [faults]uint8
}

func (s *state) leads(i int) bool { return s.node[i].role == leader }
func (s *state) follows(j, i int) bool {
	return int(s.node[j].leader) == i && s.node[j].term == s.node[i].term
}

func (m *model) isCut(s *state, i, j int) bool { return m.IsCut(s.cut, i, j) }

func (m *model) linked(s *state, i, j int) bool { return !m.isCut(s, i, j) && !m.isCut(s, j, i) }

// hears reports whether the heartbeats of its leader reach node i.
func (m *model) hears(s *state, i int) bool {
	l := int(s.node[i].leader)
	return l != none && l != i && s.follows(i, l) && s.leads(l) && !m.isCut(s, l, i)
}

// expects reports whether a leader whose heartbeats node i would heed reaches it.
func (m *model) expects(s *state, i int) bool {
	return m.SomeNode(func(l int) bool {
		return l != i && s.leads(l) && s.node[l].term >= s.node[i].term && !m.isCut(s, l, i)
	})
}

// quiet reports whether nothing is under way at all.
func (m *model) quiet(s *state) bool {
	var all traffic
	for _, x := range s.net[:len(m.Links)] {
		all |= x
	}
	return all == 0
}

// reachesQuorum reports whether node i and those to and from whom it has links are a quorum.
func (m *model) reachesQuorum(s *state, i int) bool {
	q := frame.Only(i)
	for j := 1; j <= m.N; j++ {
		if j != i && m.linked(s, i, j) {
			q |= frame.Only(j)
		}
	}
	return m.isQuorum(m, q)
}

// pack appends the packed form of s to b: three bytes for each node, one each for cut and the budgets, and a number of
// variable length for each link.
func (m *model) pack(b []byte, s *state) []byte {
	for i := 1; i <= m.N; i++ {
		x := &s.node[i]
		b = append(b, x.term|byte(x.role)<<4, x.vote|x.leader<<4, byte(x.votes))
	}
	b = append(b, s.cut, s.budget[restart], s.budget[cutting])
	for _, x := range s.net[:len(m.Links)] {
		b = binary.AppendUvarint(b, uint64(x))
	}
	return b
}

// unpack sets s to the state whose packed form is b.
func (m *model) unpack(b []byte, s *state) {
	for i := 1; i <= m.N; i++ {
		s.node[i] = node{term: b[0] & 15, role: role(b[0] >> 4), vote: b[1] & 15, leader: b[1] >> 4, votes: set(b[2])}
		b = b[3:]
	}
	s.cut, s.budget[restart], s.budget[cutting] = b[0], b[1], b[2]
	b = b[3:]
	for k := range m.Links {
		x, n := binary.Uvarint(b)
		s.net[k], b = traffic(x), b[n:]
	}
}
