package host

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWorkLeaves: the context of a work that has returned is over, and so holds nothing of its parent's any more; that of others goes on.
func TestWorkLeaves(t *testing.T) {
	r := newReign(1, SystemClock{}, nil)
	done, first := r.join(t.Context())
	goesOn, second := r.join(t.Context())
	require.False(t, first.leave())
	require.Equal(t, context.Canceled, context.Cause(done))
	require.NoError(t, goesOn.Err())
	require.False(t, second.leave())
	require.Error(t, goesOn.Err())
}
