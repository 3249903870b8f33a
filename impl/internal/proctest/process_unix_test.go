//go:build unix

package proctest

import (
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPause: a paused process is alive, and a killed one is not, even before its parent has waited for it.
func TestPause(t *testing.T) {
	command := exec.Command("sleep", "1000")
	require.NoError(t, command.Start())
	pid := command.Process.Pid
	require.True(t, Alive(pid), "it runs")
	require.False(t, paused(pid), "nothing has stopped it")
	Pause(t, pid)
	require.True(t, paused(pid), "Pause returns when it has stopped")
	require.True(t, Alive(pid), "a process that is stopped is alive")
	require.NoError(t, Kill(pid, syscall.SIGKILL))
	Until(t, func() string { return "the killed process is not alive" }, func() bool { return !Alive(pid) })
	require.ErrorContains(t, command.Wait(), "killed")
	require.False(t, Alive(pid), "its parent has waited for it")
}
