package changing

import (
	"fmt"
	"math/bits"

	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/spec"
)

// ID is a node's id, which is its rank: 1 is the lowest (R1).
type ID = model.ID

// None is no node.
const None = model.None

// Set is a set of nodes.
type Set = model.Set

// Configuration is who the members are, as a node knows it (R42). The zero Configuration is Empty: that of a node which has
// not been told of any member (R49).
type Configuration struct {
	Epoch                        spec.Epoch
	Version                      uint64
	Voters, Witnesses, Observers Set
	// Addresses[i] stands for the address of node i. Addresses are compared, and nothing else; the explorer has none.
	Addresses [model.MaxNodes + 1]uint8
}

// Members returns who belongs to c.
func (c Configuration) Members() Set { return c.Voters | c.Witnesses | c.Observers }

// Newer reports whether c is newer than d. R42.
func (c Configuration) Newer(d Configuration) bool {
	return c.Epoch > d.Epoch || c.Epoch == d.Epoch && c.Version > d.Version
}

// kind returns a number for what node i is in c.
func (c Configuration) kind(i ID) int {
	switch {
	case c.Voters.Has(i):
		return 1
	case c.Witnesses.Has(i):
		return 2
	case c.Observers.Has(i):
		return 3
	}
	return 0
}

// differing returns the nodes that are not the same in c and d.
func (c Configuration) differing(d Configuration) Set {
	var differing Set
	for i := ID(1); i <= model.MaxNodes; i++ {
		if c.kind(i) != d.kind(i) || c.Addresses[i] != d.Addresses[i] {
			differing = differing.With(i)
		}
	}
	return differing
}

// String returns the configuration as a TLA+ record, which says nothing of addresses.
func (c Configuration) String() string {
	return fmt.Sprintf("[epoch |-> %d, version |-> %d, voters |-> %v, witnesses |-> %v, observers |-> %v]",
		c.Epoch, c.Version, c.Voters, c.Witnesses, c.Observers)
}

// upTo returns the set of the nodes 1 to n.
func upTo(n ID) Set { return 2<<n - 2 }

// lowest returns the lowest node of s, which may not be empty.
func lowest(s Set) ID { return ID(bits.TrailingZeros16(uint16(s))) }
