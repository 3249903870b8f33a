package spec

import "slices"

// Role is what a node is doing about leadership. The set is closed; Roles lists it.
type Role string

const (
	// Follower is a node at rest: it follows the leader whose lease it keeps, or waits for one.
	Follower Role = "follower"
	// Candidate is a node that has asked the others, by ELECTION, who is there and would follow it.
	Candidate Role = "candidate"
	// Electing is a node that waits for a better node, or for a lease it keeps, for one T_coord.
	Electing Role = "electing"
	// Claimant is a node that has claimed the next epoch and counts the grants.
	Claimant Role = "claimant"
	// Leader is a node that a quorum has granted its epoch to.
	Leader Role = "leader"
)

var roles = []Role{Follower, Candidate, Electing, Claimant, Leader}

// Roles returns every role, in the order in which a node passes through them on its way to lead.
func Roles() []Role { return slices.Clone(roles) }

// Valid reports whether r is one of Roles.
func (r Role) Valid() bool { return slices.Contains(roles, r) }
