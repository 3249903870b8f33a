package kit

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/conformance/port"
)

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
