package groups

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// Placement says who is to lead which group. It is a function: nobody decides it, and nobody needs to be asked. Each group ranks the members in an order of its
// own, and in each the highest leads that runs. So groups spread over the members, and a group that has lost its leader goes to where its
// order says.
//
// It should be the same at every node. Where it is not, as in the midst of a change, the highest need not come to lead; nothing else depends on it.
type Placement struct {
	// Members are all nodes, in any order, from 1 to 64, each once.
	Members []spec.NodeID
	// Weights are how much each is to lead, beside the others: a member of weight 2 leads twice as many groups as one of weight 1. From 0 to 1000; a
	// member of weight 0 leads only what nobody else can. Default: 1.
	Weights map[spec.NodeID]int
	// Pins are groups that a member is to lead whenever it runs, whatever its weight.
	Pins map[string]spec.NodeID
}

// maxWeight bounds a weight: to place a group is to draw so many numbers for each member.
const maxWeight = 1000

// MaxName is the longest name of a group, in bytes.
const MaxName = 128

// Validate returns nil if the placement is one, and else what is wrong with it.
func (p Placement) Validate() error {
	if len(p.Members) < 1 || len(p.Members) > 64 {
		return fmt.Errorf("groups: there are %d members: give from 1 to 64", len(p.Members))
	}
	sorted := p.sorted()
	for i, id := range sorted {
		if !id.Valid() {
			return fmt.Errorf("groups: member %s is no id: give integers from 1 on or UUIDs of version 4", id)
		}
		if i > 0 && sorted[i-1] == id {
			return fmt.Errorf("groups: member %s is there twice", id)
		}
	}
	for id, weight := range p.Weights {
		if !slices.Contains(p.Members, id) {
			return fmt.Errorf("groups: node %s has a weight, and is no member", id)
		}
		if err := checkWeight(id, weight); err != nil {
			return err
		}
	}
	for name, id := range p.Pins {
		if err := checkName(name); err != nil {
			return err
		}
		if !slices.Contains(p.Members, id) {
			return fmt.Errorf("groups: group %q is pinned to node %s, which is no member", name, id)
		}
	}
	return nil
}

func checkWeight(id spec.NodeID, weight int) error {
	if weight < 0 || weight > maxWeight {
		return fmt.Errorf("groups: the weight of node %s is %d: give one from 0 to %d", id, weight, maxWeight)
	}
	return nil
}

var errNoName = errors.New("groups: a group has a name")

func checkName(name string) error {
	if name == "" {
		return errNoName
	}
	if len(name) > MaxName {
		return fmt.Errorf("groups: the name %q has %d bytes: give at most %d", name, len(name), MaxName)
	}
	return nil
}

func (p Placement) sorted() []spec.NodeID {
	return slices.SortedFunc(slices.Values(p.Members), spec.NodeID.Compare)
}

// Order returns the members in the order in which they are to lead a group: the first that runs does.
//
// It is weighted rendezvous hashing. Each member draws as many numbers as its weight says, which the names of the group and of the member decide, and the
// highest number of a member decides its rank. So if a member is lost only what it led moves, and if one is added only what it is to lead;
// and the same of weights. Which numbers exactly is said at draw: they are the same on every machine.
//
// Where a group goes depends on its name and on no other group, so shares are even as draws are: over five members of one weight the share that is farthest from even is
// off by 3 % with 10,000 groups, by 10 % with 1,000 and by 22 % with 200, in the median of many sets of names. Plan says it of yours.
func (p Placement) Order(group string) []spec.NodeID {
	type place struct {
		id   spec.NodeID
		rank uint16
	}
	places := make([]place, len(p.Members))
	for i, id := range p.Members {
		places[i] = place{id, p.rank(group, id)}
	}
	slices.SortFunc(places, func(a, b place) int {
		if a.rank != b.rank {
			return cmp.Compare(b.rank, a.rank)
		}
		return b.id.Compare(a.id)
	})
	order := make([]spec.NodeID, len(places))
	for i, one := range places {
		order[i] = one.id
	}
	return order
}

// The ranks of members in a group, as a configuration has them (R42): of the highest rank if the group is pinned to the member; from leastDrawn on if it has a weight; and below that
// if it has none. So what a member is to lead follows from the names of the group and the member, and its weight, and from no other member.
const (
	leastDrawn = 1 << 15
	exponents  = 32 // of the distance to the highest number that may be drawn: a member of weight 1000 comes as near as the tenth
	fractions  = 10 // bits
)

// rank returns the rank of a member in a group. Of two of one rank the higher id is to lead.
func (p *Placement) rank(group string, member spec.NodeID) uint16 {
	weight, given := p.Weights[member]
	if !given {
		weight = 1
	}
	if p.Pins[group] == member {
		return spec.MaxRank
	}
	seed, of, best := number([]byte(group)), number(member[:]), uint64(0)
	for i := range max(weight, 1) {
		best = max(best, draw(seed, of, uint64(i)))
	}
	rank := nearness(best)
	if weight > 0 {
		rank = leastDrawn + min(rank, leastDrawn-2)
	}
	return rank
}

// nearness maps a number to fifteen bits, so that a higher one is never lower: how many leading ones it has, and the ten bits after the zero that ends them, turned round as they
// fall. Numbers are the best of many, and so lie near the highest; there it tells them apart as well as elsewhere: one pair in two thousand is of one rank.
func nearness(best uint64) uint16 {
	far := ^best
	ones := bits.LeadingZeros64(far)
	if ones >= exponents {
		return leastDrawn - 1
	}
	fraction := far << (ones + 1) >> (64 - fractions)
	return uint16(ones<<fractions) + uint16(1<<fractions-1-fraction)
}

// number returns the number of a name, not 0: the first eight bytes of its SHA-256, big-endian.
func number(name []byte) uint64 {
	sum := sha256.Sum256(name)
	return max(1, binary.BigEndian.Uint64(sum[:]))
}

// draw returns number i of a member for a group: the sum of the two, mixed, and of i times the golden ratio, mixed. To mix is what SplitMix64 does.
func draw(group, member, i uint64) uint64 {
	return mix(mix(group^mix(member)) + i*0x9e3779b97f4a7c15)
}

func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// Plan returns which groups each member is to lead while some of them are down: the names in the order given. It is what comes to be once all is quiet. Nobody
// leads if all are down.
func (p Placement) Plan(names []string, down ...spec.NodeID) map[spec.NodeID][]string {
	plan := make(map[spec.NodeID][]string, len(p.Members))
	for _, id := range p.Members {
		if !slices.Contains(down, id) {
			plan[id] = nil
		}
	}
	for _, name := range names {
		for _, id := range p.Order(name) {
			if !slices.Contains(down, id) {
				plan[id] = append(plan[id], name)
				break
			}
		}
	}
	return plan
}

// Move is a group that another member is to lead.
type Move struct {
	Group    string
	From, To spec.NodeID // or none, if nobody is to lead it
}

// Moves returns what moves from one plan to another, by the name of the group.
func Moves(from, to map[spec.NodeID][]string) (moves []Move) {
	was := map[string]spec.NodeID{}
	for id, names := range from {
		for _, name := range names {
			was[name] = id
		}
	}
	is := map[string]spec.NodeID{}
	for id, names := range to {
		for _, name := range names {
			is[name] = id
		}
	}
	all := maps.Clone(was)
	maps.Copy(all, is)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if was[name] != is[name] {
			moves = append(moves, Move{name, was[name], is[name]})
		}
	}
	return moves
}
