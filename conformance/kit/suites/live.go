package suites

import (
	"context"
	"fmt"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/conformance/sim"
)

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
		if plan.SettleBound() == 0 || plan.Timing.Preempt < 0 || plan.Length/plan.Timing.Heartbeat > longest {
			continue
		}
		if n--; n < 0 {
			return plan, nil
		}
	}
	return sim.Plan{}, fmt.Errorf("no plan of the profile %s settles", profile)
}
