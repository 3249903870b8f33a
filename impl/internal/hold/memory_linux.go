//go:build amd64 || arm64

package hold

import (
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// memoryRest is how long memory outlives its program: until others have elected.
var memoryRest = 100 * time.Millisecond

// holder is what the process that holds the memory of this one reads, and hold. It never moves.
var holder struct {
	// The offsets of these are in the assembly.
	all   uint64   // every signal
	old   uint64   // the signals that this thread had blocked
	self  int64    // this process
	name  [16]byte // of the other
	poll  pollFor  // it waits for this process
	flags uint64   // what both share; no signal tells of the other's end
	last  uint64   // of the descriptors that the other closes
	rest  [2]int64 // struct timespec: how long the other waits before it frees memory

	once sync.Once
	pid  int // the other, if there is one
	err  error
}

// pollFor is struct pollfd.
type pollFor struct {
	descriptor      int32
	events, revents int16
}

// hold clones this process: both have one memory then, and each its own descriptors and signals. It returns the number of the other, or
// minus an error. The other runs nothing but what hold has for it.
//
//go:noescape
func hold(of unsafe.Pointer) int

// Memory starts a process that shares the memory of this one, waits until that is no more, and ends. For the kernel frees the memory of a process that
// dies before it closes its sockets, so that its address refuses nobody for 0.1 ms a MiB; if another has that memory too, there is
// nothing to free, and the address refuses at once. What frees it then is the other's end.
//
// The other never runs a line of Go, opens nothing, closes its copies of what was open, takes no signals, and is in a process group of its own, so that who
// kills all of a group does not kill it first. It shows in lists of
// processes as bully-memory, with the memory of this one, which is there once. If both are killed at once, or the other alone, all is as without it.
// The other waits for memoryRest before it ends: to free memory keeps a core busy, in the kernel.
//
// Call it early, and again as you like: there is one. The error says that the kernel does not let it, or is older than Linux 5.9.
func Memory() error {
	h := &holder
	h.once.Do(func() {
		if h.err = canHold(); h.err != nil {
			return
		}
		h.self = int64(os.Getpid())
		h.all = math.MaxUint64
		h.last = math.MaxUint32
		h.flags = syscall.CLONE_VM
		h.rest = [2]int64{int64(memoryRest / time.Second), int64(memoryRest % time.Second)}
		copy(h.name[:], "bully-memory")
		h.poll.events = 1 // POLLIN
		if h.pid = hold(unsafe.Pointer(h)); h.pid < 0 {
			h.err = fmt.Errorf("clone: %w", syscall.Errno(-h.pid))
		}
	})
	return h.err
}

// canHold asks the kernel here for what the other needs, which tells nobody if it gets none.
func canHold() error {
	const pidfdOpen, closeRange = 434, 436
	fd, _, errno := syscall.Syscall(pidfdOpen, uintptr(os.Getpid()), 0, 0)
	if errno != 0 {
		return fmt.Errorf("pidfd_open: %w", errno)
	}
	if _, _, errno := syscall.Syscall(closeRange, fd, fd, 0); errno != 0 {
		return errors.Join(fmt.Errorf("close_range: %w", errno), syscall.Close(int(fd)))
	}
	return nil
}
