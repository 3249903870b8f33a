package sim

import (
	"fmt"
	"time"
)

// DeadFault tells Node that the holder of its lease is dead, true or not.
const DeadFault FaultKind = "dead"

func init() {
	register(kind{
		name: DeadFault, place: 11, fields: []string{"node"}, untimely: true, unsteady: true,
		words: func(f *Fault, _ string) string {
			return fmt.Sprintf("node %s is told that the holder of its lease is dead", f.Node)
		},
		begin: func(r *Runner, _ int, _ *Fault, i rank) { r.net.Call(int(i), 0, deadTag) },
		draws: []drawEpisode{(*drawing).dead},
	})
}

func (d *drawing) dead(at time.Duration) {
	for _, node := range d.plan.Members {
		if d.one(2) {
			d.add(Fault{At: at + d.between(0, d.plan.Timing.Delay), Kind: DeadFault, Node: node})
		}
	}
}
