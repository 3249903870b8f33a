package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	library "github.com/seed-fdf591db/bully/impl"
	"github.com/seed-fdf591db/bully/impl/agent"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/web"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/spec"
)

const nodeHelp = `
Runs a node in a program that has so much memory, as one does that embeds the host in a large service; with -beside, bully run beside such a
program, which asks it to lead. It is what workbench bench failover measures, and listens on this machine alone. From SIGUSR1 on the loop
of the node goes round no more. It tells its guard, if bully guard has started it.

`

// mostBallast is the most memory that a node is given, in MiB.
const mostBallast = 1 << 16

// nodeFlags are the flags of workbench node.
type nodeFlags struct {
	id, members, data, http string
	ballast                 int
	save                    time.Duration
	beside, hold            bool
	asks                    string
	groups                  bool
}

// largeNode runs a node in a process of a given size, or beside one.
func largeNode(ctx context.Context, p program, args []string) error {
	var f nodeFlags
	flags := p.Flags("node")
	flags.StringVar(&f.id, "id", "", "the `id` of this node")
	flags.StringVar(&f.members, "members", "", "all nodes, `id=host:port,…`")
	flags.StringVar(&f.data, "data", "", "keep the record in this `folder`")
	flags.StringVar(&f.http, "http", "", "serve the HTTP face at this `address`")
	flags.IntVar(&f.ballast, "ballast", 0, "so many `MiB` of memory that is touched, and stays")
	flags.DurationVar(&f.save, "save", 0, "each save takes this `time` longer")
	flags.BoolVar(&f.beside, "beside", false, "the node is a process of its own, beside the program; Linux only")
	flags.BoolVar(&f.hold, "hold", false, "a second process shares the memory of this one, so that its address refuses as soon as it dies; Linux only")
	flags.StringVar(&f.asks, "asks", "", "be that program: ask to lead at this `socket`")
	flags.BoolVar(&f.groups, "groups", false, "be a node of many groups, as workbench bench groups starts it and asks it: "+nodeOfGroups+" in the environment says which")
	if err := p.ParseSome(flags, args, cli.Manual{Text: nodeHelp}); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return cli.Usage(fmt.Sprintf("unexpected argument %q", flags.Arg(0)))
	case f.ballast < 0 || f.ballast > mostBallast:
		return cli.Usage(fmt.Sprintf("-ballast: %d is not from 0 to %d", f.ballast, mostBallast))
	case f.save < 0:
		return cli.Usage(fmt.Sprintf("-save: %v is no time", f.save))
	case f.groups:
		return runGroups(ctx, os.Getenv(nodeOfGroups), os.Stdin, p.Out)
	case f.asks != "":
		return f.ask(ctx)
	case f.data == "" || f.http == "":
		return cli.Usage("-data and -http are needed")
	case f.beside:
		return f.runBeside(ctx, p)
	}
	self, err := spec.ParseNodeID(f.id)
	if err != nil {
		return cli.Usage(fmt.Sprintf("-id: %v", err))
	}
	memory := touched(f.ballast)
	defer runtime.KeepAlive(memory)
	return f.serve(ctx, self)
}

// touched returns memory that the kernel has given to this process, so many MiB of it.
func touched(size int) []byte {
	memory := make([]byte, size<<20)
	for at := 0; at < len(memory); at += os.Getpagesize() {
		memory[at] = 1
	}
	return memory
}

// stuckClock is a clock that does not answer any more when it is told so: who asks it hangs.
type stuckClock struct {
	host.KernelClock
	stuck atomic.Bool
}

// Now implements host.Clock.
func (c *stuckClock) Now() time.Time {
	if c.stuck.Load() {
		select {}
	}
	return c.KernelClock.Now()
}

// slowFile is a record on a slow disk.
type slowFile struct {
	*storage.File
	by time.Duration
}

// Save implements host.Storage.
func (f slowFile) Save(promise spec.Durable) error {
	time.Sleep(f.by)
	return f.File.Save(promise)
}

// serve runs a node with an HTTP face until ctx ends.
func (f nodeFlags) serve(ctx context.Context, self spec.NodeID) error {
	addresses := map[string]string{}
	for one := range strings.SplitSeq(f.members, ",") {
		member, address, _ := strings.Cut(one, "=")
		addresses[member] = address
	}
	events, clock := web.NewEvents(self, nil), &stuckClock{}
	c := library.Config{Folder: f.data, ID: f.id, Cluster: "bench", Members: addresses, Insecure: true, Timing: host.LAN(), HoldMemory: f.hold}
	c.Timing.Preempt = -1 // as the other nodes that are measured
	var err error
	if c.Guard, err = host.FindGuard(); err != nil {
		return err
	}
	c.Host = func(h *host.Config) {
		h.Clock, h.Metrics, h.Trace = clock, events, events
		if file, kept := h.Storage.(*storage.File); kept && f.save > 0 {
			h.Storage = slowFile{file, f.save}
		}
	}
	node, err := library.Open(c)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", f.http)
	if err != nil {
		return errors.Join(err, node.Close())
	}
	server, err := web.New(web.Config{Node: node, Events: events, Cluster: c.Cluster, Stats: node.Links().Stats, Version: cli.Revision()})
	if err != nil {
		return errors.Join(err, listener.Close(), node.Close())
	}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) }) // its end is the end of the node, or shows in what is measured
	told := make(chan os.Signal, 1)
	notifyStuck(told)
	go func() {
		<-told
		clock.stuck.Store(true)
		_ = node.Check(ctx) // the loop wakes, and looks at the clock
	}()
	err = errors.Join(node.Run(ctx), server.Close())
	serving.Wait()
	return err
}

// runBeside runs bully run, and beside it this program once more, which asks that to lead. Neither outlives this process, and what is left of
// them when one has ended runs on until then.
func (f nodeFlags) runBeside(ctx context.Context, p program) error {
	node, err := findProgram("bully")
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(f.data, 0o700); err != nil {
		return err
	}
	socket := filepath.Join(f.data, "s")
	var both sync.WaitGroup
	for _, command := range [][]string{
		{node, "run", "-cluster", "bench", "-profile", "lan", "-preempt", "never", "-id", f.id, "-members", f.members, "-data", f.data, "-http", f.http, "-socket", socket},
		{self, "node", "-ballast", strconv.Itoa(f.ballast), "-asks", socket, "-hold=" + strconv.FormatBool(f.hold)},
	} {
		one := exec.CommandContext(ctx, command[0], command[1:]...)
		one.Stdout, one.Stderr, one.SysProcAttr = p.Log, p.Log, dieTogether()
		if err := one.Start(); err != nil {
			return err
		}
		both.Go(func() { _ = one.Wait() })
	}
	both.Wait()
	return ctx.Err()
}

// ask asks a node to lead, again and again, and does nothing when it does.
func (f nodeFlags) ask(ctx context.Context) error {
	memory := touched(f.ballast)
	defer runtime.KeepAlive(memory)
	client := &agent.Client{Socket: f.asks, HoldMemory: f.hold}
	for {
		_ = client.Lead(ctx, func(ctx context.Context, _ *agent.Reign) error { // the node does not run yet, or no longer
			<-ctx.Done()
			return nil
		})
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(again):
		}
	}
}

// again is how long a program waits before it asks again.
const again = 10 * time.Millisecond
