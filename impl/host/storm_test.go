package host

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// A fault is one thing that goes wrong in a storm, or right again, and how long it is until the next.
type fault struct {
	Kind faultKind
	I, J int // which nodes: taken modulo the number of nodes
	Then time.Duration
}

type faultKind int

const (
	killNode faultKind = iota
	startNode
	hangNode
	wakeNode
	cutLink
	healLink
	uniteAll
	loseSome
	loseNone
	resignNode
	quitNode
	failDisk
	slowDisk
	stickDisk
	faultKinds
)

var faultNames = [faultKinds]string{"kill", "start", "hang", "wake", "cut", "heal", "unite", "lose", "lose-none", "resign", "quit", "fail-disk", "slow-disk", "stick-disk"}

func (f fault) String() string {
	return fmt.Sprintf("%s %d %d, %v", faultNames[f.Kind], f.I, f.J, f.Then)
}

// employ has a node lead for a program, which is slow to stop: for longer than a reign at some of the nodes.
func (c *cluster) employ(m *member) {
	slow := time.Duration(slices.Index(c.members, m.id)) * c.timing.Reign / 3
	go func() { _ = m.Lead(c.t.Context(), m.program(slow)) }()
}

// do does one fault to a cluster.
func (c *cluster) do(f fault) {
	n := len(c.members)
	i, j := f.I%n+1, f.J%n+1
	m, hung := c.host(i), c.hung[id(i)] != nil
	switch f.Kind {
	case killNode, quitNode, failDisk, resignNode, hangNode, slowDisk, stickDisk:
		if m == nil {
			return
		}
	}
	switch f.Kind {
	case killNode:
		c.stuck(i, false)
		c.kill(i)
	case startNode:
		if m == nil && !hung {
			c.employ(c.start(i))
		}
	case hangNode:
		c.hang(i)
	case wakeNode:
		if hung {
			c.wake(i)
		}
		c.stuck(i, false)
	case cutLink:
		if i != j {
			c.network.Cut(id(i), id(j))
		}
	case healLink:
		if i != j {
			c.network.Heal(id(i), id(j))
		}
	case uniteAll:
		c.unite()
	case loseSome:
		c.setDelay(c.timing.Delay/2, float64(f.J%20)/100)
	case loseNone:
		c.setDelay(100*time.Microsecond, 0)
	case resignNode:
		go func() { _ = m.Resign(c.t.Context()) }()
	case quitNode:
		c.stuck(i, false)
		m.cancel()
		<-m.ended
		c.remove(m)
	case failDisk:
		c.wear(i, 0, true)
	case slowDisk:
		c.wear(i, time.Duration(f.J%20)*ms, false)
	case stickDisk:
		c.stuck(i, true)
	}
}

// calm ends a storm: all run, reach each other and have disks that are well. It returns what is wrong if the highest does
// not come to lead, and all follow it.
func (c *cluster) calm() string {
	c.unite()
	c.setDelay(100*time.Microsecond, 0)
	for i := 1; i <= len(c.members); i++ {
		c.stuck(i, false)
		if c.hung[id(i)] != nil {
			c.wake(i)
			synctest.Wait() // it may find that its disk has failed
		}
		if m := c.host(i); m != nil {
			select {
			case <-m.done: // its disk has failed
				<-m.ended
				c.remove(m)
			default:
				c.wear(i, 0, false)
			}
		}
		if c.host(i) == nil {
			c.start(i)
		}
	}
	// A pre-emption that has failed six times waits for 64 times Preempt. A call to resign may still be waited for.
	steady, epoch := time.Now(), c.epoch()
	for began := time.Now(); time.Since(began) < 100*time.Second; time.Sleep(ms) {
		if !c.follow(len(c.members)) || c.epoch() != epoch {
			steady, epoch = time.Now(), c.epoch()
		}
		if time.Since(steady) > 3*time.Second {
			return ""
		}
	}
	return "SomeLeader, HighestLeads: not in 100 s\n" + c.String()
}

// storm runs a storm, and returns what was wrong.
func storm(t *testing.T, n int, seed uint64, faults []fault) (wrong string) {
	bubbletest.Run(t, func(t *testing.T) {
		c := newCluster(t, n, seed)
		c.phi = seed%2 == 0
		defer func() {
			c.end()
			time.Sleep(time.Duration(n) * c.timing.Reign) // until all work has returned
			c.mu.Lock()
			defer c.mu.Unlock()
			wrong = strings.TrimSpace(strings.Join(append(c.problems, wrong), "\n"))
			if verbose {
				t.Logf("epochs: %v", c.epochs)
			}
		}()
		c.startAll()
		for _, m := range c.running() {
			c.employ(m)
		}
		time.Sleep(time.Duration(seed%1000) * ms)
		for _, f := range faults {
			if verbose {
				t.Log(f)
			}
			c.do(f)
			time.Sleep(f.Then)
		}
		wrong = c.calm()
	})
	return wrong
}

// TestStorm: whatever goes wrong in whatever order, no promise is broken; and when it stops, the highest leads.
func TestStorm(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.SampledFrom([]int{2, 3, 3, 4, 5, 5, 7}).Draw(rt, "nodes")
		seed := rapid.Uint64().Draw(rt, "seed")
		faults := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) fault {
			return fault{
				Kind: faultKind(rapid.IntRange(0, int(faultKinds)-1).Draw(rt, "kind")),
				I:    rapid.IntRange(0, 6).Draw(rt, "i"), J: rapid.IntRange(0, 100).Draw(rt, "j"),
				Then: time.Duration(rapid.IntRange(0, int(400*ms)).Draw(rt, "then")),
			}
		}), 0, 40).Draw(rt, "faults")
		if wrong := storm(t, n, seed, faults); wrong != "" {
			rt.Fatal(wrong)
		}
	})
}

// TestManyStorms runs as many more storms as HOST_TEST_STORMS says, by seeds from HOST_TEST_SEED on; by default few.
func TestManyStorms(t *testing.T) {
	slowtest.NoRace(t, "TestStorm runs the same goroutines")
	storms, first := 10, uint64(1)
	if s := os.Getenv("HOST_TEST_STORMS"); s != "" {
		n, err := strconv.Atoi(s)
		require.NoError(t, err)
		storms = n
	}
	if s := os.Getenv("HOST_TEST_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		require.NoError(t, err)
		first = n
	}
	for seed := first; seed < first+uint64(storms); seed++ {
		r := rand.New(rand.NewPCG(seed, 2))
		faults := make([]fault, r.IntN(60))
		for k := range faults {
			faults[k] = fault{Kind: faultKind(r.IntN(int(faultKinds))), I: r.IntN(7), J: r.IntN(100), Then: time.Duration(r.Int64N(int64(1+r.IntN(500)) * int64(ms)))}
		}
		if wrong := storm(t, []int{3, 5, 7}[seed%3], seed, faults); wrong != "" {
			require.Failf(t, wrong, "HOST_TEST_SEED=%d HOST_TEST_STORMS=1 HOST_TEST_STEPS=1 go test -run TestManyStorms -v", seed)
		}
	}
}
