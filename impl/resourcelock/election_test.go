package resourcelock

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/seed-fdf591db/bully/impl/host"
)

// TestOneActs: the elector of the leader acts, a LeaseDuration after its node leads; the others are told who it is.
func TestOneActs(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		c.start(1, 2, 3)
		took := c.awaitActs(2*time.Second, 3)
		require.Greater(t, took, time.Second, "whoever led before, before all were started anew, may act for as long")
		time.Sleep(10 * time.Second)
		require.Equal(t, []string{"3 in 1"}, c.begun())
		for i, m := range c.running {
			require.Equal(t, "3", m.elector.GetLeader())
			require.Equal(t, i == 3, m.elector.IsLeader())
			require.Equal(t, []string{"3"}, m.seen().leaders[len(m.seen().leaders)-1:])
			require.NoError(t, m.elector.Check(0), "it has renewed lately")
		}
		record, _, err := c.running[1].lock.Get(t.Context())
		require.NoError(t, err)
		require.Equal(t, "3", record.HolderIdentity)
		require.Equal(t, 1, record.LeaderTransitions)
	})
}

// TestLeaderCutOff: it acts until RenewDeadline, long after another node leads; that one waits so long.
func TestLeaderCutOff(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		c.start(1, 2, 3)
		c.awaitActs(2*time.Second, 3)
		c.divide(3)
		c.await(time.Second, "node 2 leads", func() bool { return c.running[2].Status().Leading })
		led := time.Now()
		require.Equal(t, 3, c.whoActs(), "client-go does not know yet")
		require.False(t, c.running[3].lock.Reign().Valid(), "who asks the reign does")
		c.awaitActs(2*time.Second, 2)
		three := c.running[3]
		<-three.electorEnded
		require.Equal(t, 1, three.seen().stopped)
		require.InDelta(t, time.Second, c.running[2].seen().startedAt.Sub(led), float64(5*ms))
		require.Greater(t, c.running[2].seen().startedAt.Sub(three.seen().stopAt), 100*ms, "what is left for goroutines that are held up")
		require.Less(t, c.running[2].seen().startedAt.Sub(three.seen().stopAt), time.Second)
		c.unite() // node 3 will lead again, with nobody to act
		c.await(5*time.Second, "node 3 leads", func() bool { return three.Status().Leading })
		require.NotEqual(t, 3, c.whoActs())
	})
}

// TestGoesOn: an elector whose node wins again before it gives up does not notice, but in the epoch.
func TestGoesOn(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		c.start(1, 2, 3)
		c.awaitActs(2*time.Second, 3)
		three := c.running[3]
		first := three.lock.Reign()
		c.divide(3)
		c.await(time.Second, "the reign is over", func() bool { return !first.Valid() })
		c.unite()
		c.await(500*ms, "it goes on", func() bool { return three.lock.Reign().Epoch() > first.Epoch() && three.lock.Reign().Valid() })
		time.Sleep(5 * time.Second)
		require.Equal(t, []string{"3 in 1"}, c.begun())
		require.Zero(t, three.seen().stopped)
		require.True(t, three.elector.IsLeader(), "the elector must still lead: its node has won again in time")
	})
}

// TestRelease: an elector whose context ends lets go, its node resigns, and the next acts a LeaseDuration later.
func TestRelease(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		c.start(1, 2, 3)
		c.awaitActs(2*time.Second, 3)
		three := c.running[3]
		three.stop()
		three.stopNode()
		<-three.electorEnded
		began := time.Now()
		require.NoError(t, <-three.nodeEnded)
		require.Less(t, time.Since(began), 10*ms, "it need not wait for the lock")
		delete(c.running, 3)
		c.network.Kill(id(3))
		took := c.awaitActs(2*time.Second, 2)
		require.Less(t, took, time.Second+50*ms)
		require.Equal(t, []string{"3 in 1", "2 in 2"}, c.begun())
		_, _, err := three.lock.Get(t.Context())
		require.ErrorContains(t, err, "resourcelock: node 3 has ended: ")
		require.ErrorIs(t, three.lock.Update(t.Context(), resourcelock.LeaderElectionRecord{HolderIdentity: "3", LeaseDurationSeconds: 1}), host.ErrClosed)
	})
}

// TestRunWaits: a node that is to stop leads on while its elector renews, and for as long as an elector could act that is gone.
func TestRunWaits(t *testing.T) {
	for _, lets := range []bool{true, false} {
		bubble(t, 3, func(t *testing.T, c *cluster) {
			c.keeps = !lets
			c.start(1, 2, 3)
			c.awaitActs(2*time.Second, 3)
			three := c.running[3]
			three.stopNode()
			time.Sleep(5 * time.Second)
			require.True(t, three.Status().Leading, "the elector renews, as a manager does that waits for its controllers")
			require.Equal(t, 3, c.whoActs())
			began := time.Now()
			three.stop()
			require.NoError(t, <-three.nodeEnded)
			if lets {
				require.Less(t, time.Since(began), 10*ms)
			} else {
				require.Greater(t, time.Since(began), 850*ms)
				require.Less(t, time.Since(began), 1010*ms)
			}
			<-three.electorEnded
			delete(c.running, 3)
			c.network.Kill(id(3))
			c.awaitActs(2*time.Second, 2)
		})
	}
}

// TestResign: who has the node resign ends the elector too, which finds its renewals refused.
func TestResign(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		c.start(1, 2, 3)
		c.awaitActs(2*time.Second, 3)
		three := c.running[3]
		began := time.Now()
		soon, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		require.NoError(t, three.Resign(soon))
		require.LessOrEqual(t, time.Since(began), 1010*ms)
		<-three.electorEnded
		require.Equal(t, 1, three.seen().stopped)
		synctest.Wait()
		c.await(time.Second, "it leads again, as the highest", func() bool { return three.Status().Leading })
		c.elect(three) // as a program does that starts anew
		c.awaitActs(2*time.Second, 3)
	})
}
