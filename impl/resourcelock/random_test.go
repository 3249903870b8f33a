package resourcelock

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// TestRandomFaults: crashes, cuts, resignations and electors that are started anew, at random; at no moment do two act, and in the end one does.
func TestRandomFaults(t *testing.T) {
	runs := 40
	if more, err := strconv.Atoi(os.Getenv("BULLY_SOAK")); err == nil {
		runs *= more
	}
	for seed := range uint64(runs) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			dice := rand.New(rand.NewPCG(seed, 1))
			n := 3 + 2*dice.IntN(2)
			bubble(t, n, func(t *testing.T, c *cluster) {
				c.keeps = dice.IntN(2) == 0
				for i := range n {
					c.start(i + 1)
				}
				for range 60 {
					c.fault(dice, 1+dice.IntN(n))
					time.Sleep(time.Duration(dice.Int64N(int64(700 * ms))))
				}
				c.unite()
				for i := 1; i <= n; i++ {
					if c.running[i] == nil {
						c.start(i)
					}
				}
				c.await(20*time.Second, "one acts", func() bool {
					for _, m := range c.running {
						c.electAgain(m)
					}
					return c.whoActs() == n
				})
			})
		})
	}
}

// fault has something happen to node i.
func (c *cluster) fault(dice *rand.Rand, i int) {
	m := c.running[i]
	switch kind := dice.IntN(8); {
	case m == nil:
		c.start(i)
	case kind == 0:
		c.kill(i)
	case kind <= 2:
		c.divide(i)
	case kind <= 4:
		c.unite()
	case kind == 5:
		m.stop()
	default:
		c.electAgain(m)
	}
}

// electAgain starts another elector of a node whose last one has ended.
func (c *cluster) electAgain(m *member) {
	select {
	case <-m.electorEnded:
		c.elect(m)
	default:
	}
}
