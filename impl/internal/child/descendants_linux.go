package child

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// becomeSubreaper makes this process the parent of all its descendants whose parents end.
func becomeSubreaper() {
	_ = prctl(prSetChildSubreaper, 1) // it is there since Linux 3.4
}

// What prctl is asked for, of linux/prctl.h.
const (
	prGetDeathSignal    = 2
	prSetChildSubreaper = 36
)

func prctl(what, argument uintptr) syscall.Errno {
	_, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, what, argument, 0)
	return errno
}

// descendant is a process, as the kernel lists it.
type descendant struct {
	pid, parent int
	ended       bool // with all its threads; its parent has not waited for it yet
}

// descendants returns the processes that a process has started, those that they have started, and so on; but for those to be spared.
func descendants(of int, spared map[int]bool) (found []descendant) {
	children := map[int][]descendant{}
	for _, name := range namesIn("/proc") {
		if pid, err := strconv.Atoi(name); err == nil {
			if d, ok := look(pid); ok && !spared[pid] {
				children[d.parent] = append(children[d.parent], d)
			}
		}
	}
	found = children[of]
	for k := 0; k < len(found); k++ {
		found = append(found[:len(found):len(found)], children[found[k].pid]...)
	}
	return found
}

// look reads what the kernel says of a process.
func look(pid int) (descendant, bool) {
	const inState, inParent, inThreads = 0, 1, 17 // where they are, as proc(5) has it
	after := statOf(fmt.Sprintf("/proc/%d/stat", pid))
	if len(after) <= inThreads {
		return descendant{}, false
	}
	state, threads := after[inState], after[inThreads]
	parent, err := strconv.Atoi(after[inParent])
	over := state == "Z" || state == "X" // so is the state of one whose first thread alone has ended
	return descendant{pid: pid, parent: parent, ended: over && (threads == "0" || threads == "1")}, err == nil
}

// givesUp is how long killDescendants tries to kill what it may not kill.
const givesUp = time.Second

// killDescendants kills all descendants of this process but those to be spared, again and again until none is left: they may have started
// others meanwhile. One that starts another and ends, and so on, is in no list for long enough: where nobody is to be spared the kernel
// knows better that there is no child.
func killDescendants(box cgroup, spared map[int]bool, reap func()) {
	begin := time.Now()
	for len(spared) > 0 || hasChildren() {
		box.kill()
		left, may := 0, false
		for _, p := range descendants(os.Getpid(), spared) {
			if p.ended {
				continue
			}
			left++
			if !errors.Is(syscall.Kill(p.pid, syscall.SIGKILL), syscall.EPERM) {
				may = true
			}
		}
		reap()
		switch late := time.Since(begin) > givesUp; {
		case left == 0 && (len(spared) > 0 || late), !may && late:
			return
		}
		time.Sleep(killPause)
	}
}

// killPause is how long killDescendants lets those go that it has killed, before it looks again.
const killPause = 200 * time.Microsecond

// hasChildren reports whether this process has a child, be it one that has ended and nobody has waited for.
func hasChildren() bool {
	const (
		all      = 0 // P_ALL
		anything = syscall.WEXITED | syscall.WNOHANG | syscall.WNOWAIT
	)
	_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, all, 0, 0, anything, 0, 0)
	return errno != syscall.ECHILD
}

// reap waits for children of this process that have ended, but for those to be spared: whoever has started them waits for them.
func reap(spared map[int]bool) {
	for _, p := range descendants(os.Getpid(), spared) {
		if p.ended && p.parent == os.Getpid() {
			_, _ = syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil) // it is there: nobody else waits for it
		}
	}
}

// reapOrphans waits for children of this process that have ended, until it comes to one that somebody else waits for.
func reapOrphans(spared int) {
	const (
		all      = 0 // P_ALL
		whoEnded = syscall.WEXITED | syscall.WNOHANG | syscall.WNOWAIT
	)
	for {
		var info struct { // siginfo_t, as far as it is read
			_   [3]int32
			_   [0]uintptr // what follows is aligned as a pointer
			pid int32
			_   [116]byte
		}
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, all, 0, uintptr(unsafe.Pointer(&info)), whoEnded, 0, 0)
		if errno != 0 || info.pid == 0 || int(info.pid) == spared {
			return
		}
		_, _ = syscall.Wait4(int(info.pid), nil, syscall.WNOHANG, nil) // it is there: nobody else waits for it
	}
}

// memoryName is how the process shows that holds the memory of another (package hold). It has nothing else, and ends by itself, when that costs least.
const memoryName = "bully-memory\n"

// leftBehind returns the descendants of this process, but for those that only hold memory, or have ended.
func leftBehind() (left []descendant) {
	for _, p := range descendants(os.Getpid(), nil) {
		name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", p.pid))
		if err == nil && !p.ended && string(name) != memoryName {
			left = append(left, p)
		}
	}
	return left
}

// killLeftBehind kills them, again and again until none is left, or none may be killed: they may have started others meanwhile.
func killLeftBehind() {
	for begin := time.Now(); time.Since(begin) < givesUp; time.Sleep(time.Millisecond) {
		left := leftBehind()
		if len(left) == 0 {
			return
		}
		for _, p := range left {
			_ = syscall.Kill(p.pid, syscall.SIGKILL) // it may have ended
		}
		reapOrphans(0)
	}
}

// statOf reads what a file named stat says of a process or a thread after its name, which may be anything, brackets included.
func statOf(file string) []string {
	stat, err := os.ReadFile(file)
	end := bytes.LastIndexByte(stat, ')')
	if err != nil || end < 0 {
		return nil
	}
	return strings.Fields(string(stat[end+1:]))
}
