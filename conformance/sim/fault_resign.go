package sim

import (
	"fmt"
	"time"
)

// ResignFault calls Node to resign.
const ResignFault FaultKind = "resign"

func init() {
	register(kind{
		name: ResignFault, place: 7, fields: []string{"node"},
		words: func(f *Fault, _ string) string { return fmt.Sprintf("node %s is called to resign", f.Node) },
		begin: func(r *Runner, _ int, _ *Fault, i rank) { r.net.Call(int(i), 0, resignTag) },
		draws: []drawEpisode{(*drawing).resign},
	})
}

func (d *drawing) resign(at time.Duration) {
	d.add(Fault{At: at, Kind: ResignFault, Node: d.target(at)})
}
