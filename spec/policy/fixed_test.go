package policy

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// epoch is when the tests begin.
var epoch = time.Unix(1_700_000_000, 0)

// at returns the time so long after epoch.
func at(d time.Duration) time.Time { return epoch.Add(d) }

func TestFixed(t *testing.T) {
	f := NewFixed(265 * ms)
	require.Zero(t, f.Phi(at(time.Hour)), "nothing was waited for")

	require.Equal(t, 265*ms, f.Patience(at(0)))
	require.Equal(t, 8.0, f.Phi(at(265*ms)), "the wait begins with Patience")
	f.Heard(at(300 * ms))
	require.Zero(t, f.Phi(at(300*ms)))
	require.Equal(t, 4.0, f.Phi(at(300*ms+265*ms/2)))
	require.Equal(t, 265*ms, f.Patience(at(400*ms)))
	require.Equal(t, 8.0, f.Phi(at(565*ms)), "a question does not begin the wait anew")
	require.Zero(t, f.Phi(at(0)), "a clock set back")

	for range 10 { // whatever arrives, and whenever
		f.Heard(at(time.Hour))
		f.Paused(at(2 * time.Hour))
		require.Equal(t, 265*ms, f.Patience(at(time.Hour)))
	}
	f.Reset()
	require.Zero(t, f.Phi(at(3*time.Hour)))
	require.Equal(t, 265*ms, f.Patience(at(3*time.Hour)))
	require.Equal(t, 8.0, f.Phi(at(3*time.Hour+265*ms)))
}

func TestFixedOfNothing(t *testing.T) {
	for _, d := range []time.Duration{0, -1, math.MinInt64} {
		f := NewFixed(d)
		f.Heard(at(0))
		require.Zero(t, f.Patience(at(0)))
		require.Zero(t, f.Phi(at(0)))
		require.Equal(t, 8.0, f.Phi(at(1)))
	}
}
