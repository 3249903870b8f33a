//go:build unix

package port

import (
	"os/exec"
	"syscall"
)

// group makes a command the first of a group of processes, so that what it starts in its turn (it may be a shell script)
// is killed with it.
func group(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
}
