package suites

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/paths"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/conformance/sim"
)

const runSteps = 600 // of each run

// Runs returns runs that look for what a port must not remember: one is made twice, and two are made in turns, by nodes that have
// the same ids, which nothing but their names tells apart.
func (k *Kind) Runs() (cases []kit.Case) {
	for n := range k.runs {
		cases = append(cases, kit.Case{
			ID: fmt.Sprintf("runs-%stwice-%d", k.mark, n+1), Suite: RunsSuite, Must: true, Needs: k.needs,
			Title: k.title + "the same requests have the same replies after a reset",
			Run: func(ctx context.Context, p *port.Process) error {
				run, err := k.run(n, "twice")
				if err == nil {
					err = twice(ctx, p, run)
				}
				return err
			},
		}, kit.Case{
			ID: fmt.Sprintf("runs-%sin-turns-%d", k.mark, n+1), Suite: RunsSuite, Must: true, Needs: k.needs,
			Title: k.inTurns,
			Run: func(ctx context.Context, p *port.Process) error {
				one, err := k.run(n, "one")
				other, err2 := Fixed.run(n+1, "other")
				if err = errors.Join(err, err2); err == nil {
					err = inTurns(ctx, p, one, other)
				}
				return err
			},
		})
	}
	return cases
}

// run returns the run number n of the model, of one profile or another.
func (k *Kind) run(n int, name string) ([]*port.TakenStep, error) {
	profiles := len(k.profiles)
	plan, err := Short(uint64(n+1), k.runSizes[n/profiles%len(k.runSizes)], k.profiles[n%profiles])
	if err != nil {
		return nil, err
	}
	return modelRun(&plan, name, runSteps)
}

// twice makes a run, and once more.
func twice(ctx context.Context, p *port.Process, run []*port.TakenStep) error {
	if _, err := refines(ctx, p, run); err != nil {
		return err
	}
	if _, err := p.Ask(&port.Request{Op: port.Reset}); err != nil {
		return err
	}
	_, err := refines(ctx, p, run)
	return because(err, "after a reset the same requests have other replies: the port remembers something beside its nodes, or draws lots")
}

// inTurns makes two runs, one input of the one, then one of the other.
func inTurns(ctx context.Context, p *port.Process, one, other []*port.TakenStep) error {
	var both []*port.TakenStep
	for k := range max(len(one), len(other)) {
		for _, run := range [][]*port.TakenStep{one, other} {
			if k < len(run) {
				both = append(both, run[k])
			}
		}
	}
	_, wrong := refines(ctx, p, both)
	if wrong == nil || !p.Usable() {
		return wrong
	}
	if _, err := p.Ask(&port.Request{Op: port.Reset}); err != nil {
		return err
	}
	if _, err := refines(ctx, p, one); err != nil {
		return err // it is wrong alone
	}
	if _, err := p.Ask(&port.Request{Op: port.Reset}); err != nil {
		return err
	}
	if _, err := refines(ctx, p, other); err != nil {
		return err
	}
	return because(wrong, "each of the two clusters alone is as it must be: its nodes share something with those of the other")
}

// because says of a failure what it comes from: nothing that a rule says, but the protocol (conformance/CERTIFYING.md, the loop, 4).
func because(err error, why string) error {
	var failure *port.Failure
	if errors.As(err, &failure) && failure.Kind == port.Wrong {
		failure.Rule, failure.Problem = "", why+"\nmore "+failure.Problem
	}
	return err
}

// Isolate returns runs in which each node is a program of its own: what nodes share within one program they do not have there.
func (k *Kind) Isolate() (cases []kit.Case) {
	for n := range k.apart {
		cases = append(cases, kit.Case{
			ID: fmt.Sprintf("isolate-%s%d", k.mark, n+1), Suite: IsolateSuite, Must: true, Needs: k.needs,
			Title: k.title + "each node is a program of its own, and does the same",
			Run: func(ctx context.Context, p *port.Process) error {
				run, err := k.run(n, "apart")
				if err == nil {
					err = isolated(ctx, p, run)
				}
				return err
			},
		})
	}
	return cases
}

// isolated makes a run in which each node is a program of its own, and the same in one.
func isolated(ctx context.Context, p *port.Process, run []*port.TakenStep) error {
	apart, err := p.Apart(ctx)
	if err != nil {
		return err
	}
	defer apart.Close()
	if _, err := refines(ctx, apart, run); err != nil {
		return because(err, "when each node is a program of its own, it does something else")
	}
	_, err = refines(ctx, p, run)
	return err
}

const (
	liveRuns = 2   // of each profile and number of nodes
	longest  = 200 // how many heartbeats of a leader the faults of a plan last at most, so that a port needs no more than some seconds
)

// Live returns long runs: plans as they are generated, at the end of which there must be one leader, the highest voter, whom all follow
// (SomeLeader, HighestLeads). The port is driven by what it says itself, and each step is compared with the model's.
func (k *Kind) Live() (cases []kit.Case) {
	for _, profile := range k.profiles {
		for _, nodes := range k.liveSizes {
			for n := range liveRuns {
				cases = append(cases, kit.Case{
					ID:    fmt.Sprintf("live-%s-%d-%d", profile, nodes, n+1),
					Title: fmt.Sprintf(k.live, nodes, profile),
					Suite: LiveSuite, Must: true, Rules: k.liveRules, Needs: k.needs,
					Run: func(ctx context.Context, p *port.Process) error { return live(ctx, p, profile, nodes, n) },
				})
			}
		}
	}
	return cases
}

// live makes the long run number n.
func live(ctx context.Context, p *port.Process, profile sim.Profile, nodes, n int) error {
	plan, err := settling(profile, nodes, n)
	if err != nil {
		return err
	}
	return ReplayPlan(ctx, p, &plan)
}

// settling returns the plan number n of those that promise to settle, and are not too long.
func settling(profile sim.Profile, nodes, n int) (sim.Plan, error) {
	for seed := uint64(1); seed < 1000; seed++ {
		plan, err := sim.Generate(seed, nodes, profile)
		if err != nil {
			return plan, err
		}
		unnamed(&plan)
		if plan.SettleBound() == 0 || plan.Timing.Preempt < 0 || plan.Length/plan.Timing.Heartbeat > longest {
			continue
		}
		if n--; n < 0 {
			return plan, nil
		}
	}
	return sim.Plan{}, fmt.Errorf("no plan of the profile %s settles", profile)
}

const pathsOfCase = 100

// Cover returns paths along every edge of the state graphs of small clusters (package paths), in cases of a hundred paths each:
// after every step the whole cluster is where the explorer says.
func (k *Kind) Cover() (cases []kit.Case) {
	for _, small := range k.graphs() {
		tour := sync.OnceValues(func() (*paths.Tour, error) { return paths.New(small) })
		for from := 0; from < small.Pinned.Paths; from += pathsOfCase {
			to := min(from+pathsOfCase, small.Pinned.Paths)
			cases = append(cases, kit.Case{
				ID:    fmt.Sprintf("cover-%s-%04d", small.Name, from),
				Title: fmt.Sprintf("paths %d to %d along the %d edges of the state graph %q", from, to-1, small.Pinned.Edges, small.Name),
				Suite: CoverSuite, Must: true, Needs: k.needs,
				Run: func(ctx context.Context, p *port.Process) error {
					t, err := tour()
					if err != nil {
						return err
					}
					return along(ctx, p, t, from, to)
				},
			})
		}
	}
	return cases
}

// along leads the port along some paths of a tour.
func along(ctx context.Context, p *port.Process, tour *paths.Tour, from, to int) error {
	w := newWatch(ctx, p)
	for i := from; i < to; i++ {
		if err := tour.ReplayOne(i, w.maker(), cluster.Options{}); err != nil {
			return w.err(broken(err), err)
		}
	}
	return w.err("", nil)
}

// broken returns the promise or the rule that a violation is of.
func broken(err error) string {
	var v *cluster.Violation
	if errors.As(err, &v) {
		return v.Property
	}
	return ""
}
