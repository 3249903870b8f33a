package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

	library "github.com/seed-fdf591db/bully/impl"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/child"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/hold"
	"github.com/seed-fdf591db/bully/impl/internal/web"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/trace"
	"github.com/seed-fdf591db/bully/impl/transport"
)

// runHelp is what bully help run says before the flags.
const runHelp = `
Runs a node until SIGTERM or SIGINT; a second one ends it at once. It never waits for whoever reads its log: what a full pipe
does not take is dropped and counted (bully_log_dropped_total). Every flag can be given in the environment
too: -tls-cert as BULLY_TLS_CERT. A flag wins.

With -members dns+srv://NAME, or dns://NAME:PORT, and -expect N, DNS names the members, such as the pods of a StatefulSet; -id ordinal
makes the id of this node of its host's name (bully-0 is 1). The node begins for the first time when DNS names N members, it has
reached them all, and they have found the same; until then log and /status say what it waits for. Who they are is settled then; where
they are, DNS says. With dns+srv://SERVER:PORT/NAME that server is asked.

If members come and go, -data is enough: bully init or bully join has made a record there, which says who the node is,
and keeps up with who the members are; see bully help member. It believes only members who the members are: a non-member, with a
certificate of the cluster or without, cannot change them. If a node was away while all others that it knew were replaced, its log and
bully status name who is not believed; if you know that node, start this one with -believe and its id, once. A node that has been removed runs on for a while, in case
that is lost, and ends with 1; started again it asks whether it is a member, and goes on or ends.

A node whose disk is lost, or is an old copy, must not vote: it does not know what it has promised. The others remember which
numbers and epochs it has used. They ignore it, and say so in their log, /metrics, /status and bully status; it ends with 1, and
bully repair says what to do.
This has limits. A node that has heard it must have run since then, and be reached within a heartbeat interval of the start. If the
copy was made during the last run, as a snapshot of the disk is, only who was told something newer can notice, and a promise is told
to one node alone. So never start a node with an empty folder, or with an old one.

Nodes on several hosts need certificates: give -tls-cert, -tls-key and -tls-ca, which bully cert makes. A node checks its own
certificate before it starts, reads it again each minute and on SIGHUP, and warns before it ends (log, /metrics, /status, bully
status). -tls-ca is read once. If all addresses are of loopback, or with -insecure, links are plain: whoever reaches a node can pose
as a member, lead, depose, and make another node's record unusable, so that it stops for good.

-on-change CMD runs CMD at the start, and whenever somebody else leads, or nobody, as far as this node knows; and last when it
stops. CMD has in its environment

  BULLY_ROLE     leader, follower or stopped: whoever is not the leader is a follower, also if it knows of no leader
  BULLY_LEADER   who leads, or nothing
  BULLY_EPOCH    in which epoch; 0 if nobody is known to lead
  BULLY_NODE, BULLY_CLUSTER   this node, and its cluster

One CMD runs at a time, in the order of what has happened. What comes while one runs waits, and of that only the latest is told:
leader may follow on leader, in a later epoch, and what was short may be told to nobody. The latest is always told, once. CMD
that fails is not run again for the same. One that takes longer than -on-change-limit is killed, with all that it has started;
so is what it leaves behind when it ends. It never holds up the node; only the end of the node waits for it, for three times
-on-change-limit at most.

It is a notification, and no fence. It comes late: when CMD is told that this node leads, another may lead already, and when it
is told that this node does not, another has perhaps led for a while. If the node is killed or held up it comes not at all, or
long after. What must not be done by two at once needs bully exec, and a resource that refuses old epochs.

With -socket PATH the node is for programs of this machine, which ask it there to lead and for leases (impl/AGENT.md). It runs while one
of them asks, as if it were inside of that program; else it waits for one, and neither leads nor votes. A program may act until its lease is over, though
its node was killed: so it holds the listening socket of the node while it acts, and the address of a node that is dead refuses, which proves that to the others, when its
program acts no more. bully lead leads so for scripts.

With -group LIST there are many elections over the same nodes, such as one for each of a thousand shards: over one connection between each two nodes, with one disk, each
with a leader and epochs of its own. Leaders are spread over the nodes, move only if their node goes or comes, and come back with it. The node takes part, and
nobody works here: bully exec -group runs a command for each group that it leads; a program of your own embeds impl/groups. /groups and the page say who leads what,
/leader?group=NAME who leads one, and bully groups asks them. On SIGHUP files of -group are read again: groups come and go; do so at all nodes. Pins and
weights are those of the start: to change them start one node after the other. If members come and go (bully init), bully member changes those of the cluster, and
those of each group follow; a node that was removed ends by itself when no group has it. Give -group from the first start on, and the same groups everywhere. /status, /leading, /resign, /events,
/steps, -trace, and the page at /election, are then of the cluster's own election, in which members are changed; no client should go by who leads that.
` + groupsText + `
It exits with 0 if it was told to stop (if it leads, it resigns first); with 1 if it cannot run, or no longer, because its disk failed
or it is no member any more, and says why; with 2 if it was called wrongly.

`

// run runs a node.
func run(ctx context.Context, p program, args []string) error {
	var f nodeFlags
	var notify notifyFlags
	var guard bool
	flags := p.Flags("run")
	f.define(flags)
	flags.BoolVar(&guard, "guard", false, "run the node under a guard, which kills it when it hangs, and starts it again: see bully help guard")
	notify.define(flags)
	if err := p.ParseSome(flags, args, cli.Manual{Text: runHelp}); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return cli.Usage(fmt.Sprintf("unexpected argument %q (\"bully help run\" lists the flags)", flags.Arg(0)))
	}
	s, err := p.settings(&f, flags)
	if err != nil {
		return err
	}
	notifier, err := notify.newNotifier(p, given(flags))
	if err != nil {
		return err
	}
	if guard && !child.Guarded() {
		return becomeGuard(s)
	}
	if s.guard, err = host.FindGuard(); err != nil {
		return err
	}
	if found, err := p.find(ctx, &s); !found {
		return err
	}
	if s.placed != nil {
		return p.runGroups(ctx, s, nil)
	}
	if s.socket != "" {
		return p.runBeside(ctx, s, notifier)
	}
	return p.runNode(ctx, s, notifier, nil)
}

// runNode runs a node, beside programs or without any.
func (p program) runNode(ctx context.Context, s settings, notifier *notifier, programs *web.Programs) error {
	n, err := newNode(p, s)
	if err != nil {
		return err
	}
	if programs != nil {
		var leave func()
		ctx, leave = programs.Join(ctx, n.host, n.local, n.lent)
		defer leave()
	}
	told := n.notify(notifier)
	err = n.run(ctx)
	told()
	return errors.Join(err, n.close())
}

// node is a node with all that belongs to it.
type node struct {
	settings
	pipes    (func()) // undoes watchPipes
	logs     *cli.LogQueue
	bare     *slog.Logger // for the parts, which say themselves which node it is
	logger   *slog.Logger
	recorder *trace.Recorder // or nil
	host     *library.Node
	web      *web.Server // or nil
	local    *web.Server // that programs beside the node ask, or nil
	listener net.Listener
	lent     web.Lent // the listener for the other nodes, if programs hold that, or nil
}

// newNode opens all that a node needs. When it returns an error nothing is left open.
func newNode(p program, s settings) (*node, error) {
	keepSmall()
	n := frameOf(p, s)
	if err := n.open(); err != nil {
		return nil, errors.Join(err, n.close())
	}
	return n, nil
}

// frameOf returns a node that has a log, and nothing else yet.
func frameOf(p program, s settings) *node {
	n := &node{settings: s, pipes: watchPipes(), logs: cli.NewLogQueue(p.Log, func(dropped uint64) string { return droppedLines(s, dropped) })}
	n.bare = newLogger(n.logs, s)
	n.logger = n.bare.With("node", s.id.String())
	return n
}

// listenHTTP listens on -http, if that was given.
func (n *node) listenHTTP() (err error) {
	if n.http == "" {
		return nil
	}
	if n.listener, err = net.Listen("tcp", n.http); err != nil {
		return fmt.Errorf("-http: %w", err)
	}
	return nil
}

// open opens all that a node needs, as far as it can.
func (n *node) open() (err error) {
	if err := errors.Join(n.checkFiles(), n.listenHTTP()); err != nil {
		return err
	}
	recorded, err := n.record()
	if err != nil {
		return err
	}
	phi, err := host.NewPhi(host.PhiConfig{Heartbeat: n.timing.Heartbeat, Floor: n.timing.Patience})
	if err != nil {
		return err
	}
	listener, err := n.listens()
	if err != nil {
		return err
	}
	events := web.NewEvents(n.id, recorded)
	if n.host, err = library.Open(n.configured(events, phi, listener)); err != nil {
		if listener != nil {
			_ = listener.Close()
		}
		return err
	}
	return n.face(events)
}

// record begins to record the steps of the node, and returns by what: nothing, unless -trace says so.
func (n *node) record() (recorded host.Trace, err error) {
	if n.trace == "" {
		return nil, nil
	}
	name, _ := os.Hostname()
	n.recorder, err = trace.NewRecorder(trace.Options{Dir: n.trace, Node: n.id, Members: n.members, Changing: n.changing(), Host: trace.Plain(name),
		Commit: trace.Plain(cli.Revision()), MaxBytes: n.traceBytes, MaxFiles: n.traceFiles})
	return n.recorder, err
}

// recordEnd records that the node has ended, for this reason. Of one that has stopped for good it is not known what is on the disk.
func (n *node) recordEnd(why error) {
	if n.recorder != nil && (why == nil || errors.Is(why, host.ErrRemoved)) {
		if failed := n.recorder.Stopped(); failed != nil {
			n.logger.Warn("the end of the node could not be recorded", "err", failed)
		}
	}
}

// face makes the servers of -http and of -socket, as far as they are given.
func (n *node) face(events *web.Events) (err error) {
	if n.socket == "" && n.listener == nil {
		return nil
	}
	served := web.Config{Node: n.host, Control: true, Changer: n.changer(), Most: n.slots(), Events: events, Cluster: n.cluster, Views: n.views, Stats: n.host.Links().Stats,
		Dropped: n.logs.Dropped, Own: n.shown(), Page: n.page, Version: cli.Revision(), Logger: n.logger}
	if n.socket != "" { // whoever may write to that is asked nothing more
		if n.local, err = web.New(served); err != nil {
			return err
		}
	}
	if n.listener != nil {
		served.Control = n.controlled()
		n.web, err = web.New(served)
	}
	return err
}

// shown returns the certificate of the node, or nil if it has none.
func (n *node) shown() web.Certificate {
	if n.own == nil {
		return nil
	}
	return n.own
}

// changing reports whether members come and go.
func (s *settings) changing() bool { return s.identity != storage.Identity{} }

// changer returns what changes members, or nil if they are fixed.
func (n *node) changer() web.Changer {
	if !n.changing() {
		return nil
	}
	return n.host
}

// controlled reports whether whoever reaches the HTTP server may make the node resign, and change members: where nobody else can reach
// it, or where the flag says so.
func (n *node) controlled() bool {
	if n.listener == nil { // what is served is the socket alone
		return true
	}
	address, ok := n.listener.Addr().(*net.TCPAddr)
	return n.httpControl || ok && address.IP.IsLoopback()
}

// configured returns what the node is, as the settings say.
func (n *node) configured(events *web.Events, phi host.Detector, listener net.Listener) library.Config {
	c := library.Config{Folder: n.data, ID: n.id.String(), Cluster: n.cluster, Address: n.address, TLS: tlsOf(n.own), Insecure: n.insecure, Timing: n.timing, Logger: n.bare,
		HoldMemory: n.holdMemory}
	if c.Found = n.found; c.Found == nil && !n.changing() { // else they are in the record
		c.Members = map[string]string{}
		for id, address := range n.addresses {
			c.Members[id.String()] = address
		}
	}
	c.Links = func(c *transport.Config) { c.NoProof, c.Listener = c.NoProof || n.noProof, listener }
	c.Host = func(c *host.Config) {
		c.Believe, c.Detector, c.Clock, c.Metrics, c.Trace = n.believed, phi, host.KernelClock{}, events, events
		c.Guard, c.Progress = n.guard, n.progress
	}
	return c
}

// listens listens for the other nodes on -listen, if that was given, and where programs hold the address.
func (n *node) listens() (net.Listener, error) {
	if !n.lends() && n.listen == "" {
		return nil, nil
	}
	l, err := hold.Listen(cmp.Or(n.listen, n.address, n.addresses[n.id]))
	switch {
	case err != nil && n.lends():
		return nil, fmt.Errorf("this node cannot listen: %w", err)
	case err != nil:
		return nil, fmt.Errorf("-listen: %w", err)
	case n.lends():
		n.lent = l
	}
	return l, nil
}

// run runs the node until ctx ends, or it fails.
func (n *node) run(ctx context.Context) error {
	attributes := []any{"cluster", n.cluster, "members", len(n.members), "listens", n.host.Links().Addr().String(), "links", linksOf(n.own, n.insecure)}
	var serving sync.WaitGroup
	if n.web != nil {
		attributes = append(attributes, "http", "http://"+n.listener.Addr().String())
		serving.Go(func() {
			if err := n.web.Serve(n.listener); err != nil {
				n.logger.Error("the HTTP server has ended; the node goes on", "err", err)
			}
		})
	}
	if n.changing() {
		attributes = append(attributes, "incarnation", fmt.Sprintf("%016x", n.identity.Incarnation))
	}
	n.logger.Info("running", append(attributes, n.guardedBy()...)...)
	stop := n.keepCertificate(ctx)
	err := n.host.Run(ctx)
	stop()
	n.recordEnd(err)
	for _, server := range []*web.Server{n.web, n.local} {
		if server != nil {
			err = errors.Join(err, server.Close())
		}
	}
	serving.Wait()
	if err == nil {
		n.logger.Info("stopped")
	}
	return err
}

// keepCertificate reads the certificate again while the node runs, until stop is called.
func (n *node) keepCertificate(ctx context.Context) (stop func()) {
	if n.own == nil {
		return func() {}
	}
	asked := make(chan os.Signal, 1)
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signal.Notify(asked, syscall.SIGHUP)
	}
	ctx, cancel := context.WithCancel(ctx)
	var keeping sync.WaitGroup
	keeping.Go(func() { n.own.Keep(ctx, asked, n.logger) })
	return func() {
		signal.Stop(asked)
		cancel()
		keeping.Wait()
	}
}

// close closes what newNode has opened, and run has not closed.
func (n *node) close() error {
	var errs []error
	if n.host != nil {
		errs = append(errs, n.host.Close())
	}
	if n.listener != nil {
		if err := n.listener.Close(); !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	if n.recorder != nil {
		errs = append(errs, n.recorder.Close())
	}
	defer n.pipes()
	n.logs.Close(n.timing.Coordinator) // who does not read his log by then does not hold up the end
	return errors.Join(errs...)
}

// keepSmall makes the process cost little, unless its environment says otherwise. A node makes little garbage, and takes
// one step at a time: a second processor would be woken for each message, and find nothing to do.
func keepSmall() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1)
	}
}

// watchPipes makes a broken pipe on standard error an error like others: whoever reads the log may end, and the node
// goes on. It returns what undoes it.
func watchPipes() (undo func()) {
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	return func() { signal.Stop(broken) }
}

// newLogger returns a logger as the flags say.
func newLogger(w io.Writer, s settings) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.logLevel)) // settings has looked at it
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: shortly}
	if s.log == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// shortly writes a duration as people say it, 19.2ms, in JSON too, which would have nanoseconds.
func shortly(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() != slog.KindDuration {
		return a
	}
	d := a.Value.Duration()
	for unit := time.Duration(100); unit < time.Second && d > 1000*unit; unit *= 10 {
		d = d.Round(unit)
	}
	return slog.String(a.Key, d.String())
}

// droppedLines returns the line that a log has of those that it has not.
func droppedLines(s settings, dropped uint64) string {
	var line strings.Builder
	newLogger(&line, s).Warn("lines of this log were dropped: whoever reads it was too slow", "node", s.id.String(), "dropped", dropped)
	return line.String()
}
