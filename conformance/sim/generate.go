package sim

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/conformance/sim/simnet"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// MaxSeed is the greatest seed of a plan: the greatest integer that every reader of JSON keeps.
const MaxSeed = 1<<53 - 1

// Generate returns the plan of a seed: who the members are, how long timers are, and which faults come when. The same
// arguments give the same plan, on any machine. Faults are over by the plan's Length, and are aimed: at who is likely to
// lead, and at moments when an election, or a change of members, is likely to be under way. All profiles but [SwarmProfile]
// and [ChangingProfile] keep every bound of R37.
// The error says which argument is out of range.
func Generate(seed uint64, nodes int, profile Profile) (Plan, error) {
	switch {
	case seed > MaxSeed:
		return Plan{}, fmt.Errorf("sim: the seed %d is above %d", seed, uint64(MaxSeed))
	case nodes < 1 || nodes > MaxNodes:
		return Plan{}, fmt.Errorf("sim: %d nodes: there can be 1 to %d", nodes, MaxNodes)
	case !profile.Valid():
		return Plan{}, fmt.Errorf("sim: unknown profile %q: there are %v", profile, Profiles())
	}
	d := &drawing{dice: newDice(seed, uint64(nodes), uint64(slices.Index(Profiles(), profile)))}
	d.plan.Seed = seed
	d.members(nodes, profile)
	profile.draw(d)
	slices.SortStableFunc(d.plan.Faults, func(a, b Fault) int { return cmp.Compare(a.At, b.At) })
	return d.plan, nil
}

// dice draws numbers from a seed, so that a seed means the same plan on every machine, and with every version of Go.
type dice struct{ random simnet.Random }

// newDice mixes the numbers into one seed.
func newDice(numbers ...uint64) dice {
	var d dice
	for _, n := range numbers {
		d.random ^= simnet.Random(n)
		d.random = simnet.Random(d.next())
	}
	return d
}

// next returns 64 bits.
func (d *dice) next() uint64 { return d.random.Next() }

// below returns a number from 0 to n-1; n is above 0.
func (d *dice) below(n int) int { return int(d.random.Below(uint64(n))) }

// one reports true once in n times.
func (d *dice) one(n int) bool { return d.below(n) == 0 }

// between returns a time from low to high, both included, in whole microseconds above low. It is low if high is not above.
func (d *dice) between(low, high time.Duration) time.Duration {
	if high < low+time.Microsecond {
		return low
	}
	return low + time.Duration(d.below(int((high-low)/time.Microsecond)+1))*time.Microsecond
}

// pick returns one of the choices. There is one at least.
func pick[T any](d *dice, choices ...T) T { return choices[d.below(len(choices))] }

// drawing is a plan that is being drawn.
type drawing struct {
	dice
	plan    Plan
	gap     time.Duration      // the time between two faults, roughly
	busy    [][2]time.Duration // busy[i] is when member i is down, or being hit: faults of one node do not overlap
	owner   []int              // owner[k] is the member whose time busy[k] is
	moments []time.Duration    // when something happens that an election may follow
	wild    bool               // faults may break the bounds of R37
}

// members draws the members. A swarm, with changing members too, has UUIDs and gaps now and then, so that ranks are not taken for places.
func (d *drawing) members(n int, profile Profile) {
	var ids []spec.NodeID
	for i := range n {
		ids = append(ids, spec.IntegerID(uint64(i+1)))
	}
	if (profile == SwarmProfile || profile == ChangingProfile) && d.one(8) {
		for i := range ids {
			switch d.below(3) {
			case 0:
				ids[i] = spec.IntegerID(d.next()>>(1+d.below(50)) | 1<<8 + uint64(i))
			case 1:
				ids[i] = d.uuid()
			}
		}
		slices.SortFunc(ids, spec.NodeID.Compare)
		ids = slices.Compact(ids)
		for i := uint64(1); len(ids) < n; i++ { // two were the same, which one in millions is
			if id := spec.IntegerID(i); !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		slices.SortFunc(ids, spec.NodeID.Compare)
	}
	d.plan.Members = ids
}

// uuid draws a UUID of version 4 and variant 10.
func (d *drawing) uuid() (id spec.NodeID) {
	high, low := d.next(), d.next()
	for i := range 8 {
		id[i], id[8+i] = byte(high>>(8*i)), byte(low>>(8*i))
	}
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return id
}

// timing draws a timing: one that is used, or any that keeps the bounds of R37, with drifts up to maxDrift in millionths.
func (d *drawing) timing(maxDrift int) Timing {
	switch d.below(4) {
	case 0:
		return policy.LAN()
	case 1:
		return policy.Local()
	}
	drift := d.below(maxDrift + 1)
	delay := d.between(time.Millisecond, pick[time.Duration](&d.dice, 5, 20, 60)*time.Millisecond)
	margin := func(bound time.Duration) time.Duration { // what a timer may be above its bound
		if d.one(2) {
			return time.Microsecond
		}
		return d.between(time.Microsecond, bound/2)
	}
	above := func(bounds ...time.Duration) time.Duration { b := slices.Max(bounds); return b + margin(b) }
	slow := func(t time.Duration) time.Duration { return t*1e6/time.Duration(1e6-drift) + 1 } // t / (1-ρ), rounded up
	fast := func(t time.Duration) time.Duration { return t + t*time.Duration(drift)/1e6 + 1 } // t * (1+ρ), rounded up

	t := Timing{Delay: delay, Drift: float64(drift) / 1e6}
	t.Heartbeat = d.between(delay, pick[time.Duration](&d.dice, 2, 5, 10)*delay)
	t.Election = above(fast(2 * delay))
	t.Claim = above(fast(4 * delay))
	t.Reign = above(fast(max(slow(t.Heartbeat), 4*delay)+3*delay), t.Claim)
	lease := fast(slow(t.Reign))
	t.Patience = above(lease)
	t.Coordinator = above(fast(slow(t.Election)+slow(t.Claim)+3*delay), lease, 2*t.Election)
	t.Stagger = pick(&d.dice, 0, fast(2*delay), fast(2*delay), 3*delay)
	t.Defer = pick(&d.dice, 0, delay/12, delay)
	t.Preempt = pick(&d.dice, 0, t.Patience/2, t.Coordinator, 3*t.Coordinator, -1)
	return t
}

// begin draws what all profiles have in common: the timing, the conditions, the disks, and how long and how dense the plan is.
func (d *drawing) begin(maxDrift int) {
	p := &d.plan
	p.Timing = d.timing(maxDrift)
	delay := p.Timing.Delay
	if d.one(3) {
		p.Disk = d.within(delay / 12)
	}
	p.Links.Delay = d.within(pick[time.Duration](&d.dice, 1, 4, 12, 16, 16) * delay / 20)
	p.Proofs = d.one(2)
	p.Length = d.between(40*p.Timing.Coordinator, 120*p.Timing.Coordinator).Round(time.Millisecond)
	d.gap = pick[time.Duration](&d.dice, 1, 2, 4, 8) * p.Timing.Coordinator / 2
	d.moments = append(d.moments, 0)
}

// within draws a range of times up to at most: a wide one, a narrow one, or a constant.
func (d *drawing) within(most time.Duration) Range {
	high := d.between(min(50*time.Microsecond, most), most)
	switch d.below(4) {
	case 0:
		return Range{Min: high, Max: high}
	case 1:
		return Range{Min: d.between(high/2, high), Max: high}
	}
	return Range{Min: d.between(0, high/10), Max: high}
}

// moment draws when a fault comes: at any time, or as often soon after something else, by as much as an election takes to
// begin or to be under way.
func (d *drawing) moment() time.Duration {
	last := d.plan.Length - time.Millisecond
	t := &d.plan.Timing
	if !d.one(3) {
		at := pick(&d.dice, d.moments...) + pick(&d.dice, 0, t.Delay, t.Election, t.Patience, t.Patience+t.Election,
			t.Coordinator, t.Coordinator+t.Election, t.Election+t.Claim, t.Stagger*time.Duration(d.below(MaxNodes)+1), max(0, t.Preempt)) +
			d.between(0, 5*t.Delay)
		if at < last {
			return at
		}
	}
	return d.between(0, last)
}

// span draws how long something lasts: as long as one step of an election, as a lease, or longer than all of it.
func (d *drawing) span() time.Duration {
	t := &d.plan.Timing
	most := pick(&d.dice, t.Delay, 2*t.Delay, t.Election, t.Patience, t.Coordinator, 2*t.Coordinator, 6*t.Coordinator)
	return d.between(most/2, most)
}

// add adds a fault, ends it by the plan's end, and remembers when it comes and goes. It reports whether it could: what
// befalls a node that is already being hit is left out.
func (d *drawing) add(f Fault) bool {
	length := d.plan.Length
	if f.At >= length {
		return false
	}
	if f.Kind.lasts() {
		f.For = min(f.For, length-f.At)
	}
	if f.Kind.kind().exclusive {
		i := slices.Index(d.plan.Members, f.Node)
		if d.isBusy(i, f.At, f.end()) {
			return false
		}
		d.busy, d.owner = append(d.busy, [2]time.Duration{f.At, f.end()}), append(d.owner, i)
	}
	d.plan.Faults = append(d.plan.Faults, f)
	d.moments = append(d.moments, f.At, f.end())
	return true
}

// isBusy reports whether member i is down or paused at some time from a to b.
func (d *drawing) isBusy(i int, a, b time.Duration) bool {
	for k, at := range d.busy {
		if d.owner[k] == i && a <= at[1] && at[0] <= b {
			return true
		}
	}
	return false
}

// target draws who is hit: as often as not who is likely to lead, which is the highest that runs, or is next.
func (d *drawing) target(at time.Duration) spec.NodeID {
	members := d.plan.Members
	if d.one(2) {
		if d.one(4) {
			return members[max(0, len(members)-2)]
		}
		for i := len(members) - 1; i >= 0; i-- {
			if !d.isBusy(i, at, at) {
				return members[i]
			}
		}
	}
	return pick(&d.dice, members...)
}
