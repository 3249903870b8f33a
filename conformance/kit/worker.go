package kit

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/conformance/port"
)

// worker runs cases, one after the other, on one port at a time.
type worker struct {
	runner  *runner
	process *port.Process // nil: it must be started
	records bool          // whether exchanges are kept
	heard   []exchange
}

// exchange is what was asked, and what was answered.
type exchange struct{ request, reply string }

// attempt is what came of running a case once.
type attempt struct {
	Verdict
	heard []exchange
}

// judge says what comes of a case.
func (w *worker) judge(ctx context.Context, c *Case) Verdict {
	v := Verdict{Case: c.ID, Suite: c.Suite, Must: c.Must, Rules: c.Rules, Outcome: Pass}
	if c.Needs != "" && !slices.Contains(w.runner.report.Features, c.Needs) {
		v.Outcome, v.Must = Unsupported, false
		v.Problem = fmt.Sprintf("the port does not say that it has the feature %q, which is no fault", c.Needs)
		return v
	}
	result := w.twice(ctx, c, v)
	if result.Outcome == Fail || result.Outcome == Broken {
		w.alone(ctx, c, v, &result)
	}
	return result
}

// twice runs a case, and once more if it is a vector.
func (w *worker) twice(ctx context.Context, c *Case, v Verdict) Verdict {
	w.records = c.Suite == Vectors
	first := w.once(ctx, c, v)
	if !w.records || first.Outcome != Pass && first.Outcome != Fail {
		return first.Verdict
	}
	second := w.once(ctx, c, v)
	second.Requests += first.Requests
	second.Seconds += first.Seconds
	if second.Outcome != Pass && second.Outcome != Fail {
		return second.Verdict
	}
	first.Requests, first.Seconds = second.Requests, second.Seconds
	if k, same := compare(first.heard, second.heard); !same {
		return unlike(&first, &second, k)
	}
	return first.Verdict
}

// alone runs a case once more that has failed, on a port that has been asked nothing else. If it passes there, what it has failed of is
// not its own. Of a port that has died, or hangs, a rule is named only if it does so there, too.
func (w *worker) alone(ctx context.Context, c *Case, v Verdict, failed *Verdict) {
	if w.runner.options.Alone == 0 {
		return
	}
	if !w.runner.mayTryAlone(failed.Kind) {
		if failed.Kind == port.Hung || failed.Kind == port.Died {
			failed.Rule = ""
		}
		return
	}
	other := &worker{runner: w.runner}
	defer other.close()
	if other.once(ctx, c, v).Outcome != Pass {
		return
	}
	failed.Outcome, failed.Rule = Nondeterministic, ""
	failed.Problem = "it passes alone: the port remembers something, or draws lots\nfailed  " + failed.Problem
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
func unlike(first, second *attempt, k int) Verdict {
	v := second.Verdict
	v.Outcome, v.Rule = Nondeterministic, ""
	v.Problem = "the same requests had other replies the second time: a port must not remember anything but through its nodes, nor draw lots"
	if k < len(first.heard) && k < len(second.heard) {
		v.Problem += fmt.Sprintf("\nfirst   %s", clip(first.heard[k].reply))
		v.Request, v.Reply = clip(second.heard[k].request), clip(second.heard[k].reply)
	}
	v.Last = nil
	for _, e := range second.heard[max(0, k-maxLast):min(k, len(second.heard))] {
		v.Last = append(v.Last, clip(e.request))
	}
	return v
}

const maxLast = 10 // requests that a verdict keeps

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
	p := w.process
	asked := p.Asked()
	inTime, cancel := context.WithTimeout(ctx, w.runner.options.Limit)
	release := context.AfterFunc(inTime, p.Kill)
	err := w.put(inTime, c)
	late := inTime.Err() != nil
	release()
	cancel()
	a.Requests, a.Seconds, a.heard = p.Asked()-asked, seconds(began), w.heard
	w.classify(&a.Verdict, err, late)
	if late || !p.Usable() {
		p.Kill()
		w.close()
	}
	return a
}

// put lets a case have the port, and looks whether it has said more than it was asked.
func (w *worker) put(ctx context.Context, c *Case) (err error) {
	p := w.process
	w.heard = nil
	if _, err := p.Ask(&port.Request{Op: port.Reset, Case: c.ID}); err != nil {
		return err
	}
	w.heard = nil
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
func (w *worker) classify(v *Verdict, err error, late bool) {
	var failure *port.Failure
	var inconclusive *Inconclusive
	switch {
	case err == nil:
		return
	case errors.As(err, &failure):
		v.fail(failure)
		if late {
			v.Outcome, v.Rule = Broken, ""
			v.Problem = fmt.Sprintf("the case has taken longer than %s, %d requests, and the port was killed", w.runner.options.Limit, v.Requests)
		}
	case errors.As(err, &inconclusive):
		v.Outcome, v.Problem = Undecided, inconclusive.Why
	case late:
		v.Outcome, v.Problem = Undecided, fmt.Sprintf("the case has taken longer than %s: %v", w.runner.options.Limit, err)
	default:
		v.Outcome, v.Problem = Undecided, "the kit itself has failed, which should be reported to its authors: "+err.Error()
	}
}

// outcomes says what a failure of a port comes to.
var outcomes = map[port.Kind]Outcome{
	port.Wrong: Fail, port.Missing: Unsupported,
	port.Nonsense: Broken, port.Died: Broken, port.Hung: Broken, port.Flooded: Broken, port.Erred: Broken,
}

// fail makes the verdict that of a failure.
func (v *Verdict) fail(f *port.Failure) {
	v.Outcome, v.Kind, v.Rule, v.Problem = outcomes[f.Kind], f.Kind, f.Rule, f.Problem
	if f.Standard != "" {
		v.Problem += "\nstderr  " + clip(f.Standard)
	}
	v.Request, v.Reply = clip(f.Request), clip(f.Reply)
	for _, request := range f.Last[max(0, len(f.Last)-maxLast):] {
		v.Last = append(v.Last, clip(request))
	}
}

// close ends the port.
func (w *worker) close() {
	if w.process != nil {
		w.process.Close()
		w.process = nil
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
