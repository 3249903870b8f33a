package host

import (
	"os"
	"syscall"
	"time"
	"unsafe"
)

// Of <time.h> and <sys/timerfd.h>, which package syscall leaves out.
const (
	clockMonotonic = 1
	nonBlocking    = syscall.O_NONBLOCK
	closeOnExec    = syscall.O_CLOEXEC
)

// setting is struct itimerspec.
type setting struct{ interval, value syscall.Timespec }

// A kernelTimer is a timerfd, and the goroutine that waits for it as others wait for the network.
type kernelTimer struct {
	file  *os.File
	conn  syscall.RawConn
	rings chan time.Time
}

var _ Timer = (*kernelTimer)(nil)

func newKernelTimer(d time.Duration) (Timer, error) {
	fd, _, errno := syscall.Syscall(syscall.SYS_TIMERFD_CREATE, clockMonotonic, nonBlocking|closeOnExec, 0)
	if errno != 0 {
		return nil, errno
	}
	file := os.NewFile(fd, "timerfd")
	conn, err := file.SyscallConn()
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	t := &kernelTimer{file: file, conn: conn, rings: make(chan time.Time, 1)}
	t.Reset(d)
	go t.run()
	return t, nil
}

// run tells of each end, until Close. One that nobody has taken stands for a second.
func (t *kernelTimer) run() {
	var ends [8]byte // how many there have been
	for {
		if _, err := t.file.Read(ends[:]); err != nil {
			return
		}
		select {
		case t.rings <- time.Now():
		default:
		}
	}
}

// C implements Timer. An end that comes at the moment of a Reset may still be told: who waits must look at the time.
func (t *kernelTimer) C() <-chan time.Time { return t.rings }

// Reset implements Timer. It reports whether the timer was running.
func (t *kernelTimer) Reset(d time.Duration) bool { return t.set(max(d, 1)) }

// Stop implements Timer. It reports whether the timer was running.
func (t *kernelTimer) Stop() bool { return t.set(0) }

// Close gives the timer back to the kernel.
func (t *kernelTimer) Close() error { return t.file.Close() }

// set makes the timer end after d, or never if that is 0.
func (t *kernelTimer) set(d time.Duration) (ran bool) {
	select { // before the timer is set: it may end at once
	case <-t.rings:
	default:
	}
	next, last := setting{value: syscall.NsecToTimespec(int64(d))}, setting{}
	_ = t.conn.Control(func(fd uintptr) { // it fails when closed only
		_, _, _ = syscall.Syscall6(syscall.SYS_TIMERFD_SETTIME, fd, 0,
			uintptr(unsafe.Pointer(&next)), uintptr(unsafe.Pointer(&last)), 0, 0)
	})
	return last.value != syscall.Timespec{}
}
