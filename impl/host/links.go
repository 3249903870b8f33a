package host

import (
	"math/bits"
	"slices"
	"sync/atomic"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// A set is a set of members, by their place in the ascending list of all.
type set uint64

func (s set) has(i int) bool { return s>>i&1 == 1 }
func (s set) with(i int) set { return s | 1<<i }
func (s set) size() int      { return bits.OnesCount64(uint64(s)) }

// links is what is known of the other members. The loop changes it; Status reads it meanwhile.
type links struct {
	members  []spec.NodeID // ascending
	me       int
	others   set
	higher   set
	up, dead atomic.Uint64  // sets
	heard    []atomic.Int64 // when a message came last, in ns since 1970; 0 if none ever did
}

func newLinks(id spec.NodeID, members []spec.NodeID) *links {
	l := &links{members: slices.SortedFunc(slices.Values(members), spec.NodeID.Compare), heard: make([]atomic.Int64, len(members))}
	l.me = l.place(id)
	for i := range l.members {
		if i != l.me {
			l.others = l.others.with(i)
		}
		if i > l.me {
			l.higher = l.higher.with(i)
		}
	}
	return l
}

// place returns the place of a member, or -1.
func (l *links) place(id spec.NodeID) int {
	return slices.Index(l.members, id)
}

// one returns the set of a member alone, and the empty one for none and for a stranger.
func (l *links) one(id spec.NodeID) set {
	if i := l.place(id); i >= 0 {
		return set(0).with(i)
	}
	return 0
}

// backs reports whether the support of a node, and itself, are a quorum (R3).
func (l *links) backs(s *spec.State) bool { return 2*(len(s.Support)+1) > len(l.members) }

// isDead returns those that are proved dead: their programs have ended, and nothing has come from them since.
func (l *links) isDead() set { return set(l.dead.Load()) }

// isUp returns those that we are connected to.
func (l *links) isUp() set { return set(l.up.Load()) }

func (l *links) connected(i int) {
	l.up.Or(1 << i)
	l.dead.And(^(uint64(1) << i))
}

func (l *links) broken(i int) { l.up.And(^(uint64(1) << i)) }

func (l *links) died(i int) {
	l.broken(i)
	l.dead.Or(1 << i)
}

func (l *links) heardFrom(i int, now time.Time) {
	l.heard[i].Store(now.UnixNano())
	l.dead.And(^(uint64(1) << i))
}

// status returns what is known of a member.
func (l *links) status(i int, now time.Time) LinkStatus {
	s := LinkStatus{Node: l.members[i], Up: l.isUp().has(i), Dead: l.isDead().has(i), LastHeardMS: -1}
	if at := l.heard[i].Load(); at != 0 {
		s.LastHeardMS = max(now.UnixNano()-at, 0) / int64(time.Millisecond)
	}
	return s
}
