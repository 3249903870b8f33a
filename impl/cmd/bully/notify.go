package main

import (
	"context"
	"flag"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/child"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
)

// notifyFlags say what is run when the leadership changes.
type notifyFlags struct {
	onChange string
	limit    time.Duration
}

func (f *notifyFlags) define(flags *flag.FlagSet) {
	flags.StringVar(&f.onChange, "on-change", "", "run this `command` whenever another leads, or nobody: its words are separated by spaces, and no shell reads them")
	flags.DurationVar(&f.limit, "on-change-limit", 30*time.Second, "end the command of -on-change, with all that it has started, after this `time`")
}

// notifier runs a command whenever the leadership has changed: one at a time, and for the latest.
type notifier struct {
	args    []string
	limit   time.Duration
	node    string
	cluster string
	logger  *slog.Logger
	out     io.Writer
	log     io.Writer
}

// newNotifier returns a notifier, or nil if nothing is to be run.
func (f *notifyFlags) newNotifier(p program, given givenFlags) (*notifier, error) {
	if !given["on-change"] {
		if given["on-change-limit"] {
			return nil, cli.Usage("-on-change-limit says how long the command of -on-change may take, which is missing")
		}
		return nil, nil
	}
	if f.limit <= 0 {
		return nil, cli.Usage("-on-change-limit: CMD needs some time: give more than 0")
	}
	args := strings.Fields(f.onChange)
	if len(args) == 0 {
		return nil, cli.Usage("-on-change: no command is given; leave the flag out if none is to run")
	}
	path, err := exec.LookPath(args[0])
	if err != nil {
		return nil, cli.Usage("-on-change: " + err.Error())
	}
	args[0] = path
	return &notifier{args: args, limit: f.limit, out: p.Out, log: p.Log}, nil
}

// follow runs the command for the leadership as it is, and whenever it is another, until changes is closed; then once more, as the node
// has stopped. What changes while the command runs is looked at when it has ended, and only the latest of it.
func (n *notifier) follow(changes <-chan host.Leadership) {
	var told *host.Leadership
	for l := range changes {
		l.Since = time.Time{} // who leads is what is told, and not since when
		if told != nil && l == *told {
			continue
		}
		n.run(roleOf(l), l)
		told = &l
	}
	n.run("stopped", host.Leadership{})
}

func roleOf(l host.Leadership) string {
	if l.Leading {
		return "leader"
	}
	return "follower"
}

// run runs the command, and ends it when its time is up.
func (n *notifier) run(role string, l host.Leadership) {
	leader := ""
	if !l.Leader.IsNone() {
		leader = l.Leader.String()
	}
	cmd := exec.Command(n.args[0])
	cmd.Args, cmd.Stdout, cmd.Stderr = n.args, n.out, n.log
	cmd.Env = append(os.Environ(), "BULLY_ROLE="+role, "BULLY_LEADER="+leader, "BULLY_EPOCH="+strconv.FormatUint(uint64(l.Epoch), 10), "BULLY_NODE="+n.node,
		"BULLY_CLUSTER="+n.cluster)
	about := []any{"role", role, "leader", leader, "epoch", uint64(l.Epoch)}
	c, err := child.Start(cmd, nil)
	if err != nil {
		n.logger.Error("-on-change: the command does not start", append(about, "err", err)...)
		return
	}
	late := time.AfterFunc(n.limit, c.Kill)
	<-c.Done()
	switch {
	case !late.Stop():
		n.logger.Error("-on-change: the command was ended, as its time was up: see -on-change-limit", append(about, "limit", n.limit)...)
	case c.Status() != 0:
		n.logger.Warn("-on-change: the command has failed; it is not run again for this", append(about, "status", c.Status())...)
	default:
		n.logger.Info("-on-change: the command has ended", about...)
	}
}

// notify begins to run the command, and returns what waits until it has been run for the end of the node.
func (n *node) notify(notifier *notifier) (wait func()) {
	if notifier == nil {
		return func() {}
	}
	notifier.node, notifier.cluster, notifier.logger = n.id.String(), n.cluster, n.logger
	changes, done := n.host.Watch(context.Background()), make(chan struct{})
	go func() {
		defer close(done)
		notifier.follow(changes)
	}()
	return func() { <-done }
}
