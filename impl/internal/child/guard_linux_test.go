package child

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/proctest"
)

// window is how often a timer rings, in tests of judgements.
const window = 3 * time.Millisecond

// TestSilence: a program is to be killed if it is silent for two windows in a row, in which nothing has kept it from running.
func TestSilence(t *testing.T) {
	const hangs, nothing = "its loop hangs: it had a processor, and was silent", ""
	seen := func(all ...thread) (s threads) {
		s.all = map[string]thread{}
		for i, t := range all {
			t.known = true
			s.all[strconv.Itoa(i)] = t
		}
		return s
	}
	idle := func(delay time.Duration) threads { return seen(thread{state: "S", ran: 5, delay: delay, times: "7"}) }
	ready := func(ran time.Duration, times string) threads {
		return seen(thread{state: "S", times: "3"}, thread{state: "R", ran: ran, times: times})
	}
	disk, debugged, dumps := seen(thread{state: "S", times: "3"}, thread{state: "D", times: "3"}), idle(0), threads{dumps: true}
	debugged.traced = true
	type ring struct {
		after time.Duration
		seen  threads
		says  string
	}
	blind := make([]ring, 41) // ten Delays more than elsewhere
	for i := range blind {
		blind[i] = ring{window, threads{all: map[string]thread{"1": {state: "R"}}}, nothing}
	}
	blind[40].says = hangs
	for name, rings := range map[string][]ring{
		"waits for ever": {{window, idle(9), nothing}, {window, idle(9), nothing}, {window, idle(9), hangs}},
		"was starved, and then waits for ever": {{window, idle(0), nothing}, {window, idle(window), nothing}, {window, idle(2 * window), nothing},
			{window, idle(2 * window), nothing}, {window, idle(2*window + window/3), hangs}},
		"was starved in between": {{window, idle(0), nothing}, {window, idle(0), nothing}, {window, idle(window), nothing}, {window, idle(window), nothing},
			{window, idle(window), hangs}},
		"is starved":        {{window, ready(4, "1"), nothing}, {window, ready(4, "1"), nothing}, {window, ready(4, "1"), nothing}, {window, ready(4, "1"), nothing}, {window, ready(4, "1"), nothing}},
		"spins":             {{window, ready(4, "1"), nothing}, {window, ready(7, "1"), nothing}, {window, ready(7, "1"), nothing}, {window, ready(9, "1"), hangs}},
		"runs now and then": {{window, ready(4, "1"), nothing}, {window, ready(4, "2"), nothing}, {window, ready(4, "3"), hangs}},
		"waits for a disk":  {{window, idle(0), nothing}, {window, disk, nothing}, {window, disk, nothing}, {window, idle(0), nothing}, {window, idle(0), hangs}},
		"the guard is late": {{window, idle(0), nothing}, {window, idle(0), nothing}, {10 * window, idle(0), nothing}, {window, idle(0), nothing}, {window, idle(0), hangs}},
		"dumps its core":    {{window, dumps, "it dumps its core"}},
		"is debugged":       {{window, idle(0), nothing}, {window, debugged, nothing}, {window, debugged, "a debugger holds it"}},
		"nobody knows":      blind,
	} {
		t.Run(name, func(t *testing.T) {
			var s silence
			now := time.Now()
			for i, r := range rings {
				now = now.Add(r.after)
				require.Equal(t, r.says, s.judge(now, window, r.seen), "ring %d", i+1)
			}
		})
	}
}

// set sets a timer as a program does.
func (t *timer) set(first, every time.Duration) {
	next := setting{value: syscall.NsecToTimespec(int64(first)), interval: syscall.NsecToTimespec(int64(every))}
	_, _, _ = syscall.Syscall6(syscall.SYS_TIMERFD_SETTIME, t.file.Fd(), 0, uintptr(unsafe.Pointer(&next)), 0, 0, 0)
}

// TestTimer: it rings until it is stopped or put off, which is seen though a ring of before is still told.
func TestTimer(t *testing.T) {
	timer, err := newTimer()
	require.NoError(t, err)
	var s silence
	timer.set(time.Millisecond, time.Minute)
	require.NoError(t, timer.await())
	every, rings := timer.every()
	require.True(t, rings, "the timer runs")
	require.Equal(t, time.Minute, every)
	require.Empty(t, s.ring(timer, os.Getpid()))
	require.False(t, s.at.IsZero(), "a ring begins a silence")
	require.NotEmpty(t, s.seen)

	timer.set(2*time.Minute, time.Minute)
	_, rings = timer.every()
	require.False(t, rings, "it is put off")
	require.Empty(t, s.ring(timer, os.Getpid()))
	require.True(t, s.at.IsZero(), "it was not silent")

	timer.stop()
	_, rings = timer.every()
	require.False(t, rings, "a timer that was stopped does not run")
	require.NoError(t, timer.file.Close())
	require.Error(t, timer.await())
}

// TestThreads: what is seen of this process, and of one that is no more.
func TestThreads(t *testing.T) {
	all := threadsOf(os.Getpid())
	require.False(t, all.traced || all.dumps, "this process is neither traced nor dumped: %+v", all)
	require.NotEmpty(t, all.all)
	require.Empty(t, threadsOf(1<<30).all)
	require.Equal(t, unknown, new(threads).since(new(threads), window))
	file := filepath.Join(t.TempDir(), "schedstat")
	for text, want := range map[string]thread{"5 7 1\n": {known: true, ran: 5, delay: 7, times: "1"}, "0 0 0\n": {}, "": {}, "5 x 1\n": {ran: 5, times: "1"}} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		require.Equal(t, want, scheduled(file), text)
	}
}

// TestPauses: they grow to a bound, and begin anew after a time of health.
func TestPauses(t *testing.T) {
	var p pauses
	for _, want := range []time.Duration{100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000} {
		require.Equal(t, want*time.Millisecond, p.next(healthy-1))
	}
	require.Equal(t, firstPause, p.next(healthy))
	require.Equal(t, 2*firstPause, p.next(0))
}

// TestWaitForChanges: an end is told once, and waited for by who is told.
func TestWaitForChanges(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", "exit 4")
	require.NoError(t, cmd.Start())
	changes, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		waitForChanges(cmd.Process.Pid, changes)
	}()
	<-changes
	require.Error(t, cmd.Wait())
	changes <- struct{}{}
	<-over
	require.Equal(t, 4, cmd.ProcessState.ExitCode())
}

// guardOf starts a guard of a script, and kills it when the test ends.
func guardOf(t *testing.T, script, file string) *exec.Cmd {
	cmd := &exec.Cmd{Path: "/proc/self/exe", Args: []string{guardName, "/bin/sh", "sh", "-c", script, file}, Stderr: os.Stderr}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	return cmd
}

// TestGuardStartsAgain: what is stopped is killed and started again, what a signal has killed is started again, and what ends is not.
func TestGuardStartsAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lives")
	cmd := guardOf(t, `echo "$BULLY_GUARDED" >>"$0"; case $(wc -l <"$0") in 1) kill -STOP $$;; 2) kill -SEGV $$;; *) exit 3;; esac`, file)
	require.Error(t, cmd.Wait())
	require.Equal(t, 3, cmd.ProcessState.ExitCode())
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	lives := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.Len(t, lives, 3)
	require.Contains(t, lives[0], `"kills":0,"restarts":0}`)
	require.Contains(t, lives[1], `"kills":1,"restarts":1,"last":"it was stopped (SIGSTOP)"`)
	require.Contains(t, lives[2], `"kills":1,"restarts":2,"last":"it died of a signal: segmentation fault"`)
}

// TestGuardLeavesNothing: what a program has started, in whatever session, is dead when the program is started again that a signal has killed, but for who holds its
// memory; and who has lost its parent is waited for.
func TestGuardLeavesNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lives")
	cmd := guardOf(t, `[ -e "$0.memory" ] && exit 3
written() { until [ -s "$1" ]; do sleep 0.01; done; }
setsid sh -c 'echo $$ >"$0"; exec sleep 1000' "$0.left" & written "$0.left"
sh -c 'sh -c "echo \$\$ >\"\$0\"" "$0" &' "$0.orphan"; written "$0.orphan"
k=0; while [ -e "/proc/$(cat "$0.orphan")" ]; do sleep 0.01; k=$((k + 1)); [ $k -lt 1000 ] || exit 4; done
cp "$(command -v sleep)" "${0%/*}/bully-memory"; setsid "${0%/*}/bully-memory" 1000 & echo $! >"$0.memory"
until [ "$(cat /proc/$!/comm)" = bully-memory ]; do sleep 0.01; done
kill -KILL $$`, file)
	require.Error(t, cmd.Wait())
	require.Equal(t, 3, cmd.ProcessState.ExitCode(), "4: the orphan has ended, and nobody has waited for it")
	require.False(t, alive(pidIn(t, file+".left")), "the guard must leave no process behind")
	memory := pidIn(t, file+".memory")
	require.True(t, alive(memory), "it ends by itself")
	require.NoError(t, proctest.Kill(memory, syscall.SIGKILL))
}

// TestGuardKilled: a program does not outlive its guard.
func TestGuardKilled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	cmd := guardOf(t, `trap '' TERM HUP; echo $$ >"$0"; while :; do sleep 0.01; done`, file)
	program := pidIn(t, file)
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	gone(t, program)
}

// The variables that make this test program start a guard of a script that writes its process id to a file: in between is whoever is to
// become that guard, which is to end with whoever has started it.
const (
	guardStarterFile = "BULLY_CHILD_TEST_GUARD_STARTER"
	guardFile        = "BULLY_CHILD_TEST_GUARD"
)

func TestGuardStarter(t *testing.T) {
	switch becomes, starts := os.Getenv(guardFile), os.Getenv(guardStarterFile); {
	case becomes != "":
		inAnotherThread(func() {
			panic(BecomeGuard("/bin/sh", []string{"sh", "-c", `trap '' TERM HUP; echo $$ >"$0"; while :; do sleep 0.01; done`, becomes}, false))
		})
	case starts != "":
		runtime.LockOSThread() // it is to last as long as this process
		cmd := exec.Command(os.Args[0], "-test.run=^TestGuardStarter$")
		cmd.Env = append(os.Environ(), guardFile+"="+starts)
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		require.NoError(t, cmd.Run())
	default:
		t.Skip("another test starts it: TestGuardEndsWithItsStarter")
	}
}

// inAnotherThread calls a function, but not in the first thread.
func inAnotherThread(call func()) {
	over := make(chan struct{})
	var try func()
	try = func() {
		runtime.LockOSThread()
		if syscall.Gettid() == os.Getpid() {
			go try()
			select {}
		}
		call()
		close(over)
	}
	go try()
	<-over
}

// TestGuardEndsWithItsStarter: who was to end when the process ends that has started it still is when it has become a guard.
func TestGuardEndsWithItsStarter(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	starter := exec.Command(os.Args[0], "-test.run=^TestGuardStarter$")
	starter.Env = append(os.Environ(), guardStarterFile+"="+file)
	require.NoError(t, starter.Start())
	program := pidIn(t, file)
	guard, ok := look(program)
	require.True(t, ok, "the guard is visible in /proc")
	require.NoError(t, starter.Process.Kill())
	require.Error(t, starter.Wait())
	gone(t, guard.parent)
	gone(t, program)
}

// TestForget: a guard gives back its view of its program, and of libraries, and runs on.
func TestForget(t *testing.T) {
	ofFiles := func() (kib int) {
		text, err := os.ReadFile("/proc/self/status")
		require.NoError(t, err)
		_, after, _ := strings.Cut(string(text), "RssFile:")
		_, err = fmt.Sscanf(after, "%d kB", &kib)
		require.NoError(t, err)
		return kib
	}
	before := ofFiles()
	forget()
	require.Less(t, ofFiles(), before*3/4)
	forget()
}
