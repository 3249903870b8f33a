package policy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

func TestOthers(t *testing.T) {
	ends := Ends{1, 2, Never, 4, 5, 6, Never}
	due := ends
	require.Zero(t, ends.Others(&due))
	due[HeartbeatTimer], due[PreemptTimer] = Never, 7
	require.Equal(t, spec.TimerSet(1<<HeartbeatTimer|1<<PreemptTimer), ends.Others(&due))
}

// TestEnds moves the ends of timers that run, and of no others.
func TestEnds(t *testing.T) {
	ends := Ends{10, 20, Never, 20, 30, Never, Never}
	require.Equal(t, Instant(10), ends.First())
	ends.Sooner(PatienceTimer, 9)
	ends.Sooner(ElectionTimer, 21)
	ends.Sooner(CoordinatorTimer, 5)
	ends.later(ClaimTimer, 19)
	ends.later(ReignTimer, 31)
	ends.later(HeartbeatTimer, 5)
	require.Equal(t, Ends{9, 20, Never, 20, 31, Never, Never}, ends)
	require.True(t, Instant(1).Before(2))
	require.False(t, Instant(2).Before(2))
	require.True(t, HeartbeatTimer.in(1<<HeartbeatTimer))
	require.False(t, HeartbeatTimer.in(1<<ReignTimer))
}
