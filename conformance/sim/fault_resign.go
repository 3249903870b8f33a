package sim

import (
	"fmt"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

const (
	// ResignFault calls Node to resign.
	ResignFault FaultKind = "resign"
	// HandOverFault calls Node to resign, and to name To, which is to stand first (R51).
	HandOverFault FaultKind = "hand-over"
)

func init() {
	register(kind{
		name: ResignFault, place: 7, fields: []string{"node"},
		words: func(f *Fault, _ string) string { return fmt.Sprintf("node %s is called to resign", f.Node) },
		begin: func(r *Runner, _ int, _ *Fault, i rank) { r.net.Call(int(i), 0, resignTag) },
		draws: []drawEpisode{(*drawing).resign},
	})
	register(kind{
		name: HandOverFault, place: 12, fields: []string{"node", "to"},
		words: func(f *Fault, _ string) string {
			return fmt.Sprintf("node %s is called to hand over to %s", f.Node, f.To)
		},
		begin: func(r *Runner, _ int, f *Fault, i rank) {
			r.net.Call(int(i), 0, handOverTag|uint32(r.members.of(&f.To)))
		},
		plain: func(k *shrinker, _ Fault, at func(*Plan) *Fault) {
			k.Try(func(p *Plan) { at(p).Kind, at(p).To = ResignFault, spec.NodeID{} })
		},
	})
}

func (d *drawing) resign(at time.Duration) {
	d.add(Fault{At: at, Kind: ResignFault, Node: d.target(at)})
}

// handOvers has some of those who are called to resign name somebody.
func (d *drawing) handOvers() {
	for i := range d.plan.Faults {
		if f := &d.plan.Faults[i]; f.Kind == ResignFault && !d.one(3) {
			f.Kind, f.To = HandOverFault, pick(&d.dice, d.plan.Members...)
		}
	}
}

// named calls a node to resign, and to name another.
func (r *Runner) named(i, to rank) {
	r.in.given.Names = r.members[to]
	r.call(i, spec.ResignCall)
	r.in.given.Names = spec.NodeID{}
}

// waitsFor reports whether what a node has taken is a RESIGN that names another, which it waits for (R51).
func (r *Runner) waitsFor(i rank) bool {
	names := r.in.given.Message.Names
	return r.in.given.Message.Type == spec.Resign && !names.IsNone() && names != r.members[i]
}
