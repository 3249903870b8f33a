package policy

import "math/bits"

// Set is a set of nodes, by their places: bit i stands for place i.
type Set uint64

// One returns the set of one node, and the empty one for None and NonMember.
func One(place int) Set {
	if place < 0 {
		return 0
	}
	return 1 << place
}

// Has reports whether the node at place i is in the set.
func (s Set) Has(i int) bool { return s>>i&1 == 1 }

// Size returns how many there are.
func (s Set) Size() int { return bits.OnesCount64(uint64(s)) }

const (
	// None is the place of no node.
	None = -1
	// NonMember is the place of a node that is no member.
	NonMember = -2
)

// Peers is what a node knows of the members, and of its links to them. Places are those of an order that its host keeps,
// from 0 to 63, the node's own among them whether it is a member or not.
type Peers struct {
	Me       int
	Others   Set  // the other members
	Electors Set  // who votes: voters and witnesses, this node too if it is one (R42)
	Higher   Set  // who is to lead rather than this node: higher voters, and all voters if it may not lead (R46)
	Stands   bool // this node may lead (R46)

	Up   Set // to whom there is a connection
	Dead Set // who is proved dead: its program has ended, and nothing has come from it since
}

// NewPeers returns who is who for the node at a place: who are members, which of these vote, and which of these may lead.
// Where members never change all are all of it. Higher reports whether the member at a place is higher than that at another (R1); if it is
// nil a later place is.
func NewPeers(me int, members, electors, voters Set, higher func(i, j int) bool) Peers {
	p := Peers{Me: me, Others: members &^ One(me), Electors: electors, Higher: voters, Stands: voters.Has(me)}
	switch {
	case !p.Stands:
	case higher == nil:
		p.Higher &^= 2<<me - 1
	default:
		for all := voters; all != 0; all &= all - 1 {
			if i := bits.TrailingZeros64(uint64(all)); !higher(i, me) {
				p.Higher &^= One(i)
			}
		}
	}
	return p
}

// Asked returns who is asked in an election: the other electors.
func (p *Peers) Asked() Set { return p.Electors & p.Others }
