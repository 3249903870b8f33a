package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/child"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/resource"
)

// execHelp is what bully help exec says before the flags.
const execHelp = `
Runs a node, and CMD while it leads, with BULLY_EPOCH, BULLY_NODE and BULLY_CLUSTER in its environment. Give
BULLY_EPOCH to all that CMD writes to: only what refuses lower epochs is safe from a CMD that was held up.

What is to be when CMD ends by itself must be said, as a job that is run as a service runs once on each node, one after the other:
` + modesText + `

With -restart and -move nothing is remembered: whoever leads next runs CMD, whatever has run before. With -move the exit status is that of
CMD, or 128 and its signal.

A job is claimed before CMD begins, in DIR/once-KEY, which all nodes see: a folder on storage that each of them has mounted,
that locks files, and that keeps what it has said to be written (NFS 4 does), readable and writable for the user of each node.
So that a folder where nothing is mounted is not taken for it, DIR/CLUSTER.fence must be there: make it once, with touch. Or
-fence is the URL of a server, which keeps what is PUT below it, and gives it to GET, behind one resource.Handler of this module
(impl/resource). The record is fenced: a node that was held up, and led long ago, claims nothing and notes nothing. CMD has
BULLY_KEY, BULLY_ATTEMPT and, of a period, its beginning in BULLY_PERIOD too.

  at most once   is the default. A run that was claimed is not begun again by anybody: not if CMD has ended with another
                 status than 0, not if it had to be ended with its reign, and not if its node has died, so that nobody knows
                 whether it has begun, or ended. Only a claim that its node gives back, as CMD has not begun, is none.
  at least once  is -retry: then the node that leads begins it again, until CMD has ended with 0: after a second, and a
                 second longer each time. If the node that had begun it was stopped (SIGSTOP) or cut off, two may run at a
                 time: CMD must bear that, or give BULLY_EPOCH to what it writes to.

CMD that was told to end with its reign has not done its work, whatever its status. So that no higher node comes in the midst of
a run and takes over, -preempt is never if it is not given: give the same to nodes of the cluster that are run by bully run.

Without -every, KEY is for one time: a date, or the version of what is installed. All nodes end when the job is over: with 0 if
it is done, whoever has done it; with 1 if it is not; the node that has run CMD with its status. Old records may be removed;
then the same KEY would run again.

With -every the nodes run on. Periods are counted from the beginning of 1970 in UTC, so days begin at midnight, and -offset
later: -every 24h -offset 2h30m is each night at 2:30. A run that was missed, as nobody led, is made up for while its period
lasts; so the first run is begun at once. One that takes longer than its period puts off the next. Clocks that differ by s have
a run begin up to s early or late. They never make it run twice; but one that is ahead by a period or more, and leads, keeps the
others from running until they are there too.

When the node is told to stop, or to resign, CMD gets SIGTERM, and SIGKILL after -stop; the node leads on until then.
When the reign is about to end against its will, because no quorum answers, CMD gets SIGTERM at -grace before the
deadline, and SIGKILL at the deadline. A higher node that takes over waits until CMD has ended, and it is ended so, too. When the
node fails, as its disk does, CMD gets SIGKILL after -grace, and at the deadline at the latest.
CMD gets these signals with all that it has started.

With -progress 10s CMD must say that it gets on: it touches the file that BULLY_PROGRESS names, or writes to it, at least each ten
seconds. Else this node resigns, as the commonest failure of a leader is to hang while its node is well. The highest that runs is
elected again. So that this is not the node at which CMD hangs each time, that node stands aside, if it is connected to a quorum of others: it neither leads
nor votes for the time of -progress, then twice as long each time, up to 5 minutes, and from the beginning when CMD has got on for ten times -progress.
Of -once it does not: another would run the job. CMD gets SIGTERM when it hangs, and SIGKILL when half of what is left of its reign is over. So:

  bully exec -restart -progress 10s … -- sh -c 'while work; do touch "$BULLY_PROGRESS"; done'

On Linux nothing that CMD has started outlives CMD, its reign, or bully, even if bully is killed (kill -9): a process that
is listed as "guardian of CMD" ends all descendants of CMD, whatever their group, session or parent. Those that have
changed their user (su, sudo, setpriv) it can end only as root, or where it may make a control group (cgroup v2, as under
systemd with Delegate=yes). Not ended is what CMD has asked others to start (docker run, systemd-run, at), and what CMD has
started if somebody kills bully and the guardian at the same moment. On other Unix systems the signals go to the process
group of CMD, and what leaves that group, or is there when bully is killed, lives on. So such nodes take no refused
connection for a death, as with -no-proof, and wait for patience to end. Nodes of the same cluster that are run by bully run
need -no-proof for that too.

With -proof, at all nodes, on Linux, they do: when bully is killed another leads within milliseconds after the last process of CMD is gone. For its address refuses nobody until
then: the guardian has it, and CMD and all that it starts inherit it. One case is left in which two may run: bully and the guardian are killed at the same moment, as by whoever
kills a whole container, and something of CMD has closed descriptors that it does not know, as daemons do, and all that Python's subprocess starts. Until it is killed too,
the address refuses, and nobody waits for it. So give -proof if all that CMD writes to refuses lower epochs, or if CMD starts nothing that closes what it was given.

With -group LIST there are many elections over the nodes, and CMD runs once for each group that this node leads, all at the same time, each with
BULLY_GROUP in its environment, and the BULLY_EPOCH of that group: give both to what it writes to, which keeps a fence for each. Each CMD starts and ends with
the reigns of its group, whatever the others do. It must be run with -restart. All nodes are given the same -group, which bully help run says more of, and bully groups -plan shows
who would lead what. With -progress a CMD that hangs is ended, and started again where its group is led: on the same node, if that is to lead it. For thousands of groups let
one program lead them all: package impl/groups.

  bully exec -restart -group orders-[0-9],billing=3 … -- sh -c 'serve "$BULLY_GROUP" --epoch "$BULLY_EPOCH"'

The flags of bully run, and its exit statuses where CMD has none:

`

// execFlags are the flags of bully exec, besides those of run.
type execFlags struct {
	grace, stop   time.Duration
	restart, move bool

	once, fence   string
	every, offset time.Duration
	retry         bool

	progress time.Duration
	proof    bool

	given givenFlags
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
	flags.DurationVar(&x.grace, "grace", 0, "how much `time` CMD has between SIGTERM and SIGKILL when the reign ends; 0 means as long as the profile allows")
	flags.DurationVar(&x.stop, "stop", 10*time.Second, "how much `time` CMD has between SIGTERM and SIGKILL when the node is told to stop or to resign")
	flags.BoolVar(&x.restart, "restart", false, "start CMD again when it ends by itself, a second later, as long as this node leads")
	flags.BoolVar(&x.move, "move", false, "end the node when CMD ends by itself, with its status: the next node that leads runs CMD")
	flags.StringVar(&x.once, "once", "", "run CMD once in the whole cluster for this `KEY`, such as 2026-11-24; with -every it names the job")
	flags.DurationVar(&x.every, "every", 0, "of -once: run CMD once in each period of this `time`, such as 24h")
	flags.DurationVar(&x.offset, "offset", 0, "of -every: periods begin this `time` after those of UTC, such as 2h30m")
	flags.StringVar(&x.fence, "fence", "", "of -once: keep what has run in this `folder`, on storage that all nodes share, or at the URL of a server")
	flags.BoolVar(&x.retry, "retry", false, "of -once: run CMD again if it has failed, or was cut short: at least once, instead of at most once")
	flags.DurationVar(&x.progress, "progress", 0, "end CMD, and resign, if CMD has not touched the file $BULLY_PROGRESS for this `time`; 0 means that it need not")
	flags.BoolVar(&x.proof, "proof", false, "take a refused connection for the death of a node and of its CMD: then another leads within milliseconds. It asks something of CMD, see above; must be identical on every node")
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
	if s.socket != "" {
		return cli.Usage("-socket is for bully run: CMD is what leads here")
	}
	x.given = given(flags)
	if err := x.check(s); err != nil {
		return err
	}
	job, err := newJob(&x, s.cluster)
	if err != nil {
		return err
	}
	if job != nil && s.preempt == "" {
		s.timing.Preempt = -1 // a higher node that takes over would end the run
	}
	s.progress = x.progress
	if err := s.proves(x.proof); err != nil {
		return err
	}
	path, err := exec.LookPath(flags.Arg(0))
	if err != nil {
		return err
	}
	if s.guard, err = host.FindGuard(); err != nil {
		return err
	}
	s.outlive(ctx)
	var taken taken
	logger := newLogger(p.Log, s).With("node", s.id.String())
	for s.placed != nil {
		if err := p.execGroups(ctx, s, x, path, flags.Args()); !taken.again(ctx, logger, err) {
			return err
		}
	}
	if found, err := p.find(ctx, &s); !found {
		return err
	}
	var aside standing
	for {
		n, err := newNode(p, s)
		if taken.again(ctx, logger, err) {
			continue
		}
		if err != nil {
			return err
		}
		w := &worker{node: n, flags: x, job: job, path: path, args: flags.Args(), out: p.Out, log: p.Log}
		err = errors.Join(w.run(ctx), n.close())
		if !errors.Is(err, errQuiet) {
			return err
		}
		if on, err := p.standAside(ctx, s, aside.next(x.progress, w.lived)); !on {
			return err
		}
	}
}

// proves says whether others may take a refused connection to this node for the death of its command, too (R37). They may if the command holds the address, and
// so does all that it starts: whether that is so, nobody but its user knows.
func (s *settings) proves(promised bool) error {
	s.proof = promised
	switch {
	case !promised:
		s.noProof = true
	case s.noProof:
		return cli.Usage("-proof and -no-proof are opposites: give one")
	case s.search != nil:
		return cli.Usage("-proof: members that DNS names prove no death, as a name may have the address of another: leave it out")
	case runtime.GOOS != "linux":
		return cli.Usage("-proof needs Linux: elsewhere what CMD has started may outlive it, and hold no address")
	}
	return nil
}

// check refuses what cannot be kept.
func (x *execFlags) check(s settings) error {
	if s.placed != nil {
		if err := x.checkGroups(); err != nil {
			return err
		}
	}
	if err := x.mode(); err != nil {
		return err
	}
	most := mostGrace(s.timing)
	if x.grace == 0 {
		x.grace = most
	}
	switch {
	case x.grace < 0 || x.stop < 0 || x.progress < 0:
		return cli.Usage("-grace, -stop and -progress cannot be negative")
	case x.progress > 0 && x.progress < leastProgress:
		return cli.Usage(fmt.Sprintf("-progress: %v is less than %v: a machine that is busy may take that long to start CMD", x.progress, leastProgress))
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

	touches atomic.Pointer[progressFile] // of the command that runs; or nil
	lived   time.Duration                // how long the last reign was, when its command was ended
	aside   atomic.Bool                  // the node is to stand aside
	stop    func()                       // has the node end
	group   string                       // for which the command runs, of many; or ""

	job  *job        // or nil
	ran  atomic.Bool // this node has begun a run of the job, and tells what becomes of it
	said jobRun      // of which sayLast has said how it has ended
}

// run runs the node and the command, until the command ends by itself, ctx ends, or the node fails.
func (w *worker) run(ctx context.Context) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	w.stop = stop
	clearProgress(w.data)
	ended, settled := make(chan error, 1), make(chan error, 1)
	go func() {
		ended <- w.lead(running)
		stop() // the node has nothing more to lead for
	}()
	go func() {
		settled <- w.settled(running)
		stop()
	}()
	go w.sayLeaderless(running)
	err := w.node.run(running)
	stop()
	for _, how := range []error{<-ended, <-settled} {
		var exit cli.ExitError
		var over jobOver
		switch {
		case err != nil:
		case errors.As(how, &exit) && exit.Status == cli.OK:
			return nil
		case errors.As(how, &exit), errors.As(how, &over):
			return how
		}
	}
	if err == nil && w.aside.Load() && ctx.Err() == nil {
		return errQuiet
	}
	return err
}

// lead runs the command in each reign. It returns when the command has ended by itself, or the node has ended.
func (w *worker) lead(ctx context.Context) error {
	work := func(ctx context.Context, reign host.Reign) error { return w.work(ctx, reign) }
	if w.job != nil {
		work = w.workJob
	}
	for {
		// The context is that of the host: while the node is being stopped it leads on for the command.
		err := w.host.Lead(context.WithoutCancel(ctx), reports(w, work))
		if errors.Is(err, resource.ErrFenced) || errors.Is(err, errUnsure) {
			sleep(ctx, fencePause)
		} else if !errors.Is(err, errEnded) {
			return err
		}
	}
}

// work runs the command in one reign, again and again with -restart.
func (w *worker) work(ctx context.Context, reign tenure) error {
	for began := time.Now(); ; {
		if again, err := w.once(ctx, reign, began); !again {
			return err
		}
		select {
		case <-time.After(restartPause):
		case <-ctx.Done():
			return errEnded
		}
	}
}

// once runs the command once in a reign, in which work began then, and reports whether it is to run again.
func (w *worker) once(ctx context.Context, reign tenure, began time.Time) (again bool, err error) {
	c, err := w.start(reign)
	if errors.Is(err, host.ErrNotLeader) { // the reign was over before the command began
		return false, errEnded
	}
	if err != nil {
		w.logger.Error("the command does not start", "err", err)
		return w.flags.restart && isShortage(err), cli.ExitError{Status: 127}
	}
	if !w.watch(ctx, reign, c) {
		w.logger.Info("the command was ended with its reign", "epoch", uint64(reign.Epoch()), "pid", c.PID(), "status", c.Status())
		if w.lived = time.Since(began); w.group == "" && isQuiet(ctx) && w.othersCanLead() {
			w.aside.Store(true)
			w.stop() // Lead would wait for the next reign
		}
		return false, errEnded
	}
	w.logger.Info("the command has ended", "epoch", uint64(reign.Epoch()), "pid", c.PID(), "status", c.Status())
	return w.flags.restart, cli.ExitError{Status: c.Status()}
}

// isShortage reports whether a command did not start for want of what there may be more of soon: descriptors, processes, memory.
func isShortage(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.ENOMEM)
}

// start starts the command.
func (w *worker) start(reign tenure, more ...string) (*child.Child, error) {
	if !reign.Valid() {
		return nil, host.ErrNotLeader
	}
	cmd := exec.Command(w.path)
	cmd.Args, cmd.Stdout, cmd.Stderr = w.args, w.out, w.log
	cmd.Env = append(os.Environ(), "BULLY_EPOCH="+strconv.FormatUint(uint64(reign.Epoch()), 10), "BULLY_NODE="+w.id.String(),
		"BULLY_CLUSTER="+w.cluster)
	if w.group != "" {
		more = append(more, "BULLY_GROUP="+w.group)
	}
	cmd.Env = append(cmd.Env, more...)
	err := w.newProgress(cmd)
	var c *child.Child
	if err == nil {
		reign.Progress()
		c, err = child.Start(cmd, w.lent)
	}
	if err != nil {
		w.endProgress()
	} else {
		w.logger.Info("the command runs", "epoch", uint64(reign.Epoch()), "pid", c.PID(), slog.String("path", w.path))
	}
	return c, err
}

// watch waits until the command has ended, and reports whether that was by itself. It ends it with the reign.
func (w *worker) watch(ctx context.Context, reign tenure, c *child.Child) (byItself bool) {
	defer reign.Progress() // what comes next has its time
	defer w.endProgress()
	last := reign.Deadline()
	nearEnd := time.NewTimer(time.Until(last) - w.flags.grace)
	defer nearEnd.Stop()
	for {
		select {
		case <-c.Done():
			return true
		case <-ctx.Done():
			w.logger.Info("the command is told to end", "epoch", uint64(reign.Epoch()), "because", context.Cause(ctx))
			c.Terminate()
			if isQuiet(ctx) { // it must be gone when the reign is, or the node ends
				return w.finish(reign, c, last, time.Until(reign.Deadline())/2)
			}
			return w.finish(reign, c, last, w.flags.stop)
		case <-nearEnd.C:
			if now := reign.Deadline(); !now.IsZero() {
				last = now
			}
			left := time.Until(last) - w.flags.grace
			if left > 0 {
				nearEnd.Reset(left)
				continue
			}
			w.logger.Warn("no quorum has answered: the reign is about to end", "epoch", uint64(reign.Epoch()))
			c.Terminate()
			return w.finish(reign, c, last, w.flags.stop)
		}
	}
}

// finish waits until a command that was told to end has ended, and kills it when its time is up: after most, while the
// node leads on; after -grace, if it does not; and no later than the last deadline that is known. It returns false.
func (w *worker) finish(reign tenure, c *child.Child, last time.Time, most time.Duration) bool {
	begin := time.Now()
	for {
		left := most - time.Since(begin)
		if deadline := reign.Deadline(); !deadline.IsZero() {
			last = deadline
		} else {
			left = min(left, w.flags.grace-time.Since(begin))
		}
		if left = min(left, time.Until(last)); left <= 0 {
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
