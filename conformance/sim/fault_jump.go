package sim

import (
	"fmt"
	"time"
)

// JumpFault lets the clock of Node jump ahead by For, as one does that was suspended and tells nobody.
const JumpFault FaultKind = "jump"

func init() {
	register(kind{
		name: JumpFault, place: 9, fields: []string{"node", "for"}, untimely: true, unsteady: true, instant: true,
		words: func(f *Fault, _ string) string {
			return fmt.Sprintf("the clock of node %s jumps ahead by %s", f.Node, f.For)
		},
		begin: func(r *Runner, _ int, f *Fault, i rank) { r.net.Jump(int(i), f.For) },
		draws: []drawEpisode{(*drawing).jump},
	})
}

func (d *drawing) jump(at time.Duration) {
	d.add(Fault{At: at, For: d.span(), Kind: JumpFault, Node: d.target(at)})
}
