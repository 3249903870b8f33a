package check

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMonitorOneActing(t *testing.T) {
	breaks(t, &oneActing, "two nodes act as leader: node 1 leads epoch 4, node 2 leads epoch 5", leads(1, 4), leads(2, 5))
}

// TestOneActingIsForTimersOnTime asks for it no more when timers are late.
func TestOneActingIsForTimersOnTime(t *testing.T) {
	m, first, second := NewMonitor(three()), leads(1, 4).view, leads(2, 5).view
	m.Note(0, &first)
	require.NotNil(t, m.Breaks(1, &second))
	m.Late()
	require.Nil(t, m.Breaks(1, &second))
}
