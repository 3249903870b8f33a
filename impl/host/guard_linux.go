package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

// FindGuard returns who watches this process, as the environment says, and nil if nobody does. Call it once, before the process starts
// others: what it has found it takes out of the environment, so that they do not take it for theirs.
//
// A guard must have started this process itself: it kills what it has started. An error says that something is in between, such as a shell.
func FindGuard() (*Guard, error) {
	g := &Guard{}
	if err := g.findGuard(); err != nil {
		return nil, err
	}
	if err := g.systemd.find(g.account); err != nil {
		return nil, err
	}
	if g.account == nil && g.systemd.to == nil {
		return nil, nil
	}
	return g, nil
}

// The variables of the environment: of a guard, and of systemd, as sd_notify(3) and sd_watchdog_enabled(3) have them.
const (
	guardedVariable  = "BULLY_GUARDED"
	notifyVariable   = "NOTIFY_SOCKET"
	watchdogVariable = "WATCHDOG_USEC"
	watchedVariable  = "WATCHDOG_PID"
)

// take returns a variable, and takes it out of the environment.
func take(variable string) string {
	value := os.Getenv(variable)
	_ = os.Unsetenv(variable) // its name is a good one
	return value
}

// findGuard finds a guard, if there is one.
func (g *Guard) findGuard() error {
	text := take(guardedVariable)
	if text == "" {
		return nil
	}
	var said struct {
		GuardStatus
		Descriptor int `json:"descriptor"`
	}
	if err := json.Unmarshal([]byte(text), &said); err != nil {
		return fmt.Errorf("host: %s cannot be read: it is for the program that a guard starts, and nobody else sets it: %w", guardedVariable, err)
	}
	if parent := os.Getppid(); parent != said.Guard {
		return fmt.Errorf("host: %s is for what process %d has started, but the parent of this process is %d: let the guard start this program itself; "+
			"a shell in between must exec it", guardedVariable, said.Guard, parent)
	}
	syscall.CloseOnExec(said.Descriptor) // what this process starts must not set it
	g.account, g.bell = &said.GuardStatus, bell{fd: said.Descriptor, there: true}
	if errno := g.bell.stop(); errno != 0 {
		return fmt.Errorf("host: %s names descriptor %d, which is no timer: %w", guardedVariable, said.Descriptor, errno)
	}
	return nil
}

// isStopped reports whether a process is stopped, as the kernel says.
func isStopped(pid int) bool {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat") // if it is hidden, nobody knows
	_, rest, _ := bytes.Cut(text, []byte(") "))                    // after the name, which may have anything in it
	return len(rest) > 0 && (rest[0] == 'T' || rest[0] == 't')
}

// bell is the timer of a guard, which rings if the loop does not put it off. Zero is none.
type bell struct {
	fd    int
	there bool
}

// set makes it ring after first, and then every so often.
func (b *bell) set(first, every time.Duration) syscall.Errno {
	return b.settime(setting{value: syscall.NsecToTimespec(int64(max(first, 1))), interval: syscall.NsecToTimespec(int64(every))})
}

// stop makes it not ring until it is set.
func (b *bell) stop() syscall.Errno { return b.settime(setting{}) }

func (b *bell) settime(next setting) syscall.Errno {
	if !b.there {
		return 0
	}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_TIMERFD_SETTIME, uintptr(b.fd), 0, uintptr(unsafe.Pointer(&next)), 0, 0, 0)
	return errno
}

// rouses returns when a loop that rests is to begin a turn: so that a process that is frozen while its loop rests is found soon too.
func (b *bell) rouses(now instant, r ring) instant {
	if !b.there {
		return never
	}
	return now.Add(4 * r.first)
}

// systemd is told as sd_notify(3) says. Zero is nobody.
type systemd struct {
	socket   int
	to       syscall.Sockaddr // or nil
	watchdog time.Duration    // within which it is to be told that all is well; 0 if it need not
	told     time.Time        // that all is well, at last
}

// find finds systemd in the environment.
func (s *systemd) find(guard *GuardStatus) error {
	name, within, whom := take(notifyVariable), take(watchdogVariable), take(watchedVariable)
	if name == "" {
		return nil
	}
	var err error
	if s.socket, err = syscall.Socket(syscall.AF_UNIX, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0); err != nil {
		return fmt.Errorf("host: %s is set, and there is no socket to tell it anything: %w", notifyVariable, err)
	}
	s.to = &syscall.SockaddrUnix{Name: name}
	if whom != "" && whom != strconv.Itoa(os.Getpid()) && (guard == nil || whom != strconv.Itoa(guard.Guard)) {
		return nil // another process is watched
	}
	if within != "" {
		us, err := strconv.ParseInt(within, 10, 64)
		if err != nil || us <= 0 {
			return fmt.Errorf("host: %s=%q is no number of microseconds", watchdogVariable, within)
		}
		s.watchdog = time.Duration(us) * time.Microsecond
	}
	return nil
}

// alive tells systemd that the node runs, the first time, and that all is well, often enough.
func (s *systemd) alive(now time.Time) {
	switch {
	case s.to == nil:
		return
	case s.told.IsZero():
		s.tell("READY=1\nWATCHDOG=1")
	case s.watchdog == 0 || now.Sub(s.told) < s.watchdog/4:
		return
	default:
		s.tell("WATCHDOG=1")
	}
	s.told = now
}

// ends tells systemd that the node is about to end.
func (s *systemd) ends() {
	if s.to != nil {
		s.tell("STOPPING=1\nWATCHDOG=1")
	}
}

// tell sends a message. Who takes none loses it.
func (s *systemd) tell(message string) {
	_ = syscall.Sendto(s.socket, []byte(message), syscall.MSG_DONTWAIT|syscall.MSG_NOSIGNAL, s.to)
}

// rouses returns when a loop that rests is to begin a turn, so that systemd hears of it in time.
func (s *systemd) rouses(now instant) instant {
	if s.to == nil || s.watchdog == 0 {
		return never
	}
	return now.Add(s.watchdog / 4)
}
