package resourcelock

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/klog/v2"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ms = time.Millisecond

// A cluster is nodes in virtual time, each with a lock and an elector of client-go, and a watch on how many act.
type cluster struct {
	t       *testing.T
	members []spec.NodeID
	network *transport.Network
	config  Config
	timing  host.Timing
	keeps   bool // electors let go of nothing

	mu       sync.Mutex
	disks    map[spec.NodeID]*storage.Memory
	running  map[int]*member // those that run
	acting   map[int]bool
	acts     []string // who began to act, in order, with the epoch
	problems []string
}

// A member is a node with its lock and its elector.
type member struct {
	*host.Host
	i              int
	lock           *Lock
	elector        *leaderelection.LeaderElector
	stopNode, stop context.CancelFunc
	nodeEnded      chan error
	electorEnded   chan struct{}
	mu             sync.Mutex
	now            seen
}

// seen is what the elector of a member has called.
type seen struct {
	started, stopped  int
	leaders           []string
	startedAt, stopAt time.Time
}

// seen returns it as it is now.
func (m *member) seen() seen {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now
	now.leaders = slices.Clone(now.leaders)
	return now
}

// bubble runs a test on a cluster of n.
func bubble(t *testing.T, n int, f func(t *testing.T, c *cluster)) {
	t.Helper()
	bubbletest.Run(t, func(t *testing.T) {
		c := &cluster{t: t, timing: host.LAN(), disks: map[spec.NodeID]*storage.Memory{}, running: map[int]*member{}, acting: map[int]bool{}}
		noise := rand.New(rand.NewPCG(81, 0))
		var dice sync.Mutex
		c.network = transport.NewNetwork(func(_, _ spec.NodeID) time.Duration {
			dice.Lock()
			defer dice.Unlock()
			return 50*time.Microsecond + time.Duration(noise.Int64N(int64(50*time.Microsecond)))
		})
		for i := range n {
			c.members = append(c.members, spec.IntegerID(uint64(i+1)))
		}
		defer c.end()
		f(t, c)
	})
}

func (c *cluster) end() {
	for _, m := range c.running {
		m.stop()
		m.stopNode()
	}
	for _, m := range c.running {
		<-m.electorEnded
		require.NoError(c.t, <-m.nodeEnded)
	}
	time.Sleep(c.timing.Reign) // a lock may look at its reign until then
	require.Empty(c.t, c.problems, "no promise may be broken")
}

func id(i int) spec.NodeID { return spec.IntegerID(uint64(i)) }

// start starts nodes, each with a lock and an elector.
func (c *cluster) start(nodes ...int) {
	c.t.Helper()
	for _, i := range nodes {
		disk := c.disks[id(i)]
		if disk == nil {
			disk = storage.NewMemory()
		} else {
			disk = disk.Restart()
		}
		c.disks[id(i)] = disk
		node, err := host.New(host.Config{ID: id(i), Members: c.members, Storage: disk, Transport: c.network.Join(id(i)), Timing: c.timing})
		require.NoError(c.t, err)
		m := &member{Host: node, i: i, nodeEnded: make(chan error, 1)}
		m.lock, err = New(node, c.config)
		require.NoError(c.t, err)
		ctx, stopNode := context.WithCancel(c.t.Context())
		m.stopNode = stopNode
		go func() { m.nodeEnded <- node.Run(ctx) }()
		c.elect(m)
		c.running[i] = m
	}
}

// elect runs the elector of a member.
func (c *cluster) elect(m *member) {
	config := m.lock.Elector(leaderelection.LeaderCallbacks{
		OnStartedLeading: func(ctx context.Context) { c.act(ctx, m) },
		OnStoppedLeading: func() {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.now.stopped++
		},
		OnNewLeader: func(leader string) {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.now.leaders = append(m.now.leaders, leader)
		},
	})
	config.ReleaseOnCancel = !c.keeps
	var err error
	m.elector, err = leaderelection.NewLeaderElector(config)
	require.NoError(c.t, err)
	ctx, stop := context.WithCancel(klog.NewContext(c.t.Context(), klog.Logger{}))
	m.stop = stop
	ended := make(chan struct{})
	m.electorEnded = ended
	go func(e *leaderelection.LeaderElector) {
		e.Run(ctx)
		close(ended)
	}(m.elector)
}

// act is what is to be done by one at a time.
func (c *cluster) act(ctx context.Context, m *member) {
	c.mu.Lock()
	for other := range c.acting {
		c.problems = append(c.problems, fmt.Sprintf("OneActing: node %d acts in epoch %d at %v, and node %d still acts",
			m.i, m.lock.Reign().Epoch(), time.Now().Format("05.000"), other))
	}
	c.acting[m.i] = true
	c.acts = append(c.acts, fmt.Sprintf("%d in %d", m.i, m.lock.Reign().Epoch()))
	c.mu.Unlock()
	m.mu.Lock()
	m.now.started++
	m.now.startedAt = time.Now()
	m.mu.Unlock()
	<-ctx.Done()
	c.mu.Lock()
	delete(c.acting, m.i)
	c.mu.Unlock()
	m.mu.Lock()
	m.now.stopAt = time.Now()
	m.mu.Unlock()
}

// kill ends a node as a crash does: all that acts there stops.
func (c *cluster) kill(i int) {
	m := c.running[i]
	delete(c.running, i)
	c.network.Kill(id(i))
	m.stop()
	require.NoError(c.t, m.Close())
	<-m.nodeEnded
	<-m.electorEnded
}

// whoActs returns who does, or 0.
func (c *cluster) whoActs() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.acting {
		return i
	}
	return 0
}

// begun returns who began to act, in order.
func (c *cluster) begun() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.acts)
}

// await waits until a condition holds, at most for so long, and returns how long that took.
func (c *cluster) await(most time.Duration, what string, f func() bool) time.Duration {
	c.t.Helper()
	began := time.Now()
	for synctest.Wait(); !f(); synctest.Wait() { // all others stand still while it is looked
		require.LessOrEqual(c.t, time.Since(began), most, "%s: %v acts, of %v", what, c.whoActs(), c.begun())
		time.Sleep(ms)
	}
	return time.Since(began)
}

func (c *cluster) awaitActs(most time.Duration, i int) time.Duration {
	c.t.Helper()
	return c.await(most, fmt.Sprintf("node %d acts", i), func() bool { return c.whoActs() == i })
}

// divide cuts the links between a node and all others.
func (c *cluster) divide(i int) {
	for _, other := range c.members {
		if other != id(i) {
			c.network.Cut(id(i), other)
			c.network.Cut(other, id(i))
		}
	}
}

// unite heals all links.
func (c *cluster) unite() {
	for _, one := range c.members {
		for _, other := range c.members {
			if one != other {
				c.network.Heal(one, other)
			}
		}
	}
}
