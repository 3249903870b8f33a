package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

func TestOneLeaderPerEpoch(t *testing.T) {
	breaks(t, &oneLeaderPerEpoch, "nodes 1 and 2 have both led epoch 4", leads(1, 4), down(1, 4), leads(2, 4))
}

// TestReigns counts a reign once, though its leader ends it, and is seen to lead it again.
func TestReigns(t *testing.T) {
	m := NewMonitor(three())
	for _, s := range []seen{leads(1, 4), down(1, 4), leads(1, 4), in(1, 5), leads(2, 5)} {
		require.Nil(t, m.Breaks(s.node-1, &s.view))
		m.Note(s.node-1, &s.view)
	}
	require.Equal(t, uint64(2), m.Reigns())
	require.Equal(t, map[spec.Epoch]int{4: 0, 5: 1}, m.Leaders())
	i, led := m.Leader(5)
	require.True(t, led)
	require.Equal(t, 1, i)
	_, led = m.Leader(0)
	require.False(t, led)
}

// TestReignsAreForgotten lets epochs be led for ever, while one node stays behind, and while none does.
func TestReignsAreForgotten(t *testing.T) {
	for _, behind := range []bool{true, false} {
		m := NewMonitor(three())
		for e := spec.Epoch(1); e <= 3*maxReigns; e++ {
			now := leads(1, e).view
			m.Note(int(e%2), &now)
			first, led := m.Leader(e)
			if !led || first != int(e%2) || len(m.reigns.of) > maxReigns {
				t.Fatalf("epoch %d: %d, %t; %d are remembered", e, first, led, len(m.reigns.of))
			}
			if other := in(3, e).view; !behind {
				m.Note(2, &other)
			}
		}
		require.Equal(t, uint64(3*maxReigns), m.Reigns())
	}
}
