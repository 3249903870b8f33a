package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/localcluster"
)

// idleResult is what one program costs at rest.
type idleResult struct {
	Program string              `json:"program"`
	Nodes   []localcluster.Idle `json:"nodes"`
}

// idle measures what nodes use while nothing happens.
func (p program) idle(ctx context.Context, f benchFlags) error {
	sizes, err := f.sizes("5")
	if err != nil {
		return err
	}
	if f.looks <= 0 {
		return cli.Usage("-for must be above 0")
	}
	contestants, err := f.contestants()
	if err != nil {
		return err
	}
	var results []idleResult
	for _, n := range sizes {
		for _, one := range contestants {
			if one.guarded { // it is the process that the command line is, and the node is what that has started
				one.name = "its guard"
			}
			p.Progress(fmt.Sprintf("%s, %d nodes, idle for %s", one.name, n, f.looks))
			nodes, err := localcluster.MeasureIdle(ctx, localcluster.Config{Nodes: n, Command: one.command}, f.looks)
			if err != nil {
				return fmt.Errorf("%s, %d nodes: %w", one.name, n, err)
			}
			results = append(results, idleResult{one.name, nodes})
		}
	}
	p.Clear()
	if f.json {
		return p.JSON(struct {
			machine
			Idle []idleResult `json:"idle"`
		}{thisMachine(), results})
	}
	return p.printIdle(results)
}

// printIdle prints the table.
func (p program) printIdle(results []idleResult) error {
	w := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "program\tnodes\tnode\t\tCPU % of a core\tRSS MiB\tprivate\tpeak MiB\tmessages/s")
	for _, r := range results {
		for _, n := range r.Nodes {
			role := ""
			if n.Leading {
				role = "leads"
			}
			_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%.2f\t%.1f\t%.1f\t%.1f\t%.1f\n", r.Program, len(r.Nodes), n.Node, role, 100*n.CPU,
				float64(n.Resident)/(1<<20), float64(n.Private)/(1<<20), float64(n.Peak)/(1<<20), n.Sent)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.Out, "\n%s.\n", thisMachine())
	return err
}
