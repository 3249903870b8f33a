package host

import (
	"math/rand/v2"
	"time"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/detector"
	"github.com/seed-fdf591db/bully/spec"
)

// policy decides how long timers run, within R36 and R37. What it knows beside the state of the node only ever makes
// timers longer than their bounds, or shorter where nothing is waited for any more; so it may be wrong.
type policy struct {
	timing Timing
	rand   *rand.Rand
	links  *links
	timers timers

	attempts int     // candidacies since a leader was last known
	preempts int     // pre-emptions since this node last led, or followed a higher one
	fresh    bool    // the node has started for the first time, and nothing has happened since
	rest     instant // without a lease: when the first of all nodes should stand
	freed    set     // whose lease was released last: it is not waited for
	answered set     // of a candidate: who has answered it
	awaited  set     // of an electing node: whom it has given way to
	assented set     // of an electing node: whom it has said ASSENT
}

// stepped is a step that a policy is told of.
type stepped struct {
	in            spec.Input
	out           *bully.Output
	before, after *spec.State
	now           instant
	patience      time.Duration // what the detector says, if a leader was acknowledged
}

// follow sets and stops timers after a step (R36).
func (p *policy) follow(s stepped) {
	for t := range s.out.Cancel.All() {
		p.timers[kindOf(t)] = never
	}
	p.learn(s)
	for t := range s.out.Arm.All() {
		p.timers[kindOf(t)] = p.due(kindOf(t), s)
	}
	if s.after.Role == spec.Follower && s.after.Leader.IsNone() {
		p.restPatience(s)
	}
	if p.assentsAgain(s) {
		p.timers[coordinator] = p.due(coordinator, s)
	}
}

// learn keeps what the policy knows up to date with a step.
func (p *policy) learn(s stepped) {
	from := p.links.one(s.in.Message.From)
	if released := p.links.one(s.before.Leader) & p.links.others; released != 0 && s.after.Leader != s.before.Leader {
		p.freed = released
	}
	if s.out.Action == spec.PreemptTimeout {
		p.preempts++
	}
	switch s.after.Role {
	case spec.Leader:
		p.attempts, p.preempts, p.fresh = 0, 0, false
	case spec.Follower:
		if !s.after.Leader.IsNone() {
			p.attempts, p.fresh, p.freed = 0, false, 0
			if p.links.one(s.after.Leader)&p.links.higher != 0 {
				p.preempts = 0
			}
		}
	case spec.Candidate:
		if s.before.Role != spec.Candidate || s.out.Arm.Has(spec.ElectionTimer) {
			p.attempts++
			p.fresh, p.answered = false, 0
		}
		switch s.out.Action {
		case spec.OnOk, spec.OnAssent, spec.OnRefuse:
			p.answered |= from
		}
	case spec.Electing:
		if s.out.Arm.Has(spec.CoordinatorTimer) && s.before.Role != spec.Electing {
			p.awaited, p.assented, p.fresh = 0, 0, false
		}
		if s.out.Action == spec.OnOk || sends(s.out, spec.Assent) {
			p.awaited |= from & p.links.higher
		}
	}
}

// sends reports whether a step answers with a message of type t.
func sends(out *bully.Output, t spec.MessageType) bool {
	return len(out.Send) > 0 && out.Send[0].Type == t
}

// due returns when a timer that is armed after a step ends.
func (p *policy) due(kind int, s stepped) instant {
	switch kind {
	case quorum:
		return s.now.add(p.timing.Quorum)
	case claim:
		return s.now.add(p.timing.Claim)
	case beat:
		return s.now.add(p.timing.Beat)
	case election:
		return s.now.add(p.timing.Election)
	case coordinator:
		if !s.after.Leader.IsNone() {
			return s.now.add(p.timing.Coordinator + p.afterLeases(s.after.Leader) + p.parting())
		}
		return s.now.add(p.timing.Coordinator + p.stagger() + p.backoff())
	case preempt:
		return p.preemption(s.now)
	}
	return s.now.add(max(p.timing.Heartbeat, s.patience) + p.afterLeases(s.after.Leader))
}

// afterLeases returns how much longer than the others a node keeps a lease: only the one that comes next does, by half a
// Delay. Whoever keeps the lease still refuses the next one's ELECTION, and a lease ends only by standing (R8, R15). So
// to stagger the ends of leases, highest first, would make the highest ask in vain until a quorum of lower ones has stood
// too. Instead all stand, about when the lease ends, and the highest a little later, to be answered by ASSENT at once;
// if it is not there, the next lower one stands already. Without a lease, patience is staggered as R37 says: see stagger.
func (p *policy) afterLeases(holder spec.NodeID) time.Duration {
	if p.links.higher&^p.links.isDead()&^p.links.one(holder) == 0 {
		return p.timing.Delay / 2
	}
	return 0
}

// preemption returns when a follower of a lower node stands: ever later if it has been in vain (R9, L11).
func (p *policy) preemption(now instant) instant {
	if p.timing.Preempt < 0 {
		return never
	}
	wait := p.timing.Preempt
	if p.preempts > 0 {
		wait = max(wait, p.timing.Heartbeat) << min(p.preempts, maxPreemptShift)
		wait += p.jitter(wait / 4)
	}
	return now.add(min(wait, maxTiming))
}

// maxPreemptShift bounds the wait before a pre-emption at 64 times the first.
const maxPreemptShift = 6

// restPatience sets the patience of a follower that keeps no lease, if it has just become one. It bounds nothing, and
// so may be short: nobody acts whom the node has vowed to wait for. That of a member that may not lead is never short: it
// ends in IM_BACK, for which there is time until those who may lead have tried (R46).
func (p *policy) restPatience(s stepped) {
	released := !s.before.Leader.IsNone() && s.before.Leader != s.after.Leader && p.links.one(s.before.Leader)&p.links.others != 0
	switch {
	case released && p.links.stands && s.out.Action != spec.RestartAction:
		p.rest = s.now.add(p.timing.Settle)
	case !s.out.Arm.Has(spec.HeartbeatTimer):
		return
	case s.out.Action == spec.StartAction:
		p.fresh = p.links.asked() != 0
		p.rest = s.now
		if p.fresh {
			p.rest = s.now.add(p.timing.Heartbeat)
		}
	case s.out.Action == spec.ResignAction: // the others come first
		p.rest = s.now.add(p.timing.Heartbeat)
	case s.before.Role == spec.Candidate || s.before.Role == spec.Claimant:
		p.attempts = max(p.attempts, 1)
		p.rest = s.now.add(p.backoff())
	default: // such as a leader that has lost its quorum: R36.6 lets it wait no less than any other
		p.rest = s.now.add(p.timing.Heartbeat)
	}
	if p.timers[heartbeat] != never { // who is no member waits for nothing (R46)
		p.timers[heartbeat] = p.rest.add(p.stagger())
	}
}

// stagger returns how long this node, which keeps no lease, lets higher ones stand first: once Stagger for each that may
// (R37, Besides 1). Those that are dead, and the one whose lease was released last, will not.
func (p *policy) stagger() time.Duration {
	before := p.links.higher &^ p.links.isDead() &^ p.freed
	return detector.Stagger(before.size(), p.timing.Stagger)
}

// maxDoublings keeps a wait from overflowing; the greatest is reached long before.
const maxDoublings = 20

// backoff returns how long to wait after attempts that failed: twice as long after each, about, from a quarter
// of Stagger to four times Heartbeat (R37, Besides 5). It is jittered, so that two that disturb each other part.
func (p *policy) backoff() time.Duration {
	if p.attempts == 0 {
		return 0
	}
	wait := p.timing.firstBackoff()
	for range min(p.attempts-1, maxDoublings) {
		wait *= 2
	}
	wait = min(wait, max(4*p.timing.Heartbeat, p.timing.firstBackoff()))
	return wait/2 + p.jitter(wait/2)
}

// parting returns how much longer than T_coord a node waits that has stood in vain more than once. Two nodes whose T_coord
// ends within one Delay of each other can refuse each other's claims for ever (L13).
func (p *policy) parting() time.Duration {
	if p.attempts < 2 {
		return 0
	}
	return p.backoff()
}

// jitter returns a random time below d.
func (p *policy) jitter(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return time.Duration(p.rand.Int64N(int64(d)))
}

// assentsAgain reports whether an electing node has said ASSENT to one more: that one needs its time too (R36.5).
func (p *policy) assentsAgain(s stepped) bool {
	if s.after.Role != spec.Electing || !sends(s.out, spec.Assent) {
		return false
	}
	from := p.links.one(s.in.Message.From)
	again := s.before.Role == spec.Electing && p.assented&from == 0 && !s.out.Arm.Has(spec.CoordinatorTimer)
	p.assented |= from
	return again
}

// electionOver reports whether a candidate need not wait for T_elec: everybody has answered who can, which is what T_elec
// waits for; or nobody can say OK, and it may claim (R37, Besides 2).
func (p *policy) electionOver(s *spec.State) bool {
	if s.Role != spec.Candidate {
		return false
	}
	dead := p.links.isDead()
	if p.links.asked()&^p.answered&^dead == 0 {
		return true
	}
	return p.links.higher&^dead == 0 && p.links.backs(s)
}

// died shortens what waits for a node that is proved dead. Its lease is over by the time of the call (R41).
func (p *policy) died(s *spec.State, now instant) {
	soon := now.add(p.timing.Settle + p.stagger())
	switch {
	case s.Role == spec.Follower && s.Leader.IsNone() && !p.fresh && p.links.stands:
		p.timers.soonest(heartbeat, max(p.rest.add(p.stagger()), soon))
	case s.Role == spec.Electing && s.Leader.IsNone() && p.awaited != 0 && p.awaited&^p.links.isDead() == 0:
		p.timers.soonest(coordinator, soon) // who had it in hand does not deliver
	}
}

// connected shortens what waits for connections: at a first start, until all are there; after attempts that failed, until
// there is one more. Then a leader is waited for first, who will be heard within a beat or so: where a link comes and goes,
// the highest node follows before it pre-empts, and the stability window is kept (B17).
func (p *policy) connected(s *spec.State, now instant) {
	if s.Role != spec.Follower || !p.links.stands {
		return
	}
	switch {
	case !s.Leader.IsNone():
		if p.preempts > 0 { // what made pre-emption fail may have gone
			p.preempts = 0
			p.timers.soonest(preempt, p.preemption(now))
		}
		return
	case p.fresh && p.links.asked()&^p.links.isUp() == 0: // a leader, if there is one, is heard within this time (bound c)
		p.rest = min(p.rest, now.add(p.timing.Quorum))
	case !p.fresh && p.attempts > 0:
		p.rest = min(p.rest, now.add(2*p.timing.Beat+p.jitter(p.timing.Beat)))
	default:
		return
	}
	p.timers.soonest(heartbeat, p.rest.add(p.stagger()))
}

// reconfigure takes other links for those it has: the members have changed. A candidate that has answered, and is no
// elector any more, is not waited for.
func (p *policy) reconfigure(l *links) {
	for _, s := range []*set{&p.freed, &p.answered, &p.awaited, &p.assented} {
		*s = l.translate(p.links, *s)
	}
	p.links = l
}

// woke puts off what waits for others, after the loop was held up: what they have sent may not have been read yet.
// Being late is safe (R37, Besides 3).
func (p *policy) woke(now instant) {
	for _, kind := range []int{heartbeat, coordinator} {
		if p.timers[kind] != never {
			p.timers[kind] = max(p.timers[kind], now.add(2*p.timing.Beat))
		}
	}
	if p.timers[election] != never {
		p.timers[election] = max(p.timers[election], now.add(p.timing.Delay))
	}
}
