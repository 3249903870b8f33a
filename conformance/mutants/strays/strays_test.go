package strays

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// doubles starts itself twice, and so on, as often as its argument says: 2 processes of the first, 6 of the second, 62 of the fifth.
const doubles = `[ "$1" = 0 ] || for child in 1 2; do sh -c "$0" "$0" $(($1 - 1)) & done; exec sleep 20`

// TestTooManyProcesses kills a run that starts itself again and again, all of it; one that starts few goes on.
func TestTooManyProcesses(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux: for /proc")
	}
	command := exec.Command("sh", "-c", doubles, doubles, "5")
	crowded, err := Run(command, 30)
	require.EqualError(t, err, "signal: killed")
	require.True(t, crowded)
	run := command.Env[len(command.Env)-1]
	require.Contains(t, run, strayVar+"=")
	require.Empty(t, of(run))

	few := exec.Command("sh", "-c", "sh -c 'exit 3'")
	crowded, err = Run(few, 30)
	require.EqualError(t, err, "exit status 3")
	require.False(t, crowded)
}

// TestStrays leaves a process behind, beside one of another run.
func TestStrays(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux: for /proc")
	}
	start := func(run string) *exec.Cmd {
		command := exec.Command("sleep", "1000")
		command.Env = append(os.Environ(), run, "LAST=1")
		require.NoError(t, command.Start())
		return command
	}
	mine, other := newRun(), newRun()
	stray, stays := start(mine), start(other)
	end(mine)
	require.EqualError(t, stray.Wait(), "signal: killed")
	require.NoError(t, stays.Process.Signal(syscall.SIGTERM))
	require.EqualError(t, stays.Wait(), "signal: terminated", "another run goes on")
}
