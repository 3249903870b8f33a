package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/child"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
)

// execHelp is what bully help exec says before the flags.
const execHelp = `
Runs a node, and CMD while it leads, with BULLY_EPOCH, BULLY_NODE and BULLY_CLUSTER in its environment. Give
BULLY_EPOCH to all that CMD writes to: only what refuses lower epochs is safe from a CMD that was held up.

When the node is told to stop, or to resign, CMD gets SIGTERM, and SIGKILL after -stop; the node leads on until then.
When the reign is about to end against its will, because no quorum answers, CMD gets SIGTERM at -grace before the
deadline, and SIGKILL at the deadline. When the leadership has gone elsewhere already, it gets SIGKILL after -grace.
CMD gets these signals with all that it has started.

On Linux nothing that CMD has started outlives CMD, its reign, or bully, even if bully is killed (kill -9): a process that
is listed as "guardian of CMD" ends all descendants of CMD, whatever their group, session or parent. Those that have
changed their user (su, sudo, setpriv) it can end only as root, or where it may make a control group (cgroup v2, as under
systemd with Delegate=yes). Not ended is what CMD has asked others to start (docker run, systemd-run, at), and what CMD has
started if somebody kills bully and the guardian at the same moment. On other Unix systems the signals go to the process
group of CMD, and what leaves that group, or is there when bully is killed, lives on. So such nodes take no refused
connection for a death, as with -no-proof, and wait for patience to end. Nodes of the same cluster that are run by bully run
need -no-proof for that too.

When CMD ends by itself the node resigns and stops, and the exit status is that of CMD, or 128 and its signal. With
-restart, CMD is started again instead, as long as the node leads.

The flags of bully run, and its exit statuses where CMD has none:

`

// execFlags are the flags of bully exec, besides those of run.
type execFlags struct {
	grace, stop time.Duration
	restart     bool
}

// restartPause lies between two starts of a command in the same reign.
const restartPause = time.Second

// errEnded says that a command was ended, because its reign was about to end.
var errEnded = errors.New("ended with its reign")

// execute runs a node, and a command while it leads.
func execute(ctx context.Context, p program, args []string) error {
	var f nodeFlags
	var x execFlags
	flags := p.Flags("exec")
	f.define(flags)
	flags.DurationVar(&x.grace, "grace", 0, "how `long` CMD has between SIGTERM and SIGKILL when the reign ends; 0 means as long as the profile allows")
	flags.DurationVar(&x.stop, "stop", 10*time.Second, "how `long` CMD has between SIGTERM and SIGKILL when the node is told to stop or to resign")
	flags.BoolVar(&x.restart, "restart", false, "start CMD again when it ends by itself, a second later")
	if err := p.ParseSome(flags, args, cli.Manual{Arguments: " -- CMD [argument…]", Text: execHelp}); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return cli.Usage("no command is given: bully exec [flags] -- CMD [argument…]")
	}
	s, err := p.settings(&f, flags)
	if err != nil {
		return err
	}
	if err := x.check(s); err != nil {
		return err
	}
	s.noProof = true // CMD, or what it has started, may outlive a node that is dead (R37)
	path, err := exec.LookPath(flags.Arg(0))
	if err != nil {
		return err
	}
	if found, err := p.find(ctx, &s); !found {
		return err
	}
	n, err := newNode(p, s)
	if err != nil {
		return err
	}
	w := &worker{node: n, flags: x, path: path, args: flags.Args(), out: p.Out, log: p.Log}
	return errors.Join(w.run(ctx), n.close())
}

// check refuses what cannot be kept.
func (x *execFlags) check(s settings) error {
	most := mostGrace(s.timing)
	if x.grace == 0 {
		x.grace = most
	}
	switch {
	case x.grace < 0 || x.stop < 0:
		return cli.Usage("-grace and -stop cannot be negative")
	case x.grace > most:
		return cli.Usage(fmt.Sprintf("-grace: %v is more than the %v that profile %s allows: a heartbeat and its answers must fit between two "+
			"deadlines (R37 c)", x.grace, most, s.profile))
	}
	return nil
}

// mostGrace returns how long before its deadline a reign can be given up, while one that is well is never given up: its
// deadline is renewed within a heartbeat and three delays of the question before (bound c of R37). Only one that was handed over, where
// each message took as long as it may, has less time at first.
func mostGrace(t host.Timing) time.Duration {
	slack := float64(t.Reign) - (float64(t.Heartbeat)/(1-t.Drift)+3*float64(t.Delay))*(1+t.Drift)
	return time.Duration(slack).Truncate(100 * time.Microsecond)
}

// worker runs the command.
type worker struct {
	*node
	flags    execFlags
	path     string
	args     []string
	out, log io.Writer
}

// run runs the node and the command, until the command ends by itself, ctx ends, or the node fails.
func (w *worker) run(ctx context.Context) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		ended <- w.lead(running)
		stop() // the node has nothing more to lead for
	}()
	err := w.node.run(running)
	stop()
	led := <-ended
	var exit cli.ExitError
	if err == nil && errors.As(led, &exit) {
		if exit.Status == 0 {
			return nil
		}
		return exit
	}
	return err
}

// lead runs the command in each reign. It returns when the command has ended by itself, or the node has ended.
func (w *worker) lead(ctx context.Context) error {
	for {
		// The context is that of the host: while the node is being stopped it leads on for the command.
		err := w.host.Lead(context.WithoutCancel(ctx), w.work)
		if !errors.Is(err, errEnded) {
			return err
		}
	}
}

// work runs the command in one reign.
func (w *worker) work(ctx context.Context, reign host.Reign) error {
	for {
		c, err := w.start(reign)
		if errors.Is(err, host.ErrNotLeader) { // the reign was over before the command began
			return errEnded
		}
		if err != nil {
			w.logger.Error("the command does not start", "err", err)
			return cli.ExitError{Status: 127}
		}
		if !w.watch(ctx, reign, c) {
			w.logger.Info("the command was ended with its reign", "epoch", uint64(reign.Epoch()), "pid", c.PID(), "status", c.Status())
			return errEnded
		}
		w.logger.Info("the command has ended", "epoch", uint64(reign.Epoch()), "pid", c.PID(), "status", c.Status())
		if !w.flags.restart {
			return cli.ExitError{Status: c.Status()}
		}
		select {
		case <-time.After(restartPause):
		case <-ctx.Done():
			return errEnded
		}
	}
}

// start starts the command.
func (w *worker) start(reign host.Reign) (*child.Child, error) {
	if !reign.Valid() {
		return nil, host.ErrNotLeader
	}
	cmd := exec.Command(w.path)
	cmd.Args, cmd.Stdout, cmd.Stderr = w.args, w.out, w.log
	cmd.Env = append(os.Environ(), "BULLY_EPOCH="+strconv.FormatUint(uint64(reign.Epoch()), 10), "BULLY_NODE="+w.id.String(),
		"BULLY_CLUSTER="+w.cluster)
	c, err := child.Start(cmd)
	if err == nil {
		w.logger.Info("the command runs", "epoch", uint64(reign.Epoch()), "pid", c.PID(), slog.String("path", w.path))
	}
	return c, err
}

// watch waits until the command has ended, and reports whether that was by itself. It ends it with the reign.
func (w *worker) watch(ctx context.Context, reign host.Reign, c *child.Child) (byItself bool) {
	nearEnd := time.NewTimer(time.Until(reign.Deadline()) - w.flags.grace)
	defer nearEnd.Stop()
	for {
		select {
		case <-c.Done():
			return true
		case <-ctx.Done():
			w.logger.Info("the command is told to end", "epoch", uint64(reign.Epoch()), "because", context.Cause(ctx))
			c.Terminate()
			return w.finish(reign, c)
		case <-nearEnd.C:
			left := time.Until(reign.Deadline()) - w.flags.grace
			if left > 0 {
				nearEnd.Reset(left)
				continue
			}
			w.logger.Warn("no quorum has answered: the reign is about to end", "epoch", uint64(reign.Epoch()))
			c.Terminate()
			return w.finish(reign, c)
		}
	}
}

// finish waits until a command that was told to end has ended, and kills it when its time is up: after -stop, while the
// node leads on; after -grace and no later than the deadline, if it does not. It returns false.
func (w *worker) finish(reign host.Reign, c *child.Child) bool {
	begin := time.Now()
	for {
		left := w.flags.stop - time.Since(begin)
		if deadline := reign.Deadline(); deadline.IsZero() {
			left = min(left, w.flags.grace-time.Since(begin))
		} else {
			left = min(left, time.Until(deadline))
		}
		if left <= 0 {
			c.Kill()
			<-c.Done()
			return false
		}
		select {
		case <-c.Done():
			return false
		case <-time.After(min(left, step)):
		}
	}
}

// step is how often finish looks whether the reign is over: a reign does not tell who runs its work when it ends after
// the context has.
const step = 2 * time.Millisecond
