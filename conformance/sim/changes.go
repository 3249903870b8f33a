package sim

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

// Change is something that an operator wants of the members. From At on the operator asks whoever leads: it looks at the
// configuration that the leader has, and asks for the next one, which says so only if nobody else has changed it meanwhile
// (R47.2). It asks again, a few times, if nothing has come of it. When it is told that the change is settled it goes.
type Change struct {
	At   time.Duration
	Kind ChangeKind `json:"change"`
	Node spec.NodeID
	Rank uint16        // of a RankChange: which rank Node is to have
	Back time.Duration `never:"yes"` // of a RemoveChange: how long after its host has stopped the node runs again, with its old disk; 0: never
}

// ChangeKind names a change. The set is closed.
type ChangeKind string

const (
	// ObserverChange makes Node an observer; it adds it, if it is no member, and starts it, if its host has stopped.
	ObserverChange ChangeKind = "observer"
	// VoterChange makes Node a voter, in the same way.
	VoterChange ChangeKind = "voter"
	// WitnessChange makes Node a witness, in the same way.
	WitnessChange ChangeKind = "witness"
	// RemoveChange removes Node. If it leads it is made a witness first, and the next leader removes it (R47).
	RemoveChange ChangeKind = "remove"
	// AddressChange gives Node another address, if it is a member.
	AddressChange ChangeKind = "address"
	// RankChange gives Node another rank, if it is a member (R1).
	RankChange ChangeKind = "rank"
	// ForceChange removes Node, be it the leader that is asked, which may not remove itself (R47.5).
	ForceChange ChangeKind = "force"
	// SwapChange removes Node and adds another one, at once, which no leader may do (R47.4).
	SwapChange ChangeKind = "swap"
)

// changeKinds returns every kind of change.
func changeKinds() []ChangeKind {
	return []ChangeKind{ObserverChange, VoterChange, WitnessChange, RemoveChange, AddressChange, ForceChange, SwapChange, RankChange}
}

// valid reports whether k is one of changeKinds.
func (k ChangeKind) valid() bool { return slices.Contains(changeKinds(), k) }

// adds reports whether a change of this kind adds a node that is no member.
func (k ChangeKind) adds() bool { return spec.MemberKind(k).Valid() }

// String returns the change as a person would say it, with its time.
func (c Change) String() string { return c.At.String() + " " + c.words() }

func (c *Change) words() string {
	switch {
	case c.Kind == RemoveChange && c.Back > 0:
		return fmt.Sprintf("node %s is to be removed, and runs again %s after it has stopped", c.Node, c.Back)
	case c.Kind == RemoveChange:
		return fmt.Sprintf("node %s is to be removed", c.Node)
	case c.Kind == AddressChange:
		return fmt.Sprintf("node %s is to have another address", c.Node)
	case c.Kind == RankChange:
		return fmt.Sprintf("node %s is to have rank %d", c.Node, c.Rank)
	}
	switch c.Kind {
	case ForceChange:
		return fmt.Sprintf("node %s is to be removed, though it lead", c.Node)
	case SwapChange:
		return fmt.Sprintf("node %s is to be removed and another added, at once", c.Node)
	}
	return fmt.Sprintf("node %s is to be a member: %s", c.Node, c.Kind)
}

// changes reports whether members change.
func (p *Plan) changes() bool { return len(p.First) > 0 }

// configuration returns the first configuration, or none where members are fixed.
func (p *Plan) configuration() spec.Configuration {
	if !p.changes() {
		return spec.Configuration{}
	}
	c, _ := spec.NewConfiguration(0, 1, p.First) // it is valid, for the plan is
	return c
}

// first returns the configuration with which a node starts (R49).
func (p *Plan) first(id spec.NodeID) spec.Configuration {
	return check.FirstOf(p.configuration(), id)
}

// validateChanges says what is wrong with First and Changes.
func (p *Plan) validateChanges() error {
	if !p.changes() && len(p.Changes) > 0 {
		return wrong("Changes are %d, but must be none without First: members are fixed then", len(p.Changes))
	}
	for i, m := range p.First {
		if !slices.Contains(p.Members, m.ID) {
			return wrong("First[%d] is %s, which is no node", i, m.ID)
		}
		if i > 0 && p.First[i-1].ID.Compare(m.ID) >= 0 {
			return wrong("First[%d] is %s, but must be above %s: give them ascending, each once", i, m.ID, p.First[i-1].ID)
		}
	}
	if p.changes() {
		if _, err := spec.NewConfiguration(0, 1, p.First); err != nil {
			return wrong("First is not valid: %v", err)
		}
	}
	for i, c := range p.Changes {
		switch {
		case !c.Kind.valid():
			return wrong("Changes[%d].Kind is %q, which is no change", i, c.Kind)
		case c.At < 0 || c.At > p.Length:
			return wrong("Changes[%d].At is %v, but must be from 0 to Length, %v", i, c.At, p.Length)
		case i > 0 && c.At < p.Changes[i-1].At:
			return wrong("Changes[%d].At is %v, but must not be before that of the change before, %v", i, c.At, p.Changes[i-1].At)
		case !slices.Contains(p.Members, c.Node):
			return wrong("Changes[%d].Node is %s, which is no node", i, c.Node)
		case c.Rank > 0 && c.Kind != RankChange:
			return wrong("Changes[%d].Rank is %d, but must be 0 but for %s", i, c.Rank, RankChange)
		case c.Back < 0 || c.Back > longest || c.Back > 0 && c.Kind != RemoveChange:
			return wrong("Changes[%d].Back is %v, but must be from 0 to %v, and 0 but for %s", i, c.Back, longest, RemoveChange)
		}
	}
	return nil
}

// asked says what an operator who has seen this configuration of a leader asks it for: the next one; or nothing, if all is as
// it wants, or if it cannot be now: then there is nothing to ask for, and more to wait for.
func (p *Plan) asked(k int, seen spec.Configuration, leader spec.NodeID) (wanted spec.Configuration, there, waits bool) {
	c := &p.Changes[k]
	members := seen.Members()
	at := slices.IndexFunc(members, func(m spec.Member) bool { return m.ID == c.Node })
	kind := spec.MemberKind(c.Kind)
	if c.Node == leader && (c.Kind == RemoveChange || c.Kind == ObserverChange) {
		kind = spec.Witness // it hands over first
		waits = at >= 0 && members[at].Kind == kind
	}
	address := fmt.Sprintf("node-%s:%d", c.Node, k+1)
	switch {
	case waits:
		return wanted, false, true
	case at < 0 && !c.Kind.adds(), at >= 0 && c.Kind.adds() && members[at].Kind == kind, at >= 0 && c.Kind == AddressChange && members[at].Address == address,
		at >= 0 && c.Kind == RankChange && members[at].Rank == c.Rank:
		return wanted, true, false
	case at < 0:
		members = append(members, spec.Member{ID: c.Node, Kind: kind})
	case c.Kind == AddressChange:
		members[at].Address = address
	case c.Kind == RankChange:
		members[at].Rank = c.Rank
	case kind.Valid():
		members[at].Kind = kind
	default:
		members = slices.Delete(members, at, at+1)
	}
	if c.Kind == SwapChange {
		for _, id := range p.Members {
			if _, isMember := seen.Member(id); !isMember {
				members = append(members, spec.Member{ID: id, Kind: spec.Voter})
				break
			}
		}
	}
	wanted, err := spec.NewConfiguration(seen.Epoch, seen.Version+1, members)
	return wanted, false, err != nil // without a voter
}

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

// rankings draws ranks of the first members, and changes of ranks, where members change.
func (d *drawing) rankings() {
	if !d.plan.changes() {
		return
	}
	for k := range d.plan.First {
		d.plan.First[k].Rank = uint16(pick(&d.dice, 0, 0, 1, 2))
	}
	for range d.below(5) {
		d.plan.Changes = append(d.plan.Changes, Change{At: d.moment(), Kind: RankChange, Node: pick(&d.dice, d.plan.Members...),
			Rank: uint16(pick(&d.dice, 0, 1, 2, 3, spec.MaxRank))})
	}
	slices.SortStableFunc(d.plan.Changes, func(a, b Change) int { return cmp.Compare(a.At, b.At) })
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

// nonMember draws a node that is no first member, if there is one.
func (d *drawing) nonMember() spec.NodeID {
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
	kind := func() ChangeKind {
		return pick(&d.dice, slices.DeleteFunc(changeKinds(), func(k ChangeKind) bool { return k == RankChange })...)
	}
	switch d.below(8) {
	case 0: // a node joins: it follows first
		node := d.nonMember()
		d.change(at, ObserverChange, node)
		d.change(later(), pick(&d.dice, VoterChange, VoterChange, WitnessChange), node)
	case 1:
		d.change(at, RemoveChange, d.target(at))
	case 2: // one is replaced
		node := d.nonMember()
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
