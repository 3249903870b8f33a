package simnet_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/conformance/sim/simnet"
)

// five returns a network in which node 0 has sent a to e to node 1, which arrive at 10, 20 … 50 ms.
func five() *simnet.Network[string] {
	w := simnet.New[string](simnet.Config{Nodes: 3, Timers: 2, Seed: 1})
	for k, m := range []string{"a", "b", "c", "d", "e"} {
		at := time.Duration(k+1) * 10 * ms
		w.SetConditions(0, 1, simnet.Conditions{Delay: simnet.Range{Min: at, Max: at}})
		w.Send(0, 1, m)
	}
	return w
}

// taken lets a network go on, and returns what node 1 takes, with when: a10 b20.
func taken(w *simnet.Network[string]) (text string) {
	var e simnet.Event[string]
	for w.Next(&e, time.Second) {
		switch e.Kind {
		case simnet.Receive:
			text += e.Message + (w.Now() / ms * ms).String() + " "
		case simnet.Lose:
			text += "-" + e.Message + " "
		}
	}
	return text
}

// TestIntervene hurries, holds and drops messages: none overtakes another, and what is not touched comes as it would have.
func TestIntervene(t *testing.T) {
	require.Equal(t, "a10ms b20ms c30ms d40ms e50ms ", taken(five()))
	for _, c := range []struct {
		says, want string
		do         func(w *simnet.Network[string])
	}{
		{"hurry takes those before along", "a0s b0s c0s d40ms e50ms ", func(w *simnet.Network[string]) { w.Hurry(0, 1, 2) }},
		{"hold keeps back those behind", "a10ms b35ms c35ms d40ms e50ms ", func(w *simnet.Network[string]) { w.Hold(0, 1, 1, 15*ms) }},
		{"drop loses one", "a10ms c30ms d40ms e50ms ", func(w *simnet.Network[string]) { w.Drop(0, 1, 1) }},
		{"dropped ones do not keep others", "b20ms c30ms e50ms ", func(w *simnet.Network[string]) { w.Drop(0, 1, 3); w.Drop(0, 1, 0) }},
		{"held, then hurried", "a10ms b10ms c10ms d41ms e50ms ", func(w *simnet.Network[string]) { w.Hold(0, 1, 0, 31*ms); upTo(w, 10*ms); w.Hurry(0, 1, 2) }},
		{"hurried and held again", "a60ms b60ms c60ms d60ms e60ms ", func(w *simnet.Network[string]) { w.Hurry(0, 1, 4); w.Hold(0, 1, 0, 60*ms) }},
		{"held while it waits", "a100ms b100ms c100ms d100ms e100ms ", func(w *simnet.Network[string]) {
			w.Pause(1, 30*ms)
			upTo(w, 25*ms)
			w.Hold(0, 1, 0, 75*ms)
		}},
		{"dropped while it waits", "b30ms c30ms d40ms e50ms ", func(w *simnet.Network[string]) { w.Pause(1, 30*ms); upTo(w, 25*ms); w.Drop(0, 1, 0) }},
		{"cut", "", func(w *simnet.Network[string]) { w.Hurry(0, 1, 1); w.Hold(0, 1, 3, ms); w.Cut(0, 1) }},
		{"crash", "", func(w *simnet.Network[string]) { w.Hurry(0, 1, 1); w.Kill(1); w.Restart(1) }},
	} {
		w := five()
		c.do(w)
		require.Equal(t, c.want, taken(w), c.says)
		require.Zero(t, w.UnderWay(0, 1), c.says)
	}
}

// upTo lets a network go on to a time, at which nothing comes of it.
func upTo(w *simnet.Network[string], at time.Duration) {
	var e simnet.Event[string]
	if w.Next(&e, at) {
		panic("something comes of it")
	}
}

// TestTake takes what has arrived, and no sooner.
func TestTake(t *testing.T) {
	w := five()
	var e simnet.Event[string]
	require.False(t, w.Take(0, 1, &e), "nothing has arrived")
	w.Hurry(0, 1, 1)
	w.Pause(1, simnet.Forever)
	require.False(t, w.Take(0, 1, &e), "it is paused")
	w.Resume(1)
	require.True(t, w.Free(1))
	require.True(t, w.Take(0, 1, &e))
	require.Equal(t, "a", e.Message)
	m, due := w.Packet(0, 1, 0)
	require.Equal(t, "b", m)
	require.Zero(t, due)
	require.Equal(t, "b0s c30ms d40ms e50ms ", taken(w))
}

// TestForever pauses a node until it is resumed.
func TestForever(t *testing.T) {
	w := five()
	w.Pause(1, simnet.Forever)
	require.Empty(t, taken(w))
	w.Resume(1)
	require.Equal(t, "a1s b1s c1s d1s e1s ", taken(w))
	w.Resume(1)
	w.Resume(2)
	require.Empty(t, taken(w))
}

// TestEndTimer ends a timer before its time: now if its node is free, else as soon as it is.
func TestEndTimer(t *testing.T) {
	w := simnet.New[string](simnet.Config{Nodes: 1, Timers: 2, Disk: simnet.Range{Min: 5 * ms, Max: 5 * ms}})
	var e simnet.Event[string]
	w.SetTimer(0, 0, time.Second)
	w.SetTimer(0, 1, time.Second)
	require.True(t, w.EndTimer(0, 1, &e))
	require.Equal(t, simnet.Event[string]{Kind: simnet.TimerEnd, Timer: 1}, e)
	_, runs := w.Due(0, 1)
	require.False(t, runs)
	w.Save(0)
	require.False(t, w.EndTimer(0, 0, &e))
	require.True(t, w.Next(&e, time.Minute))
	require.Equal(t, simnet.Saved, e.Kind)
	require.True(t, w.Next(&e, time.Minute))
	require.Equal(t, simnet.TimerEnd, e.Kind)
	require.Equal(t, 5*ms, w.Now())
	require.False(t, w.Next(&e, time.Minute))

	w.SetTimer(0, 0, ms)
	due, _ := w.Due(0, 0)
	w.Pause(0, simnet.Forever)
	require.False(t, w.Next(&e, due+ms))
	require.False(t, w.EndTimer(0, 0, &e))
	w.Resume(0)
	require.True(t, w.Next(&e, due+ms))
	require.Equal(t, due, e.Since, "it has been late before")
}

// TestKill crashes a node amid a save, which is not done; nor does what was to come for the node come after its return.
func TestKill(t *testing.T) {
	w := simnet.New[string](simnet.Config{Nodes: 2, Timers: 1, Disk: simnet.Range{Min: 5 * ms, Max: 5 * ms}})
	w.Save(0)
	w.Send(0, 1, "never leaves")
	w.SetTimer(0, 0, ms)
	w.Call(0, ms, 7)
	w.Crash(0)
	w.Kill(0)
	require.False(t, w.Up(0))
	w.Restart(0)
	w.Save(0)
	var e simnet.Event[string]
	require.True(t, w.Next(&e, time.Minute))
	require.Equal(t, simnet.Event[string]{Kind: simnet.Saved}, e, "the save after the return")
	require.False(t, w.Next(&e, time.Minute))

	w.SetDisk(0, simnet.Range{Min: 5 * ms, Max: 5 * ms})
	w.Save(0)
	w.Kill(0)
	w.Restart(0)
	w.SetDisk(0, simnet.Range{Min: 9 * ms, Max: 9 * ms})
	w.Save(0)
	at := w.Now()
	require.True(t, w.Next(&e, 2*time.Minute))
	require.Equal(t, 9*ms, w.Now()-at, "not when the save before the crash would have been done")
}

// TestOrderIsKept intervenes as it comes: messages of a link are taken in the order in which they were sent, each once or never.
func TestOrderIsKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := simnet.New[int](simnet.Config{Nodes: 3, Timers: 1, Seed: rapid.Uint64().Draw(t, "seed"), Conditions: simnet.Conditions{Delay: simnet.Range{Max: 9 * ms}, Loss: 0.1}})
		last, dropped, sent := map[int]int{}, map[int]bool{}, 0
		takes := func(e *simnet.Event[int]) {
			link := 3*e.From + e.Node
			if e.Kind == simnet.Receive || e.Kind == simnet.Lose {
				require.Greater(t, e.Message, last[link])
				require.False(t, dropped[e.Message])
				last[link] = e.Message
			}
		}
		var e simnet.Event[int]
		for range rapid.IntRange(1, 60).Draw(t, "doings") {
			i, j, d := rapid.IntRange(0, 2).Draw(t, "from"), rapid.IntRange(0, 1).Draw(t, "to"), time.Duration(rapid.IntRange(0, 6).Draw(t, "ms"))*ms
			if j == i {
				j = 2
			}
			k := rapid.IntRange(0, max(0, w.UnderWay(i, j)-1)).Draw(t, "place")
			what := rapid.IntRange(0, 8).Draw(t, "what")
			if w.UnderWay(i, j) == 0 && what >= 1 && what <= 4 {
				what = 0
			}
			switch what {
			case 0:
				sent++
				w.Send(i, j, sent)
			case 1:
				w.Hurry(i, j, k)
			case 2:
				w.Hold(i, j, k, d+1)
			case 3:
				m, _ := w.Packet(i, j, k)
				dropped[m] = true
				w.Drop(i, j, k)
			case 4:
				if w.Take(i, j, &e) {
					takes(&e)
				}
			case 5:
				w.Pause(i, d+1)
			case 6:
				w.Resume(i)
			default:
				until := w.Now() + d
				for w.Next(&e, until) {
					takes(&e)
				}
			}
		}
		for i := range 3 {
			w.Resume(i)
		}
		for w.Next(&e, w.Now()+time.Minute) {
			takes(&e)
		}
		for i := range 3 {
			for j := range 3 {
				require.Zero(t, w.UnderWay(i, j))
			}
		}
	})
}
