//go:build unix && !linux

package child

import (
	"os/exec"
	"syscall"
)

// isolate gives cmd a group of its own.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
