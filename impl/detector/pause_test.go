package detector

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPauseGuardConfig(t *testing.T) {
	_, err := NewPauseGuard(0, 0)
	require.EqualError(t, err, "detector: PauseGuard.limit is 0s, but must be above 0")
	_, err = NewPauseGuard(1, -1)
	require.EqualError(t, err, "detector: PauseGuard.hold is -1ns, but must not be negative")
	_, err = NewPauseGuard(1, 0)
	require.NoError(t, err)
}

func TestPauseGuard(t *testing.T) {
	never := time.Time{}
	type turn struct {
		now, wall time.Duration
		due       time.Time
		want      time.Duration
		until     time.Time
	}
	tests := []struct {
		name  string
		turns []turn
	}{
		{"a loop that is in time", []turn{
			{0, 0, never, 0, never},
			{50 * ms, 50 * ms, at(50 * ms), 0, never},
			{60 * ms, 60 * ms, at(265 * ms), 0, never}, // a message came before the timer
			{280 * ms, 280 * ms, at(265 * ms), 0, never},
		}},
		{"idle for an hour, with no timer", []turn{
			{0, 0, never, 0, never},
			{time.Hour, time.Hour, never, 0, never},
		}},
		{"a stopped process", []turn{
			{0, 0, never, 0, never},
			{15 * time.Second, 15 * time.Second, at(265 * ms), 15*time.Second - 265*ms, at(15*time.Second + 100*ms)},
			{15050 * ms, 15050 * ms, at(15365 * ms), 0, at(15*time.Second + 100*ms)},
		}},
		{"the first turn of all is late", []turn{
			{time.Second, time.Second, at(0), time.Second, at(1100 * ms)},
		}},
		{"one nanosecond over the limit", []turn{
			{15 * ms, 15 * ms, at(0), 0, never},
			{30*ms + 1, 30*ms + 1, at(15 * ms), 15*ms + 1, at(130*ms + 1)},
		}},
		{"a suspended machine", []turn{
			{0, 0, never, 0, never},
			{50 * ms, 50*ms + time.Hour, at(60 * ms), time.Hour, at(150 * ms)},
			{100 * ms, 100*ms + time.Hour, at(110 * ms), 0, at(150 * ms)},
		}},
		{"suspended for less than suspicion is put off for", []turn{
			{0, 0, never, 0, never},
			{50 * ms, 50*ms + 60*ms, at(60 * ms), 60 * ms, at(150 * ms)},
			{100 * ms, 100*ms + 60*ms + 15*ms, at(110 * ms), 0, at(150 * ms)},
			{150 * ms, 150*ms + 60*ms + 30*ms + 1, at(160 * ms), 15*ms + 1, at(250 * ms)},
		}},
		{"suspended, and then stopped for longer", []turn{
			{0, 0, never, 0, never},
			{2 * time.Second, 3 * time.Second, at(0), 2 * time.Second, at(2100 * ms)},
		}},
		{"a wall clock set back", []turn{
			{0, 0, never, 0, never},
			{50 * ms, -time.Hour, at(60 * ms), 0, never},
			{100 * ms, 50*ms - time.Hour, at(110 * ms), 0, never},
		}},
	}
	for _, test := range tests {
		g, err := NewPauseGuard(15*ms, 100*ms)
		require.NoError(t, err)
		for i, turn := range test.turns {
			require.Equal(t, turn.want, g.Ran(at(turn.now), at(turn.wall), turn.due), "%s, turn %d", test.name, i)
			require.Equal(t, turn.until, g.Until(), "%s, turn %d", test.name, i)
		}
	}
}

func TestPostpone(t *testing.T) {
	g, err := NewPauseGuard(15*ms, 100*ms)
	require.NoError(t, err)
	require.Equal(t, at(0), g.Postpone(at(0)), "there was no pause")
	g.Ran(at(time.Second), at(time.Second), at(0))
	require.Equal(t, at(1100*ms), g.Postpone(at(0)))
	require.Equal(t, at(1100*ms), g.Postpone(at(1050*ms)), "it was due in the time for which suspicion is put off")
	require.Equal(t, at(1100*ms), g.Postpone(at(1100*ms)))
	require.Equal(t, at(1101*ms), g.Postpone(at(1101*ms)))
}

func TestSuspended(t *testing.T) {
	for _, test := range []struct{ mono, wall, want time.Duration }{
		{0, 0, 0},
		{time.Second, time.Second, 0},
		{time.Second, time.Second + 15*ms, 0},
		{time.Second, time.Second + 15*ms + 1, 15*ms + 1},
		{0, time.Hour, time.Hour},
		{time.Hour, 0, 0},
		{0, math.MinInt64, 0},
		{0, math.MaxInt64, math.MaxInt64},
	} {
		require.Equal(t, test.want, Suspended(test.mono, test.wall, 15*ms), "%v, %v", test.mono, test.wall)
	}
	// The readings are those that the standard library gives.
	then := time.Now()
	now := then.Add(time.Hour)
	require.Zero(t, Suspended(now.Sub(then), now.Round(0).Sub(then.Round(0)), 1))
}
