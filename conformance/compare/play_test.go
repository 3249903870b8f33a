package compare_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/compare/toy"
)

// watched is a run of the toy whose moments are kept, as text.
type watched struct {
	*compare.Play
	moments []string
}

// watch begins a run of which 3 leads from 110 ms on, and lets it go on until then.
func watch(t *testing.T, s *compare.Scenario, until time.Duration) *watched {
	t.Helper()
	w := &watched{}
	var err error
	w.Play, err = compare.Begin(s, toy.New(), 1, compare.Options{Watch: func(m *compare.Moment) { w.moments = append(w.moments, text(m)) }})
	require.NoError(t, err)
	w.goOn(until)
	return w
}

func (w *watched) goOn(until time.Duration) {
	for w.Next(until) {
	}
}

// told returns what was told since it was asked last.
func (w *watched) told() []string {
	m := w.moments
	w.moments = nil
	return m
}

// text is a moment as people write it down.
func text(m *compare.Moment) string {
	what := [...]string{"", "starts", "restarts", "takes", "loses", "ends", "is told", "saves", "crashes", "pauses", "goes on", "links", "writes", "injected"}[m.What]
	said := fmt.Sprintf("%s %d %s", m.At, m.Node, what)
	switch m.What {
	case compare.Took, compare.Lost:
		said += fmt.Sprintf(" %s #%d of %d", m.Message.Kind, m.Number, m.From)
	case compare.Ended:
		said += fmt.Sprintf(" timer %d", m.Timer)
	case compare.Called:
		said += " " + string(m.Call)
	}
	if m.Text != "" {
		said += " " + m.Text
	}
	for _, f := range m.Sent {
		said += fmt.Sprintf(", #%d %s to %d at %s", f.Number, f.Kind, f.To, f.Due)
		if f.Lost {
			said += " lost"
		}
	}
	for _, a := range m.Moved {
		said += fmt.Sprintf(", #%d at %s", a.Number, a.Due)
	}
	if m.Planned {
		said += ", planned"
	}
	return said
}

// TestPlayIsRun steps through a run with all kinds of faults, and comes to what Run comes to; who watches changes nothing.
func TestPlayIsRun(t *testing.T) {
	s := scenario(2*time.Second, compare.Fault{Kind: compare.Crash, Node: compare.Leader, At: 200 * ms, For: 100 * ms},
		compare.Fault{Kind: compare.Pause, Node: 2, At: 500 * ms, For: 300 * ms}, compare.Fault{Kind: compare.Suspect, Node: 1, At: time.Second},
		compare.Fault{Kind: compare.Cut, Links: compare.Between(1, 0), At: 1200 * ms, For: 300 * ms})
	s.Work, s.Loss, s.Disk = 20*ms, 0.1, compare.Range{Max: 3 * ms}
	want, err := compare.Run(s, toy.New(), 7, compare.Options{Timeline: true})
	require.NoError(t, err)
	kinds := map[compare.What]int{}
	p, err := compare.Begin(s, toy.New(), 7, compare.Options{Timeline: true, Watch: func(m *compare.Moment) { kinds[m.What]++ }})
	require.NoError(t, err)
	for p.Next(s.Length) {
	}
	got, err := p.Finish()
	require.NoError(t, err)
	require.Equal(t, want, got)
	for what := compare.Started; what < compare.Injected; what++ {
		require.Positive(t, kinds[what], "%d", what)
	}
}

// TestMoments pins what is told of the first election, and of a crash.
func TestMoments(t *testing.T) {
	s := scenario(time.Second)
	w := watch(t, s, 112*ms)
	require.Equal(t, []string{"0s 1 starts", "0s 2 starts", "0s 3 starts",
		"110ms 3 ends timer 0, #1 LEAD to 1 at 111ms, #2 LEAD to 2 at 111ms", "110ms 3 saves", "111ms 1 takes LEAD #1 of 3", "111ms 2 takes LEAD #2 of 3",
	}, w.told())
	v := w.View(3)
	require.True(t, v.Acts && v.Up && !v.Saves)
	require.Equal(t, uint64(1), v.Saved)
	due, runs := w.Due(3, 1)
	require.True(t, runs)
	require.Equal(t, 130*ms, due)
	require.NoError(t, w.Crash(3))
	require.False(t, w.View(3).Acts)
	require.NoError(t, w.Suspect(2))
	require.NoError(t, w.Restart(3))
	require.Equal(t, []string{"112ms 3 crashes", "112ms 2 is told suspect, #3 LEAD to 1 at 113ms, #4 LEAD to 3 at 0s lost", "112ms 3 restarts"}, w.told())
}

// TestDoings does all that can be done, and pins what is told of it.
func TestDoings(t *testing.T) {
	s := scenario(time.Second)
	s.Delay, s.Disk = compare.Range{Min: 5 * ms, Max: 5 * ms}, compare.Range{Min: 2 * ms, Max: 2 * ms}
	w := watch(t, s, 113*ms)
	w.told()
	require.NoError(t, w.Delay(1, 3*ms))
	require.NoError(t, w.Drop(2))
	require.NoError(t, w.Deliver(1))
	require.NoError(t, w.Pause(1))
	require.NoError(t, w.Fire(3, 1))
	require.NoError(t, w.Deliver(3))
	require.NoError(t, w.Suspect(1))
	require.NoError(t, w.Fire(1, 0))
	require.NoError(t, w.Cut([]compare.Link{{From: 3, To: 2}}))
	require.NoError(t, w.Resume(1))
	require.True(t, w.IsCut(3, 2))
	w.goOn(113 * ms)
	require.NoError(t, w.Heal([]compare.Link{{From: 3, To: 2}}))
	require.Equal(t, []string{
		"113ms 0 injected LEAD from 3 to 1 is delayed by 3ms, #1 at 120ms", "113ms 2 loses LEAD #2 of 3", "113ms 1 takes LEAD #1 of 3", "113ms 1 pauses",
		"113ms 3 ends timer 1, #3 HEARTBEAT to 1 at 118ms, #4 HEARTBEAT to 2 at 118ms", "113ms 1 injected message 3 has arrived, and waits until 1 can take it, #3 at 113ms",
		"113ms 1 injected 1 will be told when it can listen", `113ms 1 injected the timer "patience" has ended, and 1 will see it when it can`,
		"113ms 0 links 3→2 cut", "113ms 1 goes on", "113ms 1 takes HEARTBEAT #3 of 3", "113ms 1 is told suspect, #5 LEAD to 2 at 120ms, #6 LEAD to 3 at 120ms",
		"113ms 0 links 3→2 healed",
	}, w.told())
}

// TestBeforeOnes delivers what is before a message on its link with it, and keeps what is behind it from overtaking one that is
// delayed.
func TestBeforeOnes(t *testing.T) {
	s := scenario(time.Second)
	s.Delay, s.Timing.Heartbeat = compare.Range{Min: 9 * ms, Max: 9 * ms}, 2*ms
	w := watch(t, s, 113*ms)
	w.told()
	require.NoError(t, w.Deliver(3))
	require.Equal(t, []string{"113ms 1 takes LEAD #1 of 3", "113ms 1 takes HEARTBEAT #3 of 3"}, w.told())
	require.NoError(t, w.Delay(2, 3500*time.Microsecond))
	w.goOn(122*ms + 600*time.Microsecond)
	var taken []string
	for _, m := range w.told() {
		if !strings.Contains(m, " ends ") && !strings.Contains(m, " saves") {
			taken = append(taken, m)
		}
	}
	require.Equal(t, []string{"113ms 0 injected LEAD from 3 to 2 is delayed by 3.5ms, with 1 behind it, #2 at 122.5ms, #4 at 122.5ms", "122.5ms 2 takes LEAD #2 of 3", "122.5ms 2 takes HEARTBEAT #4 of 3"}, taken)
}

// TestCrashAmidSave loses what was being saved.
func TestCrashAmidSave(t *testing.T) {
	s := scenario(time.Second)
	s.Disk = compare.Range{Min: 20 * ms, Max: 20 * ms}
	w := watch(t, s, 115*ms)
	require.True(t, w.View(3).Saves)
	require.NoError(t, w.Crash(3))
	require.Nil(t, w.View(3).Saved)
	w = watch(t, s, 135*ms)
	require.NoError(t, w.Crash(3))
	require.Equal(t, uint64(1), w.View(3).Saved)
}

// TestPlansGoOn injects into what a scenario has planned: a node that it restarts is up already, a pause that it ends is not
// over, a link that it heals was cut by somebody else too.
func TestPlansGoOn(t *testing.T) {
	s := scenario(time.Second, compare.Fault{Kind: compare.Crash, Node: 1, At: 200 * ms, For: 100 * ms}, compare.Fault{Kind: compare.Pause, Node: 2, At: 200 * ms, For: 100 * ms},
		compare.Fault{Kind: compare.Cut, Links: []compare.Link{{From: 3, To: 2}, {From: 1, To: 2}}, At: 200 * ms, For: 100 * ms})
	w := watch(t, s, 250*ms)
	require.True(t, w.Planned())
	require.NoError(t, w.Restart(1))
	require.NoError(t, w.Resume(2))
	require.NoError(t, w.Pause(2))
	require.NoError(t, w.Cut([]compare.Link{{From: 1, To: 2}, {From: 3, To: 2}}))
	require.NoError(t, w.Heal([]compare.Link{{From: 1, To: 2}}))
	require.False(t, w.IsCut(1, 2), "whoever has cut it")
	w.told()
	w.goOn(310 * ms)
	require.False(t, w.Planned())
	require.True(t, w.View(1).Up)
	require.True(t, w.View(2).Paused)
	require.True(t, w.IsCut(3, 2))
	require.False(t, w.IsCut(1, 2))
	for _, m := range w.told() {
		require.NotContains(t, m, "restarts")
		require.NotContains(t, m, "goes on")
	}
	require.NoError(t, w.Crash(1))
	w.goOn(time.Second)
	require.False(t, w.View(1).Up, "nobody has planned that it comes back once more")
}

// TestCannot says why something cannot be done.
func TestCannot(t *testing.T) {
	p, err := compare.Begin(scenario(time.Second), toy.New(), 1, compare.Options{})
	require.NoError(t, err)
	require.ErrorContains(t, p.Crash(1), "not all nodes have started")
	require.False(t, p.View(1).Up)
	w := watch(t, scenario(time.Second), 200*ms)
	require.NoError(t, w.Crash(1))
	for want, err := range map[string]error{
		"there is no node 4: give one from 1 to 3":     w.Pause(4),
		"node 1 is down: restart it first":             w.Crash(1),
		"node 2 is up":                                 w.Restart(2),
		"node 2 is not paused":                         w.Resume(2),
		"no links":                                     w.Cut(nil),
		"there is no link from 2 to 2":                 w.Heal([]compare.Link{{From: 2, To: 2}}),
		"there is no link from 0 to 2":                 w.Heal([]compare.Link{{From: 0, To: 2}}),
		"message 1 is not under way":                   w.Drop(1),
		"message 99 is not under way":                  w.Deliver(99),
		"message 98 is not under way":                  w.Delay(98, ms),
		"there is no timer 2: toy has 2":               w.Fire(2, 2),
		`the timer "heartbeat" of node 2 does not run`: w.Fire(2, 1),
		"node 1 is down: restart it first ":            fmt.Errorf("%w ", w.Suspect(1)),
		"a node of toy cannot be told to lead no long": w.Resign(2),
	} {
		require.ErrorContains(t, err, want)
	}
	_, err = compare.Begin(&compare.Scenario{}, toy.New(), 1, compare.Options{})
	require.ErrorContains(t, err, "Nodes")
}

// TestNothingLeavesBeforeTheDisk delivers what waits for the disk of its sender when that is done, and not before: if the sender
// crashes, it has never been sent. Until then it cannot be dropped either.
func TestNothingLeavesBeforeTheDisk(t *testing.T) {
	s := scenario(time.Second)
	s.Delay, s.Disk = compare.Range{Min: 9 * ms, Max: 9 * ms}, compare.Range{Min: 8 * ms, Max: 8 * ms}
	w := watch(t, s, 115*ms)
	require.True(t, w.View(3).Saves)
	w.told()
	require.NoError(t, w.Deliver(1))
	require.ErrorContains(t, w.Drop(2), "message 2 has not left 3")
	w.goOn(118 * ms)
	require.Equal(t, []string{"115ms 1 injected message 1 arrives as soon as it leaves 3, which waits for its disk, #1 at 118ms",
		"118ms 3 saves", "118ms 1 takes LEAD #1 of 3"}, w.told())
	require.NoError(t, w.Drop(2))

	w = watch(t, s, 115*ms)
	require.NoError(t, w.Deliver(1))
	require.NoError(t, w.Crash(3))
	w.told()
	w.goOn(140 * ms)
	require.NotContains(t, strings.Join(w.told(), " "), "takes LEAD #1")
}

// TestFinishMayBeAsked asks what was measured at every step, which changes nothing of what is measured in the end.
func TestFinishMayBeAsked(t *testing.T) {
	s := scenario(time.Second, compare.Fault{Kind: compare.Crash, Node: compare.Leader, At: 200 * ms, For: 100 * ms},
		compare.Fault{Kind: compare.Suspect, Node: 1, At: 900 * ms})
	want, err := compare.Run(s, toy.New(), 7, compare.Options{Timeline: true})
	require.NoError(t, err)
	p, err := compare.Begin(s, toy.New(), 7, compare.Options{Timeline: true})
	require.NoError(t, err)
	for p.Next(s.Length) {
		_, err := p.Finish()
		require.NoError(t, err)
	}
	got, err := p.Finish()
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// TestDroppedHoldsUpNothing drops a message that was delayed by an hour: what is sent after that is as fast as ever.
func TestDroppedHoldsUpNothing(t *testing.T) {
	w := watch(t, scenario(time.Second), 110*ms)
	require.NoError(t, w.Delay(1, time.Hour))
	require.NoError(t, w.Drop(1))
	w.told()
	w.goOn(131 * ms)
	require.Contains(t, w.told(), "131ms 1 takes HEARTBEAT #5 of 3")
}
