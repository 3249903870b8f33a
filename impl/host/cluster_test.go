package host

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// verbose logs every step.
var verbose = os.Getenv("HOST_TEST_STEPS") != ""

const ms = time.Millisecond

// A cluster is hosts in one bubble of virtual time, over a network in memory, whose promises are watched all the time.
type cluster struct {
	t       *testing.T
	members []spec.NodeID
	first   spec.Configuration // of a cluster whose members come and go, with which it begins; none if they are fixed
	network *transport.Network
	timing  Timing
	seed    uint64
	rand    *rand.Rand // the test's own

	dice  sync.Mutex // guards what follows
	noise *rand.Rand
	lossy float64 // the part of messages that is lost
	delay time.Duration

	mu       sync.Mutex
	disks    map[spec.NodeID]*storage.Memory
	hosts    map[spec.NodeID]*member       // those that run
	hung     map[spec.NodeID]*member       // those that are stopped
	held     map[spec.NodeID]chan struct{} // until then they cannot write their trace
	full     map[spec.NodeID]bool          // those whose disk fails
	slow     map[spec.NodeID]time.Duration // how long a disk takes
	noProof  bool                          // nobody is told Dead
	phi      bool                          // detectors learn
	promises func(*spec.Event) string
	epochs   map[spec.NodeID]spec.Epoch
	sent     map[spec.MessageType]int
	problems []string // promises broken
	save     time.Duration
	over     chan struct{}
}

// A member is a host that runs.
type member struct {
	*Host
	id     spec.NodeID
	cancel context.CancelFunc
	ended  chan error
	clock  *gate
	lease  lease
}

// bubble runs a test on a cluster of n in virtual time, and checks the promises.
func bubble(t *testing.T, n int, f func(t *testing.T, c *cluster)) {
	bubbleWith(t, n, 81, f)
}

func bubbleWith(t *testing.T, n int, seed uint64, f func(t *testing.T, c *cluster)) {
	t.Helper()
	bubbletest.Run(t, func(t *testing.T) {
		c := newCluster(t, n, seed)
		defer c.stop()
		f(t, c)
	})
}

func newCluster(t *testing.T, n int, seed uint64) *cluster {
	c := &cluster{
		t: t, timing: LAN(), seed: seed, rand: rand.New(rand.NewPCG(seed, 0)), noise: rand.New(rand.NewPCG(seed, 1)), over: make(chan struct{}),
		disks: map[spec.NodeID]*storage.Memory{}, hosts: map[spec.NodeID]*member{}, hung: map[spec.NodeID]*member{}, held: map[spec.NodeID]chan struct{}{},
		full: map[spec.NodeID]bool{}, slow: map[spec.NodeID]time.Duration{},
		epochs: map[spec.NodeID]spec.Epoch{}, sent: map[spec.MessageType]int{}, delay: 100 * time.Microsecond, save: 500 * time.Microsecond,
	}
	for i := range n {
		c.members = append(c.members, spec.IntegerID(uint64(i+1)))
	}
	c.promises = Promises(c.members)
	c.network = transport.NewNetwork(func(from, to spec.NodeID) time.Duration {
		c.dice.Lock()
		defer c.dice.Unlock()
		if c.noise.Float64() < c.lossy {
			return -1
		}
		return c.delay/2 + time.Duration(c.noise.Int64N(int64(c.delay)/2+1))
	})
	go c.sample()
	return c
}

// setSave says how long a disk takes from now on, at least.
func (c *cluster) setSave(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.save = d
}

// id returns the id of node i.
func id(i int) spec.NodeID { return spec.IntegerID(uint64(i)) }

// config is that of a node, for a test to change before it is given to startWith.
func (c *cluster) config(node spec.NodeID) Config {
	c.mu.Lock()
	disk := c.disks[node]
	if disk == nil {
		disk = c.newDisk(node)
	} else {
		disk = disk.Restart()
	}
	c.disks[node] = disk
	delete(c.full, node)
	disk.Before(func(spec.Durable) error {
		c.mu.Lock()
		slow := max(c.slow[node], c.save)
		c.mu.Unlock()
		time.Sleep(slow)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.full[node] {
			return errDisk
		}
		return nil
	})
	c.mu.Unlock()
	links, members := Transport(nil), c.members
	if c.first.IsNone() {
		links = c.network.Join(node)
	} else {
		links, members = c.network.JoinChanging(node, disk.Identity().Incarnation), nil
	}
	if c.noProof {
		links = proofless{links}
	}
	config := Config{
		ID: node, Members: members, Storage: disk, Transport: links, Timing: c.timing,
		Clock: &gate{readings: c.readings(node)}, Rand: rand.New(rand.NewPCG(c.rand.Uint64(), 0)), Trace: &witness{c: c},
	}
	if c.phi {
		phi, err := NewPhi(PhiConfig{Heartbeat: c.timing.Heartbeat, Floor: c.timing.Patience})
		require.NoError(c.t, err)
		config.Detector = phi
	}
	return config
}

// start starts node i.
func (c *cluster) start(i int) *member { return c.startWith(c.config(id(i))) }

func (c *cluster) startWith(config Config) *member {
	h, err := New(config)
	require.NoError(c.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	m := &member{Host: h, id: config.ID, cancel: cancel, ended: make(chan error, 1)}
	m.clock, _ = config.Clock.(*gate)
	c.mu.Lock()
	c.hosts[config.ID] = m
	c.mu.Unlock()
	go func() { m.ended <- h.Run(ctx) }()
	return m
}

// startAll starts all nodes at once.
func (c *cluster) startAll() {
	for i := range c.members {
		c.start(i + 1)
	}
}

// host returns node i, which runs.
func (c *cluster) host(i int) *member {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hosts[id(i)]
}

// running returns those that run, ascending.
func (c *cluster) running() (all []*member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, node := range c.members {
		if m := c.hosts[node]; m != nil {
			all = append(all, m)
		}
	}
	return all
}

// kill ends a node as kill −9 does: nothing that it says any more arrives.
func (c *cluster) kill(i int) {
	m := c.host(i)
	c.network.Kill(m.id)
	c.remove(m)
	m.clock.open()
	require.NoError(c.t, m.Close())
	<-m.ended
	m.cancel()
}

// quit ends a node in good order.
func (c *cluster) quit(i int) {
	m := c.host(i)
	m.cancel()
	require.NoError(c.t, <-m.ended)
	c.remove(m)
}

// alive returns the hosts that run and those that hang: each once, also if one begins to hang meanwhile.
func (c *cluster) alive() (all []*member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, node := range c.members {
		if m := c.hosts[node]; m != nil {
			all = append(all, m)
		}
		if m := c.hung[node]; m != nil {
			all = append(all, m)
		}
	}
	return all
}

func (c *cluster) remove(m *member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.hosts, m.id)
}

// hang stops a node as SIGSTOP does. It counts as not running until it wakes.
func (c *cluster) hang(i int) {
	m := c.host(i)
	m.clock.hang()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hung[m.id] = m
	delete(c.hosts, m.id)
}

func (c *cluster) wake(i int) {
	c.mu.Lock()
	m := c.hung[id(i)]
	c.hosts[m.id] = m
	delete(c.hung, m.id)
	c.mu.Unlock()
	m.clock.open()
}

// wear makes the disk of a node slow, or full.
func (c *cluster) wear(i int, slow time.Duration, full bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slow[id(i)], c.full[id(i)] = slow, full
}

// stuck makes the disk of a node not answer, to which it writes its trace, or answer again.
func (c *cluster) stuck(i int, is bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if stuck := c.held[id(i)]; stuck != nil {
		close(stuck)
		delete(c.held, id(i))
	}
	if is {
		c.held[id(i)] = make(chan struct{})
	}
}

// stop ends all nodes, and fails the test if a promise was broken. A failure states the seed of the cluster.
func (c *cluster) stop() {
	c.end()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, problem := range c.problems[:min(3, len(c.problems))] {
		c.t.Errorf("promise broken: %s", problem)
	}
	if more := len(c.problems) - 3; more > 0 {
		c.t.Errorf("promises were broken %d more times", more)
	}
	if c.t.Failed() {
		c.t.Logf("%d nodes, seed %d", len(c.members), c.seed)
	}
}

// end ends all.
func (c *cluster) end() {
	close(c.over) // from here on, who waits for ever is found out: nothing else keeps time going
	for _, i := range ids(1, len(c.members)) {
		c.stuck(i, false)
		if c.hung[id(i)] != nil {
			c.wake(i)
		}
	}
	for _, m := range c.running() {
		m.clock.open()
		m.cancel()
		_ = m.Close()
	}
}

// cut cuts the links between two nodes, both ways.
func (c *cluster) cut(i, j int) {
	c.network.Cut(id(i), id(j))
	c.network.Cut(id(j), id(i))
}

func (c *cluster) heal(i, j int) {
	c.network.Heal(id(i), id(j))
	c.network.Heal(id(j), id(i))
}

// divide cuts all links between two sets.
func (c *cluster) divide(a, b []int) {
	for _, i := range a {
		for _, j := range b {
			c.cut(i, j)
		}
	}
}

func (c *cluster) unite() {
	for i := range c.members {
		for j := range c.members {
			if i < j {
				c.heal(i+1, j+1)
			}
		}
	}
}

// setDelay makes messages take from half of a delay to the whole, and loses a part of them.
func (c *cluster) setDelay(delay time.Duration, lossy float64) {
	c.dice.Lock()
	defer c.dice.Unlock()
	c.delay, c.lossy = delay, lossy
}

// ids returns the numbers from a to b.
func ids(a, b int) (all []int) {
	for i := a; i <= b; i++ {
		all = append(all, i)
	}
	return slices.Clip(all)
}
