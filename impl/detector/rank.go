package detector

import (
	"math"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// Stagger returns by how much longer than its patience a node of this rank waits, before it stands: 0 for rank 0, which
// is the highest, and one unit more for each rank below. Then normally one node stands, and it is the one that is to
// lead (R37, Besides 1). A unit is at least 2δ. Neither a negative rank or unit nor a product beyond all bounds makes
// anybody wait for less than 0, or wrap around.
func Stagger(rank int, unit time.Duration) time.Duration {
	switch {
	case rank <= 0 || unit <= 0:
		return 0
	case unit > math.MaxInt64/time.Duration(rank):
		return math.MaxInt64
	}
	return time.Duration(rank) * unit
}

// Rank returns how many of the members are higher than id and not left out: 0 for the highest of those that count.
// Who waits for a leader to die leaves the leader out, and those that are proved dead; else every wait after the death
// of the highest would be a unit too long. With only the proved dead left out, rank 0 means that no higher member is
// alive, and that election may end (R37, Besides 2).
func Rank(id spec.NodeID, members []spec.NodeID, leftOut func(spec.NodeID) bool) int {
	rank := 0
	for _, member := range members {
		if id.Compare(member) < 0 && !leftOut(member) {
			rank++
		}
	}
	return rank
}
