package host

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/seed-fdf591db/bully/impl/internal/membership"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// A set is a set of members, by their place in the ascending list of all.
type set = policy.Set

// links is what is known of the other members. The loop changes it; Status reads it meanwhile. Who they are does not
// change: where members come and go, the loop makes other links.
type links struct {
	members  []spec.NodeID  // ascending, this node among them whether it is a member or not
	who      policy.Peers   // who they are; Up and Dead are for the policy to know
	up, dead atomic.Uint64  // sets, as the policy has them
	lost     atomic.Uint64  // the set of those that have lost their disks
	heard    []atomic.Int64 // when a message came last, in ns since 1970; 0 if none ever did
	backed   []instant      // the loop's alone: when each last acknowledged this node as the leader of its epoch, whichever; never if it has not
}

// newLinks returns the links of a node of fixed members: each votes and may lead.
func newLinks(id spec.NodeID, members []spec.NodeID) *links {
	l := &links{members: slices.SortedFunc(slices.Values(members), spec.NodeID.Compare)}
	l.prepare(id, l.all(), l.all(), nil)
	return l
}

// linksOf returns the links of a node of changing members, in a configuration.
func linksOf(id spec.NodeID, c spec.Configuration) *links {
	l := &links{}
	for _, m := range c.Members() {
		l.members = append(l.members, m.ID)
	}
	if at, found := slices.BinarySearchFunc(l.members, id, spec.NodeID.Compare); !found {
		l.members = slices.Insert(l.members, at, id)
	}
	var electors, voters set
	for _, m := range c.Members() {
		if m.Kind != spec.Observer {
			electors |= l.one(m.ID)
		}
		if m.Kind == spec.Voter {
			voters |= l.one(m.ID)
		}
	}
	l.prepare(id, electors, voters, func(i, j int) bool { return c.Higher(l.members[i], l.members[j]) })
	return l
}

// kindOfMember returns the kind of a member, and "" for who is none.
func kindOfMember(c spec.Configuration, id spec.NodeID) spec.MemberKind {
	m, _ := c.Member(id)
	return m.Kind
}

// prepare makes room for what is known of each member.
func (l *links) prepare(id spec.NodeID, electors, voters set, higher func(i, j int) bool) {
	l.heard, l.backed = make([]atomic.Int64, len(l.members)), make([]instant, len(l.members))
	for i := range l.backed {
		l.backed[i] = never
	}
	l.who = policy.NewPeers(l.place(id), l.all(), electors, voters, higher)
}

// all returns the set of all members, and of this node.
func (l *links) all() set { return 1<<len(l.members) - 1 }

// inherit takes over from older links what is known of those who are in both.
func (l *links) inherit(old *links) {
	for i, id := range l.members {
		if j := old.place(id); j >= 0 {
			l.heard[i].Store(old.heard[j].Load())
			l.backed[i] = old.backed[j]
			l.lost.Or(old.lost.Load() >> j & 1 << i)
		}
	}
}

// translate returns a set of old links as one of these; those who are no members any more are left out.
func (l *links) translate(old *links, s set) (t set) {
	for j, id := range old.members {
		if s.Has(j) {
			t |= l.one(id)
		}
	}
	return t
}

// place returns the place of a member, or -1.
func (l *links) place(id spec.NodeID) int {
	return slices.Index(l.members, id)
}

// at returns the place of a node as a policy has it.
func (l *links) at(id spec.NodeID) int {
	if i := l.place(id); i >= 0 {
		return i
	}
	if id.IsNone() {
		return policy.None
	}
	return policy.NonMember
}

// one returns the set of a member alone, and the empty one for none and for a non-member.
func (l *links) one(id spec.NodeID) set { return policy.One(l.place(id)) }

// backs reports whether the support of a node, and itself, are a quorum (R3, R42).
func (l *links) backs(s *spec.State) bool {
	if l.who.Electors.Size() == len(l.members) { // all support counts
		return 2*(len(s.Support)+1) > len(l.members)
	}
	backing := policy.One(l.who.Me)
	for _, id := range s.Support {
		backing |= l.one(id)
	}
	return membership.IsQuorum(backing, l.who.Electors)
}

// isDead returns those that are proved dead: their programs have ended, and nothing has come from them since.
func (l *links) isDead() set { return set(l.dead.Load()) }

// isUp returns those that we are connected to.
func (l *links) isUp() set { return set(l.up.Load()) }

// show lets Status see which links a policy knows of.
func (l *links) show(p *policy.Peers) {
	l.up.Store(uint64(p.Up))
	l.dead.Store(uint64(p.Dead))
}

func (l *links) heardFrom(i int, now time.Time) { l.heard[i].Store(now.UnixNano()) }

// status returns what is known of a member.
func (l *links) status(i int, now time.Time) LinkStatus {
	s := LinkStatus{Node: l.members[i], Up: l.isUp().Has(i), Dead: l.isDead().Has(i), LostDisk: set(l.lost.Load()).Has(i), LastHeardMS: -1}
	if at := l.heard[i].Load(); at != 0 {
		s.LastHeardMS = max(now.UnixNano()-at, 0) / int64(time.Millisecond)
	}
	return s
}

// lostDisk takes note that another node does not remember what it has said. The transport does not connect it, so that it is not
// heeded; people must be told.
func (h *Host) lostDisk(i int, node spec.NodeID) {
	if i >= 0 {
		h.links.lost.Or(uint64(policy.One(i)))
	}
	h.counters.lostDisks.Add(1)
	h.config.Logger.Error("a node is not heeded: its disk is lost, or an old copy, or two nodes run under this id. Look at its folder with bully repair",
		slog.String("lost", node.String()))
}

// disowned stops for good, as another node remembers more of this one than its record does: it may have made promises that it does not
// know of (R32). The record is put out of use, lest it be taken for good when those who remember do not run.
func (h *Host) disowned(by spec.NodeID) {
	err := fmt.Errorf("%w: node %v remembers what it has said after its record was written, or two nodes run under this id", ErrLostDisk, by)
	if h.changing() {
		err = fmt.Errorf("%w, or its id belongs to another disk: join under a new id, and replace it by that", err)
	}
	if store, ok := h.config.Storage.(disowner); ok {
		h.watched.mayStandStill()
		err = errors.Join(err, store.Disown())
	}
	h.fail("asking the others who it was", err)
}

// remembersAll returns an error if the transport tells of another record than there is: then this node would be disowned without need.
func (h *Host) remembersAll(promise spec.Durable) error {
	links, ok := h.config.Transport.(rememberer)
	if ok && links.Record() != promise {
		return fmt.Errorf("the record is %+v, and the transport was told %+v: give transport.Config.Record what Storage.Load returns",
			promise, links.Record())
	}
	return nil
}

// remembers notes that a member is one that has its disk.
func (l *links) remembers(i int) { l.lost.And(^uint64(policy.One(i))) }
