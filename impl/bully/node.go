package bully

import (
	"errors"
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// MaxMembers is the greatest number of members that a node can have.
const MaxMembers = 64

// Node is the core of one node. It is not safe for concurrent use: it takes one step at a time.
type Node struct {
	roster
	started bool
	state
	answered []spec.Question // of a leader: the latest question that the node at each place has answered, or 0 (R25)
	*scratch                 // nil before the first step
}

// scratch is what a step needs while it is taken. Its memory is used again by the next.
type scratch struct {
	before state           // the state before the step, in the places of now
	sent   []spec.Message  // what the step sends, in order
	room   [6]spec.Message // … which suffices a node of five
}

// New returns the node id of a cluster of fixed members. The members are all nodes of the cluster, in any order, from 1 to MaxMembers,
// each once, and id is among them (R40); the error says which of this does not hold. The node has not started: its
// first input is [Start] or [Restart].
func New(id spec.NodeID, members []spec.NodeID) (*Node, error) {
	sorted := slices.SortedFunc(slices.Values(members), spec.NodeID.Compare)
	if len(sorted) < 1 || len(sorted) > MaxMembers {
		return nil, fmt.Errorf("bully: %d members: give from 1 to %d", len(sorted), MaxMembers)
	}
	for i, member := range sorted {
		if !member.Valid() {
			return nil, fmt.Errorf("bully: member %s is no id: give integers from 1 on or UUIDs of version 4", member)
		}
		if i > 0 && member == sorted[i-1] {
			return nil, fmt.Errorf("bully: member %s is there twice: give each once", member)
		}
	}
	all := set(1)<<len(sorted) - 1
	r := roster{known: sorted, members: all, electors: all, voters: all}
	if r.me = r.placeOf(id); r.me == none {
		return nil, fmt.Errorf("bully: node %s is no member: add it to the members, or correct its id", id)
	}
	return newNode(r, spec.Configuration{}), nil
}

// NewChanging returns the node id of a cluster whose members come and go. First is the configuration that every first
// member is given alike, this one among them, of epoch 0; a node that joins is given the empty one (R49). The error says
// which of this does not hold. First counts for [Start] alone: with [Restart], the record has the configuration.
func NewChanging(id spec.NodeID, first spec.Configuration) (*Node, error) {
	if !id.Valid() {
		return nil, fmt.Errorf("bully: node %s is no id: give an integer from 1 on or a UUID of version 4", id)
	}
	if err := first.Validate(); err != nil {
		return nil, fmt.Errorf("bully: first configuration: %w", err)
	}
	if first.Epoch != 0 {
		return nil, fmt.Errorf("bully: first configuration: %s is not of epoch 0: give the one of the first members, or the empty one to a node that joins or has a record", first)
	}
	if _, is := first.Member(id); !is && !first.IsEmpty() {
		return nil, fmt.Errorf("bully: first configuration: node %s is no member of %s: give the empty one to a node that joins or has a record", id, first)
	}
	return newNode(rosterOf(first, id), first), nil
}

// newNode returns a node that has not started.
func newNode(r roster, c spec.Configuration) *Node {
	return &Node{roster: r, state: blank(c), answered: make([]spec.Question, len(r.known))}
}

// Beside has the node take its steps in the memory of another: for a host of thousands of nodes, which takes one step of one of them at a time. Then Send of
// an Output is written over by the next step of any of them.
func (n *Node) Beside(other *Node) {
	other.needScratch()
	n.scratch = other.scratch
}

func (n *Node) needScratch() {
	if n.scratch == nil {
		n.scratch = new(scratch)
		n.sent = n.room[:0]
	}
}

// At returns a node that is in state s already, for replays and tests. The id and the members are those of New; if s has
// a configuration, they are the members, and nobody looks at those given. The error says what of s is not valid, names a
// non-member, or is a state that no input leads to (section 6).
func At(id spec.NodeID, members []spec.NodeID, s spec.State) (*Node, error) {
	n, err := anew(id, members, &s)
	if err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("bully: state: %w", err)
	}
	n.role, n.epoch, n.lease, n.asked, n.latest, n.dated = s.Role, s.Epoch, s.Lease, s.Asked, s.Latest, s.Dated
	for _, named := range []struct {
		field string
		id    spec.NodeID
		put   func(place)
	}{
		{"leader", s.Leader, func(r place) { n.leader = r }},
		{"grantee", s.Grantee, func(r place) { n.grantee = r }},
	} {
		r := n.placeOf(named.id)
		if r == none && !named.id.IsNone() {
			return nil, fmt.Errorf("bully: state: %s: %s is no member", named.field, named.id)
		}
		named.put(r)
	}
	for _, backer := range s.Support {
		r := n.placeOf(backer)
		if r == none || !n.members.has(r) {
			return nil, fmt.Errorf("bully: state: support: %s is no member", backer)
		}
		n.support = n.support.with(r)
	}
	for _, a := range s.Answered {
		r := n.placeOf(a.Node)
		if r == none || !n.members.has(r) || r == n.me {
			return nil, fmt.Errorf("bully: state: answered: %s is no other member", a.Node)
		}
		n.answered[r] = a.Question
	}
	if broken := n.broken(); broken != "" {
		return nil, errors.New("bully: state: no input leads to it: " + broken)
	}
	n.started = true
	return n, nil
}

// anew returns a node that is to be in state s, and knows the nodes that s names.
func anew(id spec.NodeID, members []spec.NodeID, s *spec.State) (*Node, error) {
	if s.Configuration.IsNone() {
		return New(id, members)
	}
	n, err := NewChanging(id, spec.EmptyConfiguration())
	if err != nil {
		return nil, err
	}
	return newNode(rosterOf(s.Configuration, n.id(), s.Leader, s.Grantee), s.Configuration), nil
}

// State returns a copy of the node's state. Before the first start that is a blank one.
func (n *Node) State() (s spec.State) {
	n.CopyState(&s)
	return s
}

// CopyState is State for who asks after every step: it writes over s, and uses the memory of its slices again.
func (n *Node) CopyState(s *spec.State) {
	support, answered := s.Support[:0], s.Answered[:0]
	for r := range n.support.all() {
		support = append(support, n.known[r])
	}
	for r, q := range n.answered {
		if q != 0 {
			answered = append(answered, spec.Answered{Node: n.known[r], Question: q})
		}
	}
	*s = spec.State{
		Role: n.role, Leader: n.idOf(n.leader), Lease: n.lease, Epoch: n.epoch, Grantee: n.idOf(n.grantee), Support: support,
		Asked: n.asked, Latest: n.latest, Dated: n.dated, Answered: answered, Configuration: n.configuration,
	}
}

// promise returns what of the state must survive a crash.
func (n *Node) promise() spec.Durable {
	return spec.Durable{Epoch: n.epoch, Grantee: n.idOf(n.grantee), Reserved: n.latest.Reserved(), Configuration: n.configuration}
}

// send adds a message to another node, of which sender, receiver and configuration are not said yet.
func (n *Node) send(to spec.NodeID, m spec.Message) {
	m.From, m.To, m.Configuration = n.id(), to, n.configuration
	n.sent = append(n.sent, m)
}

// sendAll adds a message to every other node of a set, in ascending order of ids.
func (n *Node) sendAll(to set, m spec.Message) {
	for r := range to.all() {
		if r != n.me {
			n.send(n.known[r], m)
		}
	}
}

// answer adds an answer of epoch e to the question of m.
func (n *Node) answer(m *spec.Message, t spec.MessageType, e spec.Epoch) {
	n.send(m.From, spec.Message{Type: t, Epoch: e, Question: m.Question})
}

// tell adds a message of the node's latest number to every other member.
func (n *Node) tell(t spec.MessageType) {
	n.sendAll(n.members, spec.Message{Type: t, Epoch: n.epoch, Question: n.latest})
}

// Replay takes the step of a node that is in a given state, and returns which it is, the state after, and what is sent.
// The action is "" if the input makes no step, and if no node can be in that state (At).
func Replay(id spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) (spec.Action, spec.State, []spec.Message) {
	node, err := At(id, members, before)
	if err != nil {
		return "", spec.State{}, nil
	}
	out := node.Step(InputOf(in))
	return out.Action, node.State(), out.Send
}
