package groups

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync/atomic"

	bully "github.com/seed-fdf591db/bully/impl"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// own is the cluster's own election, of a node whose members change. It is a host as any other, and its members are those that the groups come to have.
type own struct {
	*host.Host
	node     *bully.Node // that has it, if that was opened from a folder
	shared   *shared
	first    spec.Configuration                 // of its record, as it was when this life began
	founded  spec.Configuration                 // what the cluster was founded with; none if that is not known here
	followed atomic.Pointer[spec.Configuration] // the members that all groups here have come to have
	leaves   atomic.Bool                        // no group has this node
	stop     context.CancelFunc
	ended    chan struct{} // closed when it has ended
	err      error         // why
}

// folderOfGroups is the folder of the groups in that of a record of changing members.
const folderOfGroups = "groups"

// checkChanging is checkMembers where members change.
func (c *Config) checkChanging() error {
	given := c.Record != nil
	switch {
	case given != (c.Storage != nil) || given != (c.Transport != nil):
		return errors.New("groups: Record, Storage and Transport: members change: give all three, or none and Dir")
	case given && !c.ID.Valid():
		return fmt.Errorf("groups: ID: %s is no node id: give that of the Record", c.ID)
	case !given && c.Dir == "":
		return errors.New("groups: Addresses are missing: give all nodes; or, if members are to come and go, Dir, the folder of a record that bully init or join has made")
	}
	if given {
		if _, ok := c.Transport.(carrier); !ok {
			return errNoCarrier
		}
	}
	for id, weight := range c.Weights {
		if err := checkWeight(id, weight); err != nil {
			return err
		}
	}
	for name := range c.Pins {
		if err := checkName(name); err != nil {
			return err
		}
	}
	return nil
}

// openOwn opens all that a node of changing members needs. What it has opened is to be closed by close, also after an error.
func (c *Config) openOwn() (o *own, opened *storage.Groups, err error) {
	o = &own{ended: make(chan struct{}), stop: func() {}}
	if c.Record != nil {
		h := host.Config{ID: c.ID, Storage: c.Record, Transport: c.Transport.(carrier)}
		if err = o.adapt(&h, c); err == nil {
			o.Host, err = host.New(h)
		}
		return o, nil, err
	}
	report, err := storage.Inspect(c.Dir)
	if err != nil {
		return o, nil, err
	}
	if report.Found && report.Problem == nil && report.Identity.ID.Valid() { // else the node says what is wrong
		if opened, err = storage.OpenGroups(filepath.Join(c.Dir, folderOfGroups), report.Identity.ID, nil); err != nil {
			return o, nil, err
		}
		c.Storage = opened
	}
	var wrong error
	of := bully.Config{Folder: c.Dir, Cluster: c.Cluster, Address: c.Address, TLS: c.TLS, Insecure: c.Insecure, Timing: c.Timing, Logger: c.Logger, HoldMemory: c.HoldMemory,
		Links: func(links *transport.Config) {
			links.Bundles, links.Listener = true, c.Listener
			if opened != nil {
				links.Saves = opened.Began()
			}
			if c.Links != nil {
				c.Links(links)
			}
		},
		Host: func(h *host.Config) { wrong = o.adapt(h, c) }}
	if !c.ID.IsNone() {
		of.ID = c.ID.String()
	}
	if o.node, err = bully.Open(of); err != nil {
		return o, opened, err
	}
	c.ID, o.Host = report.Identity.ID, o.node.Host
	return o, opened, wrong
}

// adapt makes the configuration of the own election one that shares the node's transport with the groups, and finds what the cluster was founded with.
func (o *own) adapt(h *host.Config, c *Config) error {
	promise, started, err := h.Storage.Load()
	if err != nil {
		return err
	}
	if promise.Configuration.IsNone() {
		return errors.New("groups: Record: its members are fixed: give Addresses, or make a record of changing members (storage.Init)")
	}
	o.first = promise.Configuration
	if err := o.findFounders(c.Storage, started); err != nil {
		return err
	}
	o.shared = share(h.Transport.(carrier), promise)
	h.Transport, c.Transport = &o.shared.own, &o.shared.groups
	h.Timing, h.Clock = c.Timing, c.Clock
	h.Logger, h.Guard = c.Logger, c.Guard
	h.Leaves = o.leaves.Load
	h.Follows = func(members spec.Configuration) bool {
		now := o.followed.Load()
		return now != nil && now.SameMembers(members)
	}
	if c.Host != nil {
		c.Host(h)
	}
	return nil
}

// founders is the number of what the cluster was founded with, among those of groups: that of the name which no group has.
var founders = number(nil)

// findFounders reads what the cluster was founded with; at the first start of a founding node, which has it in its record, it writes it down: members have changed by the next, and
// groups begin with it all the same.
func (o *own) findFounders(store Storage, started bool) error {
	kept, found := store.Load(founders)
	switch {
	case found && kept.First != 0:
		o.founded = kept.Promise.Configuration
		return nil
	case started || o.first.IsEmpty():
		return nil
	}
	o.founded = o.first
	return store.Save([]storage.GroupPromise{{Group: founders, First: digestOf(idsOf(o.first)), Promise: spec.Durable{Configuration: namesOf(o.first)}}})
}

// run runs the own election, until it ends.
func (o *own) run(tell func(error)) {
	ctx, stop := context.WithCancel(context.Background())
	o.stop = stop
	go func() {
		defer close(o.ended)
		if o.err = o.Run(ctx); o.err != nil {
			tell(o.err)
		}
	}()
}

// end ends it in good order, or at once when now is closed.
func (o *own) end(now <-chan struct{}) {
	o.stop()
	select {
	case <-o.ended:
	case <-now:
		_ = o.Host.Close()
		<-o.ended
	}
}

// close closes what openOwn has opened, of a node that does not run.
func (o *own) close() (err error) {
	switch {
	case o.node != nil:
		err = o.node.Close()
	case o.Host != nil:
		err = o.Host.Close()
	}
	if o.shared != nil {
		err = errors.Join(err, o.shared.own.Close(), o.shared.groups.Close())
	}
	return err
}

// sayFounders says that groups begin with nobody, unless they are told with whom.
func (o *own) sayFounders(log *slog.Logger) {
	if o.founded.IsNone() && !o.first.IsEmpty() {
		log.Warn("what the cluster was founded with is not known here, as this node had started before it had groups, or joined: a group begins with the members that are named as its first, and is else waited for")
	}
}
