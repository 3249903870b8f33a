package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/web"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// ofGroups reads -group and -weight, and refuses what a node of many groups cannot do.
func (s *settings) ofGroups(given givenFlags) (err error) {
	if s.weight != "" && s.group == "" {
		return cli.Usage("-weight says how much nodes are to lead of many groups: say with -group which there are")
	}
	switch {
	case s.group != "":
	case given["group"]:
		return cli.Usage("-group names no groups: name some, or leave it out, for one election")
	default:
		return nil
	}
	if s.search != nil {
		return cli.Usage("-group: the members of many groups are not found by DNS: give -members 1=host:port,…, or have them come and go: bully help init")
	}
	for _, single := range []string{"trace", "socket", "on-change"} {
		switch {
		case !given[single]:
		case single != "trace":
			return cli.Usage(fmt.Sprintf("-%s is of one election: leave it out, or -group", single))
		case !s.changing():
			return cli.Usage("-trace is of one election, and with fixed members the cluster has none of its own: leave it out, or -group")
		}
	}
	s.placement, s.placed, err = s.groupFlags.placement(s.fixedMembers())
	return err
}

// fixedMembers returns the members, or none if they come and go.
func (s *settings) fixedMembers() []spec.NodeID {
	if s.changing() {
		return nil
	}
	return s.members
}

// groupNode is a node of many groups, with all that belongs to it.
type groupNode struct {
	*node
	groups   *groups.Groups
	store    *storage.Groups
	links    *transport.TCP
	firsts   atomic.Pointer[map[string][]spec.NodeID]      // of the groups that name their first members
	lead     func(ctx context.Context, group string) error // leads a group while the node takes part in it; nil if nobody works here
	leads    sync.WaitGroup
	failed   chan error   // why the node is to end, of a lead
	events   *web.Events  // of the cluster's own election, where members change; else nil
	election http.Handler // the page of that, or nil
}

// newGroupNode opens all that such a node needs. When it returns an error nothing is left open.
func newGroupNode(p program, s settings) (*groupNode, error) {
	n := &groupNode{node: frameOf(p, s), failed: make(chan error, 1)}
	if err := n.openGroups(); err != nil {
		return nil, errors.Join(err, n.closeGroups())
	}
	return n, nil
}

func (n *groupNode) openGroups() (err error) {
	if err := errors.Join(n.checkFiles(), n.listenHTTP()); err != nil {
		return err
	}
	listener, err := n.listens()
	if err != nil {
		return err
	}
	if n.changing() {
		if err = n.openChanging(listener); err == nil {
			err = n.serveGroups()
		} else if listener != nil {
			_ = listener.Close()
		}
		return err
	}
	if n.store, err = storage.OpenGroups(n.data, n.id, n.members); err == nil {
		n.links, err = transport.NewTCP(transport.Config{ID: n.id, Cluster: n.cluster, Members: n.addresses, Saves: n.store.Began(), TLS: tlsOf(n.own), Insecure: n.insecure, HoldMemory: n.holdMemory,
			Listener: listener, NoProof: n.noProof, Logger: n.bare, Bundles: true})
	}
	if err != nil {
		if listener != nil {
			_ = listener.Close()
		}
		return err
	}
	n.groups, err = groups.Open(groups.Config{ID: n.id, Addresses: n.addresses, Weights: n.placement.Weights, Pins: n.placement.Pins, Timing: n.timing, Progress: n.progress, Guard: n.guard,
		Storage: n.store, Transport: n.links, Logger: n.bare})
	if err != nil {
		return errors.Join(err, n.links.Close())
	}
	return n.serveGroups()
}

// openChanging opens a node whose members come and go.
func (n *groupNode) openChanging(listener net.Listener) (err error) {
	recorded, err := n.record()
	if err != nil {
		return err
	}
	n.events = web.NewEvents(n.id, recorded)
	if n.listener != nil { // it takes its time, and is made before the loops run
		if n.election, err = n.page(); err != nil {
			return err
		}
	}
	n.firsts.Store(&n.placed.firsts)
	n.groups, err = groups.Open(groups.Config{Dir: n.data, Cluster: n.cluster, Address: n.address, TLS: tlsOf(n.own), Insecure: n.insecure, HoldMemory: n.holdMemory, Listener: listener,
		Weights: n.placement.Weights, Pins: n.placement.Pins, First: func(group string) []spec.NodeID { return (*n.firsts.Load())[group] }, Timing: n.timing, Progress: n.progress, Guard: n.guard,
		Logger: n.bare,
		Links:  func(c *transport.Config) { c.NoProof = c.NoProof || n.noProof },
		Host:   func(c *host.Config) { c.Believe, c.Metrics, c.Trace = n.believed, n.events, n.events }})
	if err == nil {
		n.links = n.groups.Links
	}
	return err
}

// serveGroups makes the server of -http, if that is given.
func (n *groupNode) serveGroups() (err error) {
	if n.listener == nil {
		return nil
	}
	served := web.Config{Groups: n.groups, Cluster: n.cluster, Views: n.views, Stats: n.links.Stats, Dropped: n.logs.Dropped, Own: n.shown(), Most: n.slots(),
		Version: cli.Revision(), Logger: n.logger}
	if own := n.groups.Own; own != nil {
		served.Node, served.Changer, served.Control, served.Events = own, own, n.controlled(), n.events
		served.Page = func() (http.Handler, error) { return n.election, nil }
	}
	n.web, err = web.New(served)
	return err
}

// closeGroups closes what openGroups has opened, and returns why the node had stopped for good before, if it had.
func (n *groupNode) closeGroups() (err error) {
	if n.groups != nil {
		err = n.groups.Close()
	}
	if n.store != nil {
		err = errors.Join(err, n.store.Close())
	}
	return errors.Join(err, n.close())
}

// runGroups runs a node of many groups until ctx ends, or it fails, with the work that newLead makes, if any.
func (p program) runGroups(ctx context.Context, s settings, newLead func(*groupNode) func(context.Context, string) error) error {
	n, err := newGroupNode(p, s)
	if err != nil {
		return err
	}
	if newLead != nil {
		n.lead = newLead(n)
	}
	err = n.runGroups(ctx)
	return errors.Join(err, n.closeGroups())
}

// runGroups runs the node. The error is why a lead has ended that is not to.
func (n *groupNode) runGroups(ctx context.Context) error {
	said := []any{"cluster", n.cluster, "members", len(n.groups.Placement().Members), "groups", len(n.placed.names), "listens", n.links.Addr().String(), "links", linksOf(n.own, n.insecure)}
	var serving sync.WaitGroup
	if n.web != nil {
		said = append(said, "http", "http://"+n.listener.Addr().String())
		serving.Go(func() {
			if err := n.web.Serve(n.listener); err != nil {
				n.logger.Error("the HTTP server has ended; the node goes on", "err", err)
			}
		})
	}
	n.logger.Info("running", append(said, n.guardedBy()...)...)
	running, stop := context.WithCancel(ctx)
	defer stop()
	serving.Go(func() { n.sayGroups(running) })
	kept := n.keepCertificate(running)
	n.take(running, n.placed.names, nil)
	err := n.keepGroups(running)
	stop()
	stopped := n.groups.Stop(context.Background())
	n.leads.Wait()
	n.recordEnd(stopped)
	kept()
	if n.web != nil {
		err = errors.Join(err, n.web.Close())
	}
	serving.Wait()
	if err == nil && stopped == nil {
		n.logger.Info("stopped")
	}
	return err
}

// take has the node take part in groups, and in others no more. Nobody waits for those that go: their work may take its time.
func (n *groupNode) take(ctx context.Context, come, leave []string) {
	if err := n.groups.Add(ctx, come...); err != nil && ctx.Err() == nil {
		n.logger.Error("groups were not added", "err", err)
		return
	}
	if len(leave) > 0 {
		n.leads.Go(func() { _ = n.groups.Remove(context.WithoutCancel(ctx), leave...) })
	}
	if n.lead == nil {
		return
	}
	for _, name := range come {
		n.leads.Go(func() {
			// The context is that of the node: while it is being stopped it leads on for the work.
			if err := n.lead(context.WithoutCancel(ctx), name); !errors.Is(err, groups.ErrClosed) && !errors.Is(err, groups.ErrStopped) {
				select {
				case n.failed <- err:
				default:
				}
			}
		})
	}
}

// keepGroups reads -group again on SIGHUP, if it names a file, until ctx ends, the node ends, or a lead fails, which it returns.
func (n *groupNode) keepGroups(ctx context.Context) error {
	asked := make(chan os.Signal, 1)
	if n.placed.files && !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signal.Notify(asked, syscall.SIGHUP)
		defer signal.Stop(asked)
	}
	for {
		select {
		case <-asked:
			n.reread(ctx)
		case err := <-n.failed:
			return err
		case <-n.groups.Done():
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// reread reads the files of -group again: groups come and go. Pins are settled when the node starts.
func (n *groupNode) reread(ctx context.Context) {
	_, now, err := n.groupFlags.placement(n.fixedMembers())
	if err != nil {
		n.logger.Error("the groups are as they were: what there are now cannot be read", "err", err)
		return
	}
	was := n.placed
	if !maps.Equal(was.pins, now.pins) {
		n.logger.Warn("groups are pinned otherwise than when this node was started: that is heeded when it is started again")
	}
	come, gone := without(now.names, was.names), without(was.names, now.names)
	n.placed = &groupList{names: now.names, pins: was.pins, firsts: now.firsts, files: now.files}
	n.firsts.Store(&now.firsts)
	n.logger.Info("the groups have been read again", "groups", len(now.names), "added", len(come), "removed", len(gone))
	n.take(ctx, come, gone)
}

// without returns the names that are not among others.
func without(names, others []string) (left []string) {
	there := map[string]bool{}
	for _, name := range others {
		there[name] = true
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return there[name] })
}

// sayPause is how often the log says how many groups are led, if that changes: a failover of a thousand is a line or two.
const sayPause = time.Second

// sayGroups says in the log how many groups this node leads; and at level debug of each change what it is.
func (n *groupNode) sayGroups(ctx context.Context) {
	leaders := map[string]groups.Leadership{}
	var due <-chan time.Time
	for changes := n.groups.Watch(ctx); ; {
		select {
		case l, ok := <-changes:
			if !ok {
				return
			}
			leaders[l.Group] = l
			n.logger.Debug("leadership", "group", l.Group, "leader", l.Leader.String(), "epoch", uint64(l.Epoch), "leading", l.Leading)
			if due == nil {
				due = time.After(sayPause)
			}
		case <-due:
			due = nil
			led, followed := 0, 0
			for _, l := range leaders {
				switch {
				case l.Leading:
					led++
				case !l.Leader.IsNone():
					followed++
				}
			}
			n.logger.Info("groups", slog.Int("led", led), slog.Int("followed", followed), slog.Int("without_leader", len(n.groups.Names())-led-followed))
		}
	}
}
