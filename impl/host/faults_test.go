package host

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// TestReplaceAll replaces each of five nodes by a new one, the leader among them, while somebody works in each reign.
func TestReplaceAll(t *testing.T) {
	roam(t, 10, 5, func(t *testing.T, c *cluster) {
		c.startSome(1, 2, 3, 4, 5)
		for i := 1; i <= 5; i++ {
			c.start(5 + i)
			left := false
			c.handOver(func(leader *member) (spec.Configuration, error) {
				if left {
					return leader.RemoveMember(c.soon(), id(i), 0)
				}
				conf, err := leader.ReplaceMember(c.soon(), id(i), at(5+i, spec.Voter), 0)
				left = errors.Is(err, ErrHandedOver)
				return conf, err
			})
		}
		for i := 1; i <= 5; i++ {
			c.gone(i)
		}
		c.awaitLeader(3*time.Second, 10)
		require.True(t, voters(1, 1, 6, 7, 8, 9, 10).SameMembers(c.leader().Members()), "the members must be the five new nodes")
	})
}

// TestLeaderKilledInChange kills the leader at each moment of a change. Nobody knows then what has come of it, but those who
// live agree on it, and can go on.
func TestLeaderKilledInChange(t *testing.T) {
	slowtest.NoRace(t, "TestStorm runs the same goroutines")
	begun := 0
	for after := time.Duration(0); after < 6*ms; after += 150 * time.Microsecond {
		roam(t, 5, 4, func(t *testing.T, c *cluster) {
			c.startSome(1, 2, 3, 4)
			c.start(5)
			time.Sleep(5 * ms)
			ended := make(chan error, 1)
			leader := c.host(4)
			go func() {
				_, err := leader.AddMember(context.WithoutCancel(t.Context()), at(5, spec.Voter), 0)
				ended <- err
			}()
			time.Sleep(after)
			c.kill(4)
			if err := <-ended; err != nil {
				require.True(t, errors.Is(err, ErrOutcomeUnknown) || errors.Is(err, ErrClosed), "%v", err)
			}
			c.await(2*time.Second, "a leader, and all who live have its members", func() bool {
				for _, m := range c.running() {
					if c.leader() == nil || m.Members() != c.leader().Members() && m.id != id(5) {
						return false
					}
				}
				return true
			})
			if c.leader().Members().Len() == 5 {
				begun++
			}
			c.add(5, spec.Voter)
			c.awaitLeader(3*time.Second, 5)
			c.drop(4)
			require.True(t, voters(1, 1, 1, 2, 3, 5).SameMembers(c.leader().Members()), "the members must be nodes 1, 2, 3 and 5")
		})
	}
	require.Greater(t, begun, 0)
	require.Less(t, begun, 40, "of 40, some too early")
}

// TestRemovedWhileDown: a node that was removed while it was down, and starts with its old disk, disturbs nobody, and
// learns what it is; so does one that starts once more after that.
func TestRemovedWhileDown(t *testing.T) {
	for victim := 1; victim <= 5; victim++ {
		roam(t, 5, 5, func(t *testing.T, c *cluster) {
			c.startSome(1, 2, 3, 4, 5)
			c.kill(victim)
			c.await(time.Second, "all who live have a leader", func() bool { return c.follow(4) || c.follow(5) })
			c.drop(victim)
			epoch, leader := c.epoch(), c.leader()
			for range 2 {
				c.start(victim)
				c.gone(victim)
			}
			time.Sleep(2 * time.Second)
			require.Equal(t, epoch, c.epoch())
			require.Same(t, leader, c.leader())
		})
	}
}

// TestRemovedWhileCutOff: a node that was removed while nobody could tell it asks in vain for ever, and disturbs nobody,
// until it is told.
func TestRemovedWhileCutOff(t *testing.T) {
	roam(t, 5, 5, func(t *testing.T, c *cluster) {
		c.startSome(1, 2, 3, 4, 5)
		c.divide([]int{5}, []int{1, 2, 3, 4})
		c.await(time.Second, "4 leads the rest", func() bool { return c.host(4).seen.Load().told.Leading })
		_, err := c.host(4).RemoveMember(c.soon(), id(5), 0)
		require.NoError(t, err)
		time.Sleep(3 * time.Second)
		require.Equal(t, "voter", c.host(5).Status().Membership)
		epoch := c.epoch()
		c.unite()
		c.gone(5)
		time.Sleep(2 * time.Second)
		require.True(t, c.follow(4), "node 4 must lead on")
		require.Equal(t, epoch, c.epoch())
	})
}

// TestChangeInAMinority: a leader that is cut off changes nothing that holds; what its call has come to is not known, and
// the others know nothing of it.
func TestChangeInAMinority(t *testing.T) {
	roam(t, 6, 5, func(t *testing.T, c *cluster) {
		c.startSome(1, 2, 3, 4, 5)
		c.start(6)
		time.Sleep(10 * ms)
		c.divide([]int{5, 1, 6}, []int{2, 3, 4})
		_, err := c.host(5).AddMember(c.soon(), at(6, spec.Voter), 1)
		require.ErrorIs(t, err, ErrOutcomeUnknown)
		c.await(time.Second, "4 leads the others", func() bool { return c.host(4).seen.Load().told.Leading })
		require.True(t, voters(1, 1, 1, 2, 3, 4, 5).SameMembers(c.host(4).Members()), "a change that a minority has seen must not take effect")
		require.Equal(t, 6, c.host(5).Members().Len())
		c.unite()
		c.await(3*time.Second, "5 leads again", func() bool { return c.leader() == c.host(5) })
		require.True(t, voters(1, 1, 1, 2, 3, 4, 5).SameMembers(c.leader().Members()), "passed over")
		require.Equal(t, "removed", c.host(6).Status().Membership, "it follows nobody, has said so, and was answered")
		c.gone(6) // before 5 has pre-empted
		c.start(6)
		c.add(6, spec.Voter)
		c.awaitLeader(3*time.Second, 6)
	})
}

// TestWaiting: who was told of no members waits, and says so.
func TestWaiting(t *testing.T) {
	roam(t, 2, 1, func(t *testing.T, c *cluster) {
		m := c.start(2)
		watch := m.WatchMembers(t.Context())
		time.Sleep(10 * time.Second)
		s := m.Status()
		require.Equal(t, "waiting", s.Membership)
		require.Equal(t, spec.Follower, s.Role)
		require.Equal(t, spec.EmptyConfiguration(), *s.Configuration)
		require.Empty(t, s.Members)
		require.Zero(t, c.messages())
		require.NoError(t, m.Check(t.Context()))
		_, err := m.AddMember(t.Context(), at(2, spec.Voter), 0)
		require.ErrorIs(t, err, ErrNotLeader)
		c.start(1)
		c.await(time.Second, "1 leads", func() bool { return c.leader() != nil })
		c.add(2, spec.Observer)
		hears := func() Membership {
			select {
			case told := <-watch:
				return told
			case <-time.After(time.Minute):
				require.Fail(t, "node 2 hears of no members, though node 1 has added it")
				return Membership{}
			}
		}
		require.Equal(t, Membership{Configuration: spec.EmptyConfiguration()}, hears())
		require.Equal(t, Membership{Configuration: c.leader().Members()}, hears(), "who does not lead cannot tell whether it is settled")
		require.Equal(t, "observer", m.Status().Membership)
		require.Equal(t, []spec.NodeID{id(1), id(2)}, m.Status().Members)
	})
}

// TestWatchMembers sees a change begin and settle at the leader.
func TestWatchMembers(t *testing.T) {
	roam(t, 3, 2, func(t *testing.T, c *cluster) {
		c.startSome(1, 2)
		c.start(3)
		time.Sleep(10 * ms)
		watch := c.host(2).WatchMembers(t.Context())
		require.Equal(t, Membership{voters(1, 1, 1, 2), true}, <-watch)
		time.Sleep(time.Second / 2)
		require.Empty(t, watch, "what is settled stays so, from one heartbeat to the next")
		var seen []string
		done := make(chan struct{})
		go func() {
			defer close(done)
			for m := range watch {
				text := m.Configuration.String()
				if m.Settled {
					text += " settled"
				}
				seen = append(seen, text)
			}
		}()
		c.add(3, spec.Voter)
		synctest.Wait()
		c.quit(2)
		<-done
		require.Equal(t, []string{
			"epoch:1 version:2 {1 2 observer:3}", "epoch:1 version:2 {1 2 observer:3} settled", "epoch:1 version:3 {1 2 3}", "epoch:1 version:3 {1 2 3} settled",
		}, seen[:4])
	})
}

// TestChangeGivenUp: who gives up before anything was changed is told so, and holds up nobody.
func TestChangeGivenUp(t *testing.T) {
	roam(t, 3, 3, func(t *testing.T, c *cluster) {
		c.startSome(1, 2, 3)
		time.Sleep(10 * ms)
		c.divide([]int{3}, []int{1, 2})
		ctx, cancel := context.WithTimeout(t.Context(), 10*ms)
		defer cancel()
		_, err := c.host(3).RemoveMember(ctx, id(1), 1) // the acknowledgements from before are enough to begin with
		require.ErrorIs(t, err, ErrOutcomeUnknown)
		ctx, cancel = context.WithTimeout(t.Context(), 10*ms)
		defer cancel()
		_, err = c.host(3).RemoveMember(ctx, id(2), 0)
		require.EqualError(t, err, "host: the members have not been changed: context deadline exceeded")
		_, err = c.host(3).RemoveMember(c.soon(), id(2), 0)
		require.ErrorIs(t, err, ErrNotLeader, "it steps down meanwhile")
	})
}

// TestNoConfiguration: who gives no members needs a record that has them, of a first start or of a later one.
func TestNoConfiguration(t *testing.T) {
	for _, found := range []bool{false, true} {
		disk := storage.NewMemory()
		if found {
			require.NoError(t, disk.Save(spec.Durable{}))
		}
		h, err := New(Config{ID: id(1), Storage: disk, Transport: transport.NewNetwork(nil).JoinChanging(id(1), 1)})
		require.NoError(t, err)
		err = h.Run(t.Context())
		require.ErrorIs(t, err, ErrStopped)
		require.EqualError(t, err, "host: stopped for good: reading the promise: it has no configuration: give Members, all nodes, if they are fixed; "+
			"or make a record of changing members (storage.Init)")
	}
}

// TestWrongIncarnation: a node with another disk than the one that was added under its id is not connected, and so never
// more than an observer.
func TestWrongIncarnation(t *testing.T) {
	roam(t, 3, 2, func(t *testing.T, c *cluster) {
		c.startSome(1, 2)
		c.start(3) // of incarnation 3
		wrong := at(3, spec.Voter)
		wrong.Address += "#0000000000000004"
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.leader().AddMember(ctx, wrong, 0)
		require.ErrorIs(t, err, ErrOutcomeUnknown)
		require.Equal(t, spec.Observer, kindOfMember(c.leader().Members(), id(3)))
		require.Equal(t, "waiting", c.host(3).Status().Membership)
		_, err = c.leader().RemoveMember(c.soon(), id(3), 0)
		require.NoError(t, err)
		right := at(3, spec.Voter)
		right.Address += "#0000000000000003"
		_, err = c.leader().AddMember(c.soon(), right, 0)
		require.NoError(t, err)
		c.awaitLeader(3*time.Second, 3)
	})
}

// TestDemote: a leader that is made a witness by a call of its own resigns, and the call goes well.
func TestDemote(t *testing.T) {
	roam(t, 3, 3, func(t *testing.T, c *cluster) {
		c.startSome(1, 2, 3)
		conf, err := c.host(3).AddMember(c.soon(), at(3, spec.Witness), 0)
		require.NoError(t, err)
		require.Equal(t, spec.Witness, kindOfMember(conf, id(3)))
		require.Less(t, c.awaitLeader(time.Second, 2), 10*ms)
		c.kill(2)
		require.Less(t, c.awaitLeader(time.Second, 1), 10*ms)
		c.add(3, spec.Voter)
		c.awaitLeader(3*time.Second, 3)
	})
}
