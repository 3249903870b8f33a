package child

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
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

func begin(cmd *exec.Cmd) (_ tree, err error) {
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
		Stdout: cmd.Stdout, Stderr: cmd.Stderr, ExtraFiles: []*os.File{ordersRead, reportsWrite},
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true}, WaitDelay: leftovers}
	err = g.guardian.Start()
	err = errors.Join(err, reportsWrite.Close())
	if err == nil {
		err = g.started(cmd.Path)
	}
	if err != nil {
		if g.guardian.Process != nil {
			_ = g.guardian.Wait() // it has said what there is to say
		}
		return nil, errors.Join(err, g.close())
	}
	return g, nil
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

// order gives an order. A guardian that is gone takes none.
func (g *guarded) order(o byte) { _, _ = g.orders.Write([]byte{o}) }

func (g *guarded) wait() int {
	var last report
	told := g.reports.Decode(&last) == nil
	if !told { // the guardian was killed, and the kernel has killed the process
		g.kill()
		last.Status = 128 + int(syscall.SIGKILL)
	}
	_ = g.guardian.Wait() // the report says more
	g.box.remove()
	_ = g.close() // nothing was written that could be lost
	return last.Status
}

func (g *guarded) close() error { return errors.Join(g.orders.Close(), g.from.Close()) }
