package host_test

import (
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// release closes a timer, if it is one to be closed.
func release(t *testing.T, timer host.Timer) {
	timer.Stop()
	if c, ok := timer.(io.Closer); ok {
		require.NoError(t, c.Close())
	}
}

// TestKernelTimer: it ends when it was told to, or later, as often as it was told to.
func TestKernelTimer(t *testing.T) {
	clock := host.KernelClock{}
	began := clock.Now()
	timer := clock.NewTimer(20 * time.Millisecond)
	defer release(t, timer)
	require.GreaterOrEqual(t, (<-timer.C()).Sub(began), 20*time.Millisecond)
	for range 20 {
		began = clock.Now()
		require.False(t, timer.Reset(2*time.Millisecond), "it does not run")
		require.GreaterOrEqual(t, (<-timer.C()).Sub(began), 2*time.Millisecond)
	}
	for _, soon := range []time.Duration{0, -time.Second, -1 << 63} {
		timer.Reset(soon)
		<-timer.C() // at once
	}
}

// TestKernelTimerReset: what was to end, and does not, is not told.
func TestKernelTimerReset(t *testing.T) {
	timer := host.KernelClock{}.NewTimer(time.Hour)
	defer release(t, timer)
	require.True(t, timer.Reset(time.Minute), "it runs")
	require.True(t, timer.Stop(), "Stop reports that the timer ran")
	require.False(t, timer.Stop(), "Stop reports that the timer did not run")
	timer.Reset(time.Millisecond)
	<-timer.C()
	timer.Reset(time.Hour)
	select {
	case <-timer.C():
		t.Fatal("it ends in an hour")
	case <-time.After(20 * time.Millisecond):
	}
}

// TestManyHosts: a host gives back what it was given.
func TestManyHosts(t *testing.T) {
	for range 50 {
		me := spec.IntegerID(1)
		node, err := host.New(host.Config{
			ID: me, Members: []spec.NodeID{me}, Clock: host.KernelClock{},
			Storage: storage.NewMemory(), Transport: transport.NewNetwork(nil).Join(me),
		})
		require.NoError(t, err)
		ended := make(chan error, 1)
		go func() { ended <- node.Run(t.Context()) }()
		for l := range node.Watch(t.Context()) {
			if l.Leading {
				require.NoError(t, node.Resign(t.Context()))
				require.NoError(t, node.Close())
			}
		}
		<-ended
	}
}

// The host does this itself. A timer that is used by hand is closed by hand.
func ExampleKernelClock() {
	timer := host.KernelClock{}.NewTimer(time.Millisecond)
	<-timer.C()
	if c, ok := timer.(io.Closer); ok {
		_ = c.Close()
	}
	fmt.Println("it has ended")
	// Output: it has ended
}
