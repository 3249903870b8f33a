package reigns

import (
	"context"
	"math"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec/policy"
)

const ms = time.Millisecond

// systemTimer is a timer of package time.
type systemTimer struct{ *time.Timer }

func (t systemTimer) C() <-chan time.Time { return t.Timer.C }

// keeperOf returns a keeper with a clock.
func keeperOf(now func() time.Time) *Keeper {
	return &Keeper{Now: now, NewTimer: func(time.Duration) Timer { return systemTimer{time.NewTimer(time.Hour)} }, Over: errOver, Stalled: errStalled}
}

// left has a reign be looked at, and returns how long it goes on: 0 if it is over for its work.
func left(r *Reign) time.Duration {
	left, kept := r.look(r.keeper.Now())
	if !kept {
		return 0
	}
	return left
}

// TestExpiredReignStaysOver renews a reign whose deadline has passed: work has been told that it is over, and what is over
// for its work must not be valid again, though the node may lead on (R39.4).
func TestExpiredReignStaysOver(t *testing.T) {
	r := keeperOf(time.Now).New(1, func() {})
	ctx, w := r.join(t.Context())
	require.NotNil(t, w)
	r.renew(time.Now().Add(time.Hour))
	require.Positive(t, left(r))
	require.True(t, r.Valid(), "the reign is valid until its deadline")

	r.renew(time.Now().Add(-time.Second))
	require.Zero(t, left(r))
	require.Error(t, ctx.Err(), "work is told")
	require.False(t, r.Valid(), "the reign ends at its deadline")

	r.renew(time.Now().Add(time.Hour))
	require.False(t, r.Valid(), "a renewal must not revive an expired reign")
	require.True(t, r.Deadline().IsZero(), "an expired reign has no deadline")
	require.True(t, w.leave(), "the reign was closed")
}

// TestDeadlineIsMonotonic: a deadline keeps the reading of the monotonic clock: whoever sets the clock on the wall back makes no reign
// longer.
func TestDeadlineIsMonotonic(t *testing.T) {
	w := NewWatch(time.Now, time.Second)
	w.Tick()
	r := keeperOf(time.Now).New(1, func() {})
	r.renew(w.At(w.Now.Add(time.Hour)))
	deadline := r.Deadline()
	require.False(t, deadline == deadline.Round(0), "there is no such reading: %v", deadline)
}

// TestValidByBothClocks sets the clock on the wall back, as an administrator or a bad server of time does, and forward, as it is found
// after a suspension: the first makes no reign longer, and the second ends it.
func TestValidByBothClocks(t *testing.T) {
	wall := &wall{}
	wall.ahead.Store(int64(2 * time.Hour))
	r := keeperOf(wall.Now).New(1, func() {})
	ctx, w := r.join(t.Context())
	require.NotNil(t, w)

	passed := wall.Now().Add(-time.Second)
	wall.ahead.Store(0)
	require.Negative(t, passed.Sub(wall.Now()), "of the monotonic clock")
	require.Positive(t, passed.Round(0).Sub(wall.Now().Round(0)), "of the clock on the wall")
	r.renew(passed)
	require.False(t, r.Valid(), "a deadline that has passed by the monotonic clock ends the reign")
	require.NoError(t, ctx.Err())
	require.Zero(t, left(r), "work is told by the monotonic clock")
	require.Error(t, ctx.Err())

	r = keeperOf(wall.Now).New(2, func() {})
	r.renew(wall.Now().Add(time.Hour))
	require.True(t, r.Valid(), "the reign is valid by both clocks")
	wall.ahead.Store(int64(2 * time.Hour))
	require.False(t, r.Valid(), "the machine was suspended")
	require.True(t, w.leave(), "the work learns that its reign was closed")
}

// wall is the clock of the system, but for what the one on the wall shows: so much ahead, with the same monotonic reading.
type wall struct {
	ahead atomic.Int64
}

// Now returns the time. No function of package time sets the one reading without the other: it is in the bits above the nanoseconds.
func (w *wall) Now() time.Time {
	now := time.Now()
	*(*uint64)(unsafe.Pointer(&now)) += uint64(w.ahead.Load()/int64(time.Second)) << 30
	return now
}

// TestWorkLeaves: the context of a work that has returned is over, and so holds nothing of its parent's any more; that of others goes on.
func TestWorkLeaves(t *testing.T) {
	r := keeperOf(time.Now).New(1, func() {})
	done, first := r.join(t.Context())
	goesOn, second := r.join(t.Context())
	require.False(t, first.leave(), "the reign was not closed when the first work leaves")
	require.Equal(t, context.Canceled, context.Cause(done))
	require.NoError(t, goesOn.Err())
	require.False(t, second.leave(), "the reign was not closed when the second work leaves")
	require.Error(t, goesOn.Err())
}

// TestRenew: the loop moves the deadline on, and never back; the end of the reign is told to everybody at once.
func TestRenew(t *testing.T) {
	begin := time.Now()
	w := NewWatch(func() time.Time { return begin }, time.Second)
	r := keeperOf(time.Now).New(1, func() {})
	for _, at := range []struct{ until, want time.Duration }{{time.Hour, time.Hour}, {time.Minute, time.Hour}, {2 * time.Hour, 2 * time.Hour}, {90 * time.Minute, 2 * time.Hour}} {
		r.Renew(policy.Instant(at.until), w)
		require.Equal(t, begin.Add(at.want), r.Deadline())
	}
	w.Read = begin.Add(time.Hour) // and is said to be the same instant
	r.Renew(policy.Instant(2*time.Hour), w)
	require.Equal(t, begin.Add(2*time.Hour), r.Deadline(), "it is no later one")
	require.True(t, r.Valid(), "the reign is valid until it is ended")
	r.End(errOver)
	require.False(t, r.Valid(), "End must end the reign for everybody")
	require.Zero(t, r.Deadline())
	require.Zero(t, (*Reign)(nil).Deadline())
}

// TestTick: a watch goes with its clock.
func TestTick(t *testing.T) {
	now := time.Now()
	w := NewWatch(func() time.Time { return now }, time.Second)
	for _, passed := range []time.Duration{time.Second, 0, 2 * time.Second} {
		before := w.Now
		now = now.Add(passed)
		require.Zero(t, w.Tick())
		require.Equal(t, passed, w.Now.After(before))
		require.Equal(t, now, w.Read)
		require.Equal(t, now.Add(time.Minute), w.At(w.Now.Add(time.Minute)))
	}
}

// TestYield: a reign that ends for another node waits for work, and no longer than its deadline, which moves no more; the loop is told when work has returned.
func TestYield(t *testing.T) {
	told := 0
	r := keeperOf(time.Now).New(1, func() { told++ })
	require.False(t, r.Acts(), "no work acts in a new reign")
	require.False(t, (*Reign)(nil).Acts(), "no work acts in no reign")
	deadline := time.Now().Add(time.Hour)
	r.renew(deadline)
	ctx, w := r.join(t.Context())
	require.True(t, r.Acts(), "work that has joined acts")
	require.False(t, r.Rests().Over(), "the reign goes on while it is not asked to yield")
	require.True(t, r.Yield(errOver), "a reign whose work acts must wait before it yields")
	require.Equal(t, errOver, context.Cause(ctx))
	require.True(t, r.Rests().Over(), "a reign that yields is over for new work")
	r.renew(deadline.Add(time.Hour))
	require.Equal(t, deadline, r.Deadline())
	_, late := r.join(t.Context())
	require.Nil(t, late, "no work begins")
	require.Zero(t, told)
	require.True(t, w.leave(), "the work learns that its reign was closed")
	require.Equal(t, 1, told)
	require.False(t, r.Acts(), "no work acts when all work has left")

	idle := keeperOf(time.Now).New(2, func() {})
	require.False(t, idle.Yield(errOver), "nobody acts")
	require.Equal(t, Rest{Idle: true, Yields: true}, idle.Rests())
	require.True(t, Rest{Expired: true}.Over(), "an expired reign is over")
	require.True(t, Rest{Quiet: true}.Over(), "a reign whose work stalled is over")
	require.False(t, Rest{Idle: true}.Over(), "a reign without work is not over")
	(*Work)(nil).Progress()
}

func TestAhead(t *testing.T) {
	require.True(t, ahead(1, 1), "a deadline that both clocks show ahead is ahead")
	require.False(t, ahead(0, 1), "it is reached")
	require.False(t, ahead(1, 0), "it is reached on the wall")
	require.False(t, ahead(-time.Hour, time.Hour), "the wall clock was set back")
	require.False(t, ahead(time.Hour, -time.Hour), "the monotonic clock stood still while the machine was suspended")
}

// TestWatchPasses: what only the wall clock has counted is a suspension, from a limit on.
func TestWatchPasses(t *testing.T) {
	for _, test := range []struct {
		mono, wall, want, asleep time.Duration
	}{
		{ms, ms, ms, 0},
		{ms, 16 * ms, ms, 0},
		{ms, 16*ms + 1, 16*ms + 1, 15*ms + 1},
		{ms, time.Hour, time.Hour, time.Hour - ms},
		{time.Second, -time.Hour, time.Second, 0},
		{-time.Second, 0, 0, 0},
		{-time.Second, -time.Second, 0, 0},
		{0, 1 << 62, maxAsleep, maxAsleep},
	} {
		w := NewWatch(time.Now, 15*ms)
		require.Equal(t, test.asleep, w.pass(test.mono, test.wall), "%+v", test)
		require.Equal(t, test.want, time.Duration(w.Now), "%+v", test)
	}
	w := NewWatch(time.Now, 15*ms)
	require.Zero(t, w.Tick())
	require.Less(t, w.Now, policy.Instant(time.Second))
}

// BenchmarkValid is what Valid costs before each act.
func BenchmarkValid(b *testing.B) {
	r := keeperOf(time.Now).New(1, func() {})
	r.renew(time.Now().Add(time.Hour))
	b.ReportAllocs()
	for b.Loop() {
		if !r.Valid() {
			b.Fatal("it is valid")
		}
	}
}

func TestSuspended(t *testing.T) {
	for _, test := range []struct{ mono, wall, want time.Duration }{
		{0, 0, 0},
		{time.Second, time.Second, 0},
		{time.Second, time.Second + 15*ms, 0},
		{time.Second, time.Second + 15*ms + 1, 15*ms + 1},
		{0, time.Hour, time.Hour},
		{time.Hour, 0, 0},
		{0, math.MinInt64, 0},
		{0, math.MaxInt64, math.MaxInt64},
	} {
		require.Equal(t, test.want, suspended(test.mono, test.wall, 15*ms), "%v, %v", test.mono, test.wall)
	}
	// The readings are those that the standard library gives.
	then := time.Now()
	now := then.Add(time.Hour)
	require.Zero(t, suspended(now.Sub(then), now.Round(0).Sub(then.Round(0)), 1))
}
