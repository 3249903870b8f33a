package suites

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
)

const (
	// simSteps is how many steps of a short run are put to a port: enough for some elections, and for what goes wrong in them.
	simSteps = 250
	// simFaults is how many faults of a plan a short one has at most.
	simFaults = 16
)

// Sim returns a short run for each seed, both included.
func (k *Kind) Sim(first, last uint64) (cases []kit.Case) {
	for seed := first; seed <= last && seed >= first; seed++ {
		nodes, profile := k.OfSeed(seed)
		cases = append(cases, SimCase(seed, nodes, profile))
	}
	return cases
}

// OfSeed returns how many nodes the run of a seed has, from 1 to 7, and which profile, so that among some seeds that follow on each other,
// fifty at most, is each of both.
func (k *Kind) OfSeed(seed uint64) (nodes int, profile sim.Profile) {
	n := uint64(len(k.profiles))
	return k.sizes[seed/n%uint64(len(k.sizes))], k.profiles[seed%n]
}

// SimCase returns the short run of a seed.
func SimCase(seed uint64, nodes int, profile sim.Profile) kit.Case {
	return simCase(fmt.Sprintf("sim-%s-%d-%d", profile, nodes, seed),
		fmt.Sprintf("%d nodes in simulated time, with faults of the profile %s: each step is that of the model", nodes, profile),
		KindOf(profile).needs, func() (sim.Plan, error) { return Short(seed, nodes, profile) })
}

// Named returns short runs in which leaders hand over by name, of ports with the feature names.
func Named() (cases []kit.Case) {
	for seed := uint64(1); seed <= namedRuns; seed++ {
		nodes := 2 + int(seed%4)
		cases = append(cases, simCase(fmt.Sprintf("sim-names-%d-%d", nodes, seed),
			fmt.Sprintf("%d nodes in simulated time, which crash, and whose leader hands over by name: each step is that of the model", nodes),
			port.FeatureNames, func() (sim.Plan, error) { return naming(seed, nodes) }))
	}
	return cases
}

func simCase(id, title, needs string, plan func() (sim.Plan, error)) kit.Case {
	return kit.Case{
		ID: id, Title: title, Suite: SimSuite, Must: true, Needs: needs,
		Run: func(ctx context.Context, p *port.Process) error {
			plan, err := plan()
			if err != nil {
				return err
			}
			run, err := modelRun(&plan, "sim", simSteps)
			if err != nil {
				return err
			}
			return exact(ctx, p, func(p *port.Process) error {
				_, err := refines(ctx, p, run)
				return err
			})
		},
	}
}

// unnamed has nobody hand over by name, which not every port can.
func unnamed(plan *sim.Plan) {
	for i := range plan.Faults {
		if f := &plan.Faults[i]; f.Kind == sim.HandOverFault {
			f.Kind, f.To = sim.ResignFault, spec.NodeID{}
		}
	}
}

// naming returns the short plan of a seed in which, now and then, every node is called to hand over to another: who leads does.
func naming(seed uint64, nodes int) (sim.Plan, error) {
	plan, err := Short(seed, nodes, sim.CrashProfile)
	if err != nil {
		return plan, err
	}
	n := len(plan.Members)
	for at := range 8 {
		for i, id := range plan.Members {
			plan.Faults = append(plan.Faults, sim.Fault{At: plan.Length * time.Duration(2*at+1) / 16, Kind: sim.HandOverFault, Node: id,
				To: plan.Members[(i+1+(at+int(seed))%(n-1))%n]})
		}
	}
	slices.SortStableFunc(plan.Faults, func(a, b sim.Fault) int { return cmp.Compare(a.At, b.At) })
	return plan, nil
}

// Short returns the plan of a seed made short: its first faults, and its first changes, with no more time between two of them than an
// election takes.
func Short(seed uint64, nodes int, profile sim.Profile) (sim.Plan, error) {
	plan, err := sim.Generate(seed, nodes, profile)
	if err != nil {
		return plan, err
	}
	unnamed(&plan)
	plan.Faults = plan.Faults[:min(len(plan.Faults), simFaults)]
	plan.Changes = plan.Changes[:min(len(plan.Changes), simFaults)]
	most := plan.Timing.Coordinator + plan.Timing.Election + plan.Timing.Claim
	var times []*time.Duration
	for i := range plan.Faults {
		times = append(times, &plan.Faults[i].At)
	}
	for i := range plan.Changes {
		times = append(times, &plan.Changes[i].At)
	}
	slices.SortStableFunc(times, func(a, b *time.Duration) int { return cmp.Compare(*a, *b) })
	earlier, before := time.Duration(0), time.Duration(0)
	for _, at := range times {
		earlier += max(0, *at-before-most)
		before = *at
		*at -= earlier
	}
	plan.Length = most
	for i := range plan.Faults {
		f := &plan.Faults[i]
		f.For = min(f.For, 4*most) // what is over soon leaves time for the next
		plan.Length = max(plan.Length, f.At+f.For+most)
	}
	for i := range plan.Changes {
		c := &plan.Changes[i]
		c.Back = min(c.Back, most)
		plan.Length = max(plan.Length, c.At+c.Back+2*most)
	}
	return plan, nil
}

// enough ends a run of the simulator that was long enough.
type enough struct{}

// modelRun returns what nodes are given in a run of the model: the first steps of it, or all if most is 0. Nodes are called by the
// name of the run and their ids.
func modelRun(plan *sim.Plan, name string, most int) (run []*port.TakenStep, err error) {
	model := &conformance.Model{}
	maker := port.Record(name, conformance.NodeOf(func() conformance.Subject { return model }), func(g *port.TakenStep) {
		if run = append(run, g.Clone()); most > 0 && len(run) >= most {
			panic(enough{})
		}
	})
	result, err := sim.Run(plan, maker, sim.Options{})
	if err == nil && result.Violation != nil && (most == 0 || len(run) < most) {
		err = result.Violation // the model itself breaks a promise
	}
	if err == nil && len(run) < len(plan.Members) {
		err = fmt.Errorf("the run of seed %d has %d steps", plan.Seed, len(run))
	}
	return run, err
}

// refines gives the port's nodes what those of the model were given, and holds each step to the model's. It returns how many
// were as they must be.
func refines(ctx context.Context, p *port.Process, run []*port.TakenStep) (n int, err error) {
	var failed *conformance.Case
	var outcome spec.Step
	err = p.Replay(slices.Values(run), func(g *port.TakenStep, did *spec.Step, wrong *port.Failure) error {
		p.Took(g.Rule())
		c := conformance.Case{ID: g.Node, Members: g.Members, Before: g.Before, Input: g.Input}
		if failure := judged(p, &c, &g.Did, did, wrong); failure != nil {
			failed, outcome = &c, spec.Step{Ignored: did.Ignored, State: did.State.Clone(), Sent: slices.Clone(did.Sent)}
			return failure
		}
		n++
		return ctx.Err()
	})
	var failure *port.Failure
	switch {
	case !errors.As(err, &failure):
	case failed != nil:
		askMore(ctx, p, failed, outcome, failure)
	case p.Slowly() && n < len(run): // it has given no answer to the next
		afresh(ctx, p, run[n].Case(), failure)
	}
	return n, err
}

// exact puts a port through something, and through the same once more, without asking ahead, if it has not survived, or talks
// nonsense: so that it is known at which request.
func exact(ctx context.Context, p *port.Process, through func(p *port.Process) error) error {
	err := through(p)
	var failure *port.Failure
	if p.Usable() || !errors.As(err, &failure) || ctx.Err() != nil {
		return err
	}
	again, failed := p.Again(ctx)
	if failed != nil {
		return err
	}
	defer again.Close()
	if second := through(again); second != nil {
		return second
	}
	failure.Rule = "" // of the protocol
	failure.Problem += "\nahead when it is asked one thing after the other, and not many ahead, it does not fail: replies come in the order of requests, one each"
	return err
}

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
