package sim

import (
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// Profile says which faults a generated plan has. The set is closed; Profiles lists it.
type Profile string

const (
	// LossyProfile loses and delays messages, within δ, and breaks links.
	LossyProfile Profile = "lossy"
	// PartitionProfile cuts links: between two sides, in one direction, here and there, again and again.
	PartitionProfile Profile = "partition"
	// CrashProfile crashes nodes at every point of a step, one after the other, the next leader too, or all at once, and
	// has slow and failing disks.
	CrashProfile Profile = "crash"
	// DriftProfile has clocks as fast and as slow as the bounds allow, and timers as short.
	DriftProfile Profile = "drift"
	// SwarmProfile has a subset of all kinds of faults, another for each seed; as often as not some break the bounds of
	// R37: pauses, jumps of clocks, early ends, false proofs, delays beyond δ.
	SwarmProfile Profile = "swarm"
	// ChangingProfile has members that come and go, and in the middle of that the faults of SwarmProfile.
	ChangingProfile Profile = "changing"
)

// Profiles returns every profile.
func Profiles() []Profile {
	return []Profile{LossyProfile, PartitionProfile, CrashProfile, DriftProfile, SwarmProfile, ChangingProfile}
}

// Valid reports whether p is one of Profiles.
func (p Profile) Valid() bool { return slices.Contains(Profiles(), p) }

// Changing reports whether the members of its plans change: nodes must then start with a configuration (R49), which else they
// need not know of.
func (p Profile) Changing() bool { return p == ChangingProfile }

// episode is drawn as often as its weight says.
type episode struct {
	weight int
	draw   drawEpisode
}

// draw draws the rest of the plan.
func (p Profile) draw(d *drawing) {
	switch p {
	case LossyProfile:
		d.begin(20000)
		d.downpour()
		d.episodes(episode{6, (*drawing).storm}, episode{4, (*drawing).breakage}, episode{3, (*drawing).crash}, episode{1, (*drawing).cutOff},
			episode{1, (*drawing).resign})
	case PartitionProfile:
		d.begin(20000)
		d.episodes(episode{3, (*drawing).split}, episode{3, (*drawing).oneWay}, episode{3, (*drawing).partial}, episode{2, (*drawing).flapping},
			episode{2, (*drawing).cutOff}, episode{3, (*drawing).crash}, episode{4, (*drawing).erode})
	case CrashProfile:
		d.begin(20000)
		d.episodes(episode{6, (*drawing).crash}, episode{3, (*drawing).cascade}, episode{2, (*drawing).repeated}, episode{1, (*drawing).allAtOnce},
			episode{2, (*drawing).slowDisk}, episode{2, (*drawing).failDisk}, episode{1, (*drawing).resign}, episode{2, (*drawing).cutOff},
			episode{3, (*drawing).erode})
	case DriftProfile:
		d.begin(200000)
		d.rates()
		d.episodes(episode{4, (*drawing).crash}, episode{2, (*drawing).cascade}, episode{2, (*drawing).cutOff}, episode{2, (*drawing).split},
			episode{2, (*drawing).partial}, episode{4, (*drawing).erode}, episode{1, (*drawing).resign})
	case SwarmProfile:
		d.begin(pick(&d.dice, 0, 20000, 200000))
		d.swarm()
		d.besides()
	case ChangingProfile:
		d.begin(pick(&d.dice, 0, 20000, 200000))
		d.changing()
		d.swarm()
		d.besides()
	}
}

// besides draws, for one plan of two, what is drawn last of all, so that it changes nothing else of what a seed means: ranks, and whom those
// who resign name.
func (d *drawing) besides() {
	if d.one(2) {
		d.rankings()
		d.handOvers()
	}
}

// swarm draws which faults there are at all, then draws from these.
func (d *drawing) swarm() {
	d.wild = d.one(2)
	if d.wild {
		d.plan.Links.Repeated = float64(pick(&d.dice, 0, 0, 10, 100, 500)) / 1000 // what comes once more is later than δ
		if d.one(3) {
			d.plan.Links.Delay = d.within(3 * d.plan.Timing.Delay)
		}
	}
	var some []episode
	for _, k := range kinds {
		for _, draw := range k.draws {
			if (d.wild || !k.untimely) && d.one(3) {
				some = append(some, episode{1 + d.below(6), draw})
			}
		}
	}
	if d.one(3) {
		d.rates()
	}
	if d.one(4) {
		d.downpour()
	}
	switch {
	case d.wild && d.one(3): // nothing but: among other faults it has no time to lead to much
		some, d.gap = []episode{{1, (*drawing).frenzy}}, 2*d.gap
	case len(some) == 0:
		some = append(some, episode{1, (*drawing).crash})
	}
	d.episodes(some...)
}

// episodes fills the plan with episodes, drawn by weight.
func (d *drawing) episodes(some ...episode) {
	total := 0
	for _, e := range some {
		total += e.weight
	}
	for range max(1, int(d.plan.Length/d.gap)) {
		at, k := d.moment(), d.below(total)
		for _, e := range some {
			if k -= e.weight; k < 0 {
				e.draw(d, at)
				break
			}
		}
	}
}

// downpour gives all links conditions that lose messages, for a part of the plan or for all of it.
func (d *drawing) downpour() {
	if len(d.plan.Members) == 1 {
		return
	}
	f := Fault{Kind: ConditionsFault, Links: d.links(d.all, d.all), Conditions: d.conditions(), For: d.plan.Length}
	if d.one(2) {
		f.At = d.moment()
	}
	d.add(f)
}

// conditions draws conditions of links: within δ, unless the plan is wild.
func (d *drawing) conditions() Conditions {
	w := Conditions{Delay: d.within(d.plan.Timing.Delay * 16 / 20)}
	if d.wild && d.one(3) {
		w.Delay = d.within(pick[time.Duration](&d.dice, 2, 4, 20) * d.plan.Timing.Delay)
	}
	w.Loss = float64(pick(&d.dice, 0, 10, 50, 200, 500, 900, 1000)) / 1000
	if d.wild {
		w.Repeated = float64(pick(&d.dice, 0, 0, 10, 200, 1000)) / 1000
	}
	return w
}

// rates draws the rates of the clocks: as fast and as slow as the bounds allow, or in between; beyond, if the plan is wild.
func (d *drawing) rates() {
	drift := d.plan.Timing.Drift
	for range d.plan.Members {
		rate := 1.0
		switch d.below(5) {
		case 0, 1:
			rate = 1 - drift
		case 2, 3:
			rate = 1 + drift
		}
		if d.wild && d.one(3) {
			rate = float64(500000+d.below(1000001)) / 1e6
		}
		d.plan.Rates = append(d.plan.Rates, rate)
	}
}

// links returns all links from a node of one set to a node of another.
func (d *drawing) links(from, to func(i int) bool) (links []spec.Link) {
	for i, a := range d.plan.Members {
		for j, b := range d.plan.Members {
			if i != j && from(i) && to(j) {
				links = append(links, spec.Link{From: a, To: b})
			}
		}
	}
	return links
}

func (d *drawing) all(int) bool { return true }

// someNodes draws a set of nodes, and returns it with its complement.
func (d *drawing) someNodes() (in, out func(i int) bool) {
	set := d.below(1 << len(d.plan.Members))
	return func(i int) bool { return set>>i&1 == 1 }, func(i int) bool { return set>>i&1 == 0 }
}

// someLinks draws links: those of a node, those into or out of it, or any.
func (d *drawing) someLinks(at time.Duration) []spec.Link {
	hit := slices.Index(d.plan.Members, d.target(at))
	is := func(i int) bool { return i == hit }
	switch d.below(5) {
	case 0:
		return d.links(d.all, d.all)
	case 1:
		return d.links(is, d.all)
	case 2:
		return d.links(d.all, is)
	case 3:
		return d.both(is, d.all)
	}
	return slices.DeleteFunc(d.links(d.all, d.all), func(spec.Link) bool { return d.one(2) })
}

// both returns all links between two sets of nodes, in both directions, ascending.
func (d *drawing) both(a, b func(i int) bool) []spec.Link {
	links := append(d.links(a, b), d.links(b, a)...)
	slices.SortFunc(links, spec.Link.Compare)
	return slices.Compact(links)
}

// onLinks adds a fault of links, if there are any.
func (d *drawing) onLinks(f Fault) {
	if len(f.Links) > 0 {
		d.add(f)
	}
}

// frenzy ends timers, tells of deaths, resigns, crashes and cuts again and again, everywhere: any order of steps may come of it.
func (d *drawing) frenzy(at time.Duration) {
	apart := d.between(0, pick[time.Duration](&d.dice, 1, 2, 4)*d.plan.Timing.Delay)
	for range 15 + d.below(50) {
		hit, other := d.below(len(d.plan.Members)), d.below(len(d.plan.Members))
		f := Fault{At: at, Kind: pick(&d.dice, EarlyFault, EarlyFault, EarlyFault, DeadFault, DeadFault, ResignFault, CrashFault, CutFault, CutFault)}
		switch f.Kind {
		case CutFault:
			f.Links = d.both(func(i int) bool { return i == hit }, func(i int) bool { return i == other })
			f.For = d.between(0, 40*apart)
			d.onLinks(f)
		case CrashFault:
			f.For, f.Point = d.between(0, d.plan.Timing.Delay), d.point()
			fallthrough
		default:
			f.Node = d.plan.Members[hit]
			d.add(f)
		}
		at += d.between(0, apart)
	}
}
