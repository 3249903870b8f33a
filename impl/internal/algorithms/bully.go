package algorithms

import (
	"fmt"
	"strconv"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// Bully is our own protocol: package bully, with a host that waits as R36 and R37 say, and proves nobody dead.
func Bully() compare.Algorithm {
	a := compare.Algorithm{
		Name: "bully", Title: "Bully with epochs and quorum (ours)", MaxNodes: bully.MaxMembers, Epochs: true, Fences: true,
		Upkeep: []string{string(spec.Heartbeat), heartbeatAck}, New: newBully,
	}
	for _, t := range spec.Timers() {
		a.Timers = append(a.Timers, string(t))
	}
	for _, t := range policy.Urgent() {
		a.Urgent |= 1 << t
	}
	return a
}

// bullySticky is ours without pre-emption: a higher node lets a lower one lead for as long as it does so well (R9).
func bullySticky() compare.Algorithm {
	a := Bully()
	a.Name, a.Title = "bully-sticky", "Ours, without pre-emption"
	a.New = func(c compare.Config) compare.Node {
		t := BullyTiming(c.Timing)
		t.Preempt = -1
		return newOurs(c, t)
	}
	return a
}

// heartbeatAck is an ACK of a HEARTBEAT: what a reign costs. That of a COORDINATOR is part of what an election costs.
const heartbeatAck = "ACK of HEARTBEAT"

// bullyNode is the core and its host.
type bullyNode struct {
	core    *bully.Node
	config  compare.Config
	members []spec.NodeID
	state   spec.State
	waits   policy.Policy
	ends    policy.Ends // when its timers end, as the run was told
	last    bullyStep
	spare   spec.State // whose memory the state after the next step may have
}

func newBully(c compare.Config) compare.Node { return newOurs(c, BullyTiming(c.Timing)) }

func newOurs(c compare.Config, t policy.Timing) *bullyNode {
	n := &bullyNode{config: c}
	for i := range c.Nodes {
		n.members = append(n.members, spec.IntegerID(uint64(i+1)))
	}
	core, err := bully.New(n.members[c.ID-1], n.members)
	if err != nil {
		panic(err) // the ids are 1 to Nodes, and compare.Run has seen to MaxNodes
	}
	n.begin(core, t)
	return n
}

// begin makes a node that has not started.
func (n *bullyNode) begin(core *bully.Node, t policy.Timing) {
	n.core = core
	core.CopyState(&n.state)
	n.waits = policy.New(t, n.config.Random, n.peers())
	n.ends = n.waits.Due
}

func (n *bullyNode) Start(out *compare.Output) {
	n.last.input = spec.Input{}
	n.step(bully.Start(), 0, out)
}

func (n *bullyNode) Restart(saved any, out *compare.Output) {
	promise, ok := saved.(spec.Durable)
	if !ok { // it crashed before its first start was saved: it has no record (R32)
		n.Start(out)
		return
	}
	n.last.input = spec.Input{}
	n.state.Epoch, n.state.Grantee, n.state.Latest, n.state.Configuration = promise.Epoch, promise.Grantee, promise.Reserved, promise.Configuration
	n.step(bully.Restart(promise), 0, out)
}

func (n *bullyNode) Receive(from int, m compare.Message, out *compare.Output) {
	message, _ := m.Body.(spec.Message) // anything else is malformed (R33)
	n.last.input = spec.Input{Message: message}
	n.wakes(out)
	n.step(bully.Receive(message), from, out)
}

// End ends a timer.
func (n *bullyNode) End(t compare.Timer, out *compare.Output) {
	timer := policy.Timer(t)
	n.last = bullyStep{}
	if n.wakes(out) && n.clock().Before(n.waits.Due[timer]) {
		return // it is put off
	}
	n.end(timer, out)
}

func (n *bullyNode) end(t policy.Timer, out *compare.Output) {
	n.waits.Ended(t)
	n.ends[t] = policy.Never
	n.last.input = spec.Input{Timer: t.Name()}
	n.step(bully.Timeout(t.Name()), 0, out)
}

func (n *bullyNode) Suspect(out *compare.Output) {
	if n.last = (bullyStep{}); n.state.Role == spec.Follower {
		n.end(policy.PatienceTimer, out)
	}
}

// Resign tells it to lead no longer (R28).
func (n *bullyNode) Resign(out *compare.Output) {
	n.last.input = spec.Input{Call: spec.ResignCall}
	n.step(bully.Resign(), 0, out)
}

func (n *bullyNode) Status() compare.Status {
	leader, epoch := n.core.Leader()
	s := compare.Status{Leader: number(leader), Epoch: uint64(epoch), Standing: n.state.Role == spec.Candidate}
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
func (n *bullyNode) step(in bully.Input, from int, out *compare.Output) {
	was := n.state
	n.state.Support, n.state.Answered = n.spare.Support, n.spare.Answered
	did := n.core.Step(in)
	n.core.CopyState(&n.state)
	n.spare = n.last.was
	n.last.was, n.last.did = was, did
	if did.Ignored != "" {
		return
	}
	if did.Save {
		out.Save = did.Promise
	}
	n.follow(&did, from, out)
	for _, m := range did.Send {
		kind := string(m.Type)
		if m.Type == spec.Ack && did.Action == spec.OnHeartbeat {
			kind = heartbeatAck
		}
		out.Send = append(out.Send, compare.Sent{To: number(m.To), Message: compare.Message{Kind: kind, Body: m}})
	}
	if out.Note == "" {
		out.Note = n.note(&was, &did)
	}
}

// note says what a step has decided, as a timeline tells it.
func (n *bullyNode) note(was *spec.State, did *bully.Output) string {
	switch now := n.state.Role; {
	case now == spec.Candidate && was.Role != spec.Candidate:
		return "asks who is there, and would follow it"
	case now == spec.Claimant && was.Role != spec.Claimant && !n.state.Configuration.IsNone():
		return fmt.Sprintf("has a quorum behind it, and claims epoch %d", n.state.Epoch+1)
	case now == spec.Claimant && was.Role != spec.Claimant:
		return fmt.Sprintf("has a quorum of %d behind it, and claims epoch %d", n.config.Nodes/2+1, n.state.Epoch+1)
	case now == spec.Leader && was.Role != spec.Leader:
		return fmt.Sprintf("is granted epoch %d by a quorum", n.state.Epoch)
	case was.Role == spec.Leader && did.Action == spec.ReignTimeout && now != spec.Leader:
		return "has not heard of a quorum, and steps down"
	case was.Role == spec.Leader && now != spec.Leader && number(n.state.Leader) > n.config.ID:
		return fmt.Sprintf("hands over to %d", number(n.state.Leader))
	}
	return ""
}
