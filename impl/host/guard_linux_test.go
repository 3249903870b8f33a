package host

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// aTimer is the timer of a guard, which nobody waits for.
func aTimer(t *testing.T) (fd int, state func() (left, every time.Duration)) {
	made, err := newKernelTimer(time.Hour)
	require.NoError(t, err)
	timer := made.(*kernelTimer)
	t.Cleanup(func() { require.NoError(t, timer.Close()) })
	require.NoError(t, timer.conn.Control(func(descriptor uintptr) { fd = int(descriptor) }))
	return fd, func() (left, every time.Duration) {
		var now setting
		_, _, errno := syscall.Syscall(syscall.SYS_TIMERFD_GETTIME, uintptr(fd), uintptr(unsafe.Pointer(&now)), 0)
		require.Zero(t, errno)
		return time.Duration(now.value.Nano()), time.Duration(now.interval.Nano())
	}
}

// looking is a transport of which a test learns that a turn looks at it.
type looking struct {
	Transport
	wake, looks, goOn chan struct{}
}

func (l *looking) Wake() <-chan struct{} { return l.wake }

func (l *looking) Next() (transport.Event, bool) {
	select {
	case l.looks <- struct{}{}:
		<-l.goOn
	default:
	}
	return l.Transport.Next()
}

// TestGuardIsTold: a guard is not to judge a node before it runs, while it waits for its disk, and when it ends; and is to look in time when
// the loop makes a turn, or rests.
func TestGuardIsTold(t *testing.T) {
	fd, state := aTimer(t)
	guard := &Guard{account: &GuardStatus{}, bell: bell{fd: fd, there: true}}
	me, timing := id(1), Busy()
	saves, saved := make(chan struct{}), make(chan struct{})
	disk := storage.NewMemory()
	disk.Before(func(spec.Durable) error {
		saves <- struct{}{}
		<-saved
		return nil
	})
	turn := make(chan struct{})
	links := &looking{transport.NewNetwork(nil).Join(me), make(chan struct{}), make(chan struct{}), make(chan struct{})}
	node, err := New(Config{ID: me, Members: []spec.NodeID{me}, Storage: disk, Transport: links, Timing: timing, Guard: guard})
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- node.Run(context.Background()) }()
	for range 2 { // it knows itself, and is elected
		<-saves
		left, _ := state()
		require.Zero(t, left, "it waits for its disk")
		saved <- struct{}{}
	}
	require.Eventually(t, func() bool { return node.Status().Leading }, time.Minute, time.Millisecond)
	go func() { _ = node.call(context.Background(), func() { turn <- struct{}{}; <-turn }) }()
	<-turn
	left, every := state()
	require.Equal(t, timing.Delay/4, every)
	require.LessOrEqual(t, left, timing.Delay+timing.Delay/2, "it makes a turn")
	turn <- struct{}{}
	require.Eventually(t, func() bool {
		left, _ := state()
		return left > timing.Delay+timing.Delay/2
	}, time.Minute, time.Microsecond, "it rests")
	left, _ = state()
	require.LessOrEqual(t, left, 5*guard.ring.first, "and makes a turn soon, whatever comes")
	require.Equal(t, &GuardStatus{}, node.Status().Guard)
	links.wake <- struct{}{}
	<-links.looks
	left, every = state()
	require.Equal(t, timing.Delay/4, every)
	require.LessOrEqual(t, left, timing.Delay+timing.Delay/2, "it makes a turn, as something has come")
	links.goOn <- struct{}{}
	require.NoError(t, node.Close())
	require.NoError(t, <-ended)
	left, _ = state()
	require.Zero(t, left, "it has ended")
}

// TestGuardOfALoop: the loop of another package tells it as that of a host does.
func TestGuardOfALoop(t *testing.T) {
	fd, state := aTimer(t)
	timing := Busy()
	first := timing.Delay + timing.Delay/2
	loop := (&Guard{bell: bell{fd: fd, there: true}}).Loop(&timing)
	loop.Turns(time.Now())
	left, every := state()
	require.Equal(t, timing.Delay/4, every)
	require.LessOrEqual(t, left, first)
	loop.Rests(instant(time.Hour), 0)
	left, _ = state()
	require.Greater(t, left, time.Hour)
	require.Equal(t, instant(7).Add(4*first), loop.RousesBy(7), "it is not to rest for so long")
	loop.Ends()
	left, _ = state()
	require.Zero(t, left)
	require.Equal(t, never, (&Guard{}).Loop(&timing).RousesBy(7), "nobody looks")
	require.Equal(t, never, (*Guard)(nil).watch(&timing).rousesBy(7))
}

// toldOfSystemd returns who tells a systemd, and what that hears next.
func toldOfSystemd(t *testing.T) (guard *Guard, hears func() string) {
	name := filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	require.NoError(t, err)
	t.Cleanup(func() { _ = socket.Close() })
	t.Setenv(notifyVariable, name)
	t.Setenv(watchdogVariable, "4") // so it is time to tell it again each time
	guard, err = FindGuard()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Close(guard.systemd.socket)) })
	return guard, func() string {
		message := make([]byte, 100)
		n, err := socket.Read(message)
		require.NoError(t, err)
		return string(message[:n])
	}
}

// TestGuardOfTwoLoops: of two loops of one process each is watched. The timer rings for the one that is late, however the other goes round, and systemd hears nothing of that meanwhile.
func TestGuardOfTwoLoops(t *testing.T) {
	fd, state := aTimer(t)
	guard, hears := toldOfSystemd(t)
	guard.bell = bell{fd: fd, there: true}
	left := func() time.Duration { left, _ := state(); return left }
	timing := Timing{Delay: time.Second}
	first := timing.Delay + timing.Delay/2
	one, other := guard.watch(&timing), guard.watch(&timing)
	other.rests(instant(time.Minute), 0)
	require.Greater(t, left(), time.Minute)
	one.turns(time.Now())
	require.Equal(t, "READY=1\nWATCHDOG=1", hears())
	require.LessOrEqual(t, left(), first, "the first of both")
	one.mayStandStill()
	require.Greater(t, left(), time.Minute, "the other is watched yet")

	other.turns(time.Now())
	require.Equal(t, "WATCHDOG=1", hears())
	other.due = time.Now().Add(-time.Hour) // it has hung for long
	one.turns(time.Now())
	require.LessOrEqual(t, left(), timing.Delay/4, "it rings, and goes on to ring")
	rang := left()
	one.rests(instant(time.Minute), 0)
	one.turns(time.Now())
	require.LessOrEqual(t, left(), rang, "nothing has put it off")
	one.ends()
	require.LessOrEqual(t, left(), timing.Delay/4, "who has ended leaves the other watched")
	require.Equal(t, "STOPPING=1\nWATCHDOG=1", hears(), "and nothing since: not all was well")
	other.turns(time.Now())
	require.Greater(t, left(), timing.Delay/4, "it goes round again")
	require.Equal(t, "WATCHDOG=1", hears())
	other.ends()
	require.Zero(t, left())
}

// TestFindGuard: a guard is found once, by the process that it has started.
func TestFindGuard(t *testing.T) {
	none := func() {
		guard, err := FindGuard()
		require.NoError(t, err)
		require.Nil(t, guard)
	}
	none()
	fd, state := aTimer(t)
	account := map[string]any{"guard": os.Getppid(), "descriptor": fd, "kills": 2, "restarts": 3, "last": "it was stopped"}
	set := func(key string, value any) {
		account[key] = value
		text, err := json.Marshal(account)
		require.NoError(t, err)
		t.Setenv(guardedVariable, string(text))
	}
	set("kills", 4)
	guard, err := FindGuard()
	require.NoError(t, err)
	require.Equal(t, &GuardStatus{Guard: os.Getppid(), Kills: 4, Restarts: 3, Last: "it was stopped"}, guard.Status())
	left, _ := state()
	require.Zero(t, left)
	none()

	set("guard", os.Getpid())
	_, err = FindGuard()
	require.ErrorContains(t, err, "a shell in between must exec it")
	set("guard", os.Getppid())
	set("descriptor", 1<<20)
	_, err = FindGuard()
	require.ErrorContains(t, err, "no timer")
	t.Setenv(guardedVariable, "yes")
	_, err = FindGuard()
	require.ErrorContains(t, err, "cannot be read")
}

// TestGuardIsStopped sees that of the guard itself, when it is asked.
func TestGuardIsStopped(t *testing.T) {
	sleeps := exec.Command("sleep", "1000") // as a guard does
	require.NoError(t, sleeps.Start())
	t.Cleanup(func() {
		require.NoError(t, sleeps.Process.Kill())
		require.Error(t, sleeps.Wait())
	})
	guard := &Guard{account: &GuardStatus{Guard: sleeps.Process.Pid, Kills: 3}}
	require.Equal(t, &GuardStatus{Guard: sleeps.Process.Pid, Kills: 3}, guard.Status())
	require.NoError(t, sleeps.Process.Signal(syscall.SIGSTOP))
	require.Eventually(t, func() bool { return guard.Status().Stopped }, time.Minute, time.Millisecond)
	require.False(t, guard.account.Stopped, "it is looked at each time")
	require.NoError(t, sleeps.Process.Signal(syscall.SIGCONT))
	require.Eventually(t, func() bool { return !guard.Status().Stopped }, time.Minute, time.Millisecond)
}

// TestGuardStays: systemd is told that all is well while no host runs, once that it is ready, and not that the process stops when a host ends
// that it outlasts.
func TestGuardStays(t *testing.T) {
	guard, hears := toldOfSystemd(t)
	guard.Stays()
	require.Equal(t, "READY=1\nWATCHDOG=1", hears())
	guard.Stays()
	require.Equal(t, "WATCHDOG=1", hears())
	timing := Busy()
	guard.Lasting = true
	guard.watch(&timing).ends()
	guard.Lasting = false
	guard.watch(&timing).ends()
	require.Equal(t, "STOPPING=1\nWATCHDOG=1", hears(), "only of its own end")
	var none *Guard
	none.Stays()
	require.Nil(t, none.Status())
}

// TestFindSystemd: it is told, and its watchdog if that is of this process.
func TestFindSystemd(t *testing.T) {
	for whom, watched := range map[string]time.Duration{"": time.Second, strconv.Itoa(os.Getpid()): time.Second, "1": 0} {
		t.Setenv(notifyVariable, "/no/such/socket")
		t.Setenv(watchdogVariable, "1000000")
		t.Setenv(watchedVariable, whom)
		guard, err := FindGuard()
		require.NoError(t, err)
		require.Equal(t, watched, guard.systemd.watchdog)
		require.Nil(t, guard.Status())
		timing := Busy()
		loop := guard.watch(&timing)
		loop.turns(time.Now()) // nobody is there: that holds up nobody
		loop.ends()
		require.NoError(t, syscall.Close(guard.systemd.socket))
	}
}
