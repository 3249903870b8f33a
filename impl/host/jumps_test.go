package host

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// A machine is where a node runs, and its user: the clock on its wall, which somebody sets, and a program beside the node, which does the leader's work, and goes by a clock
// that nobody sets. It acts while it was told a deadline that lies ahead, whatever has become of the reign.
type machine struct {
	clock *wall
	dead  func() // has the program end with its node, as by kill −9
	acts  bool   // guarded by the lock of the cluster
}

// serve has the program of a machine do its work in each reign of a node. Told that a reign is over it acts on for a while, and at most until the deadline.
func (c *cluster) serve(all map[int]*machine, i int, m *member, dice *rand.Rand) {
	one := all[i]
	life, end := context.WithCancel(context.Background())
	one.dead = end
	lead(m, context.Background(), func(ctx context.Context, r Reign) error {
		told, stops := r.Deadline(), time.Time{}
		for {
			if next := r.Deadline(); ctx.Err() == nil {
				told = latest(told, next)
			} else if stops.IsZero() {
				c.mu.Lock()
				stops = time.Now().Add(time.Duration(dice.Int64N(int64(2 * c.timing.Reign))))
				c.mu.Unlock()
			}
			now := one.clock.Now()
			goes := life.Err() == nil && now.Before(told) && (stops.IsZero() || now.Before(stops))
			c.mu.Lock()
			one.acts = goes
			for j, other := range all {
				if goes && j != i && other.acts {
					c.problems = append(c.problems, fmt.Sprintf("OneActing: node %d acts in epoch %d at %v until %v, and node %d acts too", i, r.Epoch(), now, told, j))
				}
			}
			c.mu.Unlock()
			if !goes {
				<-ctx.Done()
				return nil
			}
			time.Sleep(ms / 5)
		}
	})
}

// TestClocksThatJump: whoever sets clocks on walls, forward and back, of one machine or of all, and as often as he likes, has no two nodes' users act at the same moment; whatever
// else happens to nodes meanwhile. When it is over there is a leader.
func TestClocksThatJump(t *testing.T) {
	slowtest.NoRace(t, "TestStorm runs the same goroutines")
	for seed := range uint64(40) {
		n := []int{3, 2, 5, 4}[seed%4]
		bubbleWith(t, n, seed, func(t *testing.T, c *cluster) {
			all, dice := map[int]*machine{}, rand.New(rand.NewPCG(seed, 3))
			start := func(i int) {
				config := c.config(id(i))
				config.Clock = all[i].clock
				m := c.startWith(config)
				m.clock = &gate{}
				c.serve(all, i, m, dice)
			}
			for i := range c.members {
				all[i+1] = &machine{clock: &wall{readings: c.readings(id(i + 1))}}
				start(i + 1)
			}
			defer func() {
				for _, one := range all {
					one.dead()
				}
				time.Sleep(ms) // they see that
			}()
			c.awaitLeader(time.Minute, n)
			number := func(most int64) int64 {
				c.mu.Lock()
				defer c.mu.Unlock()
				return dice.Int64N(most)
			}
			for range 30 {
				c.unite()
				time.Sleep(time.Duration(number(int64(3 * c.timing.Patience))))
				for range 1 + number(6) { // within a patience or so
					time.Sleep(time.Duration(number(int64(c.timing.Reign / 4))))
					switch i := int(number(int64(n))) + 1; number(8) {
					case 0, 1, 2: // of all, as by a server of time that is wrong
						by := c.jump(number)
						for _, one := range all {
							one.clock.ahead.Add(by)
						}
					case 3, 4:
						all[i].clock.ahead.Add(c.jump(number))
					case 5:
						c.disturb(all, i, number, start)
					default:
						c.divideAgain(number)
					}
				}
			}
			c.unite()
			for i := range c.members {
				if c.host(i+1) == nil {
					start(i + 1)
				}
			}
			c.awaitLeader(5*time.Second, n)
		})
	}
}

// jump returns by how much a clock is set: forward or back, by a little or by much.
func (c *cluster) jump(number func(int64) int64) int64 {
	by := int64(c.timing.Delay)/2 + number(int64([]time.Duration{2 * c.timing.Delay, c.timing.Reign, time.Minute, 100 * time.Hour}[number(4)]))
	if number(3) == 0 {
		return -by
	}
	return by
}

// divideAgain cuts one part off, or nobody.
func (c *cluster) divideAgain(number func(int64) int64) {
	c.unite()
	cut := number(1 << len(c.members))
	var a, b []int
	for i := range c.members {
		if cut>>i&1 == 1 {
			a = append(a, i+1)
		} else {
			b = append(b, i+1)
		}
	}
	c.divide(a, b)
}

// disturb ends a node, in good order, by kill −9 with its program, or because its disk fails; or has it resign. One that has ended is started again.
func (c *cluster) disturb(all map[int]*machine, i int, number func(int64) int64, start func(int)) {
	m, kind := c.host(i), number(4)
	if m == nil {
		start(i)
		return
	}
	switch kind {
	case 0:
		go func() { _ = m.Resign(context.Background()) }()
	case 1:
		m.cancel()
		<-m.ended
		c.remove(m)
	case 2:
		c.wear(i, 0, true)
		select {
		case <-m.ended:
			c.remove(m)
		case <-time.After(c.timing.Reign):
			c.wear(i, 0, false)
		}
	case 3:
		all[i].dead()
		c.kill(i)
	}
}
