package main

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStrays leaves a process behind, beside one of another run.
func TestStrays(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /proc")
	}
	start := func(run string) *exec.Cmd {
		command := exec.Command("sleep", "1000")
		command.Env = append(os.Environ(), run, "LAST=1")
		require.NoError(t, command.Start())
		return command
	}
	mine, other := newRun(), newRun()
	stray, stays := start(mine), start(other)
	endStrays(mine)
	require.EqualError(t, stray.Wait(), "signal: killed")
	require.NoError(t, stays.Process.Signal(syscall.SIGTERM))
	require.EqualError(t, stays.Wait(), "signal: terminated", "another run goes on")
}
