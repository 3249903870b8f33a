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
