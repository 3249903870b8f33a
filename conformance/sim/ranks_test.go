package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// TestPlaces holds the numbers of this package to the order of the words of package spec.
func TestPlaces(t *testing.T) {
	for place, kind := range spec.MessageTypes() {
		require.Equal(t, place, typeOf(kind))
		require.Equal(t, kind.Action(), actions[firstOnType+place])
	}
	require.Equal(t, noMessage, typeOf("VOTE"))
	for place, r := range spec.Roles() {
		require.EqualValues(t, place, roleOf(r))
	}
	require.Equal(t, noRole, roleOf("voter"))
	require.Len(t, timers, timerCount)
	for place, timer := range []spec.Timer{patience: spec.PatienceTimer, election: spec.ElectionTimer, coordinator: spec.CoordinatorTimer, claim: spec.ClaimTimer,
		reign: spec.ReignTimer, heartbeat: spec.HeartbeatTimer, preempt: spec.PreemptTimer} {
		require.Equal(t, timer, timers[place])
		require.Equal(t, timer.Action(), actions[timerAction[place]])
		require.EqualValues(t, 1<<place, spec.TimersOf(timer))
	}
	require.Len(t, Stats{}.Actions, len(actions))
}
