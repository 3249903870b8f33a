package sim

import (
	"fmt"
	"time"
)

// PauseFault lets Node do nothing for For: its timers run, its messages wait.
const PauseFault FaultKind = "pause"

func init() {
	register(kind{
		name: PauseFault, place: 8, exclusive: true, fields: []string{"node", "for"}, untimely: true,
		words: func(f *Fault, _ string) string { return fmt.Sprintf("node %s pauses for %s", f.Node, f.For) },
		begin: func(r *Runner, _ int, f *Fault, i rank) { r.net.Pause(int(i), f.For) },
		draws: []drawEpisode{(*drawing).pause},
	})
}

func (d *drawing) pause(at time.Duration) {
	d.add(Fault{At: at, For: d.span(), Kind: PauseFault, Node: d.target(at)})
}
