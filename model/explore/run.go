package explore

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Options are the settings of [Run]. The zero value explores with one worker for each
// processor, without a bound on memory, and does not mind deadlock.
type Options struct {
	// Workers is the number of goroutines that expand states; 0 means GOMAXPROCS.
	Workers int
	// MaxBytes bounds the memory of the table and the frontier; 0 means no bound. Run
	// returns a [*LimitError] rather than pass it.
	MaxBytes int64
	// CheckDeadlock makes a state without any successor a violation.
	CheckDeadlock bool
	// Progress, if set, is called while Run works, from a goroutine of its own, never
	// twice at a time, and never after Run has returned.
	Progress func(Progress)
	// ProgressEvery is the time between two calls of Progress; 0 means one second.
	ProgressEvery time.Duration
	// Visit, if set, is called once for every distinct state, level by level and within
	// a level in the order of the bytes, from the goroutine that called Run. It may not
	// keep state. It costs a sort of each level: it is meant for digests of small systems.
	Visit func(state []byte)
}

// Result is what [Run] found.
type Result struct {
	// Distinct is the number of distinct reachable states.
	Distinct int
	// Generated is the number of initial states emitted, plus successors emitted,
	// duplicates included.
	Generated int
	// Depth is the number of levels, where the initial states are level 1; if there is a
	// violation, it is the number of states in its run.
	Depth int
	// Violation is nil if every checked property holds.
	Violation *Violation
	// Unchecked names the properties about which the run says nothing; see [Model].
	Unchecked []string
	// Seconds is the time that the run took.
	Seconds float64
	// PeakBytes is the most memory that table and frontier held at one time.
	PeakBytes int64
}

// LimitError says that [Options].MaxBytes would not do. It decides nothing about the model.
type LimitError struct {
	MaxBytes  int64 // the bound
	Distinct  int   // distinct states found until then
	Generated int   // states generated until then
	Depth     int   // the level that was being filled
}

// Error implements error.
func (e *LimitError) Error() string {
	return fmt.Sprintf("explore: %d bytes are not enough: reached %d distinct states at depth %d",
		e.MaxBytes, e.Distinct, e.Depth)
}

// sliceBytes is the size of a slice without what it points to.
const sliceBytes = 24

// errMemory says that memory would pass its limit; Run turns it into a LimitError.
var errMemory = errors.New("explore: out of memory")

// run is one call of Run.
type run struct {
	model   Model
	options Options
	memory  memory
	table   table
	pool    pool
	workers []*worker

	level  atomic.Int64 // the level that is being filled
	next   frontier     // its states
	sorted [][]byte     // the same, for Visit

	once   sync.Once
	halted atomic.Bool // set after err
	err    error
}

// Run visits every reachable state of m, level by level, and returns what it counted. If
// a property is violated, it ends after the level in which it finds so, and Result has
// a shortest run that shows it: always the same one, whatever the number of workers. (TLC
// ends in the middle of a level: if there is a violation, it counts less.)
//
// The error is that of ctx if it was cancelled, a [*LimitError] if memory ran out, or says
// that the model does not repeat itself; then the counts say how far Run came.
func Run(ctx context.Context, m Model, o Options) (Result, error) {
	begin := time.Now()
	r := newRun(m, o)
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	defer context.AfterFunc(ctx, func() { r.halt(ctx.Err()) })()
	stop := r.report()
	f := r.explore()
	stop()

	result := r.count()
	err := r.failure(result)
	if err == nil && f.found() {
		result.Depth = f.length
		result.Violation, err = r.violation(f)
	}
	result.Seconds = time.Since(begin).Seconds()
	return result, err
}

// newRun returns a run that is ready to explore.
func newRun(m Model, o Options) *run {
	r := &run{model: m, options: o}
	r.memory.limit = o.MaxBytes
	r.table.memory, r.pool.memory = &r.memory, &r.memory
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	for range workers {
		r.workers = append(r.workers, newWorker(r))
	}
	return r
}

// explore fills level after level until one is empty or has a finding, which it returns.
func (r *run) explore() finding {
	r.level.Store(1)
	first := r.workers[0]
	first.level = 1
	r.model.Init(first.initial)
	for {
		f := r.gather()
		if r.visit(); r.halted.Load() {
			return finding{}
		}
		chunks := r.next.chunks
		if len(chunks) == 0 {
			r.level.Add(-1)
		}
		if f.found() || len(chunks) == 0 {
			return f
		}
		r.next.chunks = nil
		r.level.Add(1)
		r.expand(chunks)
	}
}

// gather completes the next frontier, and returns the first finding of all workers.
func (r *run) gather() finding {
	var first finding
	for _, w := range r.workers {
		w.flush()
		if w.finding.before(first) {
			first = w.finding
		}
	}
	return first
}

// visit calls Options.Visit for the states of the level that was just filled.
func (r *run) visit() {
	if r.options.Visit == nil || r.halted.Load() {
		return
	}
	had := cap(r.sorted)
	r.sorted = r.next.appendTo(r.sorted[:0])
	if !r.memory.take(int64(cap(r.sorted)-had) * sliceBytes) {
		r.halt(errMemory)
		return
	}
	for _, state := range r.sorted {
		r.options.Visit(state)
	}
}

// expand lets the workers share the chunks of one level, and waits for them.
func (r *run) expand(chunks []chunk) {
	var taken atomic.Int64
	work := func(w *worker) {
		w.level = int(r.level.Load())
		for i := taken.Add(1); i <= int64(len(chunks)); i = taken.Add(1) {
			c := chunks[i-1]
			w.expandAll(c)
			r.pool.put(c)
		}
	}
	var all sync.WaitGroup
	for _, w := range r.workers[1:min(len(r.workers), len(chunks))] {
		all.Go(func() { work(w) })
	}
	work(r.workers[0])
	all.Wait()
}

// halt ends the run early because of err. Only the first call counts.
func (r *run) halt(err error) {
	r.once.Do(func() {
		r.err = err
		r.halted.Store(true)
	})
}

// count adds up what the workers did.
func (r *run) count() Result {
	result := Result{
		Depth:     int(r.level.Load()),
		Unchecked: r.model.Unchecked(),
		PeakBytes: r.memory.peak.Load(),
	}
	for _, w := range r.workers {
		result.Distinct += int(w.distinct.Load())
		result.Generated += int(w.generated.Load())
	}
	return result
}

// failure returns why the run was halted, or nil.
func (r *run) failure(reached Result) error {
	switch {
	case !r.halted.Load():
		return nil
	case r.err == errMemory:
		return &LimitError{r.options.MaxBytes, reached.Distinct, reached.Generated, reached.Depth}
	}
	return r.err
}
