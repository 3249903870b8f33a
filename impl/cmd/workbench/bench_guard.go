package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/localcluster"
)

// guardedResult is what the guards of one cluster have done to which nothing was done.
type guardedResult struct {
	Profile string   `json:"profile"`
	Nodes   int      `json:"nodes"`
	Minutes float64  `json:"minutes"`
	Kills   int      `json:"kills"`             // all of them false
	Because []string `json:"because,omitempty"` // the last of each node
	Reigns  uint64   `json:"reigns"`            // that began meanwhile
	HeldUp  uint64   `json:"held_up"`           // how often a node's loop was late by more than a delay
}

// guarded counts how often guards kill nodes that are well, on a machine that does other things: a cluster of each profile, all at the same time.
func (p program) guarded(ctx context.Context, f benchFlags) error {
	sizes, err := f.sizes("5")
	if err != nil {
		return err
	}
	if f.looks <= 0 {
		return cli.Usage("-for must be above 0")
	}
	f.profiles = cmp.Or(f.profiles, "local,lan,busy,wan")
	profiles := strings.Split(f.profiles, ",")
	for _, profile := range profiles {
		if _, known := profileOf(profile); !known {
			return cli.Usage(fmt.Sprintf("-profile: there is none of the name %q", profile))
		}
	}
	node, err := findProgram("bully")
	if err != nil {
		return err
	}
	var results []guardedResult
	for _, n := range sizes {
		all, failed := make([]guardedResult, len(profiles)), make([]error, len(profiles))
		var looking, counting sync.WaitGroup
		until, counted := context.WithCancel(ctx)
		counting.Go(func() { p.countDown(until, fmt.Sprintf("%s, %d nodes each", f.profiles, n), f.looks) })
		for i, profile := range profiles {
			looking.Go(func() {
				command := []string{node, "run", "-guard", "-cluster", "bench-" + profile, "-insecure", "-profile", profile}
				watched, err := localcluster.MeasureGuards(ctx, localcluster.Config{Nodes: n, Command: command}, f.looks)
				all[i] = guardedResult{profile, n, f.looks.Minutes(), watched.Kills, watched.Because, watched.Reigns, watched.HeldUp}
				if err != nil {
					failed[i] = fmt.Errorf("profile %s, %d nodes: %w", profile, n, err)
				}
			})
		}
		looking.Wait()
		counted()
		counting.Wait() // nothing is said of it after the table
		if err := errors.Join(failed...); err != nil {
			return err
		}
		results = append(results, all...)
	}
	p.Clear()
	if f.json {
		return p.JSON(struct {
			machine
			Guarded []guardedResult `json:"guarded"`
		}{thisMachine(), results})
	}
	return p.printGuarded(results)
}

// countDown says once a minute how long it takes still, until ctx ends.
func (p program) countDown(ctx context.Context, what string, long time.Duration) {
	minute := time.NewTicker(time.Minute)
	defer minute.Stop()
	for left := long; left > 0; left -= time.Minute {
		p.Progress(fmt.Sprintf("%s: for %s still", what, left))
		select {
		case <-ctx.Done():
			return
		case <-minute.C:
		}
	}
}

// printGuarded prints the table.
func (p program) printGuarded(results []guardedResult) error {
	w := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "profile\tnodes\tminutes\tkills\treigns\theld up")
	for _, r := range results {
		_, _ = fmt.Fprintf(w, "%s\t%d\t%.0f\t%d\t%d\t%d\n", r.Profile, r.Nodes, r.Minutes, r.Kills, r.Reigns, r.HeldUp)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, r := range results {
		for _, because := range r.Because {
			_, _ = fmt.Fprintf(p.Out, "%s: %s\n", r.Profile, because)
		}
	}
	_, err := fmt.Fprintf(p.Out, "\nNothing was done to these nodes: each kill is a false one. held up: how often a loop was late by more than a delay. %s.\n", thisMachine())
	return err
}
