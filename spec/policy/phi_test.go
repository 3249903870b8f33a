package policy

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// newPhi returns a detector of a configuration that is well.
func newPhi(t require.TestingT, config PhiConfig) *Phi {
	p, err := NewPhi(config)
	require.NoError(t, err)
	return p
}

// feed gives arrivals at these intervals, and returns the time of the last.
func feed(p *Phi, now time.Time, intervals ...time.Duration) time.Time {
	for _, interval := range intervals {
		now = now.Add(interval)
		p.Heard(now)
	}
	return now
}

// steady gives n arrivals at one interval.
func steady(p *Phi, now time.Time, interval time.Duration, n int) time.Time {
	for range n {
		now = feed(p, now, interval)
	}
	return now
}

// Where no bound lifts or cuts the patience, it is that of the paper.
func TestPatienceOfThePaper(t *testing.T) {
	p := newPhi(t, PhiConfig{Heartbeat: 100 * ms, Floor: 100 * ms, Cap: time.Minute, MinDeviation: 1 * ms, Pause: 30 * ms})
	now := feed(p, at(0), 0, 80*ms, 120*ms)
	// 75, 125, 80 and 120 ms: mean 100, deviation √((25²+25²+20²+20²)/4).
	deviation := math.Sqrt(512.5)
	want := (130 + 5.612001244174789*deviation) * float64(ms)
	require.InDelta(t, want, float64(p.Patience(now)), 2)
	for _, waited := range []time.Duration{ms, 50 * ms, 130 * ms, 200 * ms, 400 * ms} {
		y := (float64(waited)/float64(ms) - 130) / deviation
		require.InDelta(t, tail(y), p.Phi(now.Add(waited)), 1e-6, "after %v", waited)
	}
}

func TestDeathBeforeTheFirstArrival(t *testing.T) {
	p := newPhi(t, lan)
	require.Zero(t, p.Phi(at(time.Hour)), "nobody is waited for yet")
	require.Equal(t, 265*ms, p.Patience(at(0)))
	require.Less(t, p.Phi(at(264*ms)), 8.0)
	require.GreaterOrEqual(t, p.Phi(at(265*ms)), 8.0)
	require.Equal(t, 265*ms, p.Patience(at(100*ms)), "a question does not begin the wait anew")
	require.GreaterOrEqual(t, p.Phi(at(265*ms)), 8.0)

	// The wait was no interval: it is not learned, and was no mistake.
	now := feed(p, at(0), time.Hour)
	require.Equal(t, 265*ms, p.Patience(now))
	require.Equal(t, 2, p.window.count)

	// Two samples stand in for the window: 37.5 and 62.5 ms.
	p = newPhi(t, PhiConfig{Heartbeat: 50 * ms, Floor: 50 * ms})
	require.InDelta(t, 50+5.612*12.5, float64(p.Patience(at(0)))/1e6, 0.001)
}

func TestPhiOfSilence(t *testing.T) {
	p := newPhi(t, PhiConfig{Heartbeat: 1, Floor: 1, Cap: 1, MinDeviation: 1})
	p.Heard(at(0))
	last := 0.0
	for waited := time.Duration(1); waited > 0; waited *= 2 {
		phi := p.Phi(at(waited))
		require.Greater(t, phi, last)
		require.False(t, math.IsInf(phi, 0) || math.IsNaN(phi))
		last = phi
	}
	require.False(t, math.IsInf(p.Phi(at(math.MaxInt64)), 0))
	require.Zero(t, p.Phi(at(-time.Hour)), "a clock set back")
}

func TestAGapAfterASuspicionIsNotLearned(t *testing.T) {
	p := newPhi(t, lan)
	now := steady(p, at(0), 50*ms, 1200)
	before := p.window
	before.ring = append([]uint64(nil), before.ring...)
	now = feed(p, now, 15*time.Second)
	require.Equal(t, before, p.window)
	require.Equal(t, 530*ms, p.Patience(now), "but it was a mistake")
	now = steady(p, now, 50*ms, lan.withDefaults().Window-1)
	require.Equal(t, 530*ms, p.Patience(now))
	now = steady(p, now, 50*ms, 1)
	require.Equal(t, 265*ms, p.Patience(now), "which is forgiven in time")

	// The very end of patience is a suspicion, and what is a nanosecond before is an interval.
	now = feed(p, now, 265*ms-1)
	require.Equal(t, 265*ms, p.Patience(now))
	require.Zero(t, p.mistakes)
	now = feed(p, now, 265*ms)
	require.Equal(t, 530*ms, p.Patience(now))
}

func TestMistakesUpToTheCap(t *testing.T) {
	p := newPhi(t, lan)
	now := steady(p, at(0), 50*ms, 1200)
	for range 10 {
		now = feed(p, now, time.Hour)
	}
	require.Equal(t, 1060*ms, p.Patience(now))
	require.Equal(t, 2, p.mistakes, "no more than matter, so that they are forgiven soon")
	now = steady(p, now, 50*ms, 2*lan.withDefaults().Window)
	require.Equal(t, 265*ms, p.Patience(now))
	require.Zero(t, p.mistakes)
	now = steady(p, now, 50*ms, 2*lan.withDefaults().Window)
	require.Equal(t, 265*ms, p.Patience(now), "there is nothing below none")
	require.Zero(t, p.mistakes)
}

// A node that has become slower for good is suspected once or twice, and then believed.
func TestIntervalChange(t *testing.T) {
	for _, slower := range []time.Duration{300 * ms, 400 * ms, 700 * ms, 1000 * ms} {
		p := newPhi(t, lan)
		now := steady(p, at(0), 50*ms, 1200)
		suspected := 0
		for range 3000 {
			if slower >= p.Patience(now) {
				suspected++
			}
			now = feed(p, now, slower)
		}
		require.LessOrEqual(t, suspected, 3, "%v", slower)
		require.Greater(t, p.Patience(now), slower)
		require.Zero(t, p.mistakes, "%v is what is usual now", slower)
	}
	// Above the cap nothing helps: the cap is a promise.
	p := newPhi(t, lan)
	now := steady(p, at(0), 50*ms, 1200)
	now = steady(p, now, 1100*ms, 1000)
	require.Equal(t, 1060*ms, p.Patience(now))
}

// TestGuessesGiveWayInASmallWindow: what a small window has no more is not forgotten in place of what was measured.
func TestGuessesGiveWayInASmallWindow(t *testing.T) {
	for _, size := range []int{enough, enough + 1, enough + guesses} {
		config := lan
		config.Window = size
		p := newPhi(t, config)
		p.Heard(at(0))
		feed(p, at(0), 10*ms, 20*ms, 30*ms, 40*ms, 50*ms, 60*ms, 70*ms, 80*ms)
		require.Equal(t, float64(45*ms), p.window.mean(), "of %d, those that were measured", size)
	}
}

func TestAPausedNodeLearnsNothing(t *testing.T) {
	p := newPhi(t, lan)
	now := steady(p, at(0), 50*ms, 1200)
	window := p.window
	window.ring = append([]uint64(nil), window.ring...)

	now = now.Add(15 * time.Second)
	until := now.Add(100 * ms)
	p.Paused(until)
	p.Paused(at(0)) // an earlier end takes nothing back
	now = feed(p, now, 0, 0, 0, 0, 0)
	require.Equal(t, 265*ms, p.Patience(now), "no mistake was made")
	require.Zero(t, p.Phi(now), "but the wait begins anew")
	now = feed(p, now, 99*ms)
	now = feed(p, now, 50*ms) // half of this interval is before the end
	require.Equal(t, window, p.window)
	feed(p, now, 51*ms)
	require.NotEqual(t, window, p.window, "and then it learns again")

	// The wait for the first arrival is no interval either, whatever the pause.
	p.Reset()
	p.Patience(at(0))
	p.Paused(at(time.Second))
	feed(p, at(0), 2*time.Second)
	require.Equal(t, 2, p.window.count)
}

// TestForgivenOneByOne: each mistake takes a whole window of arrivals in time to be forgiven, counted from when the one before was, and
// from Reset on.
func TestForgivenOneByOne(t *testing.T) {
	p := newPhi(t, lan)
	window := lan.withDefaults().Window
	now := steady(p, at(0), 50*ms, window/2)
	p.Reset()
	now = feed(p, now, 50*ms) // the first arrival of all is no interval
	for mistakes := 2; ; mistakes-- {
		if mistakes == 2 { // both at once
			now = feed(p, now, time.Hour, time.Hour)
		}
		require.Equal(t, mistakes, p.mistakes)
		if mistakes == 0 {
			return
		}
		now = steady(p, now, 50*ms, window-1)
		require.Equal(t, mistakes, p.mistakes, "a window is not over")
		now = steady(p, now, 50*ms, 1)
	}
}

func TestReset(t *testing.T) {
	p := newPhi(t, lan)
	now := steady(p, at(0), 200*ms, 100)
	now = feed(p, now, time.Hour)
	p.Paused(now.Add(time.Hour))
	require.NotEqual(t, 265*ms, p.Patience(now))
	p.Reset()
	fresh := newPhi(t, lan)
	fresh.window.ring, p.window.ring = nil, nil // what is left there is beyond count
	require.Equal(t, fresh, p)
}

func TestAClockSetBack(t *testing.T) {
	p := newPhi(t, lan)
	now := steady(p, at(0), 50*ms, 1200)
	window := p.window
	now = feed(p, now, -time.Hour)
	require.Equal(t, window, p.window)
	require.Zero(t, p.mistakes)
	require.Equal(t, 265*ms, p.Patience(now))
	require.GreaterOrEqual(t, p.Phi(now.Add(265*ms)), 8.0)
}

func TestNothingIsAllocated(t *testing.T) {
	p := newPhi(t, lan)
	now := at(0)
	require.Zero(t, testing.AllocsPerRun(3000, func() {
		now = now.Add(50 * ms)
		p.Phi(now)
		p.Heard(now)
		p.Patience(now)
	}))
	require.Zero(t, testing.AllocsPerRun(10, p.Reset))
}
