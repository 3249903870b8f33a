package child

import (
	"os/exec"
	"syscall"
)

// isolate gives cmd a group of its own, and lets it not outlive the thread that starts it.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
