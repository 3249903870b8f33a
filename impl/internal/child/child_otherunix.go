//go:build unix && !linux

package child

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"
)

// group is a process in a group of its own, which has its id. That none is left in it is no error.
type group struct{ cmd *exec.Cmd }

func begin(cmd *exec.Cmd, address lent) (tree, error) {
	if address != nil {
		return nil, fmt.Errorf("nobody holds an address for %s here: that needs Linux: %w", cmd.Path, errors.ErrUnsupported)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = leftovers
	return &group{cmd}, cmd.Start()
}

func (g *group) pid() int   { return g.cmd.Process.Pid }
func (g *group) terminate() { _ = syscall.Kill(-g.pid(), syscall.SIGTERM) }
func (g *group) kill()      { _ = syscall.Kill(-g.pid(), syscall.SIGKILL) }

func (g *group) wait() int {
	_ = g.cmd.Wait() // the status says how
	g.kill()
	return statusOf(g.cmd.ProcessState)
}
