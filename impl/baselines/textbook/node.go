package textbook

import "fmt"

// Config says which node a node is, and which form of the algorithm it plays. The zero values of all but ID and Nodes are
// the algorithm as taught.
type Config struct {
	ID    int // its id, which is its rank: 1 to Nodes
	Nodes int // how many nodes there are, 1 or more; all of them have the same
	// NoTcoord has a node that was told OK wait for COORDINATOR without end. It is a bug that is often seen.
	NoTcoord bool
	// Return is what the node does when it returns from a crash.
	Return Policy
	// Shortcut has the highest of all nodes lead at once when it holds an election, for it has nobody to ask. It saves
	// T_elec, and costs messages: ELECTIONs that reach it when it leads have it say COORDINATOR again.
	Shortcut bool
	// Stamp has each leader pick a number for its reign, which COORDINATOR and HEARTBEAT bear. Nobody compares it.
	Stamp bool
}

// Policy is what a node does when it returns from a crash.
type Policy uint8

const (
	Immediate  Policy = iota // it holds an election at once, even if somebody leads
	CoolDown                 // it waits for the timer Return, and then holds one, unless it follows a higher node by then
	Suppressed               // it asks with IM_BACK who leads, and holds one only if nobody says so while Return runs
	policies
)

// Role is what a node is doing.
type Role string

const (
	Follower  Role = "follower"  // it follows a leader, or knows of none
	Candidate Role = "candidate" // it has asked the higher nodes, and waits for an OK
	Electing  Role = "electing"  // it was told OK, and waits for COORDINATOR
	Leader    Role = "leader"    // it leads
)

// Node is the core of one node. It is not safe for concurrent use: it takes one step at a time.
type Node struct {
	config  Config
	started bool
	role    Role
	leader  int    // whom it takes for the leader, or 0
	stamp   uint64 // of the reign of that leader
	heard   uint64 // the highest stamp that it has heard of since it started
	running timers
	out     Output // of the step that is being taken
}

// New returns a node that has not started: its first input is [Start] or [Restart]. The error says what of the Config
// cannot be.
func New(c Config) (*Node, error) {
	switch {
	case c.Nodes < 1:
		return nil, fmt.Errorf("textbook: Config.Nodes is %d: give the number of all nodes, 1 or more", c.Nodes)
	case c.ID < 1 || c.ID > c.Nodes:
		return nil, fmt.Errorf("textbook: Config.ID is %d: give an id from 1 to %d, which is Config.Nodes", c.ID, c.Nodes)
	case c.Return >= policies:
		return nil, fmt.Errorf("textbook: Config.Return is %d: give Immediate, CoolDown or Suppressed", c.Return)
	}
	return &Node{config: c, role: Follower}, nil
}

// Role returns what the node is doing.
func (n *Node) Role() Role { return n.role }

// Leader returns whom the node takes for the leader, itself if it leads, or 0.
func (n *Node) Leader() int { return n.leader }

// Stamp returns the number of the reign of that leader. It is 0 if the node knows of none, and without Config.Stamp.
func (n *Node) Stamp() uint64 { return n.stamp }
