package detector

import (
	"math"
	"time"
)

// Stagger returns by how much longer a node of this rank waits before it stands, if it keeps no lease: 0 for rank 0,
// which is the highest of those that may stand, and one unit more for each rank below. Then normally one node stands,
// and it is the one that is to lead (R37, Besides 1). A unit is at least 2δ. Neither a negative rank or unit nor a
// product beyond all bounds makes anybody wait for less than 0, or wrap around.
func Stagger(rank int, unit time.Duration) time.Duration {
	switch {
	case rank <= 0 || unit <= 0:
		return 0
	case unit > math.MaxInt64/time.Duration(rank):
		return math.MaxInt64
	}
	return time.Duration(rank) * unit
}
