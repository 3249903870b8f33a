package groups

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// Config says which node this is, of which cluster. Where members are fixed ID and Addresses must be given, and Cluster and Dir, unless Storage and Transport are. Where they
// change Dir is enough: its record says the rest. The zero value of every other field is its default.
type Config struct {
	// ID is this node, one of Addresses. A node keeps it for life (R1). Where members change it may be left out.
	ID spec.NodeID
	// Addresses are where all nodes listen, host:port, this node's included: the same at every node. They are the members of every group, and do not
	// change (R40): a node whose record is of others does not open. Where a member listens may change, as all nodes are started again.
	//
	// Without any, members come and go: who they are is said by the cluster's own election (Groups.Own), whose record is in Dir, made by storage.Init, or bully init and join. See doc, Members that change.
	Addresses map[spec.NodeID]string
	// First returns who the first members of a group are, the same at every node (R49), where members change; or nil, for those that the cluster was founded with. It is asked
	// when the group is added, and matters where nothing is kept of it: a group that is added after founders have gone needs others. Default: always the founders.
	First func(group string) []spec.NodeID
	// Cluster is the name of the cluster, the same at every node. See transport.Config.
	Cluster string
	// Dir is the folder in which the node keeps what it promises, in all groups. See storage.OpenGroups. Where members change it is that of the record, and groups have a folder in it.
	Dir string
	// Address is where this node listens, where members change. Default: what its record says, or what bully init and join have kept.
	Address string
	// TLS has the certificate of this node; Insecure lets links be plain beyond this host. See transport.Config.
	TLS      *tls.Config
	Insecure bool
	// HoldMemory has the address of this process refuse as soon as it dies, however much memory it has. See transport.Config.
	HoldMemory bool
	// Listener accepts the connections of the others. Default: this node's address is listened on. Open takes it over.
	Listener net.Listener
	// Weights and Pins say who is to lead what: see Placement. They should be the same at every node.
	Weights map[spec.NodeID]int
	Pins    map[string]spec.NodeID
	// Timing must be the same at every node. The zero Timing means host.LAN.
	Timing host.Timing
	// Progress is how long the work of a group may report no progress (Reign.Progress). Then that group, and no other, gets another leader. Default: for ever.
	Progress time.Duration
	// Overrun, if given, is called when work has not returned by the deadline of its reign: see host.Config. It must not block.
	Overrun func(group string, r Reign)
	// Guard is told that the loop goes round, as by a host, and so does that of the cluster's own election: see host.FindGuard. It kills a node one of whose loops hangs, in all groups.
	// Default: nobody is.
	Guard *host.Guard
	// Preemptions are in how many groups at once this node, when it comes back, stands against those who lead in its stead. From 1; default 64.
	Preemptions int

	// Storage keeps the promises. Default: storage.OpenGroups of Dir. The node closes it if it has opened it.
	Storage Storage
	// Record keeps the promise of the cluster's own election, where members change. Default: that in Dir. The node closes it if it has opened it.
	Record host.Storage
	// Transport carries the bundles, and where members change what the cluster's own election says too: then it is a host.ChangingTransport as well. The node closes it.
	// Default: transport.NewTCP, of Cluster and Addresses, or of the record in Dir.
	Transport Transport
	// Links and Host, if given, change the parts before they are made: the default Transport, and the cluster's own election.
	Links func(*transport.Config)
	Host  func(*host.Config)
	// Clock tells the time. Default: host.KernelClock.
	Clock host.Clock
	// Rand jitters how long nodes wait after attempts that failed. Default: a random seed.
	Rand *rand.Rand
	// Trace returns what records the steps of this node in a group, as host.Config.Trace does those in one election, or nil where none are: it is asked when the group is added. Each group
	// has a trace of its own. A trace.Recorder is told too when the node stops, or rests in the group (Stopped). Record is called by the loop of all groups, and is to be quick. Where members are fixed, a node is known in a trace by
	// its rank in the group: that of the highest is how many members there are. Default: none is recorded.
	Trace func(group string) host.Trace
	// Logger is told of groups that get no leader by themselves, and why the node stops. It is not told of each reign: watch. Default: nobody is told.
	Logger *slog.Logger
}

// Storage keeps the promises of a node in many groups. An error of Save or Forget is final. storage.Groups is one.
type Storage interface {
	// Load returns the promise of a group, and false if it has never been there. See storage.Groups.
	Load(group uint64) (promise storage.GroupPromise, found bool)
	// Save makes a batch durable before it returns nil.
	Save(batch []storage.GroupPromise) error
	// Forget frees the place of groups.
	Forget(groups []uint64) error
	// Number returns the number of the last save.
	Number() uint64
}

// Transport carries bundles to other nodes, and tells what has come: transport.TCP with Bundles does, and transport.Endpoint.
type Transport interface {
	SendBundle(to spec.NodeID, saves uint64, bundle []byte)
	Wake() <-chan struct{}
	Next() (transport.Event, bool)
	Close() error
}

var (
	_ Storage   = (*storage.Groups)(nil)
	_ Transport = (*transport.TCP)(nil)
	_ Transport = (*transport.Endpoint)(nil)
)

var (
	// ErrClosed says that the node has been closed, or that the group was removed.
	ErrClosed = errors.New("groups: closed")
	// ErrStopped says that the node has stopped for good, because promises could not be saved (R4), or its disk is lost (R32). What wraps it says why.
	ErrStopped = errors.New("groups: stopped for good")
	// ErrNotLeader is the cause for which the context of work ends when its reign does.
	ErrNotLeader = errors.New("groups: the reign is over")
	// ErrNoProgress is the cause for which it ends when the work has reported no progress for Config.Progress. It is an ErrNotLeader.
	ErrNoProgress = fmt.Errorf("%w: its work has reported no progress", ErrNotLeader)
)

const defaultPreemptions = 64

// withDefaults returns the configuration with nothing left to be filled in but Storage and Transport.
func (c Config) withDefaults() (Config, error) {
	if err := c.checkMembers(); err != nil {
		return c, err
	}
	if c.Timing == (host.Timing{}) {
		c.Timing = host.LAN()
	}
	if err := c.Timing.Validate(); err != nil {
		return c, fmt.Errorf("groups: %w", err)
	}
	if c.Progress < 0 || c.Progress > policy.MaxTiming {
		return c, fmt.Errorf("groups: Progress is %v: give how long work may report nothing, up to %v; or 0, if it need not report", c.Progress, policy.MaxTiming)
	}
	if c.Preemptions < 0 {
		return c, fmt.Errorf("groups: Preemptions is %d: give 1 or more", c.Preemptions)
	}
	if c.Preemptions == 0 {
		c.Preemptions = defaultPreemptions
	}
	if c.Clock == nil {
		c.Clock = host.KernelClock{}
	}
	if c.Rand == nil {
		c.Rand = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

// changing reports whether members come and go.
func (c *Config) changing() bool { return len(c.Addresses) == 0 }

// checkMembers returns what is wrong with what says who the members are, and what they are to lead.
func (c *Config) checkMembers() error {
	if c.changing() {
		return c.checkChanging()
	}
	if _, member := c.Addresses[c.ID]; !member {
		return fmt.Errorf("groups: Addresses: node %s itself is missing", c.ID)
	}
	if c.First != nil || c.Record != nil || c.Address != "" {
		return errors.New("groups: First, Record and Address are for members that change: leave them out, or Addresses")
	}
	return c.placement(slices.Collect(maps.Keys(c.Addresses))).Validate()
}

// placement returns who is to lead what, of such members. Weights of others are left out: they may come to be members.
func (c *Config) placement(members []spec.NodeID) Placement {
	slices.SortFunc(members, spec.NodeID.Compare)
	weights := maps.Clone(c.Weights)
	if weights == nil {
		weights = map[spec.NodeID]int{}
	}
	for _, id := range members {
		if _, given := weights[id]; !given {
			weights[id] = 1
		}
	}
	pins := c.Pins
	if c.changing() {
		other := func(id spec.NodeID) bool { return !slices.Contains(members, id) }
		maps.DeleteFunc(weights, func(id spec.NodeID, _ int) bool { return other(id) })
		pins = maps.Clone(pins)
		maps.DeleteFunc(pins, func(_ string, id spec.NodeID) bool { return other(id) })
	}
	return Placement{Members: members, Weights: weights, Pins: pins}
}

// open opens the storage and the transport, where they are not given.
func (c *Config) open() (opened *storage.Groups, err error) {
	var saves uint64
	if c.Storage == nil {
		if c.Dir == "" {
			return nil, errors.New("groups: Dir is missing: give the data folder of this node, as in /var/lib/orders, which survives restarts")
		}
		if opened, err = storage.OpenGroups(c.Dir, c.ID, slices.Collect(maps.Keys(c.Addresses))); err != nil {
			return nil, wrongMembers(err)
		}
		c.Storage, saves = opened, opened.Began()
	}
	if c.Transport == nil {
		links := transport.Config{ID: c.ID, Cluster: c.Cluster, Members: c.Addresses, Saves: saves, TLS: c.TLS, Insecure: c.Insecure, HoldMemory: c.HoldMemory,
			Listener: c.Listener, Logger: c.Logger, Bundles: true}
		if c.Links != nil {
			c.Links(&links)
		}
		c.Transport, err = transport.NewTCP(links)
		if err != nil && opened != nil {
			err = errors.Join(err, opened.Close())
		}
	}
	return opened, err
}

// wrongMembers says what is to be done when a record is of other members.
func wrongMembers(err error) error {
	if bad, ok := errors.AsType[*storage.RecordError](err); ok && bad.Kind == storage.WrongMembers {
		return fmt.Errorf("groups: the members of all groups are those that the cluster began with: give these Addresses, or begin another cluster, of another name and in another folder, whose epochs begin anew: %w", err)
	}
	return err
}
