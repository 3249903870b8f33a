package sim

import (
	"fmt"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// ConditionsFault gives Links another Conditions for For.
const ConditionsFault FaultKind = "conditions"

func init() {
	register(kind{
		name: ConditionsFault, place: 1, fields: []string{"links", "for", "delay", "loss", "repeated"},
		words: func(f *Fault, links string) string { return fmt.Sprintf("%s for %s: %s", links, f.For, f.Conditions) },
		begin: func(r *Runner, n int, f *Fault, _ rank) {
			r.active[n] = true
			r.setConditions(f.Links)
		},
		end:     func(r *Runner, _ int, f *Fault, _ rank) { r.setConditions(f.Links) },
		slowest: func(f *Fault) (delay, disk time.Duration) { return f.Delay.Max, 0 },
		check:   func(f *Fault) error { return validateConditions(&f.Conditions, "Conditions") },
		plain: func(k *shrinker, f Fault, at func(*Plan) *Fault) {
			k.TryIf(f.Loss != 0, func(p *Plan) { at(p).Loss = 0 })
			k.TryIf(f.Repeated != 0, func(p *Plan) { at(p).Repeated = 0 })
			k.TryIf(at(&k.Smallest).Loss != 0 && f.Loss != 1, func(p *Plan) { at(p).Loss = 1 })
			k.constant(func(p *Plan) *Range { return &at(p).Delay })
		},
		draws: []drawEpisode{(*drawing).storm},
	})
}

// setConditions gives links the conditions of the last fault that changes theirs, or those of the plan.
func (r *Runner) setConditions(links []spec.Link) {
	for _, l := range links {
		conditions := r.plan.Links
		for n := range r.plan.Faults {
			if f := &r.plan.Faults[n]; r.active[n] && f.Kind == ConditionsFault {
				for _, k := range f.Links {
					if k == l {
						conditions = f.Conditions
					}
				}
			}
		}
		r.net.SetConditions(int(r.members.of(&l.From)), int(r.members.of(&l.To)), conditions)
	}
}

func (d *drawing) storm(at time.Duration) {
	d.onLinks(Fault{At: at, For: d.span(), Kind: ConditionsFault, Links: d.someLinks(at), Conditions: d.conditions()})
}
