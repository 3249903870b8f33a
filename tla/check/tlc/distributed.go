package tlc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/tla"
)

const (
	// distributedLimit bounds the time of a distributed run, unless Runner.Limit does.
	distributedLimit = 10 * time.Minute
	// farewell is how long workers may take to end after the server has ended.
	farewell = 20 * time.Second
)

// errLate says that TLC was done before it had the workers that it should have had.
var errLate = errors.New("a worker came too late for so little work")

var (
	initialStates = regexp.MustCompile(`Finished computing initial states: (\d+) distinct`)
	computed      = regexp.MustCompile(`work completed at: .* Computed: (\d+) `)
)

// Distributed runs job with TLC's own server and so many workers, each a process of this
// machine that talks to the others through the loopback interface. It checks safety only. No
// process is left when it returns.
//
// The counts of the report need two grains of salt. The server's own number of states
// generated is none: it counts the distinct states twice, and misses the last blocks. So the
// workers' numbers are added up here, and the initial states; those must be pairwise
// different. And the depth is how far the server's trace file reaches, which depends on which
// worker was faster: it is not that of the graph.
func (r *Runner) Distributed(ctx context.Context, job Job, checkDeadlock bool, workers int) (Report, error) {
	limit := r.Limit
	if limit == 0 {
		limit = distributedLimit
	}
	ctx, expire := context.WithTimeout(ctx, limit)
	defer expire()
	// Whoever breaks down first says why, and everybody else is stopped.
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	port, err := freePort()
	if err != nil {
		return Report{}, err
	}
	if err := r.stage(job); err != nil {
		return Report{}, err
	}
	begin := time.Now()
	server, err := r.process(ctx, "server", port, serverArguments(job, checkDeadlock)...)
	if err != nil {
		return Report{}, err
	}
	crowd, err := r.crowd(ctx, port, workers)
	if err != nil {
		stop(err)
	}
	ended := make(chan struct{})
	go func() {
		end(crowd, stop)
		close(ended)
	}()
	if err := server.wait(); err != nil {
		stop(fmt.Errorf("%w\n%s", err, firstLines(server.said(), 10)))
	}
	late := time.AfterFunc(farewell, func() { stop(errLate) })
	<-ended
	late.Stop()
	switch err := context.Cause(ctx); {
	case err == context.DeadlineExceeded:
		return Report{}, fmt.Errorf("%s: not done after %s, and stopped", job.Name, limit)
	case err != nil:
		return Report{}, fmt.Errorf("%s: %w", job.Name, err)
	}
	report, err := total(server, crowd, job.Properties)
	report.Seconds = time.Since(begin).Seconds()
	return report, err
}

// crowd starts the workers. With an error it returns those that it had started.
func (r *Runner) crowd(ctx context.Context, port, workers int) ([]*process, error) {
	var crowd []*process
	for i := range workers {
		w, err := r.process(ctx, "worker"+strconv.Itoa(i+1), port,
			"-Dtlc2.tool.distributed.TLCWorker.threadCount=1", "tlc2.tool.distributed.TLCWorker", "127.0.0.1")
		if err != nil {
			return crowd, err
		}
		crowd = append(crowd, w)
	}
	return crowd, nil
}

// serverArguments returns what the server is told. It does not obey CHECK_DEADLOCK.
func serverArguments(job Job, checkDeadlock bool) []string {
	args := []string{"tlc2.tool.distributed.TLCServer", "-tool", "-fp", "0", "-checkpoint", "0", "-metadir", "meta"}
	if !checkDeadlock {
		args = append(args, "-deadlock")
	}
	return append(args, "-config", path.Base(job.Name)+".cfg", job.Module+".tla")
}

// stage copies the modules and the configuration into one folder: workers ask the server for
// their files, and it looks for all of them where the root module is.
func (r *Runner) stage(job Job) error {
	files, err := filepath.Glob(filepath.Join(r.Dir, "*.tla"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.staged(), 0o755); err != nil {
		return err
	}
	for _, file := range append(files, filepath.Join(r.Dir, job.Name+".cfg")) {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.staged(), filepath.Base(file)), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// staged returns the folder that stage fills.
func (r *Runner) staged() string { return filepath.Join(r.Scratch, "modules") }

// total puts together what the server and its workers said.
func total(server *process, crowd []*process, properties []string) (Report, error) {
	said := server.said()
	report := Parse(said, server.command.ProcessState.ExitCode(), properties)
	if report.Verdict != tla.Holds {
		// The server exits with 0 even so, and Parse does not take that for a verdict.
		return report, nil
	}
	m := initialStates.FindStringSubmatch(said)
	if m == nil {
		return report, errors.New("the server does not say how many initial states there are")
	}
	report.Generated, _ = strconv.Atoi(m[1])
	for _, w := range crowd {
		m := computed.FindStringSubmatch(w.said()) // end saw to it that there is one.
		n, _ := strconv.Atoi(m[1])
		report.Generated += n
	}
	return report, nil
}

// process is one of the JVMs of a distributed run.
type process struct {
	name    string
	command *exec.Cmd
	output  *os.File
}

// process starts a JVM. Its files, temporary ones too, are in a folder of its own.
func (r *Runner) process(ctx context.Context, name string, port int, args ...string) (*process, error) {
	folder := filepath.Join(r.Scratch, name)
	if err := os.RemoveAll(folder); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	for i, arg := range args {
		if arg == "meta" {
			args[i] = filepath.Join(folder, arg)
		}
	}
	options := append(r.virtual(folder, false),
		"-Djava.rmi.server.hostname=127.0.0.1",
		"-Dtlc2.tool.distributed.TLCServer.port="+strconv.Itoa(port),
		"-cp", r.Jar)
	p := &process{name: name, command: exec.CommandContext(ctx, r.Java, append(options, args...)...)}
	output, err := os.Create(filepath.Join(folder, "output.txt"))
	if err != nil {
		return nil, err
	}
	p.output = output
	p.command.Dir, p.command.Stdout, p.command.Stderr = r.staged(), output, output
	p.command.WaitDelay = 5 * time.Second
	if err := p.command.Start(); err != nil {
		_ = output.Close()
		return nil, err
	}
	return p, nil
}

// wait waits until p has ended.
func (p *process) wait() error {
	err := p.command.Wait()
	_ = p.output.Close()
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	return nil
}

// said returns everything that p has written.
func (p *process) said() string {
	text, _ := os.ReadFile(p.output.Name())
	return string(text)
}

// end waits for all of crowd, and calls stop when one has broken down: a server whose worker is
// gone would wait for ever.
func end(crowd []*process, stop context.CancelCauseFunc) {
	var all sync.WaitGroup
	for _, p := range crowd {
		all.Go(func() {
			if err := p.wait(); err != nil {
				stop(fmt.Errorf("%w\n%s", err, firstLines(p.said(), 10)))
			} else if !computed.MatchString(p.said()) {
				// It exits with 0 all the same.
				stop(fmt.Errorf("%s failed:\n%s", p.name, firstLines(p.said(), 10)))
			}
		})
	}
	all.Wait()
}

// freePort returns a port of the loopback interface that nobody listens on.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	_, port, _ := strings.Cut(l.Addr().String(), ":")
	return strconv.Atoi(port)
}
