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
	running := n.Running()
	n.before = n.state
	action := n.take(&in)
	if action == "" {
		return Output{}
	}
	if broken := n.broken(); broken != "" {
		panic("bully: a rule is broken in " + n.State().String() + ": " + broken)
	}
	return n.output(action, &in, running)
}

// ignores returns why an input makes no step and is counted, or "" if it may make one (R33, R34, R35).
func (n *Node) ignores(in *Input) Cause {
	switch in.kind {
	case start, restart:
		return n.ignoresStart(in)
	case receive, ended, resign, holderDead, change:
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
	case in.kind == restart && n.mixes(in.promise.Configuration):
		return Mixed
	case n.configuration.IsNone() && !in.promise.Grantee.IsNone() && n.rankOf(in.promise.Grantee) == none:
		return Stranger
	}
	return ""
}

// mixes reports whether c comes from where members are fixed though they change here, or the other way round.
func (n *Node) mixes(c spec.Configuration) bool { return c.IsNone() != n.configuration.IsNone() }

// ignoresMessage is ignores for a message. With changing members a stranger is heard: it is told who the members are
// (R44).
func (n *Node) ignoresMessage(m *spec.Message) Cause {
	if err := m.Validate(); err != nil {
		if errors.Is(err, spec.ErrMessageType) {
			return UnknownType
		}
		return Malformed
	}
	switch {
	case n.mixes(m.Configuration):
		return Mixed
	case n.configuration.IsNone() && n.rankOf(m.From) == none:
		return Stranger
	case m.To != n.id():
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
		n.restart(in.promise)
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
	case change:
		if n.change(in.promise.Configuration) {
			return spec.ChangeAction
		}
	}
	return ""
}

// hear adopts the configuration of a message, before anything else (R43), and then gives the message to its rule, if
// sender and receiver are members (R44).
func (n *Node) hear(m *spec.Message) spec.Action {
	if m.Configuration.Newer(n.configuration) {
		n.adopt(m.Configuration)
	}
	if from := n.rankOf(m.From); n.meets(from) {
		n.obey(m, from)
	} else {
		n.turnAway(m)
	}
	return m.Type.Action()
}

// obey gives a message of a member to its rule.
func (n *Node) obey(m *spec.Message, from rank) {
	switch m.Type {
	case spec.Election:
		n.onElection(from, m)
	case spec.OK:
		n.onOk(from, m)
	case spec.Assent:
		n.onAssent(from, m)
	case spec.Claim:
		n.onClaim(from, m)
	case spec.Grant:
		n.onGrant(from, m)
	case spec.Refuse:
		n.onRefuse(m)
	case spec.Coordinator, spec.Heartbeat:
		n.onReign(from, m)
	case spec.Ack:
		n.onAck(from, m)
	case spec.Resign:
		n.onResign(from, m)
	case spec.ImBack:
		n.onImBack(from, m)
	}
}

// end gives the end of a timer to its rule.
func (n *Node) end(t spec.Timer) spec.Action {
	switch t {
	case spec.PatienceTimer:
		n.patienceEnded()
	case spec.PreemptTimer:
		n.preemptEnded()
	case spec.ElectionTimer:
		n.electionEnded()
	case spec.CoordinatorTimer:
		n.coordinatorEnded()
	case spec.ClaimTimer:
		n.claimEnded()
	case spec.ReignTimer:
		n.reignEnded()
	case spec.HeartbeatTimer:
		n.heartbeatEnded()
	}
	return t.Action()
}
