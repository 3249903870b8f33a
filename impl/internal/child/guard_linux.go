package child

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
)

// The names under which a guard runs, as a guardian does.
const (
	guardName     = "guard of"
	jsonGuardName = "guard, which logs JSON, of"
)

// deathSignal is the signal that this process gets when the thread ends that has started it, or 0: the first thread alone has it.
var deathSignal int32

func init() {
	_ = prctl(prGetDeathSignal, uintptr(unsafe.Pointer(&deathSignal))) // in the first thread, as each init is
	if name := os.Args[0]; len(os.Args) > 2 && (name == guardName || name == jsonGuardName) {
		// The kernel kills the program when this thread ends, which lasts as long as the process.
		os.Exit(newGuard(os.Args[1], os.Args[2:], name == jsonGuardName).main())
	}
}

// BecomeGuard makes this process the guard of a program, in its own place: it returns only if that cannot be. Whoever has started this
// process so that it ends with him (Pdeathsig) has started a guard that does.
func BecomeGuard(path string, args []string, asJSON bool) error {
	name := guardName
	if asJSON {
		name = jsonGuardName
	}
	runtime.LockOSThread() // of all threads this one stays
	defer runtime.UnlockOSThread()
	_ = prctl(syscall.PR_SET_PDEATHSIG, uintptr(deathSignal))
	err := syscall.Exec("/proc/self/exe", append([]string{name, path}, args...), os.Environ())
	return fmt.Errorf("becoming a guard: %w", err)
}

// guard runs one program, kills it when it can act no more, and starts it again.
type guard struct {
	path    string
	args    []string
	log     *slog.Logger
	lines   *cli.LogQueue // a reader that hangs must not keep it from killing
	timer   *timer
	signals chan os.Signal
	orphans chan os.Signal // a child has ended, which may be one whose parents have
	told    bool           // the program is to end
	account account
	pauses  pauses
}

// account is what the program is told of its guard, in JSON, in the environment.
type account struct {
	Descriptor int `json:"descriptor"` // the timer that the program puts off
	host.GuardStatus
}

// Guarded reports whether this process was started by a guard, and has not told it anything yet.
func Guarded() bool { return os.Getenv(guardedVariable) != "" }

// guardedVariable names the variable of the environment that has the account.
const guardedVariable = "BULLY_GUARDED"

func newGuard(path string, args []string, asJSON bool) *guard {
	runtime.GOMAXPROCS(1)
	g := &guard{path: path, args: args, lines: cli.NewLogQueue(os.Stderr, nil), signals: make(chan os.Signal, 16), orphans: make(chan os.Signal, 1)}
	if g.log = slog.New(slog.NewTextHandler(g.lines, nil)); asJSON {
		g.log = slog.New(slog.NewJSONHandler(g.lines, nil))
	}
	g.account = account{GuardStatus: host.GuardStatus{Guard: os.Getpid()}, Descriptor: timerOfProgram}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // whoever reads the log may end
	for _, s := range passedOn {
		if !signal.Ignored(s) { // what is ignored, as SIGHUP by nohup, the program is to inherit
			signal.Notify(g.signals, s)
		}
	}
	return g
}

// passedOn are the signals that the program gets from its guard: it is in a process group of its own, so that no terminal sends them twice.
var passedOn = []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2}

// notStarted is the exit status of a program that could not be started, as shells have it.
const notStarted = 127

// logPatience is how long a guard that ends waits for whoever reads its log.
const logPatience = time.Second

// main runs the program until it ends by itself, or is told to, and returns its exit status.
func (g *guard) main() int {
	defer g.lines.Close(logPatience)
	var err error
	if g.timer, err = newTimer(); err != nil {
		g.log.Error("there is no timer for a guard", "err", err)
		return notStarted
	}
	go g.timer.run()
	becomeSubreaper()
	signal.Notify(g.orphans, syscall.SIGCHLD)
	for {
		began := time.Now()
		cmd, err := g.start()
		switch {
		case err == nil:
			forget() // from here on it sleeps
			if status, over := g.watch(cmd.Process.Pid); over {
				return status
			}
		case g.account.Restarts == 0:
			g.log.Error("the program does not start", "err", err)
			return notStarted
		default: // it is being replaced, or there is no memory: later there may be
			g.log.Error("the program does not start again", "err", err)
		}
		if !g.rest(g.pauses.next(time.Since(began))) {
			return 0
		}
		g.account.Restarts++
	}
}

// start starts the program.
func (g *guard) start() (*exec.Cmd, error) {
	told, err := tell(g.account)
	if err != nil {
		return nil, err
	}
	g.timer.stop()
	cmd := &exec.Cmd{Path: g.path, Args: g.args, Env: append(os.Environ(), told), Stdout: os.Stdout, Stderr: os.Stderr, ExtraFiles: []*os.File{g.timer.file},
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if g.account.Restarts > 0 {
		g.log.Info("the program runs again", "pid", cmd.Process.Pid, "restarts", g.account.Restarts)
	}
	return cmd, nil
}

// watch waits until the program has ended, and kills it when it can act no more. It returns its exit status, and whether that is final.
func (g *guard) watch(pid int) (status int, over bool) {
	changes := make(chan struct{})
	go waitForChanges(pid, changes)
	silent := silence{}
	killed := false
	kill := func(because string) {
		if !killed { // first, and said afterwards: until it is dead nobody can know that it acts no more
			killed = true
			_ = syscall.Kill(pid, syscall.SIGKILL) // it is there: only the loop below waits for it
			_ = syscall.Kill(-pid, syscall.SIGKILL)
			g.note("the guard has killed the program", pid, because)
			g.account.Kills++
		}
	}
	for {
		select {
		case <-changes:
			var w syscall.WaitStatus
			got, err := syscall.Wait4(pid, &w, syscall.WNOHANG|syscall.WUNTRACED, nil)
			switch {
			case errors.Is(err, syscall.EINTR), err == nil && got == 0:
			case err != nil: // nobody else waits for it
				g.log.Error("the program is gone, and cannot be waited for", "pid", pid, "err", err)
				return notStarted, true
			case w.Stopped():
				kill("it was stopped" + bySignal(w.StopSignal()))
			default:
				changes <- struct{}{}
				return g.ended(pid, w, killed)
			}
			changes <- struct{}{}
		case <-g.orphans:
			reapOrphans(pid)
		case <-g.timer.rings:
			if because := silent.ring(g.timer, pid); because != "" {
				kill(because)
			}
		case s := <-g.signals:
			g.told = g.told || ends(s)
			_ = syscall.Kill(pid, s.(syscall.Signal))
		}
	}
}

// bySignal names a signal that stops a program, as people know it.
func bySignal(s syscall.Signal) string {
	return map[syscall.Signal]string{syscall.SIGSTOP: " (SIGSTOP)", syscall.SIGTSTP: " (SIGTSTP)", syscall.SIGTTIN: " (SIGTTIN)", syscall.SIGTTOU: " (SIGTTOU)"}[s]
}

// ended returns what follows from the end of the program.
func (g *guard) ended(pid int, w syscall.WaitStatus, killed bool) (status int, over bool) {
	if !w.Signaled() {
		if left := len(leftBehind()); left > 0 {
			g.log.Warn("the program has ended, and what it has started goes on without a guard: a guarded program stays in the foreground", "pid", pid, "processes", left)
		}
		return w.ExitStatus(), true // also if it was about to be killed
	}
	killLeftBehind() // it may have the address open: that is to refuse, and to be free for the next
	if !killed && !g.told {
		g.note("the program has died", pid, "it died of a signal: "+w.Signal().String())
	}
	return 128 + int(w.Signal()), g.told
}

// note says why the program is dead, here and to its next life.
func (g *guard) note(what string, pid int, because string) {
	g.account.Last, g.account.At = because, time.Now().UTC().Truncate(time.Millisecond)
	g.log.Warn(what, "pid", pid, "because", because)
}

// rest waits before the next start, and reports whether there is to be one.
func (g *guard) rest(pause time.Duration) bool {
	if g.told {
		return false
	}
	g.log.Info("the program is started again", "after", pause.String())
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			return true
		case s := <-g.signals: // what does not end it is for a program that is not there
			if ends(s) {
				return false
			}
		}
	}
}

// ends reports whether a signal tells a program to end.
func ends(s os.Signal) bool {
	return s == syscall.SIGTERM || s == syscall.SIGINT || s == syscall.SIGQUIT
}

// waitForChanges tells whenever the program has ended, or is stopped, and leaves it to be waited for. It goes on when it is answered, until
// the program has been waited for.
func waitForChanges(pid int, changes chan struct{}) {
	const (
		ofProcess = 1 // P_PID
		whichever = syscall.WEXITED | syscall.WSTOPPED | syscall.WNOWAIT
	)
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, ofProcess, uintptr(pid), 0, whichever, 0, 0)
		switch errno {
		case 0:
			changes <- struct{}{}
			<-changes
		case syscall.EINTR:
		default:
			return
		}
	}
}

// tell returns the variable with the account.
func tell(a account) (string, error) {
	text, err := json.Marshal(a)
	return guardedVariable + "=" + string(text), err
}

// pauses are how long to wait before a program that has died is started again: twice as long each time, unless it was well in between.
type pauses struct{ last time.Duration }

const (
	firstPause = 100 * time.Millisecond // in which the address that it had refuses: that proves its death to others
	mostPause  = 30 * time.Second
	// healthy is how long a program has run that was well.
	healthy = time.Minute
)

// next returns the pause after a life that has lasted so long.
func (p *pauses) next(lived time.Duration) time.Duration {
	if p.last = min(2*p.last, mostPause); p.last == 0 || lived >= healthy {
		p.last = firstPause
	}
	return p.last
}

// forget gives back what this process has needed to start, and does not need to wait: memory that the collector keeps, and its view of files, such as of its
// own program. What it reads of these again the kernel maps again, and has in memory as long as the program runs that is guarded, if that is the same.
func forget() {
	smaps, _ := os.ReadFile("/proc/self/smaps")
	var views [][2]uintptr // of files, which this process does not write to
	var begin, end uintptr
	for line := range strings.Lines(string(smaps)) {
		words := strings.Fields(line)
		switch {
		case len(words) >= 5 && strings.Contains(words[0], "-"):
			begin, end = 0, 0
			if len(words) >= 6 && strings.HasPrefix(words[5], "/") && !strings.Contains(words[1], "w") {
				from, to, _ := strings.Cut(words[0], "-")
				begin, end = address(from), address(to)
			}
		case begin < end && words[0] == "Anonymous:" && words[1] == "0": // nor has anybody, as a linker does, or a debugger
			views = append(views, [2]uintptr{begin, end})
		}
	}
	smaps = nil
	debug.FreeOSMemory()
	for _, view := range views {
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, view[0], view[1]-view[0], syscall.MADV_DONTNEED)
	}
}

// address reads an address of smaps.
func address(text string) uintptr {
	at, _ := strconv.ParseUint(text, 16, 64)
	return uintptr(at)
}
