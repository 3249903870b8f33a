package policy

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// anyConfig draws a configuration that is well.
func anyConfig(t *rapid.T) PhiConfig {
	duration := func(name string, low, high time.Duration) time.Duration {
		return time.Duration(rapid.Int64Range(int64(low), int64(high)).Draw(t, name))
	}
	heartbeat := duration("heartbeat", 1, time.Second)
	floor := duration("floor", heartbeat, 10*time.Second)
	limit := duration("cap", floor, time.Minute)
	return PhiConfig{
		Heartbeat: heartbeat, Floor: floor, Cap: limit,
		Threshold:    rapid.Float64Range(0.01, maxThreshold).Draw(t, "threshold"),
		MinDeviation: duration("deviation", 0, limit),
		Pause:        duration("pause", 0, limit),
		Window:       rapid.IntRange(2, 40).Draw(t, "window"),
	}
}

// dumb is Phi once more, with none of its cleverness: it keeps every interval, and works everything out by definition.
type dumb struct {
	config           PhiConfig
	guesses          []time.Duration
	intervals        []time.Duration // that were measured
	mistakes, inTime int
}

func (d *dumb) patience() time.Duration {
	c := d.config
	all := slices.Concat(d.guesses, d.intervals)
	mean, deviation := exact(all[max(0, len(all)-c.Window):])
	p := mean + float64(c.Pause) + quantile(c.Threshold)*max(deviation, float64(c.MinDeviation))
	p = max(p, float64(c.Floor))
	for range d.mistakes {
		p *= 2
	}
	return time.Duration(min(p, float64(c.Cap)))
}

func (d *dumb) interval(x time.Duration) {
	if patience := d.patience(); x >= patience {
		d.inTime = 0
		if patience < d.config.Cap {
			d.mistakes++
		}
		return
	}
	d.intervals = append(d.intervals, x)
	if len(d.intervals) == enough {
		d.guesses = nil
	}
	if d.inTime++; d.inTime == d.config.Window {
		d.inTime = 0
		d.mistakes = max(d.mistakes-1, 0)
	}
}

func TestPhiProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPhi(t, anyConfig(t))
		c := p.config
		slow := &dumb{config: c, guesses: []time.Duration{c.Heartbeat - c.Heartbeat/4, c.Heartbeat + c.Heartbeat/4}}
		interval := rapid.OneOf(rapid.Int64Range(0, int64(2*c.Heartbeat)), rapid.Int64Range(0, int64(2*c.Cap)),
			rapid.Just(int64(c.Heartbeat)))
		now := at(0)
		p.Heard(now)
		runs := rapid.IntRange(0, 8).Draw(t, "runs")
		for range runs {
			x := time.Duration(interval.Draw(t, "interval"))
			for range rapid.SampledFrom([]int{1, 2, 50}).Draw(t, "times") {
				slow.interval(x)
				now = feed(p, now, x)
			}
		}

		patience := p.Patience(now)
		require.InDelta(t, float64(slow.patience()), float64(patience), 1+1e-12*float64(patience), "dumb knows better")
		require.GreaterOrEqual(t, patience, c.Floor)
		require.LessOrEqual(t, patience, c.Cap)

		require.Zero(t, p.Phi(now))
		require.GreaterOrEqual(t, p.Phi(now.Add(patience)), c.Threshold, "patience has ended, but phi is below")
		require.Less(t, p.Phi(now.Add(patience-1)), c.Threshold, "phi has crossed, but patience goes on")

		waits := rapid.SliceOfN(rapid.Int64Range(0, math.MaxInt64), 2, 2).Draw(t, "waits")
		less, more := min(waits[0], waits[1]), max(waits[0], waits[1])
		low, high := p.Phi(now.Add(time.Duration(less))), p.Phi(now.Add(time.Duration(more)))
		require.LessOrEqual(t, low, high, "phi falls")
		require.GreaterOrEqual(t, low, 0.0)
		require.False(t, math.IsInf(high, 0) || math.IsNaN(high), "phi is %v", high)
	})
}

// Whatever has happened, when all is regular again patience comes back to what it was.
func TestNothingIsForEver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := lan
		c.Window = rapid.IntRange(2, 100).Draw(t, "window")
		p := newPhi(t, c)
		now := at(0)
		for range rapid.IntRange(0, 30).Draw(t, "events") {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(20*time.Second)).Draw(t, "interval")))
			if rapid.Bool().Draw(t, "paused") {
				p.Paused(now.Add(100 * ms))
			}
			p.Heard(now)
		}
		now = feed(p, now, 100*ms, 50*ms)
		now = steady(p, now, 50*ms, 3*c.Window)
		require.Equal(t, 265*ms, p.Patience(now))
	})
}
