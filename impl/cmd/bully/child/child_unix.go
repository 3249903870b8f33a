//go:build unix

package child

import (
	"os"
	"syscall"
)

// status returns the exit status, or 128 and the signal.
func status(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}

// terminate and kill reach the whole group, which has the id of its first process. That none is left is no error.
func terminate(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }

func kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
