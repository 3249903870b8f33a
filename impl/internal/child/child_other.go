//go:build !unix

package child

import (
	"errors"
	"fmt"
	"os/exec"
)

// alone is a process by itself.
type alone struct{ cmd *exec.Cmd }

func begin(cmd *exec.Cmd, address lent) (tree, error) {
	if address != nil {
		return nil, fmt.Errorf("nobody holds an address for %s here: that needs Linux: %w", cmd.Path, errors.ErrUnsupported)
	}
	cmd.WaitDelay = leftovers
	return &alone{cmd}, cmd.Start()
}

func (a *alone) pid() int   { return a.cmd.Process.Pid }
func (a *alone) terminate() { _ = a.cmd.Process.Kill() }
func (a *alone) kill()      { _ = a.cmd.Process.Kill() }

func (a *alone) wait() int {
	_ = a.cmd.Wait() // the status says how
	return a.cmd.ProcessState.ExitCode()
}
