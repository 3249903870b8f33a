package bully

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// Node is a node of a cluster. Besides Run and Close it has the methods of host.Host.
type Node struct {
	*host.Host
	store *storage.File
	links *transport.TCP
}

// Open opens the record and the links of a node, which does not run yet. An error says what is wrong, and nothing is left open then.
func Open(config Config) (*Node, error) {
	n := new(Node)
	if err := n.open(&config); err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return n, nil
}

// Run runs the node until ctx ends, or it fails: see host.Host.Run. Then the node is closed.
func (n *Node) Run(ctx context.Context) error { return errors.Join(n.Host.Run(ctx), n.Close()) }

// Close closes a node. It may be called again, and after Run.
func (n *Node) Close() error {
	var errs []error
	switch {
	case n.Host != nil:
		errs = append(errs, n.Host.Close()) // closes the links too
	case n.links != nil:
		errs = append(errs, n.links.Close())
	}
	if n.store != nil {
		errs = append(errs, n.store.Close())
		n.store = nil
	}
	return errors.Join(errs...)
}

// Links returns what the links of the node have counted.
func (n *Node) Links() *transport.TCP { return n.links }

// open opens all that a node needs, as far as it can.
func (n *Node) open(c *Config) (err error) {
	if c.Folder == "" {
		return errors.New("bully: Folder is missing: give the data folder of this node, as in /var/lib/jobs, which survives restarts")
	}
	var parts parts
	spoiled := spoiledIn(c.Folder) // as opening it writes the record anew
	switch {
	case c.Found != nil && len(c.Members) > 0:
		return errors.New("bully: Found: Members are given too: leave out one of the two")
	case c.Found != nil:
		err = parts.fixed(c, c.Found.Members)
	case len(c.Members) > 0:
		err = parts.fixed(c, c.Members)
	default:
		err = parts.changing(c)
	}
	n.store = parts.store
	if err != nil {
		return err
	}
	promise, _, err := n.store.Load()
	if err != nil {
		return err
	}
	var by []spec.NodeID
	if promise.Configuration.IsEmpty() { // it waits to be added
		if _, by, err = readAddress(c.Folder); err != nil {
			return err
		}
	}
	sayHowSaved(c, parts.id, spoiled)
	links := transport.Config{ID: parts.id, Cluster: parts.cluster, Members: parts.addresses, Changing: parts.place, TLS: c.TLS, Insecure: c.Insecure, HoldMemory: c.HoldMemory,
		Logger: c.Logger, Record: promise}
	if c.Found != nil {
		links.Resolver, links.NoProof = c.Found.by, true // a name may have the address of old for a while
		_, port, _ := net.SplitHostPort(links.Members[links.ID])
		links.Members[links.ID] = ":" + port // the name of this node may not be known to DNS yet
	}
	if c.Links != nil {
		c.Links(&links)
	}
	if n.links, err = transport.NewTCP(links); err != nil {
		return err
	}
	of := host.Config{ID: parts.id, Members: parts.members, Storage: n.store, Transport: n.links, Timing: c.Timing, Logger: c.Logger, Together: c.Found != nil,
		Guard: c.Guard, Progress: c.Progress, AddedBy: by}
	if c.Host != nil {
		c.Host(&of)
	}
	n.Host, err = host.New(of)
	return err
}

// spoiledIn returns how many sectors of a record are spoiled, though it is good.
func spoiledIn(folder string) int {
	if report, err := storage.Inspect(folder); err == nil && report.Problem == nil {
		return report.Spoiled
	}
	return 0
}

// sayHowSaved says once how the record of a node is written: a save takes several times as long where that is not in place. And that sectors
// of it were spoiled, if they were.
func sayHowSaved(c *Config, id spec.NodeID, spoiled int) {
	if c.Logger == nil {
		return
	}
	if spoiled > 0 {
		c.Logger.Warn("sectors of the record were spoiled, and are written anew: unless the machine has lost its power, look after the disk", "node", id.String(),
			"path", c.Folder, "sectors", spoiled)
	}
	if report, err := storage.Inspect(c.Folder); err == nil {
		c.Logger.Info("record", "node", id.String(), "path", report.Path, "saved", report.Saves)
	}
}

// parts are what a configuration comes to.
type parts struct {
	store     *storage.File
	id        spec.NodeID
	cluster   string
	members   []spec.NodeID          // nil if they come and go
	addresses map[spec.NodeID]string // the same
	place     *transport.Changing    // nil if members are fixed
}

// fixed opens the record of a node whose members are fixed.
func (p *parts) fixed(c *Config, members map[string]string) (err error) {
	if p.id, err = spec.ParseNodeID(c.ID); err != nil {
		return fmt.Errorf("bully: ID: %w", err)
	}
	p.cluster, p.addresses = c.Cluster, map[spec.NodeID]string{}
	for text, address := range members {
		id, err := spec.ParseNodeID(text)
		if err != nil {
			return fmt.Errorf("bully: Members: %w", err)
		}
		p.addresses[id] = address
	}
	p.members = ascending(p.addresses)
	if _, member := p.addresses[p.id]; !member {
		return fmt.Errorf("bully: ID: node %s is not one of Members, which are %s", p.id, p.members)
	}
	p.store, err = storage.Open(c.Folder, p.id, p.members)
	return err
}

// changing opens the record of a node whose members come and go.
func (p *parts) changing(c *Config) (err error) {
	if p.store, err = storage.OpenChanging(c.Folder); err != nil {
		return err
	}
	who := p.store.Identity()
	switch {
	case c.ID != "" && c.ID != who.ID.String():
		return fmt.Errorf("bully: ID: the record in %s is that of node %s, not of %s", c.Folder, who.ID, c.ID)
	case c.Cluster != "" && c.Cluster != who.Cluster:
		return fmt.Errorf("bully: Cluster: the record in %s is of cluster %s, not of %s", c.Folder, who.Cluster, c.Cluster)
	}
	address := c.Address
	if address == "" {
		if address, err = ListensAt(c.Folder); err != nil {
			return err
		}
	}
	if address == "" {
		return fmt.Errorf("bully: Address is missing: nothing in %s says where this node listens", c.Folder)
	}
	p.id, p.cluster, p.place = who.ID, who.Cluster, &transport.Changing{Incarnation: who.Incarnation, Address: address}
	return nil
}
