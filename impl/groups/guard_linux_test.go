package groups_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// hanging is a transport in which the loop of a node hangs while something is in the channel.
type hanging struct {
	groups.Transport
	hangs chan chan struct{}
	hung  chan struct{}
}

func (h *hanging) Next() (transport.Event, bool) {
	select {
	case until := <-h.hangs:
		h.hung <- struct{}{}
		<-until
	default:
	}
	return h.Transport.Next()
}

// TestGuardIsTold: while the loop of a node goes round its guard is put off; when it hangs the timer of the guard rings, and when the node ends it is stopped.
func TestGuardIsTold(t *testing.T) {
	fd, _, errno := syscall.Syscall(syscall.SYS_TIMERFD_CREATE, 1, 0, 0) // CLOCK_MONOTONIC
	require.Zero(t, errno)
	timer := os.NewFile(fd, "timerfd")
	defer timer.Close()
	state := func() (left, every time.Duration) {
		var now struct{ interval, value syscall.Timespec }
		_, _, errno := syscall.Syscall(syscall.SYS_TIMERFD_GETTIME, fd, uintptr(unsafe.Pointer(&now)), 0)
		require.Zero(t, errno)
		return time.Duration(now.value.Nano()), time.Duration(now.interval.Nano())
	}
	t.Setenv("BULLY_GUARDED", fmt.Sprintf(`{"guard":%d,"descriptor":%d}`, os.Getppid(), fd))
	guard, err := host.FindGuard()
	require.NoError(t, err)

	one, timing := spec.IntegerID(1), host.Busy()
	links := &hanging{transport.NewNetwork(nil).Join(one), make(chan chan struct{}, 1), make(chan struct{})}
	node, err := groups.Open(groups.Config{ID: one, Addresses: map[spec.NodeID]string{one: "of node 1"}, Timing: timing, Guard: guard, Transport: links,
		Storage: &disk{kept: map[uint64]storage.GroupPromise{}}})
	require.NoError(t, err)
	require.NoError(t, node.Add(t.Context(), names(10)...))
	for range node.Watch(t.Context()) {
		if node.Status().Leading == 10 {
			break
		}
	}
	left, every := state()
	require.NotZero(t, left)
	require.Equal(t, timing.Delay/4, every)

	until, asked := make(chan struct{}), make(chan struct{})
	links.hangs <- until
	go func() {
		node.Status() // so it turns
		close(asked)
	}()
	<-links.hung
	left, every = state()
	require.Equal(t, timing.Delay/4, every)
	require.LessOrEqual(t, left, timing.Delay+timing.Delay/2, "it turns, as it was asked")
	var rang [8]byte
	_, err = timer.Read(rang[:]) // until it has
	require.NoError(t, err)
	require.NotZero(t, binary.NativeEndian.Uint64(rang[:]))
	close(until)
	<-asked
	require.NoError(t, node.Close())
	left, _ = state()
	require.Zero(t, left)
}
