// Package localcluster runs a cluster of real node processes on this machine, does to them what machines
// and networks do to nodes, and sees what they say of it. The demo, the benches and the tests of the command
// use it:
//
//	c, err := localcluster.New(localcluster.Config{Nodes: 5, Command: []string{"bully", "run", "-cluster", "demo"}})
//	...
//	defer c.Close()
//	err = c.Start()
//	reign, err := c.Agree(ctx, 0, 1, 2, 3, 4, 5)     // all five name one leader in an epoch above 0
//	killed, err := c.Kill(reign.Leader)              // kill -9
//	next, err := c.Agree(ctx, reign.Epoch, 1, 2, 3, 4)
//	fmt.Println(next.At.Sub(killed))
//
// It is not bound to one program: a node is any command that takes the flags -id, -members, -data and -http,
// and serves GET /events and GET /status as bully run does. So the same harness measures others. Nodes whose members come
// and go are told of -data, -listen and -http only: see Config.Changing.
//
// Nothing is left behind: nodes are killed by Close, and on Linux also when the process that made the cluster
// dies, however it dies.
package localcluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/trace"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// maxNodes is how many nodes a cluster has at most; a membership has no more (R40).
const maxNodes = 64

// Network says how the nodes of a cluster reach each other.
type Network int

const (
	// Direct is loopback as it is. Nothing can be cut.
	Direct Network = iota
	// Proxied is loopback, with a proxy for each directed pair of nodes, so that one direction of messages can be
	// cut alone. It needs no rights. A node that is dead refuses connections through a proxy too, one that is
	// cut off never does.
	Proxied
	// Namespaced gives each node a network of its own, with a router between them that can lose packets. It
	// needs root and iproute2 on Linux; see CanNamespace.
	Namespaced
)

// Config says what a cluster is made of.
type Config struct {
	Nodes   int                // how many, 1 to 64; their ids are 1 to Nodes
	Command []string           // the command line of a node, to which -id, -members, -data and -http are added
	Extra   func(int) []string // what is added to the command line of one node, after all else; none if nil
	// Changing says that members come and go: the nodes read from the records in their data folders who they are. Init and
	// Join make those. It cannot be Proxied.
	Changing bool
	Traces   bool   // let each node write a trace: -trace is added
	Inner    string // the program, as /proc calls it, that Command starts and faults are to befall: a guard's node; "" is Command itself
	Network  Network
	Dir      string           // holds the data, logs and traces of all nodes; "" is a temporary folder that Close removes
	Data     func(int) string // the data folder of a node; DIR/<id>/data if nil
}

// Cluster is a set of node processes. Its methods may be called from several goroutines, but for those that
// start or end the same node.
type Cluster struct {
	config    Config
	dir       string
	temporary bool
	nodes     []*node  // the node of id i is nodes[i-1]
	release   []func() // gives the addresses back
	proxies   map[Link]*proxy
	spaces    *namespaces
	watch     watch
	stop      context.CancelFunc
	ctx       context.Context
	stopping  time.Duration // how long a node may take to end after SIGTERM
	wait      sync.WaitGroup
	close     sync.Once
	closed    error
}

// New prepares a cluster. No node runs yet. Its error says what is wrong with the config, or what this machine
// lacks. The cluster must be closed.
func New(config Config) (*Cluster, error) {
	if config.Nodes < 1 || config.Nodes > maxNodes {
		return nil, fmt.Errorf("a cluster has 1 to %d nodes, not %d", maxNodes, config.Nodes)
	}
	if len(config.Command) == 0 {
		return nil, errors.New("the command line of a node is empty")
	}
	if config.Changing && config.Network == Proxied {
		return nil, errors.New("members that come and go have one address each: their links cannot be proxied")
	}
	c := &Cluster{config: config, dir: config.Dir, stopping: stopping, proxies: map[Link]*proxy{}}
	c.ctx, c.stop = context.WithCancel(context.Background())
	c.watch.view.Nodes = make([]NodeView, config.Nodes)
	c.watch.runs = make([]int, config.Nodes)
	if err := c.prepare(); err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// prepare makes the folders of the cluster, and finds an address for everybody.
func (c *Cluster) prepare() (err error) {
	if c.dir == "" {
		if c.dir, err = os.MkdirTemp("", "localcluster-"); err != nil {
			return err
		}
		c.temporary = true
	}
	for id := 1; id <= c.config.Nodes; id++ {
		n := &node{cluster: c, id: id, dir: filepath.Join(c.dir, strconv.Itoa(id))}
		n.data = filepath.Join(n.dir, "data")
		if c.config.Data != nil {
			n.data = c.config.Data(id)
		}
		c.nodes = append(c.nodes, n)
		if err = os.MkdirAll(n.dir, 0o755); err != nil {
			return err
		}
	}
	if c.config.Network == Namespaced {
		return c.prepareNamespaces()
	}
	for _, n := range c.nodes {
		if n.addr, err = c.reserve(); err != nil {
			return err
		}
		if n.http, err = c.reserve(); err != nil {
			return err
		}
	}
	if c.config.Network == Proxied {
		return c.prepareProxies()
	}
	return nil
}

// prepareNamespaces gives each node a network of its own.
func (c *Cluster) prepareNamespaces() (err error) {
	if c.spaces, err = newNamespaces(c.config.Nodes); err != nil {
		return err
	}
	for _, n := range c.nodes {
		n.addr = c.spaces.address(n.id) + ":7000"
		n.http = c.spaces.address(n.id) + ":8000"
	}
	return nil
}

// prepareProxies puts a proxy between each two nodes, in each direction.
func (c *Cluster) prepareProxies() error {
	for _, from := range c.nodes {
		for _, to := range c.nodes {
			if from == to {
				continue
			}
			addr, err := c.reserve()
			if err != nil {
				return err
			}
			c.proxies[Link{from.id, to.id}] = newProxy(c.ctx, &c.wait, addr, to.addr)
		}
	}
	return nil
}

// reserve keeps an address of loopback for this cluster, until it is closed.
func (c *Cluster) reserve() (string, error) {
	addr, release, err := Reserve()
	if err == nil {
		c.release = append(c.release, release)
	}
	return addr, err
}

// members returns the membership as node id is told it: the others are reached through its own proxies.
func (c *Cluster) members(id int) string {
	var all []string
	for _, n := range c.nodes {
		all = append(all, fmt.Sprintf("%d=%s", n.id, c.route(id, n.id)))
	}
	return strings.Join(all, ",")
}

// route returns the address at which one node reaches another.
func (c *Cluster) route(from, to int) string {
	if p := c.proxies[Link{from, to}]; p != nil {
		return p.addr
	}
	return c.nodes[to-1].addr
}

// IDs returns the ids of all nodes but those given, ascending.
func (c *Cluster) IDs(but ...int) []int {
	var ids []int
	for _, n := range c.nodes {
		if !slices.Contains(but, n.id) {
			ids = append(ids, n.id)
		}
	}
	return ids
}

// Dir returns the folder of the cluster.
func (c *Cluster) Dir() string { return c.dir }

// Data returns the data folder of a node.
func (c *Cluster) Data(id int) string { return c.nodes[id-1].data }

// Addr returns the address at which a node listens to the others.
func (c *Cluster) Addr(id int) string { return c.nodes[id-1].addr }

// HTTP returns the address at which a node serves HTTP.
func (c *Cluster) HTTP(id int) string { return c.nodes[id-1].http }

// TraceDir returns the folder to which all nodes write their traces.
func (c *Cluster) TraceDir() string { return filepath.Join(c.dir, "traces") }

// Log returns the end of what a node has printed, over all its starts.
func (c *Cluster) Log(id int) string {
	const most = 8 << 10
	text, _ := os.ReadFile(c.nodes[id-1].logFile())
	return string(text[max(0, len(text)-most):])
}

// Start starts the given nodes, one right after the other; all that do not run if none is given. It does not wait until
// they serve: Agree and Wait do. A node that runs is an error.
func (c *Cluster) Start(ids ...int) error {
	if len(ids) == 0 {
		for _, n := range c.nodes {
			if !n.running() {
				ids = append(ids, n.id)
			}
		}
	}
	for _, id := range ids {
		if err := c.nodes[id-1].start(); err != nil {
			return fmt.Errorf("start node %d: %w", id, err)
		}
	}
	return nil
}

// Close kills all nodes, waits for them, and removes what New and the nodes have made: a temporary folder,
// namespaces, addresses. It may be called again.
func (c *Cluster) Close() error {
	c.close.Do(func() {
		var errs []error
		for _, n := range c.nodes {
			n.destroy()
		}
		c.stop()
		c.wait.Wait()
		if c.spaces != nil {
			errs = append(errs, c.spaces.close())
		}
		for _, release := range c.release {
			release()
		}
		if c.temporary {
			errs = append(errs, os.RemoveAll(c.dir))
		}
		c.closed = errors.Join(errs...)
	})
	return c.closed
}

// Agree waits until all the given nodes name one leader, in an epoch above the one given, and if that leader is among them it says that
// it leads. All nodes that run must do so if none is given. It returns an error if ctx ends before.
func (c *Cluster) Agree(ctx context.Context, above uint64, ids ...int) (Reign, error) {
	return c.agreeBut(ctx, above, 0, ids...)
}

// agreeBut is Agree on a leader that is not a certain node, unless that is 0.
func (c *Cluster) agreeBut(ctx context.Context, above uint64, but int, ids ...int) (reign Reign, err error) {
	not := ""
	if but != 0 {
		not = fmt.Sprintf(" that is not %d,", but)
	}
	what := fmt.Sprintf("nodes %v name one leader%s in an epoch above %d", ids, not, above)
	err = c.Wait(ctx, what, func(v View) (ok bool) {
		reign, ok = v.Agreed(ids...)
		return ok && reign.Epoch > above && reign.Leader != but
	})
	return reign, err
}

// MergeTraces writes to out one trace of all that the nodes have done, over all their starts. The nodes must have
// stopped, and must have been told to write traces. An error means that they have done what the
// specification does not allow, or that their traces do not tell.
func (c *Cluster) MergeTraces(out io.Writer) (trace.Summary, error) {
	files, err := trace.Files(c.TraceDir())
	if err != nil {
		return trace.Summary{}, err
	}
	if len(files) == 0 {
		return trace.Summary{}, fmt.Errorf("no traces in %s: do the nodes write any?", c.TraceDir())
	}
	return trace.Merging{Step: bully.Replay}.Merge(out, files...)
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Init makes the records of the first members of a cluster whose members come and go, all of them voters. Their nodes must
// not run.
func (c *Cluster) Init(cluster string, first ...int) error {
	var members []spec.Member
	for _, id := range first {
		members = append(members, spec.Member{ID: nodeID(id), Kind: spec.Voter, Address: c.Addr(id)})
	}
	all, err := spec.NewConfiguration(0, 1, members)
	if err != nil {
		return err
	}
	for _, id := range first {
		who := storage.Identity{ID: nodeID(id), Cluster: cluster, Incarnation: storage.NewIncarnation()}
		if err := storage.Init(c.Data(id), who, all); err != nil {
			return err
		}
	}
	return nil
}

// Join makes the record of a node that is to be added to such a cluster, and returns it as the voter that it is to be.
func (c *Cluster) Join(cluster string, id int) (spec.Member, error) {
	who := storage.Identity{ID: nodeID(id), Cluster: cluster, Incarnation: storage.NewIncarnation()}
	if err := storage.Init(c.Data(id), who, spec.EmptyConfiguration()); err != nil {
		return spec.Member{}, err
	}
	return spec.Member{ID: who.ID, Kind: spec.Voter, Address: transport.JoinAddress(c.Addr(id), who.Incarnation)}, nil
}

func nodeID(id int) spec.NodeID { return spec.IntegerID(uint64(id)) }

// URLs returns where the HTTP servers of nodes are; of all that run if none is given.
func (c *Cluster) URLs(ids ...int) []string {
	var all []string
	for _, n := range c.nodes {
		if slices.Contains(ids, n.id) || len(ids) == 0 && n.running() {
			all = append(all, "http://"+n.http)
		}
	}
	return all
}

// Gap is a time in which no node led.
type Gap struct {
	From, To time.Time
	Old, New int // who led before, and after
}

// Took returns how long it was.
func (g Gap) Took() time.Duration { return g.To.Sub(g.From) }

// String returns g as a person would say it.
func (g Gap) String() string {
	return fmt.Sprintf("nobody led for %s between %d and %d", g.Took().Round(10*time.Microsecond), g.Old, g.New)
}

// Gaps returns the times in which no node said that it led, between the first that did and the last. A node that has gone
// leads no more when that was noticed.
func Gaps(events []Event) (all []Gap) {
	events = slices.Clone(events)
	sort.SliceStable(events, func(i, j int) bool { return events[i].At.Before(events[j].At) })
	leading := map[int]bool{}
	var gap Gap
	for _, e := range events {
		switch leads := e.Running && e.Leading; {
		case leads && len(leading) == 0 && gap.Old != 0:
			gap.To, gap.New = e.At, e.Node
			all = append(all, gap)
			leading[e.Node] = true
		case leads:
			leading[e.Node] = true
		case leading[e.Node]:
			delete(leading, e.Node)
			if len(leading) == 0 {
				gap = Gap{From: e.At, Old: e.Node}
			}
		}
	}
	return all
}
