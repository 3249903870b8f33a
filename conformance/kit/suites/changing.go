package suites

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/conformance/sim"
)

const (
	// ChangingSeeds is how many seeds a silver port with the feature members has passed of the profile in which members change, from 1 on.
	ChangingSeeds = 200
	// cutChanging is how many scripts in which members change are drawn at random.
	cutChanging = 6
)

// SilverChanging returns what a silver port must pass besides if it has the feature members.
func SilverChanging() []kit.Case {
	return slices.Concat(SampleChanging(), RunsChanging(), CutsChanging(), SimChanging(1, ChangingSeeds))
}

// GoldChanging returns what a gold port must pass besides if it has the feature members.
func GoldChanging() []kit.Case {
	return slices.Concat(IsolateChanging(), LiveChanging(), StepsChanging())
}

// needsOf returns the feature that the nodes of a script must have, or "".
func needsOf(script *cluster.Script) string {
	if script.First.IsNone() {
		return ""
	}
	return port.FeatureMembers
}

// SimChanging returns a short run of a cluster whose members change for each seed, both included.
func SimChanging(first, last uint64) (cases []kit.Case) {
	for seed := first; seed <= last && seed >= first; seed++ {
		cases = append(cases, SimCase(seed, ChangingSize(seed), sim.ChangingProfile))
	}
	return cases
}

// ChangingSize returns how many nodes the run of a seed has in which members change, from 2 to 7.
func ChangingSize(seed uint64) int {
	few := []int{4, 5, 3, 4, 6, 5, 7, 3, 4, 2}
	return few[seed%uint64(len(few))]
}

// CutsChanging is Cuts of scripts in which members change: what a step saves is a configuration, too.
func CutsChanging() (cases []kit.Case) {
	known, err := cluster.Known()
	if err != nil {
		panic(err) // they are embedded, and a test reads them
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if needsOf(known[name]) == "" {
			continue
		}
		cases = append(cases, cutDrawn(name, known[name], true)...)
	}
	for seed := range uint64(cutChanging) {
		cases = append(cases, cutDrawn(fmt.Sprintf("members-random-%d", seed+1), drawnChanging(seed+1), seed%goesOn == 0)...)
	}
	return cases
}

// drawnChanging returns a script of up to four nodes, whose members change.
func drawnChanging(seed uint64) *cluster.Script {
	for dice := rand.New(rand.NewPCG(seed, 42)); ; {
		s := cluster.DrawScript(dice.IntN).DrawFirst(dice.IntN)
		if len(s.Members) < 2 || len(s.Members) > 4 {
			continue
		}
		drawn := draw(s, dice, 2*cutOps)
		if slices.ContainsFunc(drawn.Ops, func(op cluster.Op) bool { return op.Kind == cluster.Change }) {
			return drawn
		}
	}
}

// RunsChanging is Runs of clusters whose members change; beside each, in the same program, is one of fixed members.
func RunsChanging() (cases []kit.Case) {
	of := func(seed uint64, name string) ([]*port.Given, error) {
		return runIn(seed, 4, sim.ChangingProfile, name)
	}
	for seed := uint64(1); seed <= 3; seed++ {
		cases = append(cases, kit.Case{
			ID: fmt.Sprintf("runs-members-twice-%d", seed), Suite: RunsSuite, Must: true, Needs: port.FeatureMembers,
			Title: "members change: the same requests have the same replies after a reset",
			Run: func(ctx context.Context, p *port.Process) error {
				run, err := of(seed, "twice")
				if err == nil {
					err = twice(ctx, p, run)
				}
				return err
			},
		}, kit.Case{
			ID: fmt.Sprintf("runs-members-in-turns-%d", seed), Suite: RunsSuite, Must: true, Needs: port.FeatureMembers,
			Title: "the nodes of a cluster whose members change, and those of one whose members are fixed, know nothing of each other",
			Run: func(ctx context.Context, p *port.Process) error {
				one, err := of(seed, "one")
				if err != nil {
					return err
				}
				other, err := runOf(int(seed), "other")
				if err == nil {
					err = inTurns(ctx, p, one, other)
				}
				return err
			},
		})
	}
	return cases
}

// IsolateChanging is Isolate of clusters whose members change.
func IsolateChanging() (cases []kit.Case) {
	for seed := uint64(1); seed <= 2; seed++ {
		cases = append(cases, kit.Case{
			ID: fmt.Sprintf("isolate-members-%d", seed), Suite: IsolateSuite, Must: true, Needs: port.FeatureMembers,
			Title: "members change: each node is a program of its own, and does the same",
			Run: func(ctx context.Context, p *port.Process) error {
				run, err := runIn(seed, 4, sim.ChangingProfile, "apart")
				if err == nil {
					err = isolated(ctx, p, run)
				}
				return err
			},
		})
	}
	return cases
}

// LiveChanging is Live of clusters whose members change: when the changes have ended too, the highest voter comes to lead.
func LiveChanging() (cases []kit.Case) {
	for _, nodes := range []int{3, 4, 5} {
		for n := range liveRuns {
			cases = append(cases, kit.Case{
				ID:    fmt.Sprintf("live-%s-%d-%d", sim.ChangingProfile, nodes, n+1),
				Title: fmt.Sprintf("%d nodes, of whom members are made and removed while faults come, until all that ends: then the highest voter comes to lead, and stays", nodes),
				Suite: LiveSuite, Must: true, Rules: []string{"R46", "R47", "R9", "R13"}, Needs: port.FeatureMembers,
				Run: func(ctx context.Context, p *port.Process) error { return live(ctx, p, sim.ChangingProfile, nodes, n) },
			})
		}
	}
	return cases
}
