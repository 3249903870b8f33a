package child

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// becomeSubreaper makes this process the parent of all its descendants whose parents end.
func becomeSubreaper() {
	const prSetChildSubreaper = 36                                             // of linux/prctl.h
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0) // it is there since Linux 3.4
}

// descendant is a process, as the kernel lists it.
type descendant struct {
	pid, parent int
	ended       bool // its parent has not waited for it yet
}

// descendants returns the processes that a process has started, those that they have started, and so on.
func descendants(of int) (found []descendant) {
	children := map[int][]descendant{}
	for _, name := range namesIn("/proc") {
		if pid, err := strconv.Atoi(name); err == nil {
			if d, ok := look(pid); ok {
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
	after := statOf(fmt.Sprintf("/proc/%d/stat", pid))
	if len(after) < 2 {
		return descendant{}, false
	}
	state := after[0]
	parent, err := strconv.Atoi(after[1])
	return descendant{pid: pid, parent: parent, ended: state == "Z" || state == "X"}, err == nil
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
