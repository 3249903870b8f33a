package sim

import (
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// dropChanges drops changes, as dropFaults drops faults.
func (k *shrinker) dropChanges() {
	k.dropSome(func() int { return len(k.plan.Changes) }, func(p *Plan, from, to int) { p.Changes = slices.Delete(p.Changes, from, to) })
}

// plainChanges makes the first members plainer, and each change: all are voters, with no address, and from the beginning on; who
// is removed does not come back; and a change comes sooner.
func (k *shrinker) plainChanges() {
	for i := range k.plan.First {
		at := func(p *Plan) *spec.Member { return &p.First[i] }
		k.tryIf(at(&k.plan).Kind != spec.Voter, func(p *Plan) { at(p).Kind = spec.Voter })
		k.tryIf(at(&k.plan).Address != "", func(p *Plan) { at(p).Address = "" })
	}
	for i := range k.plan.Changes {
		at := func(p *Plan) *Change { return &p.Changes[i] }
		k.tryIf(at(&k.plan).Back > 0, func(p *Plan) { at(p).Back = 0 })
		least := time.Duration(0)
		if i > 0 {
			least = k.plan.Changes[i-1].At
		}
		k.shorten(least, func(p *Plan) *time.Duration { return &at(p).At })
	}
}
