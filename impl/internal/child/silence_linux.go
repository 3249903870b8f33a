package child

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// timerOfProgram is the descriptor by which a program that has a guard puts its timer off.
const timerOfProgram = 3

// timer is a timer of the kernel that a program and its guard share: the program sets it and puts it off, the guard only waits for it to
// ring. So a guard sleeps while all is well, and nothing that the program does can wait for its guard.
type timer struct {
	file  *os.File
	rings chan struct{}
}

// setting is struct itimerspec.
type setting struct{ interval, value syscall.Timespec }

func newTimer() (*timer, error) {
	const monotonic = 1 // CLOCK_MONOTONIC of <time.h>
	fd, _, errno := syscall.Syscall(syscall.SYS_TIMERFD_CREATE, monotonic, syscall.O_CLOEXEC, 0)
	if errno != 0 {
		return nil, os.NewSyscallError("timerfd_create", errno)
	}
	return &timer{file: os.NewFile(fd, "timer"), rings: make(chan struct{})}, nil
}

// run tells of each ring.
func (t *timer) run() {
	for t.await() == nil {
		t.rings <- struct{}{}
	}
}

// await waits until it rings.
func (t *timer) await() error {
	var rung [8]byte // how often it has
	err := error(syscall.EINTR)
	for errors.Is(err, syscall.EINTR) {
		_, err = syscall.Read(int(t.file.Fd()), rung[:])
	}
	return err
}

// stop makes it not ring until it is set.
func (t *timer) stop() {
	var never setting
	_, _, _ = syscall.Syscall6(syscall.SYS_TIMERFD_SETTIME, t.file.Fd(), 0, uintptr(unsafe.Pointer(&never)), 0, 0, 0)
}

// every returns how often it rings, and whether it still does: the program may have stopped it or put it off meanwhile.
func (t *timer) every() (interval time.Duration, rings bool) {
	var now setting
	_, _, errno := syscall.Syscall(syscall.SYS_TIMERFD_GETTIME, t.file.Fd(), uintptr(unsafe.Pointer(&now)), 0)
	left, interval := time.Duration(now.value.Nano()), time.Duration(now.interval.Nano())
	return interval, errno == 0 && interval > 0 && left <= interval // a program that puts it off lets it be silent for longer at first
}

// silence judges the silence of a program: whether it hangs, or is only kept from running. Each ring after the first ends a window, in
// which a program that was not kept from running must have put its timer off.
type silence struct {
	at    time.Time // of the last ring, or zero
	seen  threads   // then
	clean int       // windows in a row in which nothing kept it from running
}

const (
	// enough is how many windows must be clean; enoughBlind is the same where the kernel does not say who waits for a processor.
	enough, enoughBlind = 2, 40
)

// ring notes a ring of a program's timer, and returns why the program is to be killed, or nothing.
func (s *silence) ring(t *timer, pid int) (because string) {
	every, rings := t.every()
	if !rings {
		*s = silence{}
		return ""
	}
	if because = s.judge(time.Now(), every, threadsOf(pid)); because != "" {
		if _, rings = t.every(); !rings { // it has put it off at the last moment
			return ""
		}
	}
	return because
}

// judge judges a ring of a timer that rings every so often, and what is seen of the program then.
func (s *silence) judge(now time.Time, every time.Duration, seen threads) (because string) {
	last := *s
	*s = silence{at: now, seen: seen}
	if seen.dumps {
		return "it dumps its core"
	}
	window := now.Sub(last.at)
	if last.at.IsZero() || window > 2*every { // the first; or the guard was late, and so may the program have been
		return ""
	}
	wanted := enough
	switch why := seen.since(&last.seen, window); why {
	case kept:
		return ""
	case perhapsKept:
		s.clean = last.clean
		return ""
	case unknown:
		wanted = enoughBlind
	}
	if s.clean = last.clean + 1; s.clean < wanted {
		return ""
	}
	if seen.traced {
		return "a debugger holds it"
	}
	return "its loop hangs: it had a processor, and was silent"
}

// threads is what the kernel says of the threads of a process.
type threads struct {
	all    map[string]thread
	traced bool // one is held by a debugger
	dumps  bool // the process writes its core, and is about to end
}

// thread is one of them.
type thread struct {
	state string // as in /proc/PID/stat
	known bool   // the rest is
	ran   time.Duration
	delay time.Duration // how long it has been ready to run, and had no processor: counted when it has one again
	times string        // how often it was given a processor
}

// keeping says whether something has kept a process from running in a window.
type keeping int

const (
	free keeping = iota
	kept
	perhapsKept // a thread is ready to run, and either has not run or is running: that is counted at a tick of the kernel
	unknown
)

// since compares what is seen of a process with what was seen a window before.
func (now *threads) since(before *threads, window time.Duration) keeping {
	var delay time.Duration
	perhaps := false
	for id, t := range now.all {
		last := before.all[id]
		switch {
		case t.state == "D": // it waits for a disk, or for what else nothing can wake it from
			return kept
		case !t.known:
			return unknown
		}
		delay += t.delay - last.delay
		perhaps = perhaps || t.state == "R" && t.ran == last.ran && t.times == last.times
	}
	switch {
	case delay > window/2:
		return kept
	case perhaps:
		return perhapsKept
	case len(now.all) == 0:
		return unknown
	}
	return free
}

// threadsOf looks at the threads of a process.
func threadsOf(pid int) threads {
	folder := fmt.Sprintf("/proc/%d/", pid)
	seen := threads{all: map[string]thread{}}
	for _, id := range namesIn(folder + "task") {
		if state := statOf(folder + "task/" + id + "/stat"); len(state) > 0 {
			t := scheduled(folder + "task/" + id + "/schedstat")
			t.state = state[0]
			seen.all[id] = t
			seen.traced = seen.traced || t.state == "t"
		}
	}
	status, _ := os.ReadFile(folder + "status") // if it has gone, that is told otherwise
	seen.dumps = strings.Contains(string(status), "\nCoreDumping:\t1\n")
	return seen
}

// namesIn returns what is in a folder, or nothing.
func namesIn(folder string) []string {
	f, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	names, _ := f.Readdirnames(-1) // as far as they can be read
	return names
}

// scheduled reads what a file named schedstat says of a thread: how long it has run, how long it has waited for a processor, and how often
// it was given one. A kernel that does not count has zeros there.
func scheduled(file string) (t thread) {
	text, _ := os.ReadFile(file) // that of a thread that has ended is empty
	fields := strings.Fields(string(text))
	if len(fields) < 3 || fields[2] == "0" {
		return t
	}
	ran, err := strconv.ParseInt(fields[0], 10, 64)
	delay, wrong := strconv.ParseInt(fields[1], 10, 64)
	return thread{known: err == nil && wrong == nil, ran: time.Duration(ran), delay: time.Duration(delay), times: fields[2]}
}
