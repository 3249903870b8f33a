package groups

import (
	"slices"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// A standing paces the elections that a node begins of itself where it keeps no lease. When thousands begin at once, as at a cold start, each of them takes as long as all do, and if that is
// longer than their timers, all fail, and begin again. So some are under way, and the others wait, in the order in which their timers have ended: first those that this node
// is to lead, as elsewhere (R37, Besides 1). How many that may be is learned, as TCP learns how much may be on its way: one more for each that was over soon, half as many when one fails, or is late.
//
// To the rules, a group that waits has a timer that ends late, which is safe (R37, Besides 3). It takes all that comes: one that hears of a leader does not stand any more, and one that is
// asked answers, and may stand for that.
//
// A group whose last election has failed waits among its like: it may fail for ever, as it has no quorum, and others do not wait for it. No election is under way for longer than its timers are, and who has waited longest is next:
// none waits for ever.
type standing struct {
	room    int // how many may be under way
	under   int // … and are
	waiting []*group
	halved  policy.Instant // when there came to be less room
}

const (
	firstRoom = 8
	mostRoom  = mostSteps
)

// paced reports whether at the end of a timer a node may stand that keeps no lease.
func paced(t policy.Timer) bool { return t == policy.CoordinatorTimer || t == policy.PatienceTimer }

// among returns the groups among which a group waits.
func (l *loop) among(g *group) *standing {
	if g.failed {
		return &l.standings[1]
	}
	return &l.standings[0]
}

// wait has a group wait until there is room, if it may stand now. Who keeps a lease does not wait: others keep it too, and no election succeeds before a quorum of them has stood (R8). Nor does
// who has been told of a death, as few are at once; but for a second attempt.
func (l *loop) wait(g *group) {
	ended := min(g.policy.Due[policy.CoordinatorTimer], g.policy.Due[policy.PatienceTimer])
	if g.waits || g.node == nil || g.held != nil || g.leader != none || g.mourns && !g.failed || l.watch.Now.Before(ended) {
		return
	}
	g.waits = true
	s := l.among(g)
	s.waiting = append(s.waiting, g)
}

// stand has groups stand for which there is room, and reports whether there are more.
func (l *loop) stand() (more bool) {
	for i := range l.standings {
		s := &l.standings[i]
		n := 0
		for ; n < min(len(s.waiting), mostSteps) && s.under < s.room && l.err == nil; n++ {
			g := s.waiting[n]
			if !g.waits {
				continue // it has heard of a leader
			}
			g.waits = false
			l.tick()
			l.endUrgent(g)
			l.endTimer(g, policy.CoordinatorTimer)
			l.endTimer(g, policy.PatienceTimer)
			l.settle(g)
		}
		s.waiting = slices.Delete(s.waiting, 0, n)
		more = more || len(s.waiting) > 0 && s.under < s.room
	}
	return more
}

// stands takes note of an election that a node stands in, when it begins, and when it is over for this node. That of who is paced otherwise takes no room.
func (l *loop) stands(g *group) {
	stands := (g.role == spec.Candidate || g.role == spec.Claimant) && !g.preempts && (g.failed || !g.mourns)
	switch {
	case stands && g.stands == nil:
		g.stands, g.stood = l.among(g), l.watch.Now
		g.stands.under++
	case !stands && g.stands != nil:
		g.stands.under--
		failed := g.role == spec.Follower && g.leader == none
		g.stands.learn(failed, l.watch.Now, g.stood, &l.config.Timing)
		g.stands, g.failed = nil, g.failed || failed
	}
	if g.leader != none {
		g.failed, g.waits = false, false
	}
}

// learn makes room for one more, if an election was as short as a message may be, or for half as many: for all that fail at the same time once.
func (s *standing) learn(failed bool, now, began policy.Instant, timing *policy.Timing) {
	switch took := now.After(began); {
	case !failed && took <= timing.Delay:
		s.room = min(s.room+1, mostRoom)
	case (failed || took > 2*timing.Delay) && now.After(s.halved) >= timing.Election:
		s.room, s.halved = max(s.room/2, 1), now
	}
}
