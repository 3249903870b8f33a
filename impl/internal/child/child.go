// Package child runs a program that must not outlive the right to run: it is ended with all that it has started.
//
//	c, err := child.Start(exec.Command("job", "-epoch", "4"), nil)
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
// # Linux
//
// The program is started by a guardian: a process of the same executable that does nothing else, and shows in lists of processes as
// "guardian of" the program. All that the program starts are descendants of the guardian, in whatever group or session, and whoever
// their parents were: the guardian ends them when it is told to, when the program ends, and at once when the process that called Start
// is no more, however that ended. What runs as another user it can end if it is root, or if it could make a control group (cgroup v2).
// If a guardian is killed, the process that called Start ends them: they are its children then, as all are to it that it has not started
// by Start. So a program that uses this package starts none in another way.
//
// Not ended is what the program has asked somebody else to start: a container, a unit of systemd, a job of at. If guardian and caller
// are killed at the same moment, the kernel kills the program too, unless that has changed its user; what it has started lives on.
//
// An address that is lent refuses nobody until all has ended: the guardian has the socket as long as it lives, and the program and all that it starts
// inherit it. So who is refused there knows that nothing acts any more, unless guardian and caller were killed at the same moment, and what lives on has
// closed descriptors that it does not know.
//
// # Elsewhere
//
// On other Unix systems the program has a process group of its own, and is ended with that, but not with the process that called Start.
// Where there are no process groups, it is ended alone.
package child

import (
	"net"
	"os/exec"
	"time"
)

// leftovers is how long Start's process may be waited for once it has ended, if somebody holds its outputs open.
const leftovers = 100 * time.Millisecond

// Child is a process that was started.
type Child struct {
	tree   tree
	done   chan struct{}
	status int // once done is closed
}

// lent is an address that is to refuse nobody while a process acts, as a hold.Listener is.
type lent interface{ Lend(to net.Conn) error }

// tree is a process with what it has started.
type tree interface {
	pid() int
	terminate()
	kill()
	wait() (status int) // until the process has ended, and the rest is killed
}

// Start starts cmd: its path, arguments, environment, folder, and standard output and error count. When it ends, what it has started is
// killed. Standard input should be left empty: it does not own the terminal. The address is lent to it and to all that it starts; it may be nil, and must
// be where there is no guardian.
func Start(cmd *exec.Cmd, address lent) (*Child, error) {
	if cmd.Err != nil {
		return nil, cmd.Err
	}
	t, err := begin(cmd, address)
	if err != nil {
		return nil, err
	}
	c := &Child{tree: t, done: make(chan struct{})}
	go func() {
		c.status = t.wait()
		close(c.done)
	}()
	return c, nil
}

// Done returns a channel that is closed when the process has ended, and what it has started.
func (c *Child) Done() <-chan struct{} { return c.done }

// PID returns the id of the process.
func (c *Child) PID() int { return c.tree.pid() }

// Status returns how the process has ended, once Done is closed: its exit status, or 128 and the signal that ended it,
// as a shell does.
func (c *Child) Status() int { return c.status }

// Terminate asks the process, and what it has started, to end: SIGTERM, where there are signals.
func (c *Child) Terminate() {
	if !c.ended() {
		c.tree.terminate()
	}
}

// Kill ends the process, and what it has started.
func (c *Child) Kill() {
	if !c.ended() {
		c.tree.kill()
	}
}

func (c *Child) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}
