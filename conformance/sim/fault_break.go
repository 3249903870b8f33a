package sim

import (
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// BreakFault loses what is under way on Links, at once, and is over.
const BreakFault FaultKind = "break"

func init() {
	register(kind{
		name: BreakFault, place: 2, fields: []string{"links"},
		words: func(_ *Fault, links string) string { return links + " broken: what is under way is lost" },
		begin: func(r *Runner, _ int, f *Fault, _ rank) {
			for _, l := range f.Links {
				from, to := r.members.of(&l.From), r.members.of(&l.To)
				r.links.disturb(from, to, r.net.Now())
				r.net.Break(int(from), int(to), func(m spec.Message) { r.lose(&m) })
			}
		},
		draws: []drawEpisode{(*drawing).breakage},
	})
}

func (d *drawing) breakage(at time.Duration) {
	for range 1 + d.below(4) {
		d.onLinks(Fault{At: at, Kind: BreakFault, Links: d.someLinks(at)})
		at += d.between(0, 4*d.plan.Timing.Delay)
	}
}
