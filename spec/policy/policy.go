// Package policy decides when the timers of a node end, within the bounds of R36 and R37. It is what hosts run, and what is
// simulated: it has no clock, no network and no goroutine, and draws random numbers from what it is given. So the same calls
// make the same waits.
//
// A host makes a [Policy] for its node, and tells it of every step ([Policy.Follow]) and of what it learns of the others
// ([Policy.Connected], [Policy.Broken], [Policy.Heard], [Policy.Proved]), and of a suspension ([Policy.Slept]). After each call
// [Policy.Due] says when each timer ends. One that ends is taken out ([Policy.Ended]) before its end is given to the node:
//
//	p := policy.New(policy.LAN(), rand.New(rand.NewPCG(1, 2)), peers)
//	for {
//		now := ... // when a message has come, or the first of p.Due has ended
//		p.Follow(&policy.Step{Began: before, Now: now, Action: ..., Arm: ..., Role: ..., Leader: ..., Latest: ..., Dated: ..., ...})
//		if p.ElectionOver(hasQuorum) {
//			p.Ended(policy.ElectionTimer) // and its end is given to the node
//		}
//	}
//
// Who the members are it is told by places, in an order that the host keeps: see [Peers]. What it knows beside the state of the
// node only ever makes timers longer than their bounds, or shorter where nothing is waited for any more; so it may be wrong.
//
// # Detectors
//
// How long a follower waits for its silent leader may be said by a detector, which judges from arrivals ([Step].Patience). The rules let a host
// use any: a timer that ends early costs no promise but OneActing, and a late one costs time only; and Patience is never below that of
// the Timing, which is bound d. There are two. [Fixed] waits for the same time always. [Phi] learns from the arrivals and waits longer where they are
// irregular; its Patience is a formula, so that the host sets one timer, and polls nothing:
//
//	if p.HeldUp(now) > 0 { // this node did not run; others may be well
//		phi.Paused(... 2*heartbeat later) // what is queued is taken, and the next heartbeat arrives
//	}
//	... // when a step has acknowledged a leader:
//	if leader != last { // somebody new is followed
//		phi.Reset()
//	}
//	phi.Heard(now)
//	step.Patience = phi.Patience(now)
//
// What makes detectors flap in the field, and what is done about it here:
//
//   - Regular arrivals make a deviation near zero, and then the first hiccup is a suspicion: MinDeviation, and Floor,
//     which is bound d of R37.
//   - One pause of 15 s is learned, and detection is slow for a thousand heartbeats: a gap after a suspicion is not learned.
//   - Nothing learned of such gaps, a node that has become slower for good is suspected at every heartbeat: each suspicion
//     that proves false doubles the patience (Chandra and Toueg 1996), and a window of arrivals in time takes one
//     doubling back.
//   - A node that dies before its first arrival is never suspected: the wait begins with the first Patience, and
//     two samples that were never measured stand in for the window.
//   - The node itself did not run, and suspects all others when it wakes: its loop puts suspicion off.
//   - Whoever was stopped or suspended finds a queue of arrivals, and learns intervals of nothing: Paused.
//   - Phi becomes infinite and breaks what prints it: here it is finite for every time there is.
//
// # Sources
//
// Hayashibara, Défago, Yared and Katayama: The φ accrual failure detector. SRDS 2004. The threshold of 8, the window of
// 1000, the least deviation, the bootstrap of mean ± mean/4 and not learning after a suspicion are those of Akka's
// PhiAccrualFailureDetector; the guard against local pauses is that of Cassandra's FailureDetector. That a node should
// doubt itself before others: Dadgar, Phillips and Currey, Lifeguard, 2017. That patience must grow with mistakes:
// Chandra and Toueg, Unreliable failure detectors for reliable distributed systems, JACM 43(2), 1996.
package policy

import (
	"math/bits"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// Random is where random numbers come from; a rand.Rand of math/rand/v2 is one.
type Random interface {
	// Int64N returns a number from 0 to below n, which is above 0.
	Int64N(n int64) int64
}

// Policy decides when the timers of one node end. Make one with New, and another when the node restarts: a host forgets too.
type Policy struct {
	// Due says when each timer ends. A host that leaves a timer to somebody else may change its end.
	Due Ends

	timing Timing
	random Random
	peers  Peers

	role     spec.Role // as of the last step
	leader   int
	attempts int     // candidacies since a leader was last known
	preempts int     // pre-emptions since this node last led, or followed a higher one
	fresh    bool    // the node has started for the first time, and nothing has happened since
	rest     Instant // without a lease: when the first of all nodes should stand
	freed    Set     // whose lease was released last: it is not waited for
	answered Set     // of a candidate: who has answered it
	assented Set     // of an electing node: whom it has said ASSENT
	asked    asked   // of a claimant and a leader: when it has asked what
	latest   spec.Question
	deferred deferred
	hold     Instant       // the node stands against no lower leader before; 0 for at any time (R51)
	slept    time.Duration // since HeldUp was asked last
}

// New returns the policy of a node that is about to start. The timing keeps its bounds, or waits mean nothing.
func New(t Timing, r Random, p Peers) Policy {
	n := Policy{timing: t, random: r, peers: p, leader: None, rest: Never}
	for timer := range n.Due {
		n.Due[timer] = Never
	}
	return n
}

// Step is a step that a node has taken: what it was given, and what came of it.
type Step struct {
	// Began is when the clock was read last before the step: no later than anything that the step asks. Claims and reigns run from
	// there.
	Began Instant
	// Now is when the clock was read after the step, when its promise is on disk: no earlier than anything that it answers. Patience
	// runs from there.
	Now         Instant
	Action      spec.Action
	Names       bool // the message is a RESIGN that names another node, which is to stand first (R51)
	From        int  // who sent the message that was taken, or None, or NonMember
	Sent        []spec.Message
	Cancel, Arm spec.TimerSet // see R36
	Role        spec.Role     // after it
	Leader      int           // whose lease is kept after it, or None, or NonMember
	Latest      spec.Question // the latest number that the node has used, after it (R50)
	Dated       spec.Question // of a leader, after it: the question that its reign is dated from (R26)
	Patience    time.Duration // what a detector says of the leader that was acknowledged, or 0
}

// assents reports whether the node answers with an ASSENT.
func (s *Step) assents() bool { return len(s.Sent) > 0 && s.Sent[0].Type == spec.Assent }

// Peers returns what is known of the others.
func (p *Policy) Peers() *Peers { return &p.peers }

// Ended takes out a timer whose end is given to the node.
func (p *Policy) Ended(t Timer) { p.Due[t] = Never }

// Follow sets and stops timers after a step (R36).
func (p *Policy) Follow(s *Step) {
	for set := s.Cancel; set != 0; set &= set - 1 {
		p.Due[bits.TrailingZeros8(uint8(set))] = Never
	}
	p.learn(s)
	p.asks(s)
	for set := s.Arm; set != 0; set &= set - 1 {
		t := Timer(bits.TrailingZeros8(uint8(set)))
		p.Due[t] = p.due(t, s)
	}
	if s.Role == spec.Follower && s.Leader == None {
		p.rests(s)
	}
	if p.assentsAgain(s) {
		p.Due[CoordinatorTimer] = p.due(CoordinatorTimer, s)
	}
	p.role, p.leader = s.Role, s.Leader
}

// learn keeps what the policy knows up to date with a step.
func (p *Policy) learn(s *Step) {
	if released := One(p.leader) & p.peers.Others; released != 0 && s.Leader != p.leader {
		p.freed = released
	}
	if s.Action == spec.PreemptTimeout {
		p.preempts++
	}
	switch s.Role {
	case spec.Leader:
		p.attempts, p.preempts, p.fresh = 0, 0, false
	case spec.Follower:
		if s.Leader != None {
			p.attempts, p.fresh, p.freed = 0, false, 0
			if One(s.Leader)&p.peers.Higher != 0 {
				p.preempts = 0
			}
		}
	case spec.Candidate:
		p.stands(s)
	case spec.Electing:
		p.elects(s)
	}
}

// stands keeps up to date what is known of a candidacy.
func (p *Policy) stands(s *Step) {
	if p.role != spec.Candidate || ElectionTimer.in(s.Arm) {
		p.attempts++
		p.fresh, p.answered = false, 0
	}
	switch s.Action {
	case spec.OnOk, spec.OnAssent, spec.OnRefuse:
		p.answered |= One(s.From)
	}
}

// elects keeps up to date whom an electing node has assented to.
func (p *Policy) elects(s *Step) {
	if CoordinatorTimer.in(s.Arm) && p.role != spec.Electing {
		p.assented, p.fresh = 0, false
	}
}

// asks keeps up to date when a claimant and a leader have asked what. A claim takes a number of its own: it is the first question
// that counts (R16).
func (p *Policy) asks(s *Step) {
	switch {
	case s.Role == spec.Leader:
		p.asked.note(s.Latest, s.Began)
		p.asked.forget(s.Dated)
	case s.Role != spec.Claimant:
		p.asked.count = 0
	case s.Latest != p.latest:
		p.asked.count = 0
		p.asked.note(s.Latest, s.Began)
	}
	p.latest = s.Latest
}

// due returns when a timer that is armed after a step ends.
func (p *Policy) due(t Timer, s *Step) Instant {
	switch t {
	case ReignTimer:
		return p.asked.at(s.Dated, s.Began-Instant(p.timing.Reign)).Add(p.timing.Reign)
	case ClaimTimer:
		return s.Began.Add(p.timing.Claim)
	case HeartbeatTimer:
		if p.role != spec.Leader { // its first question is the CLAIM, which the COORDINATOR repeats
			return max(s.Now, p.asked.at(s.Dated, s.Began).Add(p.timing.Heartbeat))
		}
		return s.Began.Add(p.timing.Heartbeat)
	case ElectionTimer:
		return s.Now.Add(p.timing.Election)
	case CoordinatorTimer:
		if s.Leader != None {
			return s.Now.Add(p.timing.Coordinator + p.afterLeases(s.Leader) + p.parting())
		}
		return s.Now.Add(p.timing.Coordinator + p.stagger() + p.backoff())
	case PreemptTimer:
		return p.preemption(s.Now)
	}
	return s.Now.Add(max(p.timing.Patience, s.Patience) + p.afterLeases(s.Leader))
}

// rests sets the patience of a follower that keeps no lease, if it has just become one. It bounds nothing, and so may be
// short: nobody acts whom the node has vowed to wait for. That of a member that may not lead is never short: it ends in
// IM_BACK, for which there is time until those who may lead have tried (R46).
func (p *Policy) rests(s *Step) {
	switch {
	case s.Names && One(p.leader)&p.peers.Others != 0: // it waits for that one as for any leader
		p.rest = s.Now.Add(p.timing.Patience)
	case One(p.leader)&p.peers.Others != 0 && p.peers.Stands && s.Action != spec.RestartAction: // a release; the others hear of it too, see Defers
		p.rest = s.Now
	case !PatienceTimer.in(s.Arm):
		return
	case s.Action == spec.StartAction:
		p.fresh = p.peers.Asked() != 0
		switch {
		case !p.fresh:
			p.rest = s.Now
		case p.peers.Asked()&^p.peers.Up == 0:
			p.rest = s.Now.Add(p.timing.heard())
		default: // the others are started one after the other
			p.rest = s.Now.Add(2 * p.timing.Patience)
		}
	case s.Action == spec.ResignAction: // the others come first
		p.rest = s.Now.Add(p.timing.Patience)
	case p.role == spec.Candidate || p.role == spec.Claimant:
		p.attempts = max(p.attempts, 1)
		p.rest = s.Now.Add(p.backoff())
	default: // such as a leader that has lost its quorum: R36.6 lets it wait no less than any other
		p.rest = s.Now.Add(p.timing.Patience)
	}
	if p.Due[PatienceTimer] != Never { // who is no member waits for nothing (R46)
		p.Due[PatienceTimer] = p.rest.Add(p.stagger())
	}
}

// assentsAgain reports whether an electing node has said ASSENT to one more: that one needs its time too (R36.5).
func (p *Policy) assentsAgain(s *Step) bool {
	if s.Role != spec.Electing || !s.assents() {
		return false
	}
	from := One(s.From)
	again := p.role == spec.Electing && p.assented&from == 0 && !CoordinatorTimer.in(s.Arm)
	p.assented |= from
	return again
}
