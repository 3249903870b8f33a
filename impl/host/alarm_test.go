package host

import (
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/reigns"
)

// noted is a timer that only notes what it is set to.
type noted struct{ set []time.Duration }

func (*noted) C() <-chan time.Time { return nil }
func (*noted) Stop() bool          { return true }
func (n *noted) Reset(d time.Duration) bool {
	n.set = append(n.set, d)
	return true
}

// TestAlarmAfterASuspension: the timer of the alarm stands still while the machine is suspended, and so is set anew after it, even if
// nothing is due any sooner.
func TestAlarmAfterASuspension(t *testing.T) {
	clock, timer := &wall{}, &noted{}
	h := &Host{watch: reigns.NewWatch(clock.Now, 15*ms), alarm: &alarm{timer: timer, set: never}}
	due := h.watch.Now.Add(time.Hour)
	h.alarm.ringBy(due, h.watch.Now)
	h.alarm.ringBy(due, h.watch.Now)
	require.Equal(t, []time.Duration{time.Hour}, timer.set, "what is set already is not set again")
	clock.ahead.Store(int64(50 * time.Minute))
	h.tick()
	h.alarm.ringBy(due, h.watch.Now)
	require.Len(t, timer.set, 2)
	require.InDelta(t, 10*time.Minute, timer.set[1], float64(time.Minute), "what is left of the hour")
}

// wall is the clock of the system, but for what the one on the wall shows: so many whole seconds ahead, with the same monotonic reading. In virtual time it has a monotonic
// reading, too, which package time leaves out there.
type wall struct {
	SystemClock
	readings *readings // or nil
	ahead    atomic.Int64
}

// Now implements Clock. No function of package time sets the one reading without the other: a Time with both has a bit for that, the seconds since 1885, and the
// nanoseconds; then the monotonic reading.
func (w *wall) Now() time.Time {
	w.readings.note()
	now := time.Now()
	shown := now.Add(time.Duration(w.ahead.Load()))
	bits := (*[2]uint64)(unsafe.Pointer(&now))
	if bits[0]>>63 == 0 {
		bits[1] = uint64(now.UnixNano())
	}
	bits[0] = 1<<63 | uint64(shown.Unix()-time.Date(1885, 1, 1, 0, 0, 0, 0, time.UTC).Unix())<<30 | uint64(shown.Nanosecond())
	return now
}
