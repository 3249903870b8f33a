package main

import (
	"fmt"

	"github.com/seed-fdf591db/bully/tla"
)

// plan says what a board may expect. Without seconds, a board gives no estimate.
type plan struct {
	tasks   int
	seconds map[string]float64 // recorded, by the name of the task
	lanes   int                // how many tasks run at a time
	after   float64            // recorded seconds of the work that follows this one
}

// total returns the recorded seconds of all tasks.
func (p plan) total() (sum float64) {
	for _, s := range p.seconds {
		sum += s
	}
	return sum
}

// plans returns what TLC, unless it is skipped, and the explorer have to do.
func (a *app) plans(all []comparison) (toTLC, toExplorer plan) {
	toTLC = plan{seconds: map[string]float64{}, lanes: a.lanes}
	toExplorer = plan{seconds: map[string]float64{}, lanes: 1} // one at a time, on all processors
	for _, c := range all {
		if e := c.entry; c.byTLC() && a.skipped == nil {
			toTLC.tasks++
			toTLC.seconds[e.Name] = e.Seconds
		}
		if e := c.entry; e.Explorer != tla.None {
			toExplorer.tasks++
			toExplorer.seconds[e.Name] = explorerSeconds(e)
		}
	}
	toTLC.after = toExplorer.total()
	return toTLC, toExplorer
}

// agenda says what will be done.
func agenda(all int, toTLC, toExplorer plan) string {
	if toTLC.tasks == 0 {
		return fmt.Sprintf("%d configurations: the explorer checks %d, TLC none.", all, toExplorer.tasks)
	}
	return fmt.Sprintf("%d configurations: TLC checks %d and the explorer %d.", all, toTLC.tasks, toExplorer.tasks)
}
