//go:build unix

package proctest

import (
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKillRefuses: no signal reaches the test's own process group, all processes, or init.
func TestKillRefuses(t *testing.T) {
	for _, pid := range []int{1, 0, -1, -2} {
		require.ErrorContains(t, Kill(pid, 0), "is no process that a test may signal")
	}
}

// TestSignal: it waits until the process is ready, and reaches that process.
func TestSignal(t *testing.T) {
	command := exec.Command("sleep", "1000")
	require.NoError(t, command.Start())
	looks := 0
	pid := Signal(t, syscall.SIGKILL, "the third look", func() int {
		if looks++; looks < 3 {
			return 0
		}
		return command.Process.Pid
	})
	require.Equal(t, command.Process.Pid, pid)
	require.ErrorContains(t, command.Wait(), "killed")
	failed, said := judge(t, func(t testing.TB) { Signal(t, 0, "it has gone", func() int { return pid }) })
	require.True(t, failed, "the process has been waited for")
	require.Contains(t, said, "it has gone")
}
