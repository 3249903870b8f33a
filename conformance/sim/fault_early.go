package sim

import (
	"fmt"
	"time"
)

// EarlyFault ends all timers of Node, whenever they would end.
const EarlyFault FaultKind = "early"

func init() {
	register(kind{
		name: EarlyFault, place: 10, fields: []string{"node"}, untimely: true, unsteady: true,
		words: func(f *Fault, _ string) string { return fmt.Sprintf("all timers of node %s end", f.Node) },
		begin: func(r *Runner, _ int, _ *Fault, i rank) { r.net.EndTimers(int(i)) },
		draws: []drawEpisode{(*drawing).early},
	})
}

func (d *drawing) early(at time.Duration) {
	for range 1 + d.below(3) {
		d.add(Fault{At: at, Kind: EarlyFault, Node: pick(&d.dice, d.plan.Members...)})
		at += d.between(0, 3*d.plan.Timing.Delay)
	}
}
