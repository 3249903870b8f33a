package bully

import (
	"errors"

	"github.com/seed-fdf591db/bully/spec"
)

// Step takes one step: it changes the state of the node by the rules, and returns what the host must do, in order of
// duty. An input that is bad or out of place is ignored, and changes nothing.
func (n *Node) Step(in Input) Output {
	n.sent = n.sent[:0]
	if cause := n.ignores(&in); cause != "" {
		return Output{Ignored: cause}
	}
	before, running := n.state, n.Running()
	action := n.take(&in)
	if action == "" {
		return Output{}
	}
	if broken := n.broken(); broken != "" {
		panic("bully: a rule is broken in " + n.State().String() + ": " + broken)
	}
	return n.output(action, &in, before, running)
}

// ignores returns why an input makes no step and is counted, or "" if it may make one (R33, R34, R35).
func (n *Node) ignores(in *Input) Cause {
	switch in.kind {
	case start, restart:
		return n.ignoresStart(in)
	case receive, ended, resign, holderDead:
		if !n.started {
			return NotStarted
		}
	default:
		return Malformed
	}
	if in.kind == receive {
		return n.ignoresMessage(&in.message)
	}
	if in.kind == ended && !n.Running().Has(in.timer) {
		return TimerNotRunning
	}
	return ""
}

// ignoresStart is ignores for a start and a restart.
func (n *Node) ignoresStart(in *Input) Cause {
	switch {
	case n.started:
		return StartedTwice
	case in.promise.Validate() != nil:
		return Malformed
	case !in.promise.Grantee.IsNone() && n.rankOf(in.promise.Grantee) == none:
		return Stranger
	}
	return ""
}

// ignoresMessage is ignores for a message.
func (n *Node) ignoresMessage(m *spec.Message) Cause {
	if err := m.Validate(); errors.Is(err, spec.ErrMessageType) {
		return UnknownType
	} else if err != nil {
		return Malformed
	}
	switch {
	case n.rankOf(m.From) == none:
		return Stranger
	case m.To != n.members[n.me]:
		return Misaddressed
	}
	return ""
}

// take gives an input that is not ignored to its rule, and returns the step that it was, or "" if it was none.
func (n *Node) take(in *Input) spec.Action {
	switch in.kind {
	case start:
		n.start()
		return spec.StartAction
	case restart:
		n.restart(in.promise.Epoch, n.rankOf(in.promise.Grantee))
		return spec.RestartAction
	case receive:
		return n.hear(&in.message)
	case ended:
		return n.end(in.timer)
	case resign:
		if n.resign() {
			return spec.ResignAction
		}
	case holderDead:
		if n.holderDead() {
			return spec.HolderDeadAction
		}
	}
	return ""
}

// hear gives a message to its rule.
func (n *Node) hear(m *spec.Message) spec.Action {
	from := n.rankOf(m.From)
	switch m.Type {
	case spec.Election:
		n.onElection(from, m.Epoch)
	case spec.OK:
		n.onOk(from, m.Epoch)
	case spec.Assent:
		n.onAssent(from, m.Epoch)
	case spec.Claim:
		n.onClaim(from, m.Epoch)
	case spec.Grant:
		n.onGrant(from, m.Epoch)
	case spec.Refuse:
		n.onRefuse(from, m.Epoch)
	case spec.Coordinator, spec.Heartbeat:
		n.onReign(from, m.Epoch)
	case spec.Ack:
		n.onAck(from, m.Epoch)
	case spec.Resign:
		n.onResign(from, m.Epoch)
	case spec.ImBack:
		n.onImBack(from, m.Epoch)
	}
	return m.Type.Action()
}

// end gives the end of a timer to its rule.
func (n *Node) end(t spec.Timer) spec.Action {
	switch t {
	case spec.HeartbeatTimer:
		n.heartbeatEnded()
	case spec.PreemptTimer:
		n.preemptEnded()
	case spec.ElectionTimer:
		n.electionEnded()
	case spec.CoordinatorTimer:
		n.coordinatorEnded()
	case spec.ClaimTimer:
		n.claimEnded()
	case spec.QuorumTimer:
		n.quorumEnded()
	case spec.BeatTimer:
		n.beatEnded()
	}
	return t.Action()
}
