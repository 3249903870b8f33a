package ring

import (
	"fmt"
	"slices"
)

// Form is which of the two algorithms a node runs. All nodes of a ring run the same.
type Form uint8

const (
	ChangRoberts Form = iota + 1 // an id goes round
	Lists                        // a list of ids goes round
)

// Config is what a node is told when it is made.
type Config struct {
	ID      int   // of the node, from 1 to how many there are: an id is its rank
	Ring    []int // all ids as they stand in the ring, each once; the neighbour of the last is the first
	Form    Form
	NoRetry bool // as published: who takes part in an election waits for its end for ever
}

// Node is the core of one node. It is not safe for concurrent use: it takes one step at a time.
type Node struct {
	config        Config
	started       bool
	leader        int       // whom it takes for the leader; 0 if it knows of none
	participating bool      // in an election: it waits for ELECTED or COORDINATOR (Coulouris §15.3)
	renewed       bool      // in this step it has heard of a leader
	sent          int       // how many messages it has passed on: the number of the last
	watched       int       // the number of the last that was sent when timer Hop was set
	pending       []Message // those without an ACK, as they were sent last
	out           Output    // of this step
}

// New returns a node that has not started: its first input is Start or Restart. The error says what of c is wrong.
func New(c Config) (*Node, error) {
	if c.Form != ChangRoberts && c.Form != Lists {
		return nil, fmt.Errorf("ring: no form %d: give ChangRoberts or Lists", c.Form)
	}
	for id := 1; id <= len(c.Ring); id++ {
		if !slices.Contains(c.Ring, id) {
			return nil, fmt.Errorf("ring: %d is not among the ids %v: give each from 1 to %d once", id, c.Ring, len(c.Ring))
		}
	}
	if !slices.Contains(c.Ring, c.ID) {
		return nil, fmt.Errorf("ring: node %d does not stand in the ring %v: add it, or correct its id", c.ID, c.Ring)
	}
	c.Ring = slices.Clone(c.Ring)
	return &Node{config: c}, nil
}

// Leader returns whom the node takes for the leader, itself if it leads, and 0 if it knows of none.
func (n *Node) Leader() int { return n.leader }

// Leading reports whether the node leads.
func (n *Node) Leading() bool { return n.leader == n.config.ID }

// Participating reports whether the node takes part in an election that is not over, as far as it knows.
func (n *Node) Participating() bool { return n.participating }

// running returns which timers run in the node's state.
func (n *Node) running() [timers]bool {
	return [timers]bool{
		Patience:  n.started && !n.Leading() && !n.participating,
		Election:  n.participating && !n.config.NoRetry,
		Hop:       len(n.pending) > 0,
		Heartbeat: n.Leading(),
	}
}
