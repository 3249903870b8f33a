package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/tla"
	"github.com/seed-fdf591db/bully/tla/check/tlc"
)

func TestEstimate(t *testing.T) {
	const second = time.Second
	for name, c := range map[string]struct {
		load load
		left time.Duration
	}{
		"nothing":                        {load{lanes: 2}, 0},
		"nothing is done yet":            {load{queued: 100, lanes: 2}, 50 * second},
		"one lane":                       {load{queued: 100, lanes: 1}, 100 * second},
		"no lane is one":                 {load{queued: 100}, 100 * second},
		"as recorded":                    {load{recorded: 90, took: 90, queued: 100, lanes: 2}, 50 * second},
		"half as fast":                   {load{recorded: 90, took: 190, queued: 100, lanes: 2}, 100 * second},
		"twice as fast":                  {load{recorded: 90, took: 40, queued: 100, lanes: 2}, 25 * second},
		"a short task says little":       {load{recorded: 0.1, took: 1, queued: 101, lanes: 1}, 110 * second},
		"what runs is partly done":       {load{running: []share{{30, 10}, {20, 10}}, queued: 70, lanes: 2}, 50 * second},
		"half as fast, what runs too":    {load{recorded: 90, took: 190, running: []share{{30, 10}}, lanes: 1}, 50 * second},
		"one task is longer than all":    {load{running: []share{{100, 10}, {20, 10}}, queued: 10, lanes: 2}, 90 * second},
		"a late task takes a tenth more": {load{running: []share{{5, 60}}, queued: 20, lanes: 2}, 13 * second},
	} {
		require.InDelta(t, c.left.Seconds(), c.load.left().Seconds(), 0.001, name)
	}
}

func TestRoughly(t *testing.T) {
	require.Equal(t, "2m25s", roughly(143*time.Second).String())
	require.Equal(t, "8s", roughly(7800*time.Millisecond).String())
}

// TestPlans sees that each tool is told its share, and TLC what comes after it.
func TestPlans(t *testing.T) {
	entry := func(name string, byTLC bool, level tla.Level, generated int, seconds float64) comparison {
		return comparison{entry: tla.Entry{Name: name, TLC: byTLC, Explorer: level, Result: tla.Result{Generated: generated, Seconds: seconds}}}
	}
	all := []comparison{entry("A", true, tla.Full, 2_000_000, 30), entry("B", false, tla.Full, 20_000_000, 5), entry("C", true, tla.None, 10, 10)}
	a := app{options: options{lanes: 2}}
	toTLC, toExplorer := a.plans(all)
	require.Equal(t, plan{2, map[string]float64{"A": 30, "C": 10}, 2, 11}, toTLC)
	require.Equal(t, plan{2, map[string]float64{"A": 1, "B": 10}, 1, 0}, toExplorer)
	require.Equal(t, "3 configurations: TLC checks 2 and the explorer 2.", agenda(3, toTLC, toExplorer))

	a.skipped = tlc.ErrNoJava
	toTLC, toExplorer = a.plans(all)
	require.Equal(t, "3 configurations: the explorer checks 2, TLC none.", agenda(3, toTLC, toExplorer))
}

// threeTasks is a plan of 40 s on one lane, and 10 s after it.
var threeTasks = plan{tasks: 3, seconds: map[string]float64{"models/A": 20, "models/B": 10, "models/C": 10}, lanes: 1, after: 10}

// TestBoardInVirtualTime sees what a board says and when, on a terminal and elsewhere.
func TestBoardInVirtualTime(t *testing.T) {
	for live, says := range map[bool][]string{
		true: {
			"\rTLC 0/3, 1s, about 50s left: models/A 1s\x1b[K",
			"\rTLC 1/3, 41s, about 50s left: models/B 1s\x1b[K",
		},
		false: {
			"TLC 0/3, 15s, about 35s left: models/A 15s\n",
			"TLC 0/3, 30s, about 35s left: models/A 30s\n", // A is late
			"TLC 1/3  models/A                                      holds\n",
			"TLC 1/3, 45s, about 45s left: models/B 5s\n", // all the rest is as late
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			var log strings.Builder
			a := app{log: &log, live: live}
			b := a.newBoard("TLC", 0, threeTasks)
			b.started("models/A")
			time.Sleep(40*time.Second + time.Millisecond)
			b.finished("models/A", "holds")
			b.started("models/B")
			time.Sleep(8 * time.Second)
			b.close()
			for _, line := range says {
				require.Contains(t, log.String(), line)
			}
			require.Equal(t, live, strings.HasSuffix(log.String(), "\r\x1b[K"), "the line is taken off a terminal")
		})
	}
}

func TestBoardLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := app{log: &strings.Builder{}}
		b := a.newBoard("TLC", 0, plan{tasks: 3})
		defer b.close()
		b.started("models/A")
		b.started("models/B")
		require.Equal(t, "TLC 0/3, 0s: models/A 0s models/B 0s", b.line(), "without recorded seconds there is no estimate")
		b.started(strings.Repeat("long", 50))
		require.Len(t, b.line(), 100)
	})
}
