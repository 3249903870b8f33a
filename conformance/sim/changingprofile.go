package sim

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// changing draws who the first members are, and what operators ask for. Faults that are drawn after it come in the middle of
// changes too.
func (d *drawing) changing() {
	t := &d.plan.Timing
	d.plan.Length = d.between(15*t.Coordinator, 60*t.Coordinator).Round(time.Millisecond)
	d.firstMembers()
	for range 1 + d.below(8) {
		d.scene(d.between(0, d.plan.Length-time.Millisecond))
	}
	slices.SortStableFunc(d.plan.Changes, func(a, b Change) int { return cmp.Compare(a.At, b.At) })
}

// firstMembers draws the first members: all nodes, or some, so that the others may join. One of them is a voter.
func (d *drawing) firstMembers() {
	nodes := d.plan.Members
	joins := d.below(len(nodes)/2 + 1)
	some := slices.Clone(nodes)
	for range joins {
		k := d.below(len(some))
		some = slices.Delete(some, k, k+1)
	}
	addresses := d.one(4)
	voter := d.below(len(some))
	for k, id := range some {
		m := spec.Member{ID: id, Kind: spec.Voter}
		if k != voter && d.one(5) {
			m.Kind = pick(&d.dice, spec.Witness, spec.Witness, spec.Observer)
		}
		if addresses {
			m.Address = "node-" + id.String() + ":0"
		}
		d.plan.First = append(d.plan.First, m)
	}
}

// change adds a change, if it comes before the plan is over.
func (d *drawing) change(at time.Duration, kind ChangeKind, node spec.NodeID) {
	if at >= d.plan.Length {
		return
	}
	c := Change{At: at, Kind: kind, Node: node}
	if kind == RemoveChange && d.one(3) {
		c.Back = d.span() + time.Microsecond
	}
	d.plan.Changes = append(d.plan.Changes, c)
	d.moments = append(d.moments, at, at) // twice, as a fault has: when it comes, and when it goes
}

// stranger draws a node that is no first member, if there is one.
func (d *drawing) stranger() spec.NodeID {
	outside := slices.DeleteFunc(slices.Clone(d.plan.Members), func(id spec.NodeID) bool {
		return slices.ContainsFunc(d.plan.First, func(m spec.Member) bool { return m.ID == id })
	})
	if len(outside) == 0 {
		return pick(&d.dice, d.plan.Members...)
	}
	return pick(&d.dice, outside...)
}

// scene draws what operators are about at a time: often one thing, and then another.
func (d *drawing) scene(at time.Duration) {
	t := &d.plan.Timing
	later := func() time.Duration {
		return at + d.between(0, pick(&d.dice, t.Delay, 2*t.Heartbeat, 2*t.Patience, 6*t.Patience))
	}
	any := func() spec.NodeID { return pick(&d.dice, d.plan.Members...) }
	kind := func() ChangeKind { return pick(&d.dice, ChangeKinds()...) }
	switch d.below(8) {
	case 0: // a node joins: it follows first
		node := d.stranger()
		d.change(at, ObserverChange, node)
		d.change(later(), pick(&d.dice, VoterChange, VoterChange, WitnessChange), node)
	case 1:
		d.change(at, RemoveChange, d.target(at))
	case 2: // one is replaced
		node := d.stranger()
		d.change(at, pick(&d.dice, VoterChange, VoterChange, WitnessChange), node)
		d.change(later(), RemoveChange, d.target(at))
	case 3: // who leads leaves, and comes back
		node := d.target(at)
		d.change(at, RemoveChange, node)
		d.change(later(), pick(&d.dice, VoterChange, ObserverChange), node)
	case 4: // one node is this and that
		node := any()
		for range 2 + d.below(3) {
			d.change(at, kind(), node)
			at = later()
		}
	case 5: // two operators ask at once
		soon := at + d.between(0, t.Delay)
		d.change(at, kind(), any())
		d.change(soon, kind(), any())
	case 6: // all operators ask for anything
		for range 3 + d.below(5) {
			d.change(at, kind(), any())
			at += d.between(0, t.Patience)
		}
	default:
		d.change(at, pick(&d.dice, VoterChange, WitnessChange, AddressChange, RemoveChange, ForceChange, SwapChange), pick(&d.dice, any(), d.target(at)))
	}
}
