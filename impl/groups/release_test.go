package groups_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// An occupied is a Transport on which much comes while a save goes on, and is there when that has ended. It takes its time to read. It notes how long after the last save each GRANT leaves.
type occupied struct {
	groups.Transport
	from  spec.NodeID
	saves time.Duration // what each takes

	mu    sync.Mutex
	began time.Time       // of the last save
	late  []time.Duration // of each GRANT
}

// reading is how long it takes to read what has come during a save.
const reading = 2 * time.Millisecond

// begins notes that a save does.
func (o *occupied) begins() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.began = time.Now()
}

// since returns how long ago a save has ended; below 0 if it has not.
func (o *occupied) since() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	return time.Since(o.began) - o.saves
}

func (o *occupied) Next() (transport.Event, bool) {
	event, ok := o.Transport.Next()
	if since := o.since(); ok || since < 0 || since >= reading {
		return event, ok
	}
	time.Sleep(10 * time.Microsecond)
	return transport.Event{Kind: transport.Bundle, Node: o.from, Bundle: string(groups.Refuses("nobody has it", 1))}, true
}

func (o *occupied) SendBundle(to spec.NodeID, saves uint64, bundle []byte) {
	if late := o.since(); groups.Says(string(bundle), spec.Grant) {
		o.mu.Lock()
		o.late = append(o.late, late)
		o.mu.Unlock()
	}
	o.Transport.SendBundle(to, saves, bundle)
}

// What a save has held leaves when that is on disk, and not after what has come meanwhile was taken (decision 0058).
func TestHeldLeavesAtOnce(t *testing.T) {
	one, two, three := spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)
	virtually(t, func(t *testing.T, ctx context.Context) {
		busy := &occupied{from: two, saves: time.Millisecond}
		c := newCluster(t, 3, func(config *groups.Config) {
			config.Pins = map[string]spec.NodeID{"a": three}
			if config.ID == one {
				busy.Transport, config.Transport = config.Transport, busy
			}
		})
		for _, id := range c.ids {
			require.NoError(t, c.nodes[id].Add(ctx, "a"))
		}
		c.awaitLeaders(20*time.Second, map[string]spec.NodeID{"a": three})
		c.disks[one].begins(busy.begins)
		for range 5 {
			c.kill(three)
			c.awaits(20*time.Second, func() bool { led := c.leaders()["a"]; return !led.IsNone() && led != three })
			require.NoError(t, c.start(three).Add(ctx, "a"))
			c.awaitLeaders(20*time.Second, map[string]spec.NodeID{"a": three})
		}
		busy.mu.Lock()
		defer busy.mu.Unlock()
		require.NotEmpty(t, busy.late)
		require.Contains(t, busy.late, time.Duration(0), "some have left at the moment at which the save had ended, before what had come meanwhile was read")
	})
}
