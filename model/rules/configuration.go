package rules

import (
	"fmt"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// Members are nodes by what they do for their cluster.
type Members struct {
	Voters, Witnesses, Observers Set
	// Ranks are those of the nodes 1, 2 and so on, up to the last that has one, in two bytes each; "" if none has one. See RanksOf.
	Ranks string
	// Addresses are those of the nodes 1, 2 and so on, with a line feed between them; "" if none has one, as in the explorer.
	// They are compared, and nothing else.
	Addresses string
	// Place is where whoever has made them finds them again; members in two places are two for == and Is.
	Place uint16
}

// All returns all of them.
func (m *Members) All() Set { return m.Voters | m.Witnesses | m.Observers }

// address returns the address of node i, or "" if it has none.
func (m *Members) address(i ID) string {
	all := strings.Split(m.Addresses, "\n")
	if int(i) > len(all) {
		return ""
	}
	return all[i-1]
}

// rank returns the rank of node i (R1).
func (m *Members) rank(i ID) uint16 {
	at := 2 * (int(i) - 1)
	if at < 0 || at >= len(m.Ranks) {
		return 0
	}
	return uint16(m.Ranks[at])<<8 | uint16(m.Ranks[at+1])
}

// RanksOf returns the ranks of the nodes 1, 2 and so on as those of Members.
func RanksOf(ranks ...uint16) string {
	var b []byte
	last := 0
	for _, r := range ranks {
		b = append(b, byte(r>>8), byte(r))
		if r != 0 {
			last = len(b)
		}
	}
	return string(b[:last])
}

// nobody is the members of the empty configuration.
var nobody Members

// Configuration is who the members are, as a node knows it (R42). The zero Configuration is Empty: that of a node which has
// not been told of any member (R49).
//
// What is said to be the same with == is; but two that have the same members in two places of the memory are not equal for it:
// see Is.
type Configuration struct {
	Epoch   spec.Epoch
	Version uint64
	Of      *Members // which nobody may change; nil if there are none
}

// Is reports whether c and d are the same. Most that are have their members in one place.
func (c Configuration) Is(d Configuration) bool {
	return c.Epoch == d.Epoch && c.Version == d.Version && (c.Of == d.Of || *c.Members() == *d.Members())
}

// Members returns who belongs to c, by what they do. It is not to be changed.
func (c Configuration) Members() *Members {
	if c.Of == nil {
		return &nobody
	}
	return c.Of
}

// All returns who belongs to c.
func (c Configuration) All() Set { return c.Members().All() }

// Voters returns who votes and may lead.
func (c Configuration) Voters() Set { return c.Members().Voters }

// Witnesses returns who votes, and never leads.
func (c Configuration) Witnesses() Set { return c.Members().Witnesses }

// Higher reports whether node k is of a higher rank than l, or of the same and of a higher id. R1.
func (c Configuration) Higher(k, l ID) bool {
	m := c.Members()
	if m.Ranks == "" {
		return k > l
	}
	a, b := m.rank(k), m.rank(l)
	return a > b || a == b && k > l
}

// Highest reports whether node i is higher than all others of s. R1.
func (c Configuration) Highest(i ID, s Set) bool {
	for ; s != 0; s &= s - 1 {
		if j := s.Lowest(); j != i && !c.Higher(i, j) {
			return false
		}
	}
	return true
}

// Newer reports whether c is newer than d. R42.
func (c Configuration) Newer(d Configuration) bool {
	return c.Epoch > d.Epoch || c.Epoch == d.Epoch && c.Version > d.Version
}

// differing returns the nodes that are not the same in c and d.
func (c Configuration) differing(d Configuration) Set {
	m, n := c.Members(), d.Members()
	differing := (m.Voters ^ n.Voters) | (m.Witnesses ^ n.Witnesses) | (m.Observers ^ n.Observers)
	if m.Addresses != n.Addresses || m.Ranks != n.Ranks {
		for i := range (m.All() & n.All()).All() {
			if m.address(i) != n.address(i) || m.rank(i) != n.rank(i) {
				differing = differing.With(i)
			}
		}
	}
	return differing
}

// String returns the configuration as a TLA+ record, which says nothing of addresses.
func (c Configuration) String() string {
	m := c.Members()
	var ranks []string
	for i := range m.All().All() {
		if r := m.rank(i); r != 0 {
			ranks = append(ranks, fmt.Sprintf("<<%d, %d>>", i, r))
		}
	}
	return fmt.Sprintf("[epoch |-> %d, version |-> %d, voters |-> %v, witnesses |-> %v, observers |-> %v, ranks |-> {%s}]",
		c.Epoch, c.Version, m.Voters, m.Witnesses, m.Observers, strings.Join(ranks, ", "))
}
