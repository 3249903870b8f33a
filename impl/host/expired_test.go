package host

import (
	"testing"
	"time"

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
	require.True(t, Reign{r}.Valid())

	r.renew(time.Now().Add(-time.Second))
	require.Zero(t, r.expire())
	require.Error(t, ctx.Err(), "work is told")
	require.False(t, Reign{r}.Valid())

	r.renew(time.Now().Add(time.Hour))
	require.False(t, Reign{r}.Valid())
	require.True(t, Reign{r}.Deadline().IsZero())
	require.True(t, w.leave(), "the reign was closed")
}

// TestDeadlineIsMonotonic: a deadline keeps the reading of the monotonic clock: whoever sets the clock on the wall back makes no reign
// longer.
func TestDeadlineIsMonotonic(t *testing.T) {
	w := newWatch(SystemClock{}, time.Second)
	w.tick()
	r := newReign(1, SystemClock{}, nil)
	r.renew(w.at(w.now.Add(time.Hour)))
	deadline := Reign{r}.Deadline()
	require.False(t, deadline == deadline.Round(0), "there is no such reading: %v", deadline)
}
