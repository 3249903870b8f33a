package host

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

func TestWatch(t *testing.T) {
	bubble(t, 3, func(t *testing.T, c *cluster) {
		c.startAll()
		watch := c.host(1).Watch(c.t.Context())
		require.Zero(t, <-watch, "how it is now, at once")
		l := <-watch
		require.Equal(t, Leadership{Leader: id(3), Epoch: 1, Since: l.Since}, l)
		require.Equal(t, time.Now(), l.Since)
		late := c.host(1).Watch(c.t.Context())
		require.Equal(t, l, <-late, "who comes late is told how it is")
		c.kill(3)
		synctest.Wait()
		l = <-watch
		require.Equal(t, Leadership{Since: l.Since}, l)
		require.WithinDuration(t, time.Now(), l.Since, ms)
		l = <-watch
		require.Equal(t, id(2), l.Leader)
		require.False(t, l.Leading, "node 1 must not lead")
		require.True(t, (<-c.host(2).Watch(c.t.Context())).Leading, "node 2 must lead")
		c.quit(1)
		require.Equal(t, Leadership{Since: time.Now()}, <-watch, "who stops knows of no leader")
		_, open := <-watch
		require.False(t, open, "closed at the end")
	})
}

func TestWatchEndsWithItsContext(t *testing.T) {
	one(t, func(t *testing.T, c *cluster, h *member) {
		ctx, cancel := context.WithCancel(c.t.Context())
		watch := h.Watch(ctx)
		cancel()
		synctest.Wait()
		<-watch
		_, open := <-watch
		require.False(t, open, "the watch ends with its context")
		watch = h.Watch(ctx)
		_, open = <-watch
		require.True(t, open, "one value even so")
		_, open = <-watch
		require.False(t, open, "the watch ends after one value")
		require.Empty(t, h.watchers.watchers, "nothing is left")
	})
}

// TestSlowWatchers: thousands that never read, or read late, hold up nobody; who reads late gets the latest.
func TestSlowWatchers(t *testing.T) {
	one(t, func(t *testing.T, c *cluster, h *member) {
		var all []<-chan Leadership
		for range 5000 {
			all = append(all, h.Watch(c.t.Context()))
		}
		for range 10 {
			c.awaitLeader(time.Second, 1)
			require.NoError(t, h.Resign(c.t.Context()))
		}
		c.awaitLeader(time.Second, 1)
		synctest.Wait()
		for _, watch := range all {
			l := <-watch
			require.Equal(t, spec.Epoch(11), l.Epoch)
			require.True(t, l.Leading, "a late reader gets the latest leadership")
			require.Empty(t, watch)
		}
	})
}

// TestWatchersComeAndGo: no deadlock, and no value sent on a closed channel.
func TestWatchersComeAndGo(t *testing.T) {
	one(t, func(t *testing.T, c *cluster, h *member) {
		for range 100 {
			go func() {
				for range 100 {
					ctx, cancel := context.WithTimeout(context.Background(), time.Duration(c.dieFor(3*ms)))
					for range h.Watch(ctx) {
					}
					cancel()
				}
			}()
		}
		for range 100 {
			c.awaitLeader(time.Second, 1)
			require.NoError(t, h.Resign(c.t.Context()))
		}
	})
}

// dieFor returns a random time below d.
func (c *cluster) dieFor(d time.Duration) time.Duration {
	c.dice.Lock()
	defer c.dice.Unlock()
	return time.Duration(c.noise.Int64N(int64(d)))
}
