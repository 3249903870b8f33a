package simnet_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/sim/simnet"
)

const (
	ms   = time.Millisecond
	hour = time.Hour
)

func exactly(d time.Duration) simnet.Range { return simnet.Range{Min: d, Max: d} }

// newNetwork returns a network of three nodes with three timers each, the last of which is urgent; messages take 1 ms.
func newNetwork(change ...func(*simnet.Config)) *simnet.Network[int] {
	c := simnet.Config{Seed: 1, Nodes: 3, Timers: 3, Urgent: 1 << 2, Conditions: simnet.Conditions{Delay: exactly(ms)}}
	for _, f := range change {
		f(&c)
	}
	return simnet.New[int](c)
}

// story runs a network until a time, and says what happens, one line for each event.
func story(w *simnet.Network[int], until time.Duration, do func(e *simnet.Event[int])) (lines []string) {
	var e simnet.Event[int]
	for w.Next(&e, until) {
		var what string
		switch e.Kind {
		case simnet.Receive:
			what = fmt.Sprintf("%d→%d %d since %v", e.From, e.Node, e.Message, e.Since)
		case simnet.Lose:
			what = fmt.Sprintf("%d→%d loses %d", e.From, e.Node, e.Message)
		case simnet.TimerEnd:
			what = fmt.Sprintf("%d ends timer %d, due %v", e.Node, e.Timer, e.Since)
		case simnet.Called:
			what = fmt.Sprintf("%d is called %d", e.Node, e.Tag)
		case simnet.Saved:
			what = fmt.Sprintf("%d has saved", e.Node)
		case simnet.Crashed:
			what = fmt.Sprintf("%d has crashed", e.Node)
		case simnet.Alarm:
			what = fmt.Sprintf("alarm %d", e.Tag)
		}
		lines = append(lines, fmt.Sprintf("%v %s", w.Now(), what))
		if do != nil {
			do(&e)
		}
	}
	return lines
}

// alarms lets f happen at times: f(k) at the k-th.
func alarms(w *simnet.Network[int], f func(k int), at ...time.Duration) func(e *simnet.Event[int]) {
	for k, t := range at {
		w.At(t, uint32(k))
	}
	return func(e *simnet.Event[int]) {
		if e.Kind == simnet.Alarm {
			f(int(e.Tag))
		}
	}
}

// TestFirstInFirstOut sends on links whose delays vary much: each link delivers in order, each message once, and within the
// delays; and messages on different links do overtake.
func TestFirstInFirstOut(t *testing.T) {
	w := newNetwork(func(c *simnet.Config) { c.Conditions.Delay = simnet.Range{Max: 50 * ms} })
	do := alarms(w, func(k int) { w.Send(0, 1, k); w.Send(0, 2, k) }, slices.Repeat([]time.Duration{ms, 2 * ms, 7 * ms}, 50)...)
	var e simnet.Event[int]
	next, overtaken, last := map[int]int{}, 0, -1
	for w.Next(&e, hour) {
		do(&e)
		if e.Kind != simnet.Receive {
			continue
		}
		require.LessOrEqual(t, w.Now()-e.Since, 50*ms)
		if e.Message < last {
			overtaken++
		}
		last = e.Message
	}
	// The alarms of one time come in the order in which they were asked for.
	order := func(node int) (got []int) {
		w := newNetwork(func(c *simnet.Config) { c.Conditions.Delay = simnet.Range{Max: 50 * ms} })
		for k := range 150 {
			w.Send(0, node, k)
		}
		for w.Next(&e, hour) {
			require.Equal(t, node, e.Node)
			got = append(got, e.Message)
			next[node]++
		}
		return got
	}
	for node := 1; node <= 2; node++ {
		require.True(t, slices.IsSorted(order(node)))
		require.Equal(t, 150, next[node])
	}
	require.Positive(t, overtaken)
}

// TestLoss loses the part of messages that it should, each when it should arrive and is the first on its link.
func TestLoss(t *testing.T) {
	w := newNetwork(func(c *simnet.Config) { c.Conditions = simnet.Conditions{Delay: simnet.Range{Max: ms}, Loss: 0.25} })
	const n = 4000
	for k := range n {
		w.Send(0, 1, k)
	}
	var e simnet.Event[int]
	lost := 0
	for k := 0; w.Next(&e, hour); k++ {
		require.Equal(t, k, e.Message)
		if e.Kind == simnet.Lose {
			lost++
		}
	}
	sent, all := w.Messages()
	require.EqualValues(t, n, sent)
	require.EqualValues(t, lost, all)
	require.InDelta(t, n/4, lost, n/20)

	w.SetConditions(0, 1, simnet.Conditions{Delay: exactly(ms), Loss: 1})
	w.Send(0, 1, 7)
	w.SetConditions(0, 1, simnet.Conditions{Delay: exactly(3 * ms)})
	w.Send(0, 1, 8)
	now := w.Now()
	require.Equal(t, []string{fmt.Sprint(now+ms, " 0→1 loses 7"), fmt.Sprint(now+3*ms, " 0→1 8 since ", now)}, story(w, 2*hour, nil))
}

// TestCut cuts one direction, twice over: what is under way is lost and what is sent, the other direction carries on, and
// the link carries again when both cuts are healed.
func TestCut(t *testing.T) {
	w := newNetwork()
	w.Send(0, 1, 1)
	w.Send(1, 0, 2)
	require.True(t, w.Cut(0, 1))
	require.False(t, w.Cut(0, 1))
	w.Send(0, 1, 3)
	require.False(t, w.Heal(0, 1))
	w.Send(0, 1, 4)
	require.True(t, w.IsCut(0, 1))
	require.False(t, w.IsCut(1, 0))
	require.True(t, w.Heal(0, 1))
	require.False(t, w.Heal(0, 1), "it is whole")
	w.Send(0, 1, 5)
	require.Equal(t, []string{"1ms 1→0 2 since 0s", "1ms 0→1 5 since 0s"}, story(w, hour, nil))
	_, lost := w.Messages()
	require.EqualValues(t, 3, lost)
}

// TestBreak breaks a link: what is under way is told, first sent first, and lost; what is sent later arrives.
func TestBreak(t *testing.T) {
	w := newNetwork()
	for k := range 20 {
		w.Send(0, 1, k)
	}
	var told []int
	do := alarms(w, func(int) {
		w.Break(0, 1, func(m int) { told = append(told, m) })
		w.Send(0, 1, 99)
	}, ms/2)
	require.Equal(t, []string{"500µs alarm 0", "1.5ms 0→1 99 since 500µs"}, story(w, hour, do))
	require.Len(t, told, 20)
	require.True(t, slices.IsSorted(told))
}

// TestCrash crashes a node: what is under way to it and from it is lost, its timers and calls are gone, and so is what is
// sent to it while it is down. After a restart it hears only what is sent then.
func TestCrash(t *testing.T) {
	w := newNetwork()
	w.Send(0, 1, 1)
	w.Send(1, 2, 2)
	w.Send(0, 2, 3)
	w.SetTimer(1, 0, 10*ms)
	w.Call(1, 10*ms, 7)
	do := alarms(w, func(k int) {
		switch k {
		case 0:
			require.True(t, w.Crash(1))
			require.True(t, w.Doomed(1))
			require.False(t, w.Crash(1))
		case 1:
			require.False(t, w.Up(1))
			w.Send(0, 1, 4)
			w.Restart(1)
			require.True(t, w.Up(1))
			w.Send(0, 1, 5)
		}
	}, ms/2, 2*ms)
	require.Equal(t, []string{"500µs alarm 0", "500µs 1 has crashed", "1ms 0→2 3 since 0s", "2ms alarm 1", "3ms 0→1 5 since 2ms"}, story(w, hour, do))
	_, lost := w.Messages()
	require.EqualValues(t, 3, lost)
}

// TestCrashAfter crashes a node within a step that saves, after each number of messages: those leave it, and arrive before
// it goes down.
func TestCrashAfter(t *testing.T) {
	for k := range 4 {
		w := newNetwork(func(c *simnet.Config) { c.Disk = exactly(5 * ms) })
		w.Save(0)
		require.True(t, w.CrashAfter(0, k))
		w.Send(0, 1, 1)
		w.Send(0, 1, 2)
		w.Send(0, 2, 3)
		w.Send(1, 0, 4) // finds it busy
		want := []string{"5ms 0 has saved", "6ms 0→1 1 since 0s", "6ms 0→1 2 since 0s", "6ms 0→2 3 since 0s"}[:k+1]
		crash := "6ms 0 has crashed"
		if k == 0 {
			crash = "5ms 0 has crashed"
		}
		require.Equal(t, append(want, crash), story(w, hour, nil), k)
		sent, lost := w.Messages()
		require.EqualValues(t, 4, sent)
		require.EqualValues(t, 4-k, lost)
	}
}

// TestCrashAtOnce lets the last messages of a node arrive even where they take no time.
func TestCrashAtOnce(t *testing.T) {
	w := newNetwork(func(c *simnet.Config) { c.Conditions.Delay = exactly(0) })
	require.True(t, w.CrashAfter(0, 1))
	w.Send(0, 1, 1)
	w.Send(0, 2, 2)
	require.Equal(t, []string{"0s 0→1 1 since 0s", "0s 0 has crashed"}, story(w, hour, nil))
}

// TestSave makes a node busy: what it sends and the timers that it sets begin when it has saved, and it is given nothing
// until then. A crash meanwhile comes after the save.
func TestSave(t *testing.T) {
	w := newNetwork(func(c *simnet.Config) { c.Disk = exactly(5 * ms) })
	w.Save(0)
	require.True(t, w.Busy(0))
	w.Send(0, 1, 1)
	w.Send(1, 0, 2)
	w.SetTimer(0, 0, 2*ms)
	w.SetTimer(0, 2, 0)
	w.SetDisk(0, exactly(9*ms))
	saves := 0
	lines := story(w, hour, func(e *simnet.Event[int]) {
		if e.Kind == simnet.Receive && e.Message == 2 {
			saves++
			w.Save(0)
			w.Send(0, 1, 3)
			w.Crash(0)
		}
	})
	require.Equal(t, []string{"5ms 0 has saved", "5ms 0 ends timer 2, due 5ms", "5ms 1→0 2 since 0s", "6ms 0→1 1 since 0s",
		"14ms 0 has saved", "14ms 0 has crashed"}, lines)
	require.Equal(t, 1, saves)
}

// TestPause lets a node take nothing. Afterwards it is given what is urgent, then what has come in its order, then the rest.
func TestPause(t *testing.T) {
	w := newNetwork()
	w.SetTimer(0, 0, ms)
	w.SetTimer(0, 1, 4*ms)
	w.SetTimer(0, 2, 5*ms)
	do := alarms(w, func(k int) {
		switch k {
		case 0:
			w.Pause(0, 10*ms)
			w.Pause(0, ms) // which ends sooner
			require.True(t, w.Paused(0))
		case 1:
			w.Send(1, 0, 1)
			w.Call(0, ms, 9)
			w.Send(2, 0, 2)
		}
	}, 0, 2*ms)
	require.Equal(t, []string{"0s alarm 0", "2ms alarm 1", "10ms 0 ends timer 2, due 5ms", "10ms 1→0 1 since 2ms", "10ms 0 is called 9", "10ms 2→0 2 since 2ms",
		"10ms 0 ends timer 0, due 1ms", "10ms 0 ends timer 1, due 4ms"}, story(w, hour, do))
	require.False(t, w.Paused(0))
}

// TestWaiting keeps messages in order that come while others wait, and while the node saves because of these; and forgets
// those that are lost while they wait.
func TestWaiting(t *testing.T) {
	w := newNetwork(func(c *simnet.Config) { c.Disk = exactly(ms) })
	w.Pause(0, 5*ms)
	for k := range 6 {
		w.Send(1, 0, k)
		w.Send(2, 0, 10+k)
	}
	do := alarms(w, func(k int) {
		if k == 0 {
			w.Cut(2, 0)
			w.Heal(2, 0)
			w.Send(2, 0, 20)
		} else {
			w.Send(1, 0, 6) // while 3 to 5 and 20 wait still
		}
	}, 2*ms, 7*ms)
	var got []int
	story(w, hour, func(e *simnet.Event[int]) {
		do(e)
		if e.Kind == simnet.Receive {
			got = append(got, e.Message)
			w.Save(0)
		}
	})
	require.Equal(t, []int{0, 1, 2, 3, 4, 5, 20, 6}, got)
}

// TestTimers sets, stops and moves timers, by clocks that are right, fast and slow, and jump.
func TestTimers(t *testing.T) {
	w := newNetwork(func(c *simnet.Config) { c.Rates = []float64{1, 1.25, 0.8} })
	for i := range 3 {
		w.SetTimer(i, 0, 100*ms)
	}
	w.SetTimer(0, 1, 10*ms)
	w.StopTimer(0, 1)
	require.False(t, w.Runs(0, 1))
	w.SetTimer(0, 2, 30*ms)
	w.SetTimer(0, 2, 20*ms) // sooner
	w.SetTimer(2, 1, 20*ms)
	w.SetTimer(2, 1, 40*ms) // later
	require.Equal(t, []string{"20ms 0 ends timer 2, due 20ms", "50ms 2 ends timer 1, due 50ms", "80ms 1 ends timer 0, due 80ms",
		"100ms 0 ends timer 0, due 100ms", "125ms 2 ends timer 0, due 125ms"}, story(w, 200*ms, nil))
	require.Equal(t, 200*ms, w.Now())

	w.SetTimer(1, 0, 100*ms) // due at 280 ms
	w.SetTimer(1, 1, 10*ms)  // due at 208 ms
	w.SetTimer(2, 0, 40*ms)
	do := alarms(w, func(k int) {
		if k == 0 {
			w.Jump(1, 50*ms) // which are 40 ms of time
		} else {
			w.EndTimers(2)
		}
	}, 204*ms, 210*ms)
	require.Equal(t, []string{"204ms alarm 0", "204ms 1 ends timer 1, due 168ms", "210ms alarm 1", "210ms 2 ends timer 0, due 210ms",
		"240ms 1 ends timer 0, due 240ms"}, story(w, hour, do))
}

// TestExtremeClocks keeps clocks that hardly run, and times that are very long, from overflowing.
func TestExtremeClocks(t *testing.T) {
	w := newNetwork(func(c *simnet.Config) { c.Rates = []float64{1e-12, 1e6, 1} })
	w.SetTimer(0, 0, 1<<62)
	w.SetTimer(1, 0, 1<<62)
	w.SetTimer(2, 0, -ms)
	// The longest time is 2^61 ns; the slow clock takes longer still.
	require.Equal(t, []string{"0s 2 ends timer 0, due 0s", "38m25.843009213s 1 ends timer 0, due 38m25.843009213s"}, story(w, 10*hour, nil))
}
