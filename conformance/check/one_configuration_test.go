package check

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOneConfiguration(t *testing.T) {
	breaks(t, &oneConfiguration, "node 2 has configuration epoch:0 version:1 {1 3}, and there has been epoch:0 version:1 {1 2}",
		listed(t, 1, 0, 1, 1, 2), listed(t, 2, 0, 1, 1, 3))
}

// TestListsAreForgotten lets members change for ever.
func TestListsAreForgotten(t *testing.T) {
	m := NewMonitor(three())
	for version := uint64(1); version <= 3*maxLists; version++ {
		now, other := listed(t, 1, 0, version, 1, 2).view, listed(t, 1, 0, version, 1, 3).view
		m.Note(0, &now)
		if breach := m.Breaks(1, &other); breach == nil || breach.Promise != &oneConfiguration {
			t.Fatalf("version %d: %v", version, breach)
		}
	}
	for k := range m.asked {
		if l, is := m.asked[k].check.(lists); is {
			require.LessOrEqual(t, len(l), maxLists)
			return
		}
	}
	t.Fatal("nobody looks")
}
