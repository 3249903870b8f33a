package policy

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	update = flag.Bool("update", false, "write the table of testdata anew")
	record = flag.Bool("record", false, "write the recorded series of testdata anew; it takes a minute and a half")
)

// A series is what a follower lives through: recorded, in a file of testdata, or constructed. Each word of it is an event:
//
//	50103     a message arrives so many microseconds after the one before
//	50000*20  twenty of them
//	pause=15s    the follower itself does not run for so long; what arrives meanwhile is queued
//	suspend=10m  its machine is suspended, and its monotonic clock stands still
//	death     nothing arrives any more
type series struct {
	name   string
	events []string
}

// readSeries reads a series. What follows a # is a comment.
func readSeries(name, text string) series {
	s := series{name: name}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		s.events = append(s.events, strings.Fields(line)...)
	}
	return s
}

// allSeries returns the series that are constructed, and those that were recorded, by name.
func allSeries(t *testing.T) map[string]series {
	all := map[string]series{}
	for name, text := range constructed() {
		all[name] = readSeries(name, text)
	}
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		require.NotContains(t, all, name)
		all[name] = readSeries(name, string(text))
	}
	return all
}

// judge is what Fixed and Phi are.
type judge interface {
	Heard(now time.Time)
	Patience(now time.Time) time.Duration
	Phi(now time.Time) float64
	Paused(until time.Time)
	Reset()
}

var (
	_ judge = (*Fixed)(nil)
	_ judge = (*Phi)(nil)
)

// follower is the least host that has a detector. Its loop does what the package comment says.
type follower struct {
	detector judge
	guard    *pauseGuard // or nil
	network  time.Time   // when the latest message arrived
	asleep   time.Duration
	resumes  time.Time // when the latest pause ends
	due      time.Time // when patience ends; zero if it has
	suspects bool
	arrivals int
	wrong    int // suspicions of a node that was heard again
	pauses   int // that the guard has noticed
	detected time.Duration
	blind    bool // death was never noticed
}

// never is when a timer ends that waits for longer than this test does.
const never = 1000 * time.Hour

func newFollower(t *testing.T, detector judge, guarded bool) *follower {
	f := &follower{detector: detector, network: at(0), resumes: at(0)}
	if guarded {
		f.guard = &pauseGuard{limit: 15 * ms, hold: 100 * ms}
	}
	f.due = at(0).Add(min(f.detector.Patience(at(0)), never))
	return f
}

// turn is a turn of the loop: the guard looks first.
func (f *follower) turn(now time.Time) {
	if f.guard == nil {
		return
	}
	if f.guard.ran(now, now.Add(f.asleep), f.due) > 0 {
		f.pauses++
		f.detector.Paused(f.guard.until)
		if !f.due.IsZero() {
			f.due = f.guard.postpone(f.due)
		}
	}
}

// runTo lets the timer end if it does so before now. A paused loop finds it overdue.
func (f *follower) runTo(now time.Time) {
	for !f.due.IsZero() && f.due.Before(now) {
		wakes := f.due
		if wakes.Before(f.resumes) {
			wakes = f.resumes
		}
		if !wakes.Before(now) {
			return
		}
		f.turn(wakes)
		if !wakes.Before(f.due) {
			f.suspects, f.due = true, time.Time{}
			f.detected = wakes.Sub(f.network)
		}
	}
}

// hear takes a message that arrives so long after the one before. After a pause, whoever reads the network needs a
// millisecond to bring what was queued.
func (f *follower) hear(interval time.Duration) {
	f.network = f.network.Add(interval)
	taken := f.network
	if ready := f.resumes.Add(ms); taken.Before(ready) && f.resumes.After(at(0)) {
		taken = ready
	}
	f.runTo(taken)
	f.turn(taken)
	if f.suspects {
		f.wrong++
		f.suspects = false
	}
	f.arrivals++
	f.detector.Heard(taken)
	f.due = taken.Add(min(f.detector.Patience(taken), never))
}

// live lets the follower live through a series, to the death at its end.
func (f *follower) live(t *testing.T, s series) {
	for _, event := range s.events {
		what, value, _ := strings.Cut(event, "=")
		switch what {
		case "pause":
			d, err := time.ParseDuration(value)
			require.NoError(t, err, s.name)
			f.resumes = f.network.Add(d)
		case "suspend":
			d, err := time.ParseDuration(value)
			require.NoError(t, err, s.name)
			f.asleep += d
		case "death":
			f.runTo(f.network.Add(never))
			f.blind = !f.suspects
			return
		default:
			interval, count, many := strings.Cut(event, "*")
			us, err := strconv.Atoi(interval)
			require.NoError(t, err, s.name)
			times := 1
			if many {
				times, err = strconv.Atoi(count)
				require.NoError(t, err, s.name)
			}
			for range times {
				f.hear(time.Duration(us) * time.Microsecond)
			}
		}
	}
	require.Fail(t, "no death", s.name)
}

// verdict returns how the follower did: false suspicions, and the time to detect the death.
func (f *follower) verdict() string {
	if f.blind {
		return fmt.Sprintf("%5d  %8s", f.wrong, "never")
	}
	return fmt.Sprintf("%5d  %8.1f", f.wrong, float64(f.detected)/float64(ms))
}

// naive is a phi detector without any of the care: it is what the table compares with. It has no least deviation, no
// bounds and nothing before two intervals, and learns from every gap.
type naive struct {
	heard  bool
	since  time.Time
	window window
}

func (n *naive) Heard(now time.Time) {
	if n.heard {
		n.window.add(now.Sub(n.since))
	}
	n.heard, n.since = true, now
}

func (n *naive) Patience(time.Time) time.Duration {
	if n.window.count < 2 {
		return never
	}
	return time.Duration(n.window.mean() + 5.612*n.window.deviation())
}

func (*naive) Phi(time.Time) float64 { return 0 }
func (*naive) Paused(time.Time)      {}
func (*naive) Reset()                {}

// TestTable compares what detectors make of every series with testdata/table.golden.
func TestTable(t *testing.T) {
	if *record {
		recordSeries(t)
	}
	all := allSeries(t)
	require.Greater(t, len(all), 10)

	var table strings.Builder
	table.WriteString("Suspicions that were false, and the time from the last arrival to the suspicion of the death in ms.\n")
	table.WriteString("Fixed: 265 ms. Phi: heartbeat 50 ms, floor 265 ms. Naive: no least deviation, no bounds, no guard, learns all.\n\n")
	fmt.Fprintf(&table, "%-22s %8s %7s | %15s | %15s | %15s | %15s\n",
		"series", "arrivals", "pauses", "fixed", "phi", "phi, no guard", "naive")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := all[name]
		var verdicts []string
		var phi *follower
		for _, f := range []*follower{
			newFollower(t, NewFixed(265*ms), true), newFollower(t, newPhi(t, lan), true),
			newFollower(t, newPhi(t, lan), false), newFollower(t, &naive{window: newWindow(1000)}, false),
		} {
			f.live(t, s)
			verdicts = append(verdicts, f.verdict())
			if len(verdicts) == 2 {
				phi = f
			}
		}
		fmt.Fprintf(&table, "%-22s %8d %7d | %s\n", s.name, phi.arrivals, phi.pauses, strings.Join(verdicts, " | "))
	}
	const golden = "testdata/table.golden"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(table.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), table.String(), "if this is right: go test ./spec/policy -run Table -update")
}

// What the table must say of Phi, whatever else changes.
func TestSeries(t *testing.T) {
	all := allSeries(t)
	for _, test := range []struct {
		name               string
		wrong              int           // suspicions that are false, at most
		detected           time.Duration // at most
		pauses             int
		fewerThanUnguarded bool
	}{
		{"recorded-loopback", 0, 265 * ms, 0, false},
		{"recorded-under-load", 0, 1060 * ms, 0, false},
		{"steady", 0, 265 * ms, 0, false},
		{"jittery", 0, 265 * ms, 0, false},
		{"bursty", 2, 1060 * ms, 0, false},
		{"drift", 0, 1060 * ms, 0, false},
		{"pause-15s", 1, 265 * ms, 0, false},
		{"death-at-once", 0, 265 * ms, 0, false},
		{"death-after-one", 0, 265 * ms, 0, false},
		{"local-pause-15s", 0, 265 * ms, 1, true},
		{"local-pauses", 0, 265 * ms, 20, true},
		{"suspended", 0, 265 * ms, 1, false},
		{"slower", 1, 1060 * ms, 0, false},
		{"faster", 1, 265 * ms, 0, false},
		{"gc-pauses", 2, 1060 * ms, 0, false},
	} {
		s, ok := all[test.name]
		require.True(t, ok, test.name)
		f := newFollower(t, newPhi(t, lan), true)
		f.live(t, s)
		require.LessOrEqual(t, f.wrong, test.wrong, "%s: false suspicions", test.name)
		require.False(t, f.blind, test.name)
		require.LessOrEqual(t, f.detected, test.detected, "%s: detection", test.name)
		require.Equal(t, test.pauses, f.pauses, "%s: local pauses noticed", test.name)

		unguarded := newFollower(t, newPhi(t, lan), false)
		unguarded.live(t, s)
		require.Equal(t, test.fewerThanUnguarded, f.wrong < unguarded.wrong, "%s: the guard", test.name)
	}
}
