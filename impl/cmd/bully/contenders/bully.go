package contenders

import (
	"fmt"
	"strconv"
	"time"

	"github.com/seed-fdf591db/bully/conformance/contest"
	"github.com/seed-fdf591db/bully/conformance/sim/world"
	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

// Bully is our own protocol: package bully, with a host that waits as R36 and R37 say, and proves nobody dead.
func Bully() contest.Algorithm {
	a := contest.Algorithm{
		Name: "bully", Title: "Bully with epochs and quorum (ours)", MaxNodes: bully.MaxMembers, Epochs: true, Fences: true,
		Upkeep: []string{string(spec.Heartbeat), beatAck}, New: newBully,
	}
	for k, t := range spec.Timers() {
		a.Timers = append(a.Timers, string(t))
		if t == spec.QuorumTimer || t == spec.ClaimTimer {
			a.Urgent |= 1 << k // R37, Besides 3
		}
	}
	return a
}

// BullySticky is ours without pre-emption: a higher node lets a lower one lead for as long as it does so well (R9).
func BullySticky() contest.Algorithm {
	a := Bully()
	a.Name, a.Title = "bully-sticky", "Ours, without pre-emption"
	a.New = func(c contest.Config) contest.Node {
		n := newBully(c).(*bullyNode)
		n.timing.Preempt = -1
		return n
	}
	return a
}

// beatAck is an ACK of a HEARTBEAT: what a reign costs. That of a COORDINATOR is part of what an election costs.
const beatAck = "ACK of HEARTBEAT"

// Timing is a host.Timing, field for field. Package host has a network with it, which a web page that plays has no room for.
type Timing struct {
	Delay                                                                           time.Duration
	Drift                                                                           float64
	Beat, Quorum, Heartbeat, Election, Coordinator, Claim, Stagger, Settle, Preempt time.Duration
}

// BullyTiming derives the timers of R36 from the timing that all algorithms are given, as the profiles of package host do.
func BullyTiming(t contest.Timing) Timing {
	return Timing{
		Delay: t.Delay, Drift: 0.01, Beat: t.Beat, Quorum: (t.Patience*99/100-3*t.Delay)*99/200 - time.Millisecond, Heartbeat: t.Patience,
		Election: 2*t.Delay + time.Millisecond, Coordinator: t.Patience, Claim: 4*t.Delay + 2*time.Millisecond,
		Stagger: 2*t.Delay + time.Millisecond, Preempt: t.Cooldown,
	}
}

// bullyNode is the core and its host.
type bullyNode struct {
	core    *bully.Node
	config  contest.Config
	timing  Timing
	members []spec.NodeID
	now     spec.State
	kinds   map[spec.Timer]contest.Timer

	attempts int    // how often it has stood since a leader was last known
	preempts int    // pre-emptions since it last led, or followed a higher node
	answered uint64 // of a candidate: who has answered, a bit for each id
	assented uint64 // of an electing node: whom it has said ASSENT
	last     bullyStep
	spare    []spec.NodeID // the memory of the support before the last step
}

func newBully(c contest.Config) contest.Node {
	n := &bullyNode{config: c, timing: BullyTiming(c.Timing), kinds: map[spec.Timer]contest.Timer{}}
	for i := range c.Nodes {
		n.members = append(n.members, spec.IntegerID(uint64(i+1)))
	}
	for k, t := range spec.Timers() {
		n.kinds[t] = contest.Timer(k)
	}
	core, err := bully.New(n.members[c.ID-1], n.members)
	if err != nil {
		panic(err) // the ids are 1 to Nodes, and contest.Run has seen to MaxNodes
	}
	n.core = core
	core.CopyState(&n.now)
	return n
}

func (n *bullyNode) Start(out *contest.Output) {
	n.last.input = spec.Input{}
	n.step(bully.Start(), "", 0, out)
}

func (n *bullyNode) Restart(saved any, out *contest.Output) {
	promise, _ := saved.(spec.Durable)
	n.last.input = spec.Input{}
	n.now.Epoch, n.now.Grantee, n.now.Configuration = promise.Epoch, promise.Grantee, promise.Configuration
	n.step(bully.Restart(promise), "", 0, out)
}

func (n *bullyNode) Receive(from int, m contest.Message, out *contest.Output) {
	message, _ := m.Body.(spec.Message) // anything else is malformed (R33)
	n.last.input = spec.Input{Message: message}
	n.step(bully.Receive(message), "", from, out)
}

// End ends a timer. A leader that finds its quorum check late steps down: what it would hear of now may be old (R37).
func (n *bullyNode) End(t contest.Timer, out *contest.Output) {
	timer := spec.Timers()[t]
	if timer == spec.QuorumTimer && n.config.Late() > n.timing.Delay {
		out.Note = "was away for too long, and resigns"
		n.Resign(out)
		return
	}
	n.last.input = spec.Input{Timer: timer}
	n.step(bully.Ended(timer), timer, 0, out)
}

func (n *bullyNode) Suspect(out *contest.Output) {
	if n.now.Role == spec.Follower {
		n.End(n.kinds[spec.HeartbeatTimer], out)
	} else {
		n.last = bullyStep{}
	}
}

// Resign tells it to lead no longer (R28).
func (n *bullyNode) Resign(out *contest.Output) {
	n.last.input = spec.Input{Call: spec.ResignCall}
	n.step(bully.Resign(), "", 0, out)
}

func (n *bullyNode) Status() contest.Status {
	leader, epoch := n.core.Told()
	s := contest.Status{Leader: number(leader), Epoch: uint64(epoch), Standing: n.now.Role == spec.Candidate}
	s.Leading = s.Leader == n.config.ID
	return s
}

// number returns the number that an id is, and 0 for none.
func number(id spec.NodeID) int {
	k, err := strconv.Atoi(id.String())
	if err != nil {
		return 0
	}
	return k
}

// step lets the core take a step, and does its duties (section 10).
func (n *bullyNode) step(in bully.Input, ended spec.Timer, from int, out *contest.Output) {
	was := n.now
	n.now.Support = n.spare
	did := n.core.Step(in)
	n.core.CopyState(&n.now)
	n.spare = was.Support
	n.last.was, n.last.did = was, did
	if did.Ignored != "" {
		return
	}
	if did.Save {
		out.Save = did.Promise
	}
	n.learn(&was, &did, ended, from)
	for t := range did.Cancel.All() {
		out.Stop = append(out.Stop, n.kinds[t])
	}
	for t := range did.Arm.All() {
		if t != spec.PreemptTimer || n.timing.Preempt >= 0 {
			n.set(out, t, n.wait(t, &did, &was))
		}
	}
	switch {
	case n.now.Role == spec.Follower && was.Role == spec.Follower && !was.Leader.IsNone() && n.now.Leader.IsNone():
		n.set(out, spec.HeartbeatTimer, n.timing.Delay+n.stagger()) // a release (R36.6)
	case n.now.Role == spec.Electing && did.Arm == 0 && n.assents(&did, from):
		n.set(out, spec.CoordinatorTimer, n.wait(spec.CoordinatorTimer, &did, &was)) // R36.5
	case n.now.Role == spec.Candidate && n.answered == n.asked()&^n.self():
		n.set(out, spec.ElectionTimer, 0) // R37, Besides 2: there is nobody to wait for
	}
	for _, m := range did.Send {
		kind := string(m.Type)
		if m.Type == spec.Ack && did.Action == spec.OnHeartbeat {
			kind = beatAck
		}
		out.Send = append(out.Send, contest.Sent{To: number(m.To), Message: contest.Message{Kind: kind, Body: m}})
	}
	if out.Note == "" {
		out.Note = n.note(&was, &did)
	}
}

// set sets a timer. It takes the place of what the step has set it to before.
func (n *bullyNode) set(out *contest.Output, t spec.Timer, after time.Duration) {
	out.Set = append(out.Set, contest.SetTimer{Timer: n.kinds[t], After: after})
}

// self is the node in a set of ids, in which bit 0 is that of id 1.
func (n *bullyNode) self() uint64 { return 1 << (n.config.ID - 1) }

// learn keeps what a host knows up to date.
func (n *bullyNode) learn(was *spec.State, did *bully.Output, ended spec.Timer, from int) {
	switch n.now.Role {
	case spec.Leader:
		n.attempts, n.preempts = 0, 0
	case spec.Follower:
		if !n.now.Leader.IsNone() {
			n.attempts = 0
			if number(n.now.Leader) > n.config.ID {
				n.preempts = 0
			}
		}
	case spec.Candidate:
		if was.Role != spec.Candidate {
			n.attempts, n.answered = n.attempts+1, 0
			if ended == spec.PreemptTimer {
				n.preempts++
			}
		} else if from > 0 {
			n.answered |= 1 << (from - 1)
		}
	case spec.Claimant:
		if was.Role == spec.Electing {
			n.attempts++
		}
	case spec.Electing:
		if was.Role != spec.Electing {
			n.assented = 0
			n.assents(did, from)
		}
	}
}

// assents reports whether an electing node says ASSENT to one that it has not said it to before.
func (n *bullyNode) assents(did *bully.Output, from int) bool {
	if from == 0 || len(did.Send) == 0 || did.Send[0].Type != spec.Assent || n.assented>>(from-1)&1 == 1 {
		return false
	}
	n.assented |= 1 << (from - 1)
	return true
}

// wait returns how long a timer runs that is armed by a step (R36, R37).
func (n *bullyNode) wait(t spec.Timer, did *bully.Output, was *spec.State) time.Duration {
	switch t {
	case spec.QuorumTimer:
		return n.timing.Quorum
	case spec.BeatTimer:
		return n.timing.Beat
	case spec.ClaimTimer:
		return n.timing.Claim
	case spec.ElectionTimer:
		return n.timing.Election
	case spec.PreemptTimer:
		return n.preemption()
	case spec.CoordinatorTimer:
		wait := n.timing.Coordinator
		if n.now.Leader.IsNone() {
			wait += n.stagger()
		}
		if n.attempts > 1 {
			wait += n.backoff()
		}
		return wait
	}
	switch {
	case !n.now.Leader.IsNone():
		return n.timing.Heartbeat
	case was.Role == spec.Candidate || was.Role == spec.Claimant:
		return n.backoff() + n.stagger()
	case was.Role == spec.Electing && !was.Leader.IsNone():
		return n.timing.Delay + n.stagger()
	}
	return n.timing.Heartbeat + n.stagger()
}

// stagger returns how long a node without a lease lets higher ones stand first (R37, Besides 1).
func (n *bullyNode) stagger() time.Duration {
	return time.Duration(n.config.Nodes-n.config.ID) * n.timing.Stagger
}

// backoff returns how long to wait after attempts in vain: twice as long after each further one, with jitter, so that two
// that disturb each other part (R37, Besides 5).
func (n *bullyNode) backoff() time.Duration {
	const maxDoublings = 8
	wait := min(n.timing.Delay<<min(max(n.attempts-1, 0), maxDoublings), 2*n.timing.Heartbeat)
	return wait/2 + n.config.Random.In(world.Range{Max: wait / 2})
}

// preemption returns how long a node follows a lower one: longer if it has stood in vain (R9, L11).
func (n *bullyNode) preemption() time.Duration {
	if n.preempts == 0 {
		return n.timing.Preempt
	}
	const maxDoublings = 2
	wait := max(n.timing.Preempt, n.timing.Heartbeat) << min(n.preempts, maxDoublings)
	return wait + n.config.Random.In(world.Range{Max: wait / 4})
}

// note says what a step has decided, as a timeline tells it.
func (n *bullyNode) note(was *spec.State, did *bully.Output) string {
	switch now := n.now.Role; {
	case now == spec.Candidate && was.Role != spec.Candidate:
		return "asks who is there, and would follow it"
	case now == spec.Claimant && was.Role != spec.Claimant && !n.now.Configuration.IsNone():
		return fmt.Sprintf("has a quorum behind it, and claims epoch %d", n.now.Epoch+1)
	case now == spec.Claimant && was.Role != spec.Claimant:
		return fmt.Sprintf("has a quorum of %d behind it, and claims epoch %d", n.config.Nodes/2+1, n.now.Epoch+1)
	case now == spec.Leader && was.Role != spec.Leader:
		return fmt.Sprintf("is granted epoch %d by a quorum", n.now.Epoch)
	case was.Role == spec.Leader && did.Action == spec.QuorumTimeout && now != spec.Leader:
		return "has not heard of a quorum, and steps down"
	case was.Role == spec.Leader && now != spec.Leader && number(n.now.Leader) > n.config.ID:
		return fmt.Sprintf("hands over to %d", number(n.now.Leader))
	}
	return ""
}
