package check

import "testing"

func TestEpochMonotonic(t *testing.T) {
	breaks(t, &epochMonotonic, "the epoch of node 1 goes back from 4 to 3", in(1, 4), down(1, 4), in(1, 3))
}
