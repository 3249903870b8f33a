package groups_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/history"
	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// A disk keeps promises over the lives of a node, and takes its time.
type disk struct {
	mu    sync.Mutex
	kept  map[uint64]storage.GroupPromise
	floor spec.Durable
	saves uint64
	slow  time.Duration // of each save
	fails bool
	begun func() // called as a save begins, or nil
}

// begins has a function called as each save begins.
func (d *disk) begins(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.begun = f
}

// takes makes each save take so long from now on.
func (d *disk) takes(long time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.slow = long
}

func (d *disk) Load(group uint64) (storage.GroupPromise, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p, found := d.kept[group]; found {
		return p, true
	}
	return storage.GroupPromise{Group: group, Promise: d.floor}, d.floor != spec.Durable{}
}

var errDisk = errors.New("the disk is full")

func (d *disk) Save(batch []storage.GroupPromise) error {
	d.mu.Lock()
	slow, begun := d.slow, d.begun
	d.mu.Unlock()
	if begun != nil {
		begun()
	}
	time.Sleep(slow)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fails {
		return errDisk
	}
	for _, p := range batch {
		if was := d.kept[p.Group].Promise; p.Promise.Epoch < was.Epoch || p.Promise.Reserved < was.Reserved ||
			p.Promise.Epoch == was.Epoch && !was.Grantee.IsNone() && p.Promise.Grantee != was.Grantee || was.Configuration.Newer(p.Promise.Configuration) {
			panic(fmt.Sprintf("%v after %v", p.Promise, was))
		}
		d.kept[p.Group] = p
	}
	d.saves++
	return nil
}

func (d *disk) Forget(keys []uint64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, key := range keys {
		if p := d.kept[key].Promise; p != (spec.Durable{}) && p.Configuration.Version <= 1 {
			d.floor.Epoch, d.floor.Reserved = max(d.floor.Epoch, p.Epoch+1), max(d.floor.Reserved, p.Reserved)
			delete(d.kept, key)
		}
	}
	d.saves++
	return nil
}

func (d *disk) Number() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.saves
}

// A cluster is nodes on a simulated network, in virtual time.
type cluster struct {
	t       *testing.T
	network *transport.Network
	ids     []spec.NodeID
	disks   map[spec.NodeID]*disk
	nodes   map[spec.NodeID]*groups.Groups
	ends    map[spec.NodeID]*transport.Endpoint
	config  func(*groups.Config)
	fences  fences
	traced  *traced // or nil

	deaths  map[spec.NodeID]chan struct{}   // closed when a node is killed, or closed
	records map[spec.NodeID]*storage.Memory // where members change; else nil
	founded spec.Configuration              // with whom the cluster was
}

func newCluster(t *testing.T, n int, config func(*groups.Config)) *cluster {
	c := &cluster{t: t, ids: ids(n), deaths: map[spec.NodeID]chan struct{}{}, disks: map[spec.NodeID]*disk{}, nodes: map[spec.NodeID]*groups.Groups{}, ends: map[spec.NodeID]*transport.Endpoint{}, config: config,
		fences: fences{began: time.Now(), ops: map[string][]history.Op{}, epochs: map[string]spec.Epoch{}, leads: map[string]map[spec.Epoch]spec.NodeID{}}}
	c.network = transport.NewNetwork(func(_, _ spec.NodeID) time.Duration { return time.Millisecond })
	for _, id := range c.ids {
		c.disks[id] = &disk{kept: map[uint64]storage.GroupPromise{}, slow: time.Millisecond}
		c.start(id)
	}
	t.Cleanup(c.close)
	return c
}

// newLed returns a cluster of three in which work would lead all groups everywhere, and does where it is to.
func newLed(ctx context.Context, t *testing.T, all []string) *cluster {
	return newCluster(t, 3, nil).led(ctx, 10*time.Second, all)
}

// led has work lead all groups everywhere, waits until it does where it is to, and returns the cluster.
func (c *cluster) led(ctx context.Context, within time.Duration, all []string) *cluster {
	for _, id := range c.ids {
		c.lead(ctx, id, all...)
	}
	c.awaitLeaders(within, c.wanted(all))
	return c
}

func (c *cluster) close() {
	for id := range c.nodes {
		c.stop(id)
	}
}

func (c *cluster) start(id spec.NodeID) *groups.Groups {
	config := groups.Config{ID: id, Storage: c.disks[id], Clock: host.SystemClock{}, Rand: rand.New(rand.NewPCG(1, uint64(id[15])))}
	if c.records != nil {
		c.ends[id] = c.network.JoinChanging(id, uint64(id[15]))
		config.Record = c.records[id]
		config.Host = func(h *host.Config) {
			if h.Rand = rand.New(rand.NewPCG(2, uint64(id[15]))); c.traced != nil {
				h.Trace = c.traced.of(id, own)
			}
		}
	} else {
		c.ends[id] = c.network.Join(id)
		config.Addresses = map[spec.NodeID]string{}
		for _, member := range c.ids {
			config.Addresses[member] = "of node " + member.String()
		}
	}
	config.Transport = c.ends[id]
	if c.traced != nil {
		config.Trace = func(group string) host.Trace { return c.traced.of(id, group) }
	}
	if c.config != nil {
		c.config(&config)
	}
	node, err := groups.Open(config)
	require.NoError(c.t, err)
	c.nodes[id], c.deaths[id] = node, make(chan struct{})
	return node
}

// kill ends a node as a crash does: nothing of it leaves any more.
func (c *cluster) kill(id spec.NodeID) {
	c.network.Kill(id)
	c.stop(id)
}

func (c *cluster) stop(id spec.NodeID) {
	close(c.deaths[id])
	_ = c.nodes[id].Close()
	c.ended(id)
}

// ended takes note that a node has.
func (c *cluster) ended(id spec.NodeID) {
	delete(c.nodes, id)
	if c.traced != nil && c.records != nil {
		_ = c.traced.of(id, own).(*record).Stopped()
	}
}

// lead has every node lead groups, and write to their resources while it does. Of each other node a program does that which was told the deadline, and writes until then
// whatever it hears, unless its node is killed.
func (c *cluster) lead(ctx context.Context, id spec.NodeID, all ...string) {
	node, dies := c.nodes[id], c.deaths[id]
	require.NoError(c.t, node.Add(ctx, all...))
	for _, name := range all {
		go func() {
			_ = node.Lead(ctx, name, func(ctx context.Context, r groups.Reign) error {
				var lease time.Time
				for ctx.Err() == nil {
					r.Progress()
					if deadline := r.Deadline(); r.Valid() {
						lease = deadline
						c.fences.write(c.t, name, id, r.Epoch())
					}
					select {
					case <-ctx.Done():
					case <-time.After(20 * time.Millisecond):
					}
				}
				for slow := id[15]%2 == 0 && !errors.Is(context.Cause(ctx), groups.ErrClosed); slow && time.Now().Before(lease); {
					c.fences.write(c.t, name, id, r.Epoch())
					select {
					case <-dies:
						return nil
					case <-time.After(5 * time.Millisecond):
					}
				}
				return nil
			})
		}()
	}
}

// fences see who writes in which epoch. No node should be acting, by its own clock, in an epoch below one that has been written in: all clocks are the same here.
type fences struct {
	mu     sync.Mutex
	began  time.Time
	epochs map[string]spec.Epoch
	leads  map[string]map[spec.Epoch]spec.NodeID
	writes int
	ops    map[string][]history.Op // of each group
}

func (f *fences) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.writes
}

// check has porcupine look at the resource of each group.
func (f *fences) check(t *testing.T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, ops := range f.ops {
		report, err := history.Check(history.Header{Source: "a simulation of many groups", Commit: "unknown"}, ops, history.Options{})
		require.NoError(t, err)
		require.NoError(t, report.Err(), name)
		require.Equal(t, history.Linearizable, report.Verdict())
	}
}

func (f *fences) write(t *testing.T, name string, id spec.NodeID, e spec.Epoch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writes++
	now := int64(time.Since(f.began))
	op := history.Op{Client: id.String(), Kind: history.WriteOp, Epoch: e, Resource: name, Value: uint64(f.writes), Outcome: history.Done, Call: now, Return: now}
	if e < f.epochs[name] {
		op.Outcome, op.Admitted = history.Fenced, f.epochs[name]
	}
	f.ops[name] = append(f.ops[name], op)
	if e < f.epochs[name] {
		t.Errorf("OneActing: node %v acts in epoch %d of %s, and another has in %d", id, e, name, f.epochs[name])
	}
	f.epochs[name] = max(e, f.epochs[name])
	if f.leads[name] == nil {
		f.leads[name] = map[spec.Epoch]spec.NodeID{}
	}
	if was, led := f.leads[name][e]; led && was != id {
		t.Errorf("OneLeaderPerEpoch: nodes %v and %v lead %s in epoch %d", was, id, name, e)
	}
	f.leads[name][e] = id
}

// leaders returns who leads each group, as all nodes say that run, but for some; none where they do not say the same.
func (c *cluster) leaders(but ...spec.NodeID) map[string]spec.NodeID {
	led := map[string]spec.NodeID{}
	first := true
	for id, node := range c.nodes {
		if len(but) > 0 && id == but[0] {
			continue
		}
		for _, one := range node.Status().Groups {
			if was, there := led[one.Name]; !first && (!there || was != one.Leader) {
				led[one.Name] = spec.NodeID{}
			} else {
				led[one.Name] = one.Leader
			}
		}
		first = false
	}
	return led
}

// wanted returns who is to lead each group while some nodes are down.
func (c *cluster) wanted(all []string, down ...spec.NodeID) map[string]spec.NodeID {
	wanted := map[string]spec.NodeID{}
	for id, names := range (groups.Placement{Members: c.ids}).Plan(all, down...) {
		for _, name := range names {
			wanted[name] = id
		}
	}
	return wanted
}

// awaits waits in virtual time until something is so, and returns how long that took.
func (c *cluster) awaits(most time.Duration, is func() bool) time.Duration {
	began := time.Now()
	for !is() {
		if time.Since(began) > most {
			require.FailNow(c.t, "it does not come to be so", "%v: %v%s", most, c.leaders(), c.tells())
		}
		time.Sleep(time.Millisecond)
	}
	return time.Since(began)
}

// tells returns what each node says of the groups that are not as all others, where members change.
func (c *cluster) tells() (text string) {
	if c.records == nil {
		return ""
	}
	for id, node := range c.nodes {
		s := node.Status()
		text += fmt.Sprintf("\nnode %v: up %v, dead %v, own %s: %v, %+v", id, s.Up, s.Dead, node.Own.Status().Role, node.Own.Members(), s.Counters)
		for i, one := range s.Groups {
			if i < 3 || one.Problem != "" {
				text += fmt.Sprintf("\n    %+v", one)
			}
		}
	}
	return text
}

func (c *cluster) awaitLeaders(most time.Duration, wanted map[string]spec.NodeID, but ...spec.NodeID) time.Duration {
	return c.awaits(most, func() bool {
		led := c.leaders(but...)
		for name, id := range wanted {
			if led[name] != id {
				return false
			}
		}
		return true
	})
}

// virtually runs a test in virtual time, with a context that ends with it.
func virtually(t *testing.T, run func(t *testing.T, ctx context.Context)) {
	bubbletest.Run(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		t.Cleanup(func() {
			cancel()
			synctest.Wait()
		})
		run(t, ctx)
	})
}

// virtuallyOf is virtually for a test that draws from a seed: a failure states it.
func virtuallyOf(t *testing.T, seed uint64, run func(t *testing.T, ctx context.Context)) {
	virtually(t, func(t *testing.T, ctx context.Context) {
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("seed %d", seed)
			}
		})
		run(t, ctx)
	})
}
