package host

import (
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// TestExpiredReignStaysOver renews a reign whose deadline has passed: work has been told that it is over, and what is over
// for its work must not be valid again, though the node may lead on (R39.4).
func TestExpiredReignStaysOver(t *testing.T) {
	r := newReign(1, SystemClock{}, nil)
	ctx, w := r.join(t.Context())
	require.NotNil(t, w)
	r.renew(time.Now().Add(time.Hour))
	require.Positive(t, r.expire())
	require.True(t, Reign{r: r}.Valid())

	r.renew(time.Now().Add(-time.Second))
	require.Zero(t, r.expire())
	require.Error(t, ctx.Err(), "work is told")
	require.False(t, Reign{r: r}.Valid())

	r.renew(time.Now().Add(time.Hour))
	require.False(t, Reign{r: r}.Valid())
	require.True(t, Reign{r: r}.Deadline().IsZero())
	require.True(t, w.leave(), "the reign was closed")
}

// TestDeadlineIsMonotonic: a deadline keeps the reading of the monotonic clock: whoever sets the clock on the wall back makes no reign
// longer.
func TestDeadlineIsMonotonic(t *testing.T) {
	w := newWatch(SystemClock{}, time.Second)
	w.tick()
	r := newReign(1, SystemClock{}, nil)
	r.renew(w.at(w.now.Add(time.Hour)))
	deadline := Reign{r: r}.Deadline()
	require.False(t, deadline == deadline.Round(0), "there is no such reading: %v", deadline)
}

// TestValidByBothClocks sets the clock on the wall back, as an administrator or a bad server of time does, and forward, as it is found
// after a suspension: the first makes no reign longer, and the second ends it.
func TestValidByBothClocks(t *testing.T) {
	wall := &wall{}
	wall.ahead.Store(int64(2 * time.Hour))
	r := newReign(1, wall, nil)
	ctx, w := r.join(t.Context())
	require.NotNil(t, w)

	passed := wall.Now().Add(-time.Second)
	wall.ahead.Store(0)
	require.Negative(t, passed.Sub(wall.Now()), "of the monotonic clock")
	require.Positive(t, passed.Round(0).Sub(wall.Now().Round(0)), "of the clock on the wall")
	r.renew(passed)
	require.False(t, Reign{r: r}.Valid())
	require.NoError(t, ctx.Err())
	require.Zero(t, r.expire(), "work is told by the monotonic clock")
	require.Error(t, ctx.Err())

	r = newReign(2, wall, nil)
	r.renew(wall.Now().Add(time.Hour))
	require.True(t, Reign{r: r}.Valid())
	wall.ahead.Store(int64(2 * time.Hour))
	require.False(t, Reign{r: r}.Valid(), "the machine was suspended")
	require.True(t, w.leave())
}

// wall is the clock of the system, but for what the one on the wall shows: so much ahead, with the same monotonic reading.
type wall struct {
	SystemClock
	ahead atomic.Int64
}

// Now implements Clock. No function of package time sets the one reading without the other: it is in the bits above the nanoseconds.
func (w *wall) Now() time.Time {
	now := time.Now()
	*(*uint64)(unsafe.Pointer(&now)) += uint64(w.ahead.Load()/int64(time.Second)) << 30
	return now
}
