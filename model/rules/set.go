package rules

import (
	"fmt"
	"iter"
	"math/bits"
	"strings"
)

// ID is a node's id, which is its rank: 1 is the lowest (R1).
type ID uint8

// None is no node.
const None ID = 0

// MaxIDs is how many nodes there may be.
const MaxIDs = 64

// Set is a set of nodes: bit i-1 stands for node i. None, and a node above MaxIDs, is in no set.
type Set uint64

// SetOf returns the set of ids.
func SetOf(ids ...ID) (s Set) {
	for _, i := range ids {
		s = s.With(i)
	}
	return s
}

// UpTo returns the set of the nodes 1 to n.
func UpTo(n ID) Set { return 1<<n - 1 }

// Has reports whether i is in s.
func (s Set) Has(i ID) bool { return s>>(i-1)&1 != 0 }

// With returns s and i.
func (s Set) With(i ID) Set { return s | 1<<(i-1) }

// Without returns s without i.
func (s Set) Without(i ID) Set { return s &^ (1 << (i - 1)) }

// Len returns how many nodes are in s.
func (s Set) Len() int { return bits.OnesCount64(uint64(s)) }

// Lowest returns the lowest node of s, which may not be empty.
func (s Set) Lowest() ID { return ID(bits.TrailingZeros64(uint64(s))) + 1 }

// Highest returns the highest node of s, and None if it is empty.
func (s Set) Highest() ID { return ID(bits.Len64(uint64(s))) }

// All yields the nodes of s, ascending.
func (s Set) All() iter.Seq[ID] {
	return func(yield func(ID) bool) {
		for ; s != 0; s &= s - 1 {
			if !yield(s.Lowest()) {
				return
			}
		}
	}
}

// String returns the set as a TLA+ set.
func (s Set) String() string {
	var ids []string
	for i := range s.All() {
		ids = append(ids, fmt.Sprint(i))
	}
	return "{" + strings.Join(ids, ", ") + "}"
}
