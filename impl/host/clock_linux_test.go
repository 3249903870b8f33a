package host_test

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/host"
)

// TestOfTheKernel: a timer is one of the kernel here, which is given back, and not what stands in where there is none.
func TestOfTheKernel(t *testing.T) {
	timer := host.KernelClock{}.NewTimer(time.Hour)
	closer, ok := timer.(io.Closer)
	require.True(t, ok, "the timer of the kernel has something to close")
	require.NoError(t, closer.Close())
	require.Error(t, closer.Close(), "it was closed")
}
