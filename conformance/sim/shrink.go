package sim

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/internal/shrink"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// Shrinking says how hard Shrink tries, and whom it tells. The zero Shrinking makes 2000 runs at most, and tells nobody.
type Shrinking struct {
	MaxRuns  int                            // the most runs that are made; 0 means 2000
	Progress func(smallest *Plan, runs int) // told of each plan that is smaller and still fails, or nil; the plan is not to be changed or kept
}

// Shrink returns a plan that is as simple as could be found, and on which the nodes of newNode break the same property
// as v says they do on p, and how many runs that took. It drops faults, nodes and links, makes faults shorter and earlier,
// makes conditions and clocks plain, and times round. The same arguments give the same plan; and unless it was stopped by
// MaxRuns, shrinking that again changes nothing.
func Shrink(p Plan, newNode conformance.Maker, v *Violation, s Shrinking) (Plan, int) {
	k := &shrinker{}
	k.Smallest, k.Clone, k.MaxRuns = p.Clone(), func(p Plan) Plan { return p.Clone() }, cmp.Or(s.MaxRuns, 2000)
	runner := NewRunner(newNode)
	k.Fails = func(p Plan) (Plan, bool) {
		result, err := runner.Run(&p, Options{})
		if err != nil || result.Violation == nil || result.Violation.Property != v.Property { // if the plan is not valid, too
			return p, false
		}
		k.at = result.Violation.At
		if s.Progress != nil {
			s.Progress(&p, k.Runs)
		}
		return p, true
	}
	if !k.Keep(k.Smallest) {
		return p, k.Runs // it does not fail, and nothing smaller is known to
	}
	k.Repeat(func() {
		k.Repeat(k.cutShort, k.plainWhole, k.dropChanges, k.dropFaults, k.dropNodes)
		k.plainFaults()
		k.plainChanges()
		k.pullTogether()
		k.renumber()
	})
	return k.Smallest, k.Runs
}

// shrinker is a plan that fails, and is being made smaller.
type shrinker struct {
	shrink.Smaller[Plan]
	at time.Duration // when it fails
}

// cutShort ends the plan early: soon after it fails, or when its faults are over.
func (k *shrinker) cutShort() {
	if end := k.at + 10*time.Millisecond - k.at%(10*time.Millisecond); end < k.Smallest.Length {
		k.Try(func(p *Plan) {
			p.Length = end
			p.Faults = slices.DeleteFunc(p.Faults, func(f Fault) bool { return f.At >= end })
			p.Changes = slices.DeleteFunc(p.Changes, func(c Change) bool { return c.At >= end })
			for i := range p.Faults {
				if f := &p.Faults[i]; f.Kind.lasts() {
					f.For = min(f.For, end-f.At)
				}
			}
		})
	}
	last := time.Duration(0)
	for i := range k.Smallest.Faults {
		last = max(last, k.Smallest.Faults[i].end())
	}
	for i := range k.Smallest.Changes {
		last = max(last, k.Smallest.Changes[i].At)
	}
	k.shorten(last, func(p *Plan) *time.Duration { return &p.Length })
}

// dropFaults drops faults until none can be spared.
func (k *shrinker) dropFaults() {
	k.Drop(func(p *Plan) int { return len(p.Faults) }, func(p *Plan, from, to int) { p.Faults = slices.Delete(p.Faults, from, to) })
}

// dropNodes drops nodes, with all that befalls them: one, or two, which leaves as many to spare.
func (k *shrinker) dropNodes() {
	for i := len(k.Smallest.Members) - 1; i >= 0; i-- {
		k.Try(func(p *Plan) { p.drop(i) })
	}
	for i := len(k.Smallest.Members) - 1; i > 0; i-- {
		for j := i - 1; j >= 0; j-- {
			if i < len(k.Smallest.Members) {
				k.Try(func(p *Plan) { p.drop(i); p.drop(j) })
			}
		}
	}
}

// drop takes member i out of the plan.
func (p *Plan) drop(i int) {
	id := p.Members[i]
	p.Members = slices.Delete(p.Members, i, i+1)
	if p.Rates != nil {
		p.Rates = slices.Delete(p.Rates, i, i+1)
	}
	p.First = slices.DeleteFunc(p.First, func(m spec.Member) bool { return m.ID == id })
	p.Changes = slices.DeleteFunc(p.Changes, func(c Change) bool { return c.Node == id })
	p.Faults = slices.DeleteFunc(p.Faults, func(f Fault) bool { return !f.Kind.ofLinks() && f.Node == id })
	for j := range p.Faults {
		f := &p.Faults[j]
		f.Links = slices.DeleteFunc(f.Links, func(l spec.Link) bool { return l.From == id || l.To == id })
	}
	p.Faults = slices.DeleteFunc(p.Faults, func(f Fault) bool { return f.Kind.ofLinks() && len(f.Links) == 0 })
}

// plainWhole makes plain what holds throughout: the timing, the clocks, the disks, the conditions.
func (k *shrinker) plainWhole() {
	k.TryIf(k.Smallest.Timing != policy.LAN(), func(p *Plan) { p.Timing = policy.LAN() })
	k.TryIf(k.Smallest.Rates != nil, func(p *Plan) { p.Rates = nil })
	k.TryIf(k.Smallest.Disk != Range{}, func(p *Plan) { p.Disk = Range{} })
	k.TryIf(k.Smallest.Proofs, func(p *Plan) { p.Proofs = false })
	k.TryIf(k.Smallest.Links.Loss > 0, func(p *Plan) { p.Links.Loss = 0 })
	k.TryIf(k.Smallest.Links.Repeated > 0, func(p *Plan) { p.Links.Repeated = 0 })
	for i := range k.Smallest.Rates {
		k.TryIf(k.Smallest.Rates != nil && k.Smallest.Rates[i] != 1, func(p *Plan) { p.Rates[i] = 1 })
	}
	k.constant(func(p *Plan) *Range { return &p.Links.Delay })
	k.constant(func(p *Plan) *Range { return &p.Disk })
}

// plain is what a range of times is made if it can be.
const plain = time.Millisecond

// constant makes a range one time: a millisecond, or else the least or the most of it.
func (k *shrinker) constant(of func(p *Plan) *Range) {
	r := *of(&k.Smallest)
	set := func(d time.Duration) bool { return k.Try(func(p *Plan) { *of(p) = Range{Min: d, Max: d} }) }
	switch {
	case r.Max == plain && r.Min == plain, r.Max > plain && set(plain), r.Min == r.Max:
	default:
		_ = set(r.Min) || set(r.Max)
	}
}

// plainFaults makes each fault simpler: fewer links, plainer conditions, a plainer point, and less time, sooner.
func (k *shrinker) plainFaults() {
	for i := 0; i < len(k.Smallest.Faults); i++ {
		at := func(p *Plan) *Fault { return &p.Faults[i] }
		f := *at(&k.Smallest)
		k.Drop(func(p *Plan) int { return len(at(p).Links) }, func(p *Plan, from, to int) { at(p).Links = slices.Delete(at(p).Links, from, to) })
		if plain := f.Kind.kind().plain; plain != nil {
			plain(k, f, at)
		}
		if slices.Contains(f.Kind.kind().fields, "for") {
			k.shorten(0, func(p *Plan) *time.Duration { return &at(p).For })
		}
		if f.Kind.ofLinks() && f.Kind.lasts() {
			k.beginLater(i)
		}
	}
}

// beginLater makes fault i shorter from its beginning on. Faults stay in the order of At.
func (k *shrinker) beginLater(i int) {
	for k.Smallest.Faults[i].For > 4*plain && k.Try(func(p *Plan) {
		f := &p.Faults[i]
		half := (f.For / 2).Round(plain)
		f.At, f.For = f.At+half, f.For-half
		slices.SortStableFunc(p.Faults, func(a, b Fault) int { return cmp.Compare(a.At, b.At) })
	}) {
	}
}

// pullTogether makes the time before each fault shorter, for itself alone, and with all that comes after it.
func (k *shrinker) pullTogether() {
	for i := range k.Smallest.Faults {
		least := time.Duration(0)
		if i > 0 {
			least = k.Smallest.Faults[i-1].At
		}
		gap := func(p *Plan) time.Duration { return p.Faults[i].At - least }
		k.smaller(gap(&k.Smallest), func(p *Plan, to time.Duration) {
			by := gap(p) - to
			for j := i; j < len(p.Faults); j++ {
				p.Faults[j].At -= by
			}
			p.Length -= by
		})
		k.shorten(least, func(p *Plan) *time.Duration { return &p.Faults[i].At })
	}
}

// shorten makes a time of the plan as short as it can be, but not below least.
func (k *shrinker) shorten(least time.Duration, of func(p *Plan) *time.Duration) {
	k.smaller(*of(&k.Smallest)-least, func(p *Plan, to time.Duration) { *of(p) = least + to })
}

// smaller makes a time smaller: nothing, or the least round one that will do, or else rounder.
func (k *shrinker) smaller(now time.Duration, set func(p *Plan, to time.Duration)) {
	try := func(to time.Duration) bool { return to < now && k.Try(func(p *Plan) { set(p, to) }) }
	if try(0) {
		return
	}
	for unit := plain; unit < now; unit *= 10 {
		for _, digit := range []time.Duration{1, 2, 3, 5} {
			if try(digit * unit) {
				return
			}
		}
	}
	for unit := 1000 * time.Second; unit >= plain; unit /= 10 {
		if unit < now && try(now-now%unit) {
			return
		}
	}
}

// renumber names the nodes 1, 2, 3 and so on.
func (k *shrinker) renumber() {
	names := map[spec.NodeID]spec.NodeID{}
	for i, id := range k.Smallest.Members {
		names[id] = spec.IntegerID(uint64(i + 1))
	}
	k.TryIf(names[k.Smallest.Members[len(names)-1]] != k.Smallest.Members[len(names)-1], func(p *Plan) {
		for i, id := range p.Members {
			p.Members[i] = names[id]
		}
		for i := range p.First {
			p.First[i].ID = names[p.First[i].ID]
		}
		for i := range p.Changes {
			p.Changes[i].Node = names[p.Changes[i].Node]
		}
		for i := range p.Faults {
			f := &p.Faults[i]
			f.Node, f.To = names[f.Node], names[f.To]
			for j, l := range f.Links {
				f.Links[j] = spec.Link{From: names[l.From], To: names[l.To]}
			}
		}
	})
}

// dropChanges drops changes, as dropFaults drops faults.
func (k *shrinker) dropChanges() {
	k.Drop(func(p *Plan) int { return len(p.Changes) }, func(p *Plan, from, to int) { p.Changes = slices.Delete(p.Changes, from, to) })
}

// plainChanges makes the first members plainer, and each change: all are voters, with no address and no rank, and from the beginning on; who
// is removed does not come back; and a change comes sooner.
func (k *shrinker) plainChanges() {
	for i := range k.Smallest.First {
		at := func(p *Plan) *spec.Member { return &p.First[i] }
		k.TryIf(at(&k.Smallest).Kind != spec.Voter, func(p *Plan) { at(p).Kind = spec.Voter })
		k.TryIf(at(&k.Smallest).Address != "", func(p *Plan) { at(p).Address = "" })
		k.TryIf(at(&k.Smallest).Rank != 0, func(p *Plan) { at(p).Rank = 0 })
	}
	for i := range k.Smallest.Changes {
		at := func(p *Plan) *Change { return &p.Changes[i] }
		k.TryIf(at(&k.Smallest).Back > 0, func(p *Plan) { at(p).Back = 0 })
		least := time.Duration(0)
		if i > 0 {
			least = k.Smallest.Changes[i-1].At
		}
		k.shorten(least, func(p *Plan) *time.Duration { return &at(p).At })
	}
}
