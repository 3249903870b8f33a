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
