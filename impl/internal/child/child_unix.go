//go:build unix

package child

import (
	"os"
	"syscall"
)

// statusOf returns the exit status, or 128 and the signal.
func statusOf(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}
