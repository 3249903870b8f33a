// Package child runs a program that must not outlive the right to run: a process in a group of its own, ended with all
// that it has started.
//
//	c, err := child.Start(exec.Command("job", "-epoch", "4"))
//	if err != nil {
//		return err
//	}
//	select {
//	case <-c.Done(): // it has ended by itself
//		return c.Status()
//	case <-over:
//		c.Terminate()
//	}
//	select {
//	case <-c.Done():
//	case <-time.After(grace):
//		c.Kill()
//		<-c.Done()
//	}
//
// On Linux it is killed when the process that started it dies, however that dies; what it has started itself is not.
// Where there are no process groups, it is ended alone.
package child

import (
	"os/exec"
	"runtime"
	"time"
)

// leftovers is how long Start's process may be waited for once it has ended, if somebody holds its outputs open.
const leftovers = 100 * time.Millisecond

// Child is a process that was started.
type Child struct {
	cmd  *exec.Cmd
	done chan struct{}
}

// Start starts cmd. When it ends, all processes of its group are killed. Standard input should be left empty: a group
// of its own does not own the terminal.
func Start(cmd *exec.Cmd) (*Child, error) {
	c := &Child{cmd: cmd, done: make(chan struct{})}
	isolate(cmd)
	cmd.WaitDelay = leftovers
	started := make(chan error, 1)
	go func() {
		// Linux kills a child when the thread that started it ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // Status says how
			c.Kill()
			close(c.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return c, nil
}

// Done returns a channel that is closed when the process has ended.
func (c *Child) Done() <-chan struct{} { return c.done }

// PID returns the id of the process.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// Status returns how the process has ended, once Done is closed: its exit status, or 128 and the signal that ended it,
// as a shell does.
func (c *Child) Status() int { return status(c.cmd.ProcessState) }

// Terminate asks all processes of the group to end: SIGTERM, where there are signals.
func (c *Child) Terminate() { terminate(c.cmd.Process) }

// Kill ends all processes of the group.
func (c *Child) Kill() { kill(c.cmd.Process) }
