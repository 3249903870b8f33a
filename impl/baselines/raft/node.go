package raft

import (
	"fmt"
	"slices"
)

// Config is what a node is told when it is made.
type Config struct {
	ID, Nodes int // the node's id, from 1 to Nodes, and how many nodes there are
	// PreVote lets a node ask whether it would be elected before it raises its term (D 9.6). Who hears from a leader, or is
	// one, says no.
	PreVote bool
	// CheckQuorum lets a leader step down that has not heard from a quorum for an election timeout (D 6.2), and a node that
	// hears from a leader, or is one, take no notice of those who ask for its vote (D 4.2.3).
	CheckQuorum bool
}

// Node is the core of one node. It is not safe for concurrent use: it takes one step at a time.
type Node struct {
	config Config
	role   Role
	saved  Saved   // its term and vote
	leader int     // of its term, or 0 if it knows of none
	lease  bool    // it has heard from that leader within an election timeout: Lease runs
	heard  []int   // who has voted for a candidate, and whom a leader has heard since Quorum was set; with itself
	anew   []Timer // what this step lets begin anew if it runs
	out    Output
}

// Role is what a node is at.
type Role string

// The four roles (§5.1, and D 9.6 for the second).
const (
	Follower     Role = "follower"
	PreCandidate Role = "pre-candidate"
	Candidate    Role = "candidate"
	Leader       Role = "leader"
)

// New returns a node that has not started: its first input is a [Start]. The error says what of c is wrong.
func New(c Config) (*Node, error) {
	if c.ID < 1 || c.ID > c.Nodes {
		return nil, fmt.Errorf("raft: Config.ID is %d, and Config.Nodes %d: give an id from 1 to the number of nodes", c.ID, c.Nodes)
	}
	return &Node{config: c}, nil
}

// Role returns what the node is at, or "" before it has started.
func (n *Node) Role() Role { return n.role }

// Term returns the node's term: 0 before the first election.
func (n *Node) Term() uint64 { return n.saved.Term }

// Leader returns who leads the node's term as far as it knows: itself, another, or 0 for nobody.
func (n *Node) Leader() int { return n.leader }

// Running returns the timers that run.
func (n *Node) Running() []Timer {
	switch {
	case n.role == "":
		return nil
	case n.role == Leader && n.config.CheckQuorum:
		return []Timer{Quorum, Heartbeat}
	case n.role == Leader:
		return []Timer{Heartbeat}
	case n.lease:
		return []Timer{Election, Lease}
	}
	return []Timer{Election}
}

// Step takes a step.
func (n *Node) Step(in Input) Output {
	n.anew, n.out = n.anew[:0], Output{Ignored: n.wrong(in), Send: n.out.Send[:0]}
	if n.out.Ignored != "" {
		return n.out
	}
	ran, saved := n.Running(), n.saved
	switch in := in.(type) {
	case Start: // as a follower, with what the disk has kept (§5.1, §5.2)
		n.role, n.saved, saved = Follower, Saved(in), Saved(in)
	case Message:
		n.receive(in)
	case Timer:
		switch in {
		case Election:
			n.electionEnded()
		case Lease:
			n.lease = false
		case Quorum:
			n.quorumEnded()
		case Heartbeat:
			n.heartbeatEnded()
		}
	}
	if n.saved != saved {
		n.out.Save, n.out.Saved = true, n.saved
	}
	n.out.Stop = without(ran, n.Running())
	n.out.Set = without(n.Running(), without(ran, n.anew))
	return n.out
}

// wrong says why an input must be ignored, or "".
func (n *Node) wrong(in Input) string {
	s, starts := in.(Start)
	m, arrives := in.(Message)
	t, ends := in.(Timer)
	switch {
	case starts && n.role != "":
		return "started twice"
	case starts && (s.Term > MaxTerm || s.Vote < 0 || s.Vote > n.config.Nodes || s.Vote > 0 && s.Term == 0):
		return "no node has saved this"
	case arrives && n.role == "":
		return "not started"
	case arrives && (!slices.Contains(types, m.Type) || m.Term > MaxTerm || m.Term == 0 && m.Type != NoPreVote):
		return "no node sends this"
	case arrives && (m.From < 1 || m.From > n.config.Nodes || m.From == n.config.ID || m.To != n.config.ID):
		return "not from another node to this one"
	case arrives && n.anotherLeads(m):
		return "another leads this term"
	case ends && !slices.Contains(n.Running(), t):
		return "no such timer runs"
	case in == nil:
		return "no input"
	}
	return ""
}

func without(some, others []Timer) []Timer {
	return slices.DeleteFunc(slices.Clone(some), func(t Timer) bool { return slices.Contains(others, t) })
}

func (n *Node) receive(m Message) {
	if n.disregards(m) {
		return
	}
	if m.Term > n.saved.Term && m.tellsTerm() {
		n.enter(m.Term)
	}
	switch m.Type {
	case RequestPreVote:
		n.onRequestPreVote(m)
	case RequestVote:
		n.onRequestVote(m)
	case AppendEntries:
		n.onAppendEntries(m)
	case PreVote, Vote, Appended:
		if n.awaits(m) {
			n.hear(m.From)
		}
	}
}

// enter enters a higher term, of which a message told, as a follower that has not voted in it (§5.1).
func (n *Node) enter(term uint64) {
	if n.role == Leader {
		n.note("steps down: there is term %d", term)
	}
	n.role, n.saved, n.leader, n.lease = Follower, Saved{Term: term}, 0, false
}

// awaits reports whether a message grants what a node of this role asks for, in the term in which it asks. It may be left over
// of an earlier round of pre-votes for the same term: a pre-vote binds nobody. Votes bind for the term, and a node has one
// (§5.2). Pre-votes are messages of another type, and never count as votes (canonical/raft#196).
func (n *Node) awaits(m Message) bool {
	switch n.role {
	case PreCandidate:
		return m.Type == PreVote && m.Term == n.saved.Term+1
	case Candidate:
		return m.Type == Vote && m.Term == n.saved.Term
	case Leader:
		return m.Type == Appended && m.Term == n.saved.Term
	}
	return false
}

// hear notes who has answered. A quorum lets a pre-candidate stand (D 9.6), a candidate lead (§5.2), and a leader go on (D 6.2).
func (n *Node) hear(from int) {
	if !slices.Contains(n.heard, from) {
		n.heard = append(n.heard, from)
	}
	switch {
	case !n.isQuorum():
	case n.role == PreCandidate:
		n.stand()
	case n.role == Candidate:
		n.lead()
	case n.role == Leader:
		n.checkAnew()
	}
}

// isQuorum reports whether more than half of all nodes have answered, with this one (§5.2).
func (n *Node) isQuorum() bool { return len(n.heard) > n.config.Nodes/2 }

// set lets a timer begin anew, if it runs after this step. What begins or ceases to run needs no call.
func (n *Node) set(t Timer) { n.anew = append(n.anew, t) }

func (n *Node) note(format string, args ...any) { n.out.Note = fmt.Sprintf(format, args...) }

func (n *Node) send(t MessageType, to int, term uint64) {
	n.out.Send = append(n.out.Send, Message{Type: t, From: n.config.ID, To: to, Term: term})
}

func (n *Node) sendAll(t MessageType, term uint64) {
	for to := 1; to <= n.config.Nodes; to++ {
		if to != n.config.ID {
			n.send(t, to, term)
		}
	}
}
