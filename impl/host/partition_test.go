package host

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// follows reports whether all the nodes name one.
func (c *cluster) follows(leader int, nodes ...int) bool {
	for _, i := range nodes {
		if c.host(i).seen.Load().told.Leader != id(leader) {
			return false
		}
	}
	return true
}

// knowNone reports whether none of the nodes names a leader.
func (c *cluster) knowNone(nodes ...int) bool {
	for _, i := range nodes {
		if !c.host(i).seen.Load().told.Leader.IsNone() {
			return false
		}
	}
	return true
}

// steady requires that for some time nothing changes that is asked for, and no epoch is used up.
func (c *cluster) steady(long time.Duration, what string, holds func() bool) {
	c.t.Helper()
	epoch := c.epoch()
	for began := time.Now(); time.Since(began) < long; time.Sleep(ms) {
		require.True(c.t, holds(), "%s, after %v:\n%s", what, time.Since(began), c)
	}
	require.Equal(c.t, epoch, c.epoch(), "epochs used up while steady")
}

// TestDivide: the leader is where the quorum is, nowhere else; after healing the highest leads.
func TestDivide(t *testing.T) {
	slowtest.NoRace(t, "TestStorm runs the same goroutines")
	for _, test := range []struct {
		name        string
		n           int
		small, rest []int
		leader      int // of the rest
	}{
		{"the leader alone", 3, []int{3}, []int{1, 2}, 2},
		{"the leader and another", 5, []int{4, 5}, []int{1, 2, 3}, 3},
		{"lower ones", 5, []int{1, 2}, []int{3, 4, 5}, 5},
		{"the leader and two others", 7, []int{3, 5, 7}, []int{1, 2, 4, 6}, 6},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, test.n, func(t *testing.T, c *cluster) {
				c.startAll()
				c.awaitLeader(time.Second, test.n)
				c.divide(test.small, test.rest)
				took := c.await(time.Second, "the quorum has a leader, the others know of none", func() bool {
					return c.follows(test.leader, test.rest...) && c.knowNone(test.small...)
				})
				t.Logf("after %v", took)
				c.steady(10*time.Second, "divided", func() bool {
					return c.follows(test.leader, test.rest...) && c.knowNone(test.small...)
				})
				c.unite()
				took = c.awaitLeader(4*time.Second, test.n)
				t.Logf("healed after %v", took)
				c.steady(10*time.Second, "healed", func() bool { return c.follow(test.n) })
				require.LessOrEqual(t, c.epoch(), spec.Epoch(4))
			})
		})
	}
}

// TestDivideInThree: nobody has a quorum.
func TestDivideInThree(t *testing.T) {
	bubble(t, 5, func(t *testing.T, c *cluster) {
		c.startAll()
		c.awaitLeader(time.Second, 5)
		c.divide([]int{5}, []int{1, 2, 3, 4})
		c.divide([]int{1, 2}, []int{3, 4})
		c.await(time.Second, "nobody leads", c.none)
		before := c.messages()
		c.steady(10*time.Second, "in three", c.none)
		require.Less(t, c.messages()-before, 10*int(10*time.Second/c.timing.Patience), "who asks in vain waits longer each time")
		c.unite()
		took := c.awaitLeader(time.Second, 5)
		t.Logf("healed after %v", took)
		require.Less(t, took, 350*ms, "a new connection is new hope")
	})
}

// TestOneWay: half a link is cut. A leader that is not heard, or does not hear, is followed by nobody who matters.
func TestOneWay(t *testing.T) {
	slowtest.NoRace(t, "TestStorm runs the same goroutines")
	t.Run("the leader hears nobody", func(t *testing.T) {
		bubble(t, 5, func(t *testing.T, c *cluster) {
			c.startAll()
			c.awaitLeader(time.Second, 5)
			for i := 1; i <= 4; i++ {
				c.network.Cut(id(i), id(5))
			}
			c.await(time.Second, "4 leads", func() bool { return c.follows(4, 1, 2, 3, 4) })
			c.steady(10*time.Second, "4 leads on", func() bool { return c.follows(4, 1, 2, 3, 4) && !c.host(5).Status().Leading })
			c.unite()
			c.awaitLeader(time.Minute, 5)
		})
	})
	t.Run("the leader is not heard", func(t *testing.T) {
		bubble(t, 5, func(t *testing.T, c *cluster) {
			c.startAll()
			c.awaitLeader(time.Second, 5)
			for i := 1; i <= 4; i++ {
				c.network.Cut(id(5), id(i))
			}
			c.await(time.Second, "4 leads", func() bool { return c.follows(4, 1, 2, 3, 4) })
			c.steady(10*time.Second, "4 leads on", func() bool { return c.follows(4, 1, 2, 3, 4) && !c.host(5).Status().Leading })
			c.unite()
			c.awaitLeader(time.Minute, 5)
		})
	})
	t.Run("a follower is not heard", func(t *testing.T) {
		bubble(t, 3, func(t *testing.T, c *cluster) {
			c.startAll()
			c.awaitLeader(time.Second, 3)
			c.network.Cut(id(1), id(3))
			c.steady(10*time.Second, "3 leads on", func() bool { return c.follows(3, 1, 2, 3) })
		})
	})
	t.Run("a follower does not hear", func(t *testing.T) {
		bubble(t, 3, func(t *testing.T, c *cluster) {
			c.startAll()
			c.awaitLeader(time.Second, 3)
			c.network.Cut(id(3), id(1))
			c.await(time.Second, "1 knows of none", func() bool { return c.knowNone(1) })
			c.steady(10*time.Second, "3 leads on", func() bool { return c.follows(3, 2, 3) })
			c.unite()
			c.awaitLeader(2*time.Second, 3)
		})
	})
}

// TestCutFromTheNextOnly: 5 and 4 do not reach each other, everybody else does. Whoever leads, leads on: there is no
// flapping, and epochs are bounded (B18).
func TestCutFromTheNextOnly(t *testing.T) {
	slowtest.NoRace(t, "TestStorm runs the same goroutines")
	t.Run("while 5 leads", func(t *testing.T) {
		bubble(t, 5, func(t *testing.T, c *cluster) {
			c.startAll()
			c.awaitLeader(time.Second, 5)
			c.cut(4, 5)
			time.Sleep(time.Second)
			c.steady(20*time.Second, "5 leads on", func() bool { return c.follows(5, 1, 2, 3, 5) })
			require.Equal(t, spec.Epoch(1), c.epoch())
			c.unite()
			c.awaitLeader(2*time.Second, 5)
			require.Equal(t, spec.Epoch(1), c.epoch())
		})
	})
	t.Run("while 4 leads", func(t *testing.T) {
		bubble(t, 5, func(t *testing.T, c *cluster) {
			c.startAll()
			c.awaitLeader(time.Second, 5)
			c.kill(5)
			c.awaitLeader(time.Second, 4)
			c.cut(4, 5)
			c.start(5)
			time.Sleep(time.Second)
			before := c.messages()
			c.steady(30*time.Second, "4 leads on", func() bool { return c.follows(4, 1, 2, 3, 4) })
			t.Logf("%d messages a second, of which %d are heartbeats", (c.messages()-before)/30, 7*20)
			c.unite()
			took := c.awaitLeader(10*time.Second, 5)
			t.Logf("hands over %v after healing", took)
			require.LessOrEqual(t, c.epoch(), spec.Epoch(4))
		})
	})
	t.Run("one way, while 4 leads", func(t *testing.T) {
		bubble(t, 5, func(t *testing.T, c *cluster) {
			c.startAll()
			c.awaitLeader(time.Second, 5)
			c.kill(5)
			c.awaitLeader(time.Second, 4)
			c.start(5)
			time.Sleep(200 * ms)
			c.network.Cut(id(5), id(4)) // 5 hears 4, and cannot be handed over to
			c.steady(time.Minute, "4 leads on", func() bool { return c.follows(4, 1, 2, 3, 4) })
			require.Less(t, c.host(5).Status().Counters.Sent[spec.Election], uint64(4*12), "it backs off")
			c.unite()
			c.awaitLeader(2*time.Minute, 5)
		})
	})
}

// TestStar: nobody reaches anybody but the node in the middle, which leads (L9).
func TestStar(t *testing.T) {
	bubble(t, 5, func(t *testing.T, c *cluster) {
		for _, i := range []int{1, 2, 4, 5} {
			for _, j := range []int{1, 2, 4, 5} {
				if i < j {
					c.cut(i, j)
				}
			}
		}
		c.startAll()
		took := c.awaitLeader(20*time.Second, 3)
		t.Logf("after %v", took)
		c.steady(10*time.Second, "3 leads on", func() bool { return c.host(3).Status().Leading && c.follows(3, 1, 2) })
	})
}

// TestLossyLinks: of all messages a part is lost. There may be no leader at times, but never two.
func TestLossyLinks(t *testing.T) {
	for _, part := range []float64{0.02, 0.1, 0.3} {
		bubble(t, 5, func(t *testing.T, c *cluster) {
			c.setDelay(ms, part)
			c.startAll()
			led := 0
			for range 20_000 {
				time.Sleep(ms)
				for i := 1; i <= 5; i++ {
					if c.host(i).seen.Load().told.Leading {
						led++
					}
				}
			}
			t.Logf("%v of messages lost: led %d%% of the time, %d epochs", part, led/200, c.epoch())
			c.setDelay(ms, 0)
			c.awaitLeader(10*time.Second, 5)
		})
	}
}

// TestCutAgainAndAgain: a detector that learns does not take a real silence for a mistake, and wait longer each time.
func TestCutAgainAndAgain(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		c.phi = true
		c.startAll()
		c.awaitLeader(time.Second, 3)
		for range 6 {
			time.Sleep(time.Second)
			c.divide([]int{3}, []int{1, 2})
			took := c.await(time.Second, "2 leads", func() bool { return c.follows(2, 1, 2) })
			require.Less(t, took, 450*ms)
			time.Sleep(time.Second)
			c.unite()
			c.awaitLeader(5*time.Second, 3)
		}
	})
}
