package kit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/conformance/port"
)

// worker runs cases, one after the other, on one port at a time.
type worker struct {
	runner  *runner
	process *port.Process // nil: it must be started
	put     []*Case       // to the process, each once, in order; the last one is that of now
	records bool          // whether exchanges are kept
	heard   []exchange
}

// exchange is what was asked, and what was answered.
type exchange struct{ request, reply string }

// attempt is what came of running a case once, or twice.
type attempt struct {
	Verdict
	heard    []exchange
	before   []*Case  // what the process was put through before
	requests []string // of the case, as many as are known
}

// judge says what comes of a case.
func (w *worker) judge(ctx context.Context, c *Case) Verdict {
	v := Verdict{Case: c.ID, Suite: c.Suite, Must: c.Must, Rules: c.Rules, Outcome: Pass}
	lacks := func(need string) bool { return !slices.Contains(w.runner.report.Features, need) }
	if slices.ContainsFunc(strings.Fields(c.Needs), lacks) {
		v.Outcome, v.Must = Unsupported, false
		v.Problem = fmt.Sprintf("the port does not say that it has the feature %q, which is no fault", c.Needs)
		return v
	}
	result := w.twice(ctx, c, v)
	if result.Outcome == Fail || result.Outcome == Broken {
		w.alone(ctx, c, v, &result)
	}
	if result.Failed() && w.runner.options.Dump != "" {
		if err := result.dump(w.runner.options.Dump); err != nil {
			result.Problem += "\ndump    " + err.Error()
		}
	}
	return result.Verdict
}

// twice runs a case, and once more if it is a vector.
func (w *worker) twice(ctx context.Context, c *Case, v Verdict) attempt {
	w.records = c.Suite == Vectors
	first := w.once(ctx, c, v)
	if !w.records || first.Outcome != Pass && first.Outcome != Fail {
		return first
	}
	second := w.once(ctx, c, v)
	second.Requests += first.Requests
	second.Seconds += first.Seconds
	if second.Outcome != Pass && second.Outcome != Fail {
		return second
	}
	first.Requests, first.Seconds = second.Requests, second.Seconds
	if k, same := compare(first.heard, second.heard); !same {
		return unlike(&first, &second, k)
	}
	return first
}

// compare returns the first exchange that was another the second time.
func compare(a, b []exchange) (k int, same bool) {
	for k = range min(len(a), len(b)) {
		if withoutID(a[k].reply) != withoutID(b[k].reply) && canonical(a[k].reply) != canonical(b[k].reply) {
			return k, false
		}
	}
	return min(len(a), len(b)), len(a) == len(b)
}

// unlike says that the same requests had other replies the second time.
func unlike(first, second *attempt, k int) attempt {
	a := *second
	a.Outcome, a.Rule = Nondeterministic, ""
	a.Problem = "the same requests had other replies the second time: a port must not remember anything but through its nodes, nor draw lots"
	if k < len(first.heard) && k < len(second.heard) {
		a.Problem += fmt.Sprintf("\nfirst   %s", clip(first.heard[k].reply))
		a.Request, a.Reply = clip(second.heard[k].request), clip(second.heard[k].reply)
	}
	a.Last, a.requests = nil, nil
	for _, e := range second.heard[max(0, k-maxLast):min(k, len(second.heard))] {
		a.Last = append(a.Last, clip(e.request))
	}
	for range 2 { // it is the second time that shows it
		for _, e := range second.heard {
			a.requests = append(a.requests, e.request)
		}
	}
	return a
}

const maxLast = 10 // requests that a verdict keeps, unless more are asked for

// once runs a case on a port that has forgotten all others.
func (w *worker) once(ctx context.Context, c *Case, v Verdict) attempt {
	began := time.Now()
	a := attempt{Verdict: v}
	if w.process == nil {
		p, err := w.runner.start(ctx, w.record)
		if err != nil {
			a.Outcome, a.Problem = Broken, "the port does not start again: "+err.Error()
			a.Seconds = seconds(began)
			return a
		}
		w.process = p
	}
	if len(w.put) == 0 || w.put[len(w.put)-1] != c {
		w.put = append(w.put, c)
	}
	a.before = w.put[: len(w.put)-1 : len(w.put)-1]
	p := w.process
	asked := p.Asked()
	inTime, cancel := context.WithTimeout(ctx, w.runner.options.Limit)
	release := context.AfterFunc(inTime, p.Kill)
	err := w.through(inTime, c)
	late := inTime.Err() != nil
	release()
	cancel()
	a.Requests, a.Seconds, a.heard, a.Asked = p.Asked()-asked, seconds(began), w.heard, p.Taken()
	w.classify(&a, err, late)
	if late || !p.Usable() {
		p.Kill()
		w.close()
	}
	return a
}

// through puts the port through a case, and looks whether it has said more than it was asked.
func (w *worker) through(ctx context.Context, c *Case) (err error) {
	p := w.process
	w.heard = nil
	if _, err := p.Ask(&port.Request{Op: port.Reset, Case: c.ID}); err != nil {
		return err
	}
	w.heard = nil
	p.Taken()
	defer func() {
		if kits := recover(); kits != nil {
			err = fmt.Errorf("panic: %v\n%s", kits, clip(string(debug.Stack())))
		}
	}()
	if failure := port.Guard(func() { err = c.Run(ctx, p) }); failure != nil {
		err = failure
	}
	if err == nil && p.Usable() {
		records := w.records
		w.records = false
		_, err = p.Ask(&port.Request{Op: port.Reset})
		w.records = records
	}
	return err
}

// record keeps an exchange.
func (w *worker) record(request, reply string) {
	if w.records {
		w.heard = append(w.heard, exchange{request, reply})
	}
}

// classify says what came of a case.
func (w *worker) classify(a *attempt, err error, late bool) {
	var failure *port.Failure
	var inconclusive *Inconclusive
	limit := w.runner.options.Limit
	switch {
	case err == nil:
		return
	case errors.As(err, &failure):
		a.fail(failure, w.runner.last())
		if late {
			a.Outcome, a.Rule = Broken, ""
			a.Problem = fmt.Sprintf("the case has taken longer than %s, %d requests, and the port was killed", limit, a.Requests)
		}
	case errors.As(err, &inconclusive):
		a.Outcome, a.Problem = Undecided, inconclusive.Why
	case late:
		a.Outcome, a.Problem = Undecided, fmt.Sprintf("the case has taken longer than %s: %v", limit, err)
	default:
		a.Outcome, a.Problem = Undecided, "the kit itself has failed, which should be reported to its authors: "+err.Error()
	}
}

// outcomes says what a failure of a port comes to.
var outcomes = map[port.Kind]Outcome{
	port.Wrong: Fail, port.Missing: Unsupported,
	port.Nonsense: Broken, port.Died: Broken, port.Hung: Broken, port.Flooded: Broken, port.Erred: Broken,
}

// fail makes the verdict that of a failure, which keeps so many of the requests before it.
func (a *attempt) fail(f *port.Failure, last int) {
	a.Outcome, a.Kind, a.Rule, a.Problem = outcomes[f.Kind], f.Kind, f.Rule, f.Problem
	a.Standard, a.Written = f.Standard, f.Written
	a.Request, a.Reply = clip(f.Request), clip(f.Reply)
	for _, request := range f.Last[max(0, len(f.Last)-last):] {
		a.Last = append(a.Last, clip(request))
	}
	a.requests = slices.Clone(f.Last)
	if n := len(f.Last); n == 0 || f.Last[n-1] != f.Request {
		a.requests = append(a.requests, f.Request)
	}
}

// close ends the port.
func (w *worker) close() {
	if w.process != nil {
		w.process.Close()
		w.runner.heard(w.process)
		w.process, w.put = nil, nil
	}
}

// clip returns as much of a text as is worth keeping.
func clip(text string) string {
	const most = 4 << 10
	if len(text) <= most {
		return text
	}
	return text[:most] + "…"
}

const (
	maxSearches = 3   // for what must come before a case that passes alone, of a run
	maxBefore   = 256 // cases that are tried before one
)

// alone runs a case once more that has failed, on a port that has been asked nothing else. If it passes there, what it has failed of is
// not its own. Of a port that does not answer, or says error, a rule is named only if it does so there, too.
func (w *worker) alone(ctx context.Context, c *Case, v Verdict, failed *attempt) {
	if w.runner.options.Alone == 0 {
		return
	}
	if !w.runner.mayTryAlone(failed.Kind) {
		if slices.Contains([]port.Kind{port.Hung, port.Died, port.Erred}, failed.Kind) {
			failed.Rule = ""
		}
		return
	}
	if w.after(ctx, nil, c, v).Outcome != Pass {
		return
	}
	failed.Outcome, failed.Rule = Nondeterministic, ""
	failed.Problem = "it passes alone: the port remembers something, or draws lots\nfailed  " + failed.Problem
	switch before := w.needed(ctx, c, v, failed); {
	case before != nil:
		failed.Before = before
		failed.Problem += fmt.Sprintf("\nafter   %d other cases in the same process it fails again", len(before))
	case len(failed.before) > 0:
		failed.Whole = true
	}
}

// after runs some cases, and then one, on a port that has been asked nothing else, and returns what came of the last.
func (w *worker) after(ctx context.Context, before []*Case, c *Case, v Verdict) attempt {
	other := &worker{runner: w.runner}
	defer other.close()
	for _, one := range before {
		other.twice(ctx, one, Verdict{Outcome: Pass})
	}
	return other.twice(ctx, c, v)
}

// needed returns which of the cases that came before a failure must come before it again so that it fails in the same way: the last one, the last two,
// four, and so on; or nil if that is not known. What it returns was tried, and has failed.
func (w *worker) needed(ctx context.Context, c *Case, v Verdict, failed *attempt) (ids []string) {
	if len(failed.before) == 0 || failed.Kind == "" || !w.runner.maySearch() {
		return nil
	}
	most := min(len(failed.before), maxBefore)
	for n := 1; ctx.Err() == nil; n = min(2*n, most) {
		before := failed.before[len(failed.before)-n:]
		if a := w.after(ctx, before, c, v); a.Outcome != Pass && a.Kind == failed.Kind {
			for _, one := range before {
				ids = append(ids, one.ID)
			}
			return ids
		}
		if n == most {
			return nil
		}
	}
	return nil
}

// dump writes all requests of a case that has failed to a file of a directory, so that they can be piped into a port, and replayed. It says
// in the verdict where they are.
func (a *attempt) dump(dir string) error {
	if len(a.requests) == 0 {
		return nil // it has not come so far
	}
	var b strings.Builder
	fmt.Fprintf(&b, `{"id":1,"op":"hello","protocol":%d,"kit":%q,"spec":%q}`+"\n", port.Version, Version, Spec)
	if !strings.Contains(a.requests[0], `"op":"reset"`) {
		fmt.Fprintf(&b, `{"id":2,"op":"reset","case":%q}`+"\n", a.Case)
	}
	for _, request := range a.requests {
		b.WriteString(request + "\n")
	}
	name := filepath.Join(dir, a.Case+".requests")
	if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
		return fmt.Errorf("the requests are not kept: %w", err)
	}
	a.Dump = name
	return nil
}
