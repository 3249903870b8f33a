package changing

import (
	"fmt"
	"math/bits"
	"strings"

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
	// Addresses are those of the nodes 1, 2 and so on, with a line feed between them; "" if none has one, as in the explorer.
	// They are compared, and nothing else.
	Addresses string
}

// MaxIDs is how many nodes there may be. A cluster of the explorer has at most model.MaxNodes.
const MaxIDs = 63

// address returns the address of node i, or "" if it has none.
func (c *Configuration) address(i ID) string {
	all := strings.Split(c.Addresses, "\n")
	if int(i) > len(all) {
		return ""
	}
	return all[i-1]
}

// Members returns who belongs to c.
func (c Configuration) Members() Set { return c.Voters | c.Witnesses | c.Observers }

// Newer reports whether c is newer than d. R42.
func (c Configuration) Newer(d Configuration) bool {
	return c.Epoch > d.Epoch || c.Epoch == d.Epoch && c.Version > d.Version
}

// differing returns the nodes that are not the same in c and d.
func (c Configuration) differing(d Configuration) Set {
	differing := (c.Voters ^ d.Voters) | (c.Witnesses ^ d.Witnesses) | (c.Observers ^ d.Observers)
	if c.Addresses != d.Addresses {
		for is := c.Members() & d.Members(); is != 0; is &= is - 1 {
			if i := lowest(is); c.address(i) != d.address(i) {
				differing = differing.With(i)
			}
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
func lowest(s Set) ID { return ID(bits.TrailingZeros64(uint64(s))) }

// highest returns the highest node of s, which may not be empty.
func highest(s Set) ID { return ID(bits.Len64(uint64(s)) - 1) }
