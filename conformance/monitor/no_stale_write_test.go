package monitor

import (
	"testing"

	"github.com/seed-fdf591db/bully/spec"
)

func TestNoStaleWrite(t *testing.T) {
	writes := func(node int, e spec.Epoch) seen {
		s := in(node, 0)
		s.view.Writes = e
		return s
	}
	breaks(t, &noStaleWrite, "a write of node 1 is admitted in epoch 4, though one of node 2 was admitted in epoch 5",
		writes(1, 4), writes(1, 4), writes(2, 5), writes(1, 4))
}
