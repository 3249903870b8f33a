package suites

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/port"
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
func (k *Kind) run(n int, name string) ([]*port.Given, error) {
	profiles := len(k.profiles)
	plan, err := Short(uint64(n+1), k.runSizes[n/profiles%len(k.runSizes)], k.profiles[n%profiles])
	if err != nil {
		return nil, err
	}
	return modelRun(&plan, name, runSteps)
}

// twice makes a run, and once more.
func twice(ctx context.Context, p *port.Process, run []*port.Given) error {
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
func inTurns(ctx context.Context, p *port.Process, one, other []*port.Given) error {
	var both []*port.Given
	for k := range max(len(one), len(other)) {
		for _, run := range [][]*port.Given{one, other} {
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

// because says of a failure what it comes from: nothing that a rule says, but the protocol (conformance/README.md, the loop, 4).
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
func isolated(ctx context.Context, p *port.Process, run []*port.Given) error {
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
