package simnet_test

import (
	"fmt"
	"hash/fnv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/sim/simnet"
)

// TestSame makes the same network twice, and once with memory that was used before: all do the same, which is pinned, so that
// a change shows, and a machine on which it is not so.
func TestSame(t *testing.T) {
	config := simnet.Config{Seed: 81, Nodes: 4, Timers: 2, Urgent: 1, Conditions: simnet.Conditions{Delay: simnet.Range{Max: 3 * ms}, Loss: 0.1}, Disk: simnet.Range{Max: ms},
		Rates: []float64{1, 1.01, 0.99, 1}}
	used := newNetwork()
	busy(used, 3)
	used.Reset(config)
	first := busy(simnet.New[int](config), 4)
	require.Equal(t, first, busy(simnet.New[int](config), 4))
	require.Equal(t, first, busy(used, 4))
	used.Reset(config)
	require.Equal(t, first, busy(used, 4))
	config.Seed++
	require.NotEqual(t, first, busy(simnet.New[int](config), 4))
	require.EqualValues(t, uint64(0x98dd87617dd02b86), first)
}

// busy lets n nodes do all that there is, for a second, and returns a digest of what happens.
func busy(w *simnet.Network[int], n int) uint64 {
	h := fnv.New64a()
	w.At(100*ms, 1)
	for i := range n {
		w.SetTimer(i, 0, time.Duration(i+1)*ms)
	}
	var e simnet.Event[int]
	for w.Next(&e, time.Second) {
		fmt.Fprintln(h, w.Now(), e.Kind, e.Node, e.From, e.Message, e.Timer, e.Tag, e.Since)
		switch e.Kind {
		case simnet.TimerEnd:
			w.SetTimer(e.Node, 0, 5*ms)
			for j := range n {
				if j != e.Node {
					w.Send(e.Node, j, j)
				}
			}
		case simnet.Receive:
			if e.Message%2 == 0 {
				w.Save(e.Node)
				w.Send(e.Node, e.From, e.Message+1)
			}
		case simnet.Crashed:
			w.Restart(e.Node)
			w.SetTimer(e.Node, 0, ms)
		case simnet.Alarm:
			w.Pause(0, 3*ms)
			w.CrashAfter(1, 2)
			w.Cut(2, 1)
			w.At(w.Now()+50*ms, e.Tag+1)
		}
	}
	return h.Sum64()
}
