// Package batch runs many plans of package sim: those of a range of seeds, with every profile and number of nodes that is
// asked for. A range can be split over machines; the results of the parts are JSON, and merge into those of the whole, in
// any order. Its memory does not grow with the number of runs. This is the loop of one part:
//
//	job := batch.Job{Subject: "mine", First: 1, Last: 1_000_000, Shard: 2, Shards: 8, Nodes: []int{3, 5}, Profiles: sim.Profiles()}
//	totals, err := batch.Run(ctx, job, mine.NewNode, batch.Options{})
//	if err != nil {
//		return err
//	}
//	for _, f := range totals.Failures {
//		fmt.Println(&f) // such as: OneActing: nodes 2 and 3 … — workbench sim -seeds 81 -nodes 5 -profile crash
//	}
//	return json.NewEncoder(os.Stdout).Encode(totals)
//
// and this puts the parts together:
//
//	whole, err := one.Merge(&two)
//	…
//	missing := whole.Missing()
package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
)

// Options says how a batch is run. The zero Options is good.
type Options struct {
	Workers  int                     // that run side by side; 0 means one for each processor
	Every    time.Duration           // between two calls of Progress; 0 means a second
	Progress func(progress Progress) // told how far it is, from a goroutine of its own, or nil
}

// Progress says how far a batch is.
type Progress struct {
	Done, Runs uint64 // runs made, of all
	Steps      uint64
	PerSecond  float64 // steps, since the batch began
	Violations uint64
}

// String returns p as a line for people.
func (p Progress) String() string {
	return fmt.Sprintf("%d of %d runs, %.2f million steps/s, violations: %d", p.Done, p.Runs, p.PerSecond/1e6, p.Violations)
}

// Run makes the runs of a job, in the order of seeds as far as there is one, until all are made or the context is done: then
// the totals are those of the runs made, which are the first ones. The error says what is wrong with the job.
func Run(ctx context.Context, job Job, newNode conformance.Maker, o Options) (Totals, error) {
	if err := job.Validate(); err != nil {
		return Totals{}, err
	}
	b := &batch{Job: job, Options: o, newNode: newNode}
	return b.run(ctx)
}

// batch is a job that is being run.
type batch struct {
	Job
	Options
	newNode conformance.Maker
	next    atomic.Uint64 // the first run that nobody has begun
	told    counters
}

func (b *batch) run(ctx context.Context) (Totals, error) {
	runs := b.Runs()
	workers := int(min(uint64(cmp.Or(b.Workers, runtime.GOMAXPROCS(0))), runs))
	tallies, failed := make([]*tally, workers), make([]error, workers)
	stop := b.report(runs)
	var all sync.WaitGroup
	for w := range workers {
		tallies[w] = newTally()
		all.Go(func() {
			runner := sim.NewRunner(b.newNode)
			for ctx.Err() == nil && failed[w] == nil {
				i := b.next.Add(1) - 1
				if i >= runs {
					return
				}
				failed[w] = b.one(runner, i, tallies[w])
			}
		})
	}
	all.Wait()
	stop()
	totals := Totals{Jobs: []Job{b.Job}}
	totals.Jobs[0].Done = b.told.done.Load()
	for _, t := range tallies {
		totals.add(t)
	}
	totals.tidy()
	return totals, errors.Join(failed...)
}

// counters are what all workers count together, for progress.
type counters struct{ done, steps, violations atomic.Uint64 }

// one makes run i.
func (b *batch) one(runner *sim.Runner, i uint64, t *tally) error {
	seed, nodes, profile := b.Args(i)
	plan, err := sim.Generate(seed, nodes, profile)
	if err != nil {
		return err
	}
	begin := time.Now()
	result, err := runner.Run(&plan, sim.Options{})
	if err != nil {
		return fmt.Errorf("batch: the plan of seed %d, %d nodes, profile %s: %w", seed, nodes, profile, err)
	}
	t.count(Failure{Seed: seed, Nodes: nodes, Profile: profile}, &result, time.Since(begin))
	b.told.done.Add(1)
	b.told.steps.Add(result.Steps)
	if result.Violation != nil {
		b.told.violations.Add(1)
	}
	return nil
}

// report tells Progress how far the batch is, until the function that it returns is called.
func (b *batch) report(runs uint64) (stop func()) {
	if b.Progress == nil {
		return func() {}
	}
	begin, done, ended := time.Now(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(cmp.Or(b.Every, time.Second))
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				steps := b.told.steps.Load()
				b.Progress(Progress{b.told.done.Load(), runs, steps, float64(steps) / time.Since(begin).Seconds(), b.told.violations.Load()})
			}
		}
	}()
	return func() { close(done); <-ended }
}

// Failure is a run of a batch that broke a promise: what to give to Generate, and what was broken.
type Failure struct {
	Seed        uint64        `json:"seed"`
	Nodes       int           `json:"nodes"`
	Profile     sim.Profile   `json:"profile"`
	Property    spec.Property `json:"property"`
	At          time.Duration `json:"at_ns"`
	Step        uint64        `json:"step"`
	Explanation string        `json:"explanation"`
}

// Compare orders failures by seed, then by number of nodes, then by profile.
func (f *Failure) Compare(g *Failure) int {
	return cmp.Or(cmp.Compare(f.Seed, g.Seed), cmp.Compare(f.Nodes, g.Nodes), cmp.Compare(f.Profile, g.Profile))
}

// Replay returns the command that repeats the run.
func (f *Failure) Replay() string {
	return fmt.Sprintf("workbench sim -seeds %d -nodes %d -profile %s", f.Seed, f.Nodes, f.Profile)
}

// Error says what was broken, and how to see it again.
func (f *Failure) Error() string {
	return fmt.Sprintf("%s: %s — %s", f.Property, f.Explanation, f.Replay())
}
