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

// guardTimer makes the timer of a guard that this process is to find, and returns how it is set.
func guardTimer(t *testing.T) (timer *os.File, state func() (left, every time.Duration)) {
	t.Helper()
	fd, _, errno := syscall.Syscall(syscall.SYS_TIMERFD_CREATE, 1, 0, 0) // CLOCK_MONOTONIC
	require.Zero(t, errno)
	timer = os.NewFile(fd, "timerfd")
	t.Cleanup(func() { _ = timer.Close() })
	t.Setenv("BULLY_GUARDED", fmt.Sprintf(`{"guard":%d,"descriptor":%d}`, os.Getppid(), fd))
	return timer, func() (left, every time.Duration) {
		var now struct{ interval, value syscall.Timespec }
		_, _, errno := syscall.Syscall(syscall.SYS_TIMERFD_GETTIME, fd, uintptr(unsafe.Pointer(&now)), 0)
		require.Zero(t, errno)
		return time.Duration(now.value.Nano()), time.Duration(now.interval.Nano())
	}
}

// TestGuardIsTold: while the loop of a node goes round its guard is put off; when it hangs the timer of the guard rings, and when the node ends it is stopped.
func TestGuardIsTold(t *testing.T) {
	timer, state := guardTimer(t)
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

// stuck is a trace that hangs, and with it the loop of the election that is recorded, when something is in the channel.
type stuck struct{ hangs, hung, goesOn chan struct{} }

func (s *stuck) Record(*spec.Event) error {
	select {
	case <-s.hangs:
		close(s.hung)
		<-s.goesOn
	default:
	}
	return nil
}

// TestGuardOfTheOwnElection: where members change the loop of the cluster's own election is watched too: when that hangs the timer rings, though the groups go round.
func TestGuardOfTheOwnElection(t *testing.T) {
	timer, state := guardTimer(t)
	guard, err := host.FindGuard()
	require.NoError(t, err)
	one, timing := spec.IntegerID(1), host.WAN() // no reign ends while a busy machine lets the test stand still
	founded, err := spec.NewConfiguration(0, 1, []spec.Member{memberOf(one)})
	require.NoError(t, err)
	record, err := storage.NewChangingMemory(storage.Identity{ID: one, Cluster: "test", Incarnation: 1}, founded)
	require.NoError(t, err)
	hangs := &stuck{make(chan struct{}, 1), make(chan struct{}), make(chan struct{})}
	node, err := groups.Open(groups.Config{ID: one, Record: record, Timing: timing, Guard: guard, Transport: transport.NewNetwork(nil).JoinChanging(one, 1),
		Storage: &disk{kept: map[uint64]storage.GroupPromise{}}, Host: func(c *host.Config) { c.Trace = hangs }})
	require.NoError(t, err)
	require.NoError(t, node.Add(t.Context(), names(10)...))
	for range node.Watch(t.Context()) {
		if node.Status().Leading == 10 {
			break
		}
	}
	for range node.Own.Watch(t.Context()) {
		if node.Own.Status().Leading {
			break
		}
	}
	require.NotNil(t, node.Own.Status().Guard)
	hangs.hangs <- struct{}{} // with its next step, which is due with the heartbeat
	<-hangs.hung
	over, rings := make(chan struct{}), make(chan error)
	go func() {
		defer close(over)
		for late := 0; late < 3; { // until it has rung as one that nobody has put off, more than once; a ring before may be of a loop that was kept from running
			var rang [8]byte
			if _, err := timer.Read(rang[:]); err != nil {
				rings <- err
				return
			}
			if left, every := state(); left <= every {
				late++
			}
		}
		rings <- nil
	}()
	for rung := false; !rung; {
		select {
		case err := <-rings:
			require.NoError(t, err)
			rung = true
		default:
			require.Equal(t, 10, node.Status().Leading, "the groups go round, and are asked as often as can be")
		}
	}
	<-over
	close(hangs.goesOn)
	require.NoError(t, node.Close())
	left, _ := state()
	require.Zero(t, left)
}
