package host

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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
	h := &Host{watch: newWatch(clock, 15*ms), alarm: &alarm{timer: timer, set: never}}
	due := h.watch.now.Add(time.Hour)
	h.alarm.ringBy(due, h.watch.now)
	h.alarm.ringBy(due, h.watch.now)
	require.Equal(t, []time.Duration{time.Hour}, timer.set, "what is set already is not set again")
	clock.ahead.Store(int64(50 * time.Minute))
	h.tick()
	h.alarm.ringBy(due, h.watch.now)
	require.Len(t, timer.set, 2)
	require.InDelta(t, 10*time.Minute, timer.set[1], float64(time.Minute), "what is left of the hour")
}
