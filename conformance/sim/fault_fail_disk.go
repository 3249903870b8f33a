package sim

import (
	"fmt"
	"time"
)

// FailDiskFault fails the next save of Node from At on: what was to be saved is on disk if Kept, and the node stops for
// good. It is restarted after For.
const FailDiskFault FaultKind = "fail-disk"

func init() {
	register(kind{
		name: FailDiskFault, place: 6, exclusive: true, fields: []string{"node", "for", "kept"},
		words: func(f *Fault, _ string) string {
			kept := "is not on disk"
			if f.Kept {
				kept = "is on disk"
			}
			return fmt.Sprintf("the next save of node %s fails, and %s; it restarts %s later", f.Node, kept, f.For)
		},
		begin: func(r *Runner, n int, _ *Fault, i rank) { r.hosts[i].fail = n },
		end:   endCrash,
		plain: func(k *shrinker, f Fault, at func(*Plan) *Fault) {
			k.TryIf(f.Kept, func(p *Plan) { at(p).Kept = false })
		},
		draws: []drawEpisode{(*drawing).failDisk},
	})
}

func (d *drawing) failDisk(at time.Duration) {
	d.add(Fault{At: at, For: d.span(), Kind: FailDiskFault, Node: d.target(at), Kept: d.one(2)})
}
