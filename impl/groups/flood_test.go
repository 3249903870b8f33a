package groups_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// A flood is a Transport that always has something more of a node, each of which takes its time, while it is to.
type flood struct {
	groups.Transport
	from   spec.NodeID
	bundle string
	pours  atomic.Bool
}

func (f *flood) Next() (transport.Event, bool) {
	if event, ok := f.Transport.Next(); ok || !f.pours.Load() {
		return event, ok
	}
	time.Sleep(10 * time.Microsecond)
	return transport.Event{Kind: transport.Bundle, Node: f.from, Bundle: f.bundle}, true
}

// A peer that says something in one group again and again, be it one that is not here, keeps the timers of the others from ending for as little as Delay at most: when their leader falls silent, they
// get another as if the peer said nothing (decision 0058).
func TestFloodHoldsUpNoTimer(t *testing.T) {
	one, two, three := spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)
	for name, bundle := range map[string][]byte{
		"a group that is not here": groups.Refuses("nobody has it", 1), "no bundle": {0}, "a group that is here": groups.Refuses("flooded", 1),
	} {
		t.Run(name, func(t *testing.T) {
			virtually(t, func(t *testing.T, ctx context.Context) {
				poured := &flood{from: two, bundle: string(bundle)}
				c := newCluster(t, 3, func(config *groups.Config) {
					config.Pins = map[string]spec.NodeID{"flooded": two, "a": three, "b": three}
					if config.ID == one {
						poured.Transport, config.Transport = config.Transport, poured
					}
				})
				t.Cleanup(func() { poured.pours.Store(false) })
				for _, id := range c.ids {
					require.NoError(t, c.nodes[id].Add(ctx, "flooded", "a", "b"))
				}
				c.awaitLeaders(20*time.Second, map[string]spec.NodeID{"flooded": two, "a": three, "b": three})
				poured.pours.Store(true)
				began := time.Now()
				for _, id := range []spec.NodeID{one, two} {
					c.network.Cut(id, three)
					c.network.Cut(three, id)
				}
				led := func() bool { // as node 2 says: node 1 would answer when the flood ends
					for _, group := range c.nodes[two].Status().Groups {
						if group.Leader.IsNone() || group.Leader == three {
							return false
						}
					}
					return true
				}
				for !led() {
					require.Less(t, time.Since(began), 400*time.Millisecond, "of which patience and a reign take 200")
					time.Sleep(time.Millisecond)
				}
			})
		})
	}
}
