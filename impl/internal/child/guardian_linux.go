package child

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// The names under which a guardian runs: it is this executable, called so. It must begin before main does, whatever program this
// package is in.
const (
	guardianName      = "guardian of"
	plainGuardianName = "guardian, without a control group, of"
)

func init() {
	if name := os.Args[0]; len(os.Args) > 2 && (name == guardianName || name == plainGuardianName) {
		// The kernel kills a child when the thread ends that started it: this one lasts as long as the process.
		newGuardian(name == guardianName).main(os.Args[1], os.Args[2:])
		os.Exit(0)
	}
}

// guardian starts one process, and outlives it and all that it has started.
type guardian struct {
	orders  *os.File
	reports *json.Encoder
	box     cgroup
	process *os.Process
}

// The descriptors that a guardian is started with.
const (
	ordersFD = 3 + iota
	reportsFD
	heldFD
)

func newGuardian(mayBox bool) *guardian {
	syscall.CloseOnExec(ordersFD) // they are not for the process
	syscall.CloseOnExec(reportsFD)
	syscall.CloseOnExec(heldFD)
	g := &guardian{orders: os.NewFile(ordersFD, "orders"), reports: json.NewEncoder(os.NewFile(reportsFD, "reports"))}
	if mayBox {
		g.box = newCgroup(fmt.Sprintf("bully-%d", os.Getpid()))
	}
	return g
}

// main starts the process, obeys, and ends when nothing is left.
func (g *guardian) main(path string, args []string) {
	// Caught, and not ignored: the process would inherit that. What is ignored already, as SIGHUP by nohup, it is to inherit.
	for _, s := range []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE} {
		if !signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
	orphans := make(chan os.Signal, 1)
	signal.Notify(orphans, syscall.SIGCHLD)
	becomeSubreaper()
	var cmd *exec.Cmd
	err := takeHeld() // before there is anything that acts
	if err == nil {
		cmd, err = g.start(path, args)
	}
	if err != nil {
		g.box.remove()
		var errno syscall.Errno
		errors.As(err, &errno)
		g.report(report{Errno: errno, Error: err.Error()})
		return
	}
	g.process = cmd.Process
	g.report(report{PID: cmd.Process.Pid, Cgroup: string(g.box)})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the state says how
	}()
	go g.obey()
	for waiting := true; waiting; {
		select {
		case <-orphans:
			g.reap()
		case <-ended:
			waiting = false
		}
	}
	g.killAll()
	g.box.remove()
	g.report(report{Status: statusOf(cmd.ProcessState)})
}

// report tells who has started the guardian. If that is gone, nobody needs to know.
func (g *guardian) report(r report) { _ = g.reports.Encode(r) }

// start starts the process: in a control group, if that can be, and without it if not.
func (g *guardian) start(path string, args []string) (*exec.Cmd, error) {
	if folder, err := g.box.open(); err == nil {
		defer func() { _ = folder.Close() }()
		cmd := command(path, args)
		cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(folder.Fd())
		if err := cmd.Start(); err == nil {
			return cmd, nil
		}
		g.box.remove()
		g.box = ""
	}
	cmd := command(path, args)
	return cmd, cmd.Start()
}

// command returns the process to be started, in a group of its own, and killed by the kernel if the guardian is killed.
func command(path string, args []string) *exec.Cmd {
	return &exec.Cmd{Path: path, Args: args, Stdout: os.Stdout, Stderr: os.Stderr,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}}
}

// obey takes orders until there is nobody to give any: that is the order to kill.
func (g *guardian) obey() {
	order := make([]byte, 1)
	for {
		_, err := g.orders.Read(order)
		if err == nil && order[0] == orderTerminate {
			for _, p := range descendants(os.Getpid(), nil) {
				_ = syscall.Kill(p.pid, syscall.SIGTERM) // it may have ended
			}
			continue
		}
		_ = g.process.Kill() // before anybody is looked for: others may wait for its end
		g.killAll()
		if err != nil {
			return
		}
	}
}

// reap waits for those that have ended and whose parents have gone.
func (g *guardian) reap() { reap(map[int]bool{g.process.Pid: true}) }

// killAll kills all descendants.
func (g *guardian) killAll() { killDescendants(g.box, nil, g.reap) }
