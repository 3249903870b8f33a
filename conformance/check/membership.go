package check

import "github.com/seed-fdf591db/bully/spec"

// Who is what in a state, where members change (R42). All of this holds for fixed members too, each of whom votes and may
// lead: a state without a configuration says so.

// MayStand reports whether node id may ask and claim in state s: whether it is a voter (R46).
func MayStand(id spec.NodeID, s *spec.State) bool { return mayLead(&s.Configuration, id) }

// Outranked reports whether node k is to lead rather than node l in a configuration, or where members are fixed, in none
// (R46).
func Outranked(c *spec.Configuration, l, k spec.NodeID) bool {
	return c.Higher(k, l) || !mayLead(c, l)
}

// IsMember reports whether a node belongs to a configuration.
func IsMember(c *spec.Configuration, id spec.NodeID) bool {
	return c.IsNone() || kindOf(c, id) != ""
}

func mayLead(c *spec.Configuration, id spec.NodeID) bool {
	return c.IsNone() || kindOf(c, id) == spec.Voter
}

// kindOf returns what a node is in a configuration, or "" if it is no member.
func kindOf(c *spec.Configuration, id spec.NodeID) spec.MemberKind {
	m, _ := c.Member(id)
	return m.Kind
}

// Votes reports whether a node is an elector of a configuration, or where members are fixed, of none.
func Votes(c *spec.Configuration, id spec.NodeID) bool {
	kind := kindOf(c, id)
	return c.IsNone() || kind == spec.Voter || kind == spec.Witness
}

// MayChange reports whether node id, being in state s, changes its configuration to c if it is called to (R47).
func MayChange(id spec.NodeID, s *spec.State, c spec.Configuration) bool {
	own := &s.Configuration
	return s.Role == spec.Leader && !own.IsNone() && c.Epoch == s.Epoch && c.Version == own.Version+1 &&
		settled(id, s) && differing(own, &c) == 1 && Votes(&c, id)
}

// settled reports whether the supporters of node id, and itself, are a quorum of its configuration.
func settled(id spec.NodeID, s *spec.State) bool {
	electors, backers := 0, 0
	for _, m := range s.Configuration.Members() {
		if m.Kind == spec.Observer {
			continue
		}
		electors++
		if m.ID == id {
			backers++
		}
		for _, supporter := range s.Support {
			if supporter == m.ID {
				backers++
			}
		}
	}
	return 2*backers > electors
}

// differing returns how many nodes are not the same in c and d: in one of them alone, or of another kind or address.
func differing(c, d *spec.Configuration) (n int) {
	for _, m := range c.Members() {
		if other, _ := d.Member(m.ID); other != m {
			n++
		}
	}
	for _, m := range d.Members() {
		if _, both := c.Member(m.ID); !both {
			n++
		}
	}
	return n
}
