package suites

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/conformance/sim"
)

// ReplayPlan runs a plan of the simulator on a port, to its end, and holds each step to the model's.
func ReplayPlan(ctx context.Context, p *port.Process, plan *sim.Plan) error {
	w := newWatch(ctx, p)
	defer w.close()
	result, err := sim.Run(plan, w.maker(), sim.Options{})
	if err != nil {
		return err
	}
	if v := result.Violation; v != nil {
		return w.err(string(v.Property), v)
	}
	return w.err("", nil)
}

// ReplayScript runs a script of package cluster on a port, and holds each step to the model's. Ops that are not possible are left
// out.
func ReplayScript(ctx context.Context, p *port.Process, script *cluster.Script) error {
	w := newWatch(ctx, p)
	defer w.close()
	_, violation, err := script.Try(w.maker(), cluster.Options{})
	switch {
	case err != nil:
		return err
	case violation != nil:
		return w.err(violation.Property, violation)
	}
	return w.err("", nil)
}

// ErrPasses says that there is nothing to shrink.
var ErrPasses = errors.New("the port does nothing wrong in this run, so there is nothing to shrink")

// ShrinkPlan makes a plan on which a port fails as simple as it can, so that it fails for the same rule, and returns how many runs
// that took. A port that dies in a run is started again.
func ShrinkPlan(ctx context.Context, p *port.Process, plan *sim.Plan, runs int) (sim.Plan, int, error) {
	w := newWatch(ctx, p)
	defer w.close()
	result, err := sim.Run(plan, w.maker(), sim.Options{})
	if err != nil || result.Violation == nil {
		return *plan, 1, errors.Join(err, w.passes(result.Violation != nil))
	}
	w.only = w.failure
	small, tried := sim.Shrink(*plan, w.maker(), result.Violation, sim.Shrinking{MaxRuns: runs})
	return small, tried + 1, ctx.Err()
}

// ShrinkScript is ShrinkPlan for a script.
func ShrinkScript(ctx context.Context, p *port.Process, script *cluster.Script) (*cluster.Script, int, error) {
	w := newWatch(ctx, p)
	defer w.close()
	_, violation, err := script.Try(w.maker(), cluster.Options{})
	if err != nil || violation == nil {
		return script, 1, errors.Join(err, w.passes(violation != nil))
	}
	w.only = w.failure
	small, _, tried := script.Shrink(w.maker(), cluster.Options{})
	if small == nil {
		return script, tried + 1, fmt.Errorf("the port fails in this run, and does not when it is run again: it is not deterministic")
	}
	return small, tried + 1, ctx.Err()
}

// passes returns ErrPasses, unless something has failed.
func (w *watch) passes(failed bool) error {
	switch {
	case w.ctx.Err() != nil:
		return w.ctx.Err()
	case failed:
		return nil
	}
	return ErrPasses
}
