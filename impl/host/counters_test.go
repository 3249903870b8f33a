package host

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSaveTimes: a save is counted at its bound, and at all above; the slowest at none.
func TestSaveTimes(t *testing.T) {
	var s saveTimes
	for _, took := range []time.Duration{0, 40 * time.Microsecond, 50 * time.Microsecond, 51 * time.Microsecond, time.Minute} {
		s.add(took)
	}
	all, within, took := s.read()
	require.EqualValues(t, 5, all)
	require.Equal(t, time.Minute+141*time.Microsecond, took)
	require.Len(t, within, saveBounds)
	require.EqualValues(t, 3, within[50*time.Microsecond])
	require.EqualValues(t, 4, within[100*time.Microsecond])
	require.EqualValues(t, 4, within[50*time.Microsecond<<15])
}
