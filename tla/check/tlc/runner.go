// Package tlc runs TLC, the model checker of TLA+, on many configurations, and reads what it
// says. It finds Java, has Maven fetch the pinned TLC, and keeps one JVM for each processor busy
// with one configuration after the other.
//
// The loop to write:
//
//	runner := tlc.Runner{Java: java, Jar: jar, Classes: classes, Dir: "tla", Scratch: scratch, Lanes: 2}
//	err := runner.Run(ctx, jobs, tlc.Hooks{Finished: func(o tlc.Outcome) {
//		fmt.Println(o.Job.Name, o.Report.Verdict, o.Report.Distinct)
//	}})
package tlc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/tla"
	"github.com/seed-fdf591db/bully/tla/check/value"
)

// Job is one configuration to check.
type Job struct {
	// Name is the path of the .cfg file in Runner.Dir, without .cfg.
	Name string
	// Module is the root module, without .tla.
	Module string
	// Properties are those that the configuration lists under PROPERTIES.
	Properties []string
	// Seconds is how long it may be expected to take; 0 means unknown. It decides the order.
	Seconds float64
	// Dump asks for the set of states.
	Dump bool
}

// Outcome is what became of a job.
type Outcome struct {
	Job Job
	// Report is what TLC said. Its verdict is tla.Failed if Err is set.
	Report Report
	// States is the set of states, if it was asked for.
	States *value.States
	// Err says why there is no report: the JVM died, say, or time ran out.
	Err error
}

// Hooks are called while Run works, never two at a time. All may be nil.
type Hooks struct {
	// Started is called when a job begins.
	Started func(Job)
	// Finished is called when a job is done.
	Finished func(Outcome)
}

// Runner runs TLC.
type Runner struct {
	// Java is the command; see Java.
	Java string
	// Jar is the jar with TLC; see Jar.
	Jar string
	// Classes is the folder with the compiled driver; see Driver. Without it, every job
	// gets a JVM of its own.
	Classes string
	// Dir is the folder with the modules.
	Dir string
	// Scratch is an empty folder for what TLC writes. Its owner removes it.
	Scratch string
	// Lanes is the number of jobs that run at a time; 0 means one.
	Lanes int
	// Limit bounds the time of a job; 0 means ten minutes, or ten times Job.Seconds if that
	// is more.
	Limit time.Duration
}

// longJob is how many seconds a job must take for the slower, better compiler to pay: every job loads TLC anew, and has it compiled anew.
// What takes 8 s with the quick compiler takes 16 s of processor with the better one; what takes 27 s takes 20 s.
const longJob = 15

// Run runs all jobs, the longest first. It returns an error only if ctx ends, or a folder
// cannot be made; what is wrong with a job is in its Outcome.
func (r *Runner) Run(ctx context.Context, jobs []Job, hooks Hooks) error {
	jobs = slices.Clone(jobs)
	slices.SortStableFunc(jobs, func(a, b Job) int { return cmp.Compare(b.expected(), a.expected()) })
	queue := make(chan int, len(jobs))
	for i := range jobs {
		queue <- i
	}
	close(queue)
	var hook sync.Mutex
	var all sync.WaitGroup
	errs := make([]error, max(1, r.Lanes))
	for n := range errs {
		all.Go(func() {
			w := worker{runner: r, folder: filepath.Join(r.Scratch, "lane"+strconv.Itoa(n))}
			errs[n] = w.work(ctx, queue, jobs, func(call func(Hooks)) {
				hook.Lock()
				defer hook.Unlock()
				call(hooks)
			})
		})
	}
	all.Wait()
	return errors.Join(append(errs, ctx.Err())...)
}

// expected returns the seconds that j may take: of an unknown job, we expect the worst.
func (j Job) expected() float64 {
	if j.Seconds <= 0 {
		return 1e9
	}
	return j.Seconds
}

// worker takes jobs for one lane.
type worker struct {
	runner *Runner
	folder string
	lane   *lane
}

// work takes jobs until there are none.
func (w *worker) work(ctx context.Context, queue <-chan int, jobs []Job, tell func(func(Hooks))) error {
	if err := os.MkdirAll(w.folder, 0o755); err != nil {
		return err
	}
	defer w.end()
	for i := range queue {
		if ctx.Err() != nil {
			return nil // Run reports it.
		}
		job := jobs[i]
		tell(func(h Hooks) {
			if h.Started != nil {
				h.Started(job)
			}
		})
		outcome := w.do(ctx, job, filepath.Join(w.folder, strconv.Itoa(i)))
		if ctx.Err() != nil {
			return nil
		}
		tell(func(h Hooks) {
			if h.Finished != nil {
				h.Finished(outcome)
			}
		})
	}
	return nil
}

// do runs one job, whose files begin with prefix and are gone afterwards.
func (w *worker) do(ctx context.Context, job Job, prefix string) Outcome {
	o := Outcome{Job: job}
	output, dump, meta := prefix+".out", prefix+".dump", prefix+".meta"
	defer func() {
		_ = os.Remove(output)
		_ = os.Remove(dump)
		_ = os.RemoveAll(meta)
	}()
	args := arguments(job, meta)
	if job.Dump {
		args = append([]string{"-dump", dump}, args...)
	}
	limit := w.runner.limit(job)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	begin := time.Now()
	exit, err := w.check(ctx, job, output, args)
	seconds := time.Since(begin).Seconds()
	switch {
	case err != nil && ctx.Err() == context.DeadlineExceeded:
		o.Err = fmt.Errorf("not done after %s, and stopped", limit)
	case err != nil:
		o.Err = err
	}
	said, err := os.ReadFile(output)
	if o.Err == nil {
		o.Err = err
	}
	o.Report = Parse(string(said), exit, job.Properties)
	o.Report.Seconds = seconds
	if o.Err != nil {
		o.Report.Verdict = tla.Failed
	}
	if o.Report.Verdict == tla.Failed {
		w.end() // Whatever happened to this JVM, the next job shall not suffer for it.
	}
	if o.Err == nil && job.Dump {
		o.States, o.Err = readDump(dump)
	}
	if o.States != nil {
		o.Report.States = o.States.Digest()
	}
	return o
}

// arguments returns what every run of TLC is told. Exact counts need a single worker;
// counterexamples that come out the same each time need a fixed fingerprint function; and
// the graph is complete when liveness is checked only at the end.
func arguments(job Job, meta string) []string {
	return []string{"-tool", "-workers", "1", "-fp", "0", "-checkpoint", "0", "-lncheck", "final",
		"-metadir", meta, "-config", job.Name + ".cfg", job.Module + ".tla"}
}

// check runs TLC in the worker's lane, or in a JVM of its own if there is no driver.
func (w *worker) check(ctx context.Context, job Job, output string, args []string) (int, error) {
	if w.runner.Classes == "" {
		return w.alone(ctx, output, args)
	}
	short := job.Seconds > 0 && job.Seconds < longJob
	if w.lane != nil && w.lane.short != short {
		w.end()
	}
	if w.lane == nil {
		// The lane outlives this job and its time limit.
		l, err := w.runner.newLane(context.WithoutCancel(ctx), w.folder, short)
		if err != nil {
			return 0, err
		}
		w.lane = l
	}
	l := w.lane
	defer context.AfterFunc(ctx, func() { _ = l.command.Process.Kill() })()
	return l.run(output, args)
}

// alone runs TLC in a JVM of its own.
func (w *worker) alone(ctx context.Context, output string, args []string) (int, error) {
	f, err := os.Create(output)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	options := append(w.runner.virtual(w.folder, false), "-cp", w.runner.Jar, "tlc2.TLC")
	command := exec.CommandContext(ctx, w.runner.Java, append(options, args...)...)
	command.Dir, command.Stdout, command.Stderr = w.runner.Dir, f, f
	command.WaitDelay = 5 * time.Second
	err = command.Run()
	var failed *exec.ExitError
	if errors.As(err, &failed) && failed.Exited() {
		return failed.ExitCode(), nil
	}
	return 0, err
}

// end closes the lane, if there is one.
func (w *worker) end() {
	if w.lane != nil {
		_ = w.lane.close()
		w.lane = nil
	}
}

// limit returns how long job may take.
func (r *Runner) limit(job Job) time.Duration {
	if r.Limit > 0 {
		return r.Limit
	}
	return max(10*time.Minute, time.Duration(job.Seconds*10*float64(time.Second)))
}

// readDump reads the states from a file.
func readDump(file string) (*value.States, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return value.ReadDump(f)
}
