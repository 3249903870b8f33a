package child

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// guarded is a process that a guardian has started, as the process sees it that has started the guardian.
type guarded struct {
	guardian *exec.Cmd
	orders   *os.File // to the guardian; that it is closed is the order to kill
	reports  *json.Decoder
	from     *os.File // what reports reads
	process  int
	box      cgroup
}

// report is what a guardian says: once when it has started the process, or could not, and once at the end.
type report struct {
	PID    int           `json:"pid,omitempty"`
	Cgroup string        `json:"cgroup,omitempty"` // the folder of the control group; "" if there is none
	Errno  syscall.Errno `json:"errno,omitempty"`  // why the process was not started, if there is a number for it
	Error  string        `json:"error,omitempty"`
	Status int           `json:"status,omitempty"`
}

// The orders.
const (
	orderTerminate = 'T'
	orderKill      = 'K'
)

// withoutCgroup makes guardians do without a control group, as many have to. It is for tests.
var withoutCgroup = false

// guardians are those that this process has started and not waited for yet. All other children of this process are what a guardian that
// was killed has left.
var guardians struct {
	sync.Mutex
	all map[int]bool
}

// begin starts a guardian. What that leaves, should it be killed, becomes a child of this process.
func begin(cmd *exec.Cmd, address lent) (_ tree, err error) {
	becomeSubreaper()
	var held []*os.File
	if address != nil {
		lies, err := lend(address)
		if err != nil {
			return nil, fmt.Errorf("starting %s: its address is not held: %w", cmd.Path, err)
		}
		defer func() { _ = lies.Close() }()
		held = append(held, lies)
	}
	ordersRead, ordersWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, ordersRead.Close()) }()
	reportsRead, reportsWrite, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, ordersWrite.Close())
	}
	name := guardianName
	if withoutCgroup {
		name = plainGuardianName
	}
	g := &guarded{orders: ordersWrite, from: reportsRead, reports: json.NewDecoder(reportsRead)}
	g.guardian = &exec.Cmd{Path: "/proc/self/exe", Args: append([]string{name, cmd.Path}, cmd.Args...), Env: cmd.Env, Dir: cmd.Dir,
		Stdout: cmd.Stdout, Stderr: cmd.Stderr, ExtraFiles: append([]*os.File{ordersRead, reportsWrite}, held...),
		SysProcAttr: guardianAttributes(), WaitDelay: leftovers}
	err = g.startGuardian()
	err = errors.Join(err, reportsWrite.Close())
	if err == nil {
		err = g.started(cmd.Path)
	}
	if err != nil {
		if g.guardian.Process != nil {
			g.waitForGuardian()
		}
		return nil, errors.Join(err, g.close())
	}
	return g, nil
}

// guardianAttributes returns how a guardian is started: in a group of its own; and if somebody has stopped it, the kernel has it go on when this process ends, by which it
// is told to kill. Without being asked to, the kernel would do so for groups alone to which nobody belongs any more, which are not those that another of the session inherits.
func guardianAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGCONT}
}

func (g *guarded) startGuardian() error {
	guardians.Lock()
	defer guardians.Unlock()
	if err := g.guardian.Start(); err != nil {
		return err
	}
	if guardians.all == nil {
		guardians.all = map[int]bool{}
	}
	guardians.all[g.guardian.Process.Pid] = true
	return nil
}

// waitForGuardian waits for a guardian that has said what there is to say, or has been killed.
func (g *guarded) waitForGuardian() {
	_ = g.guardian.Wait() // the report says more
	guardians.Lock()
	defer guardians.Unlock()
	delete(guardians.all, g.guardian.Process.Pid)
}

// killLeft kills what a guardian that was killed has left, while no other is being started.
func (g *guarded) killLeft() {
	guardians.Lock()
	defer guardians.Unlock()
	killDescendants(g.box, guardians.all, func() { reap(guardians.all) })
}

// started reads the first report.
func (g *guarded) started(path string) error {
	var r report
	switch err := g.reports.Decode(&r); {
	case err != nil:
		return fmt.Errorf("starting %s: the guardian has said nothing: %w", path, err)
	case r.Errno != 0:
		return &os.PathError{Op: "start", Path: path, Err: r.Errno}
	case r.Error != "":
		return fmt.Errorf("starting %s: %s", path, r.Error)
	}
	g.process, g.box = r.PID, cgroup(r.Cgroup)
	return nil
}

func (g *guarded) pid() int { return g.process }

func (g *guarded) terminate() { g.order(orderTerminate) }

// kill does not rely on the guardian alone.
func (g *guarded) kill() {
	g.order(orderKill)
	g.box.kill()
	_ = syscall.Kill(-g.process, syscall.SIGKILL) // that none is left is no error
}

// order gives an order. A guardian that is gone takes none; one that somebody has stopped is to go on.
func (g *guarded) order(o byte) {
	_, _ = g.orders.Write([]byte{o})
	_ = g.guardian.Process.Signal(syscall.SIGCONT)
}

func (g *guarded) wait() int {
	var last report
	told := g.reports.Decode(&last) == nil
	if !told { // the guardian was killed, and the kernel has killed the process, if that has not changed its user
		g.kill()
		last.Status = 128 + int(syscall.SIGKILL)
	}
	g.waitForGuardian()
	if !told {
		g.killLeft()
	}
	g.box.remove()
	_ = g.close() // nothing was written that could be lost
	return last.Status
}

func (g *guarded) close() error { return errors.Join(g.orders.Close(), g.from.Close()) }
