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

// episode is something that goes wrong, of one fault or of many, from about at on. It is drawn as often as its weight says.
type episode struct {
	weight int
	draw   func(d *drawing, at time.Duration)
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
	case ChangingProfile:
		d.begin(pick(&d.dice, 0, 20000, 200000))
		d.changing()
		d.swarm()
	}
}

// swarm draws which faults there are at all, then draws from these.
func (d *drawing) swarm() {
	d.wild = d.one(2)
	all := []func(*drawing, time.Duration){(*drawing).storm, (*drawing).breakage, (*drawing).split, (*drawing).oneWay, (*drawing).partial,
		(*drawing).flapping, (*drawing).cutOff, (*drawing).crash, (*drawing).cascade, (*drawing).repeated, (*drawing).allAtOnce,
		(*drawing).erode, (*drawing).slowDisk, (*drawing).failDisk, (*drawing).resign}
	if d.wild {
		d.plan.Links.Repeated = float64(pick(&d.dice, 0, 0, 10, 100, 500)) / 1000 // what comes once more is later than δ
		all = append(all, (*drawing).pause, (*drawing).jump, (*drawing).early, (*drawing).dead)
		if d.one(3) {
			d.plan.Links.Delay = d.within(3 * d.plan.Timing.Delay)
		}
	}
	var some []episode
	for _, e := range all {
		if d.one(3) {
			some = append(some, episode{1 + d.below(6), e})
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

func (d *drawing) storm(at time.Duration) {
	d.onLinks(Fault{At: at, For: d.span(), Kind: ConditionsFault, Links: d.someLinks(at), Conditions: d.conditions()})
}

func (d *drawing) breakage(at time.Duration) {
	for range 1 + d.below(4) {
		d.onLinks(Fault{At: at, Kind: BreakFault, Links: d.someLinks(at)})
		at += d.between(0, 4*d.plan.Timing.Delay)
	}
}

func (d *drawing) split(at time.Duration) {
	in, out := d.someNodes()
	d.onLinks(Fault{At: at, For: d.span(), Kind: CutFault, Links: d.both(in, out)})
}

func (d *drawing) oneWay(at time.Duration) {
	in, out := d.someNodes()
	d.onLinks(Fault{At: at, For: d.span(), Kind: CutFault, Links: d.links(in, out)})
}

func (d *drawing) partial(at time.Duration) {
	d.onLinks(Fault{At: at, For: d.span(), Kind: CutFault, Links: d.someLinks(at)})
}

// flapping cuts the same links again and again.
func (d *drawing) flapping(at time.Duration) {
	links, cut, open := d.someLinks(at), d.span()/2, d.span()/2
	for range 2 + d.below(5) {
		d.onLinks(Fault{At: at, For: cut, Kind: CutFault, Links: links})
		at += cut + open
	}
}

// cutOff cuts one node off from some of the others, or from all.
func (d *drawing) cutOff(at time.Duration) {
	hit := slices.Index(d.plan.Members, d.target(at))
	is := func(i int) bool { return i == hit }
	from := d.all
	if d.one(2) {
		from, _ = d.someNodes()
	}
	d.onLinks(Fault{At: at, For: d.span(), Kind: CutFault, Links: d.both(is, from)})
}

func (d *drawing) point() Point {
	return pick(&d.dice, Between, Between, BeforeSave, AfterSave, AfterSave, AfterSave+1, AfterSave+Point(d.below(MaxNodes)))
}

func (d *drawing) crash(at time.Duration) {
	d.add(Fault{At: at, For: d.span(), Kind: CrashFault, Node: d.target(at), Point: d.point()})
}

// cascade crashes the highest nodes, one after the other, each at about the time when it has come to lead.
func (d *drawing) cascade(at time.Duration) {
	t := &d.plan.Timing
	n := len(d.plan.Members)
	for i := range 1 + d.below(n) {
		d.add(Fault{At: at, For: d.span(), Kind: CrashFault, Node: d.plan.Members[n-1-i], Point: d.point()})
		at += pick(&d.dice, 0, t.Delay, t.Patience, t.Patience+t.Election+t.Claim) + d.between(0, 5*t.Delay)
	}
}

// repeated crashes one node again and again, now and then before its silence (R30) is over.
func (d *drawing) repeated(at time.Duration) {
	node := d.target(at)
	for range 2 + d.below(4) {
		down := d.span() / 2
		d.add(Fault{At: at, For: down, Kind: CrashFault, Node: node, Point: d.point()})
		at += down + d.span()/2 + time.Microsecond
	}
}

// allAtOnce crashes all nodes at the same moment or nearly so.
func (d *drawing) allAtOnce(at time.Duration) {
	apart := pick(&d.dice, 0, d.plan.Timing.Delay, d.plan.Timing.Coordinator)
	down := d.span()
	for _, node := range d.plan.Members {
		f := Fault{At: at + d.between(0, apart), For: down, Kind: CrashFault, Node: node, Point: Between}
		if d.one(2) {
			f.For = d.span()
		}
		d.add(f)
	}
}

func (d *drawing) slowDisk(at time.Duration) {
	slow := d.within(d.plan.Timing.Delay / 20)
	if d.wild {
		slow = d.within(pick[time.Duration](&d.dice, 1, 4, 20) * d.plan.Timing.Delay)
	}
	d.add(Fault{At: at, For: d.span(), Kind: SlowDiskFault, Node: d.target(at), Disk: slow})
}

func (d *drawing) failDisk(at time.Duration) {
	d.add(Fault{At: at, For: d.span(), Kind: FailDiskFault, Node: d.target(at), Kept: d.one(2)})
}

func (d *drawing) resign(at time.Duration) {
	d.add(Fault{At: at, Kind: ResignFault, Node: d.target(at)})
}

func (d *drawing) pause(at time.Duration) {
	d.add(Fault{At: at, For: d.span(), Kind: PauseFault, Node: d.target(at)})
}

func (d *drawing) jump(at time.Duration) {
	d.add(Fault{At: at, For: d.span(), Kind: JumpFault, Node: d.target(at)})
}

func (d *drawing) early(at time.Duration) {
	for range 1 + d.below(3) {
		d.add(Fault{At: at, Kind: EarlyFault, Node: pick(&d.dice, d.plan.Members...)})
		at += d.between(0, 3*d.plan.Timing.Delay)
	}
}

func (d *drawing) dead(at time.Duration) {
	for _, node := range d.plan.Members {
		if d.one(2) {
			d.add(Fault{At: at + d.between(0, d.plan.Timing.Delay), Kind: DeadFault, Node: node})
		}
	}
}

// erode takes its followers from who is likely to lead, one after the other: by a cut, or by a short crash and a cut. So
// leases end, and are forgotten, at different times, while the leader still acts.
func (d *drawing) erode(at time.Duration) {
	t, n := &d.plan.Timing, len(d.plan.Members)
	hit := slices.Index(d.plan.Members, d.target(at))
	until := at + t.Patience + pick(&d.dice, t.Election, t.Patience, 2*t.Patience)
	for i := range n {
		from := at + d.between(0, until-at)
		if i == hit || d.one(4) {
			continue
		}
		if d.one(3) {
			down := d.between(0, pick(&d.dice, t.Delay, t.Election, t.Claim))
			d.add(Fault{At: from, For: down, Kind: CrashFault, Node: d.plan.Members[i], Point: d.point()})
		}
		is, other := func(k int) bool { return k == hit }, func(k int) bool { return k == i }
		links := d.both(is, other)
		if d.one(4) {
			links = pick(&d.dice, d.links(is, other), d.links(other, is))
		}
		d.add(Fault{At: from, For: until - from + d.between(0, t.Reign), Kind: CutFault, Links: links})
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
