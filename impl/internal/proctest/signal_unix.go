//go:build unix

package proctest

import (
	"fmt"
	"syscall"
	"testing"
)

// Kill sends a signal to one process. It refuses the process ids below 2: they are the group of the test itself, all
// processes, or init.
func Kill(pid int, signal syscall.Signal) error {
	if pid < 2 {
		return fmt.Errorf("process id %d is no process that a test may signal (%v)", pid, signal)
	}
	return syscall.Kill(pid, signal)
}

// Signal waits until ready returns the process to signal, sends it the signal, and returns its process id. Ready returns
// a process id below 2 as long as the process has not reached the state under test, which what describes.
func Signal(t testing.TB, signal syscall.Signal, what string, ready func() (pid int)) (pid int) {
	t.Helper()
	Until(t, func() string { return fmt.Sprintf("%s, so that it can be sent %v; process id %d", what, signal, pid) }, func() bool {
		pid = ready()
		return pid >= 2
	})
	if err := Kill(pid, signal); err != nil {
		t.Fatalf("send %v to process %d (%s): %v", signal, pid, what, err)
	}
	return pid
}
