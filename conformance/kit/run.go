package kit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

// Options say how cases are run.
type Options struct {
	Port    port.Config   // how the port is started
	Workers int           // how many ports run at the same time, each in a process of its own; 2 if 0
	Limit   time.Duration // how long one case may take, before its port is killed; 2 min if 0
	Alone   int           // how many cases that fail are run once more on a port that is asked nothing else, three of them because it hangs
	GiveUp  int           // after how many cases in a row with the same error the port is given up, or after how many in which it hangs; 0: never
	Known   *Known        // failures that are expected; nil: none
	Measure bool          // it is measured, when all cases have been run, how fast the port is
	Dump    string        // a directory, which is there, for the requests of each case that fails; "": they are not kept
	Each    func(Verdict) // is told of each verdict, in the order of the cases, as soon as it is there; nil: nobody
}

// Vectors is the suite whose cases are run twice, for other replies the second time are a failure of their own. What takes
// longer is run once.
const Vectors = "vectors"

// maxBrokenStarts is after how many starts in a row that have failed a port is given up.
const maxBrokenStarts = 20

// Inconclusive is what a case returns that can say neither yes nor no.
type Inconclusive struct{ Why string }

func (e *Inconclusive) Error() string { return "inconclusive: " + e.Why }

// NotStarted is the error of a Run whose port does not start, or not any more.
type NotStarted struct{ Err error }

func (e *NotStarted) Error() string { return e.Err.Error() }
func (e *NotStarted) Unwrap() error { return e.Err }

// maxHungAlone is how many cases in which a port hangs are run once more: each takes as long as a port may take for a reply.
const maxHungAlone = 3

// maxStillborn is after how many deaths or hangs in a row a port is given up that has passed nothing yet, but for cases about the loop: each
// costs a start, or as long as a port may take for a reply, and says what the one before has said.
const maxStillborn = 5

// GivenUp is the error of a Run whose port has failed in the same way many times in a row, or has hung many times, in a row or not.
type GivenUp struct {
	Cases     int    // so many
	Says      string // what came of each, or of the last one that hung
	Hung      bool
	Stillborn bool // it has died or hung from the beginning on
}

func (e *GivenUp) Error() string {
	switch {
	case e.Stillborn:
		return fmt.Sprintf("in %d cases in a row the port has died or hung, and it has passed nothing yet: it is given up: %s", e.Cases, e.Says)
	case e.Hung:
		return fmt.Sprintf("in %d cases the port has hung, and is given up: %s", e.Cases, e.Says)
	}
	return fmt.Sprintf("%d cases in a row have ended with the same error, and the port is given up: %s", e.Cases, e.Says)
}

// Run puts a port through cases, and returns what came of each, in their order. The error is a *NotStarted, a *GivenUp, or that
// there are no cases, or that ctx is done: then the report has the cases that were run.
func Run(ctx context.Context, cases []Case, o Options) (*Report, error) {
	if len(cases) == 0 {
		return nil, errors.New("kit: there are no cases: nothing would be asked")
	}
	if o.Workers < 0 || o.Limit < 0 {
		return nil, fmt.Errorf("kit: %d workers, and %s for a case: neither can be below 0", o.Workers, o.Limit)
	}
	o.Workers, o.Limit = cmp.Or(o.Workers, 2), cmp.Or(o.Limit, 2*time.Minute)
	r := &runner{options: o, cases: cases, verdicts: make([]*Verdict, len(cases)), began: time.Now()}
	first, err := port.Start(ctx, r.config(nil))
	if err != nil {
		return nil, &NotStarted{err}
	}
	r.report.Kit, r.report.Spec = Version, Spec
	r.report.Port, r.report.Features = first.Identity, first.Features
	first.Close()
	ctx, r.stop = context.WithCancelCause(ctx)
	defer r.stop(nil)
	var workers sync.WaitGroup
	for range min(o.Workers, len(cases)) {
		workers.Go(func() { r.work(ctx) })
	}
	workers.Wait()
	r.report.Written, r.report.Standard = r.written, r.standard
	for _, v := range r.verdicts {
		if v != nil {
			r.report.Verdicts = append(r.report.Verdicts, *v)
		}
	}
	r.report.Seconds = seconds(r.began)
	if ctx.Err() != nil {
		return &r.report, context.Cause(ctx)
	}
	if o.Measure {
		r.report.Rate = r.measure(ctx)
	}
	return &r.report, nil
}

// runner is what workers share.
type runner struct {
	options Options
	cases   []Case
	report  Report
	began   time.Time
	stop    context.CancelCauseFunc

	mu       sync.Mutex
	written  uint64 // bytes of standard error, of all processes that have ended
	standard string // the end of it
	next     int    // the case that is taken next
	told     int    // how many verdicts have been told
	verdicts []*Verdict
	broken   int // starts in a row that have failed
	alone    int // cases that were run once more
	hung     int // … because the port hangs
	hangs    int // verdicts, of those told, that say that it does
	same     int // verdicts in a row, of those told, that say the same error
	says     string
	passed   int // of those told, without those about the loop
	deaths   int // verdicts in a row, of those told, that say that it died or hung
	searches int // for the cases before one that passes alone
}

// config returns how a port is started whose exchanges are recorded.
func (r *runner) config(record func(request, reply string)) port.Config {
	c := r.options.Port
	if r.options.Dump != "" {
		c.Last = -1
	}
	c.Kit, c.Spec = cmp.Or(c.Kit, Version), cmp.Or(c.Spec, Spec)
	c.Record = record
	if ours := r.options.Port.Record; ours != nil {
		c.Record = func(request, reply string) {
			ours(request, reply)
			if record != nil {
				record(request, reply)
			}
		}
	}
	return c
}

// work runs cases until there are no more.
func (r *runner) work(ctx context.Context) {
	w := &worker{runner: r}
	defer w.close()
	for ctx.Err() == nil {
		r.mu.Lock()
		k := r.next
		r.next++
		r.mu.Unlock()
		if k >= len(r.cases) {
			return
		}
		v := w.judge(ctx, &r.cases[k])
		if ctx.Err() != nil { // what came of it says nothing of the port
			return
		}
		r.options.Known.apply(&v)
		r.tell(k, &v)
	}
}

// tell keeps a verdict, and tells those that all before have been told of.
func (r *runner) tell(k int, v *Verdict) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.verdicts[k] = v
	for r.told < len(r.verdicts) && r.verdicts[r.told] != nil {
		if r.options.Each != nil {
			r.options.Each(*r.verdicts[r.told])
		}
		r.count(r.verdicts[r.told])
		r.told++
	}
}

// count counts how many errors in a row are the same, but for numbers, and gives the port up if they are too many.
func (r *runner) count(v *Verdict) {
	says := ""
	if v.Outcome == Broken {
		says = numbers.ReplaceAllString(v.first(), "#")
	}
	if says != r.says {
		r.same, r.says = 0, says
	}
	if r.same++; says != "" && r.same == r.options.GiveUp {
		r.stop(&GivenUp{Cases: r.same, Says: v.first()})
	}
	if v.Suite != loopSuite && v.Outcome == Pass {
		r.passed++
	}
	if r.deaths++; v.Kind != port.Died && v.Kind != port.Hung {
		r.deaths = 0
	}
	if r.options.GiveUp > 0 && r.deaths == maxStillborn && r.passed == 0 {
		r.stop(&GivenUp{Cases: r.deaths, Says: v.first(), Stillborn: true})
	}
	if v.Kind != port.Hung {
		return
	}
	if r.hangs++; r.hangs == r.options.GiveUp {
		r.stop(&GivenUp{Cases: r.hangs, Says: v.first(), Hung: true})
	}
}

var numbers = regexp.MustCompile(`[0-9]+`)

// mayTryAlone reports whether one more case, in which the port has failed in some way, may be run on a port of its own.
func (r *runner) mayTryAlone(kind port.Kind) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if kind == port.Hung {
		if r.hung++; r.hung > maxHungAlone {
			return false
		}
	}
	r.alone++
	return r.alone <= r.options.Alone
}

// maySearch reports whether it may be looked for what must come before one more case, so that it fails.
func (r *runner) maySearch() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.searches++
	return r.searches <= maxSearches
}

// last returns how many requests before a failure a verdict keeps.
func (r *runner) last() int {
	if n := r.options.Port.Last; n > 0 {
		return n
	}
	return maxLast
}

// heard counts what a process that has ended has written to its standard error.
func (r *runner) heard(p *port.Process) {
	written, last := p.Standard()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.written += written; written > 0 {
		r.standard = last
	}
}

// start starts a port.
func (r *runner) start(ctx context.Context, record func(request, reply string)) (*port.Process, error) {
	p, err := port.Start(ctx, r.config(record))
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.broken = 0
		return p, nil
	}
	if r.broken++; r.broken == maxBrokenStarts && ctx.Err() == nil {
		r.stop(&NotStarted{fmt.Errorf("the port has not started %d times in a row, and is given up: %w", maxBrokenStarts, err)})
	}
	return nil, err
}

// seconds returns how long ago a moment was, to the millisecond.
func seconds(since time.Time) float64 {
	return time.Since(since).Round(time.Millisecond).Seconds()
}

// should is how many requests a second a port should answer (conformance/CERTIFYING.md, Speed).
const should = 20_000

const (
	measuring = time.Second // for how long a port is asked, at least, to know how fast it is
	stretch   = 2_000       // requests that are timed together: many more than are under way
)

// errEnough ends a measurement.
var errEnough = errors.New("that is enough")

// measure returns how many requests a second a port answers that runs by itself and is asked ahead, one simple step after the other, at its best:
// what else the machine does meanwhile is not laid at its door. It is 0 if the port does not answer all.
func (r *runner) measure(ctx context.Context) float64 {
	p, err := r.start(ctx, nil)
	if err != nil {
		return 0
	}
	defer p.Close()
	began := time.Now()
	last, best := began, 0.0
	err = p.AskAll(steps(ctx), func(n int, _ *port.Request, _ *port.Reply) error {
		if n == 0 || n%stretch > 0 {
			return nil
		}
		now := time.Now()
		best, last = max(best, stretch/now.Sub(last).Seconds()), now
		if now.Sub(began) >= measuring {
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) {
		return 0
	}
	return best
}

// steps are requests without end: a node is put into a state, and hears a CLAIM.
func steps(ctx context.Context) func(yield func(port.Request) bool) {
	ids := []spec.NodeID{spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)}
	state := spec.State{Role: spec.Follower, Epoch: 4, Grantee: ids[0], Latest: 6}
	heard := []byte(`{"type":"CLAIM","from":"3","to":"2","epoch":5,"question":4}`)
	return func(yield func(port.Request) bool) {
		for ctx.Err() == nil {
			if !yield(port.Request{Op: port.Load, Node: "speed", Me: &ids[1], Members: ids, State: &state}) ||
				!yield(port.Request{Op: port.Receive, Node: "speed", Message: heard}) {
				return
			}
		}
	}
}

// Speed says how long the run took, how many requests there were, and how many a second the port answers, if that was measured, beside how many it
// should.
func (r *Report) Speed() string {
	requests := uint64(0)
	for i := range r.Verdicts {
		requests += r.Verdicts[i].Requests
	}
	says := fmt.Sprintf("%d requests in %.1f s.", requests, r.Seconds)
	if r.Rate > 0 {
		says += fmt.Sprintf(" It answers %.0f requests a second here, as busy as this machine is; a port should answer %d.", r.Rate, should)
	}
	return says
}
