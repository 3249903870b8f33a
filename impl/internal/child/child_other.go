//go:build !unix

package child

import "os/exec"

// alone is a process by itself.
type alone struct{ cmd *exec.Cmd }

func begin(cmd *exec.Cmd) (tree, error) {
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
