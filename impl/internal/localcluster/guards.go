package localcluster

import (
	"context"
	"net/http"
	"time"

	"github.com/seed-fdf591db/bully/impl/host"
)

// Guarded is what has become of the nodes of a cluster, each with a guard, to which nothing was done.
type Guarded struct {
	Kills   int      // of nodes by their guards
	Because []string // why the last one was, of each node that was killed
	Reigns  uint64   // that have begun
	HeldUp  uint64   // how often a loop was late by more than Timing.Delay, in all runs of nodes that run at the end
}

// MeasureGuards starts a cluster of nodes with guards, waits until all agree, and says what has become of them after a time d.
func MeasureGuards(ctx context.Context, config Config, d time.Duration) (g Guarded, err error) {
	c, err := New(config)
	if err != nil {
		return g, err
	}
	defer func() { _ = c.Close() }()
	if err := c.Start(); err != nil {
		return g, err
	}
	first, err := c.Agree(ctx, 0, c.IDs()...)
	if err != nil {
		return g, err
	}
	if err := sleep(ctx, d); err != nil {
		return g, err
	}
	last, err := c.Agree(ctx, 0, c.IDs()...)
	if err != nil {
		return g, err
	}
	g.Reigns = last.Epoch - first.Epoch
	for _, id := range c.IDs() {
		var status host.Status
		if err := c.call(ctx, id, http.MethodGet, "/status", &status); err != nil {
			return g, err
		}
		g.HeldUp += status.Counters.Pauses
		if of := status.Guard; of != nil && of.Kills > 0 {
			g.Kills += of.Kills
			g.Because = append(g.Because, of.Last)
		}
	}
	return g, nil
}
