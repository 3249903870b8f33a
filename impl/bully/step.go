package bully

import (
	"errors"

	"github.com/seed-fdf591db/bully/spec"
)

// Output is what a step comes to. The fields are in order of duty: the host does what the first says, then what the
// next says, and so on (section 10).
type Output struct {
	// Action names the step. It is "" if the input was ignored, and if it was a call that is no step: to resign, of a
	// node that does not lead (R28); holder-dead, of one that keeps no other node's lease (R41); to change, where it may
	// not be (R47).
	Action spec.Action
	// Ignored says why the input was ignored, and is to be counted; it is "" if the input was not.
	Ignored Cause
	// Save says that Promise must be durable before anything below is done (R4). If that fails, or may have failed, the
	// host must stop for good.
	Save    bool
	Promise spec.Durable // zero unless Save; with changing members, the configuration is in it
	// ReignEnded says that the node led before the step, and does not lead now, or not in that epoch. Its user must hear
	// of it before any message leaves (R39).
	ReignEnded bool
	// Cancel and Arm are the timers to be stopped, and to be set from now on (R36), but for the reign timer, which is set from when
	// the question Dated was asked. A timer in Arm may be running: then it begins anew. A timer that has just ended is in Cancel too, if it runs no longer: the host may have ended it
	// before its time.
	Cancel, Arm spec.TimerSet
	// Dated is, of a leader, the question of its own that its reign is dated from: it may act until its reign timer, set from just
	// before the step that asked it, has ended (R26). It is 0 if the node does not lead.
	Dated spec.Question
	// ConfigurationChanged says that the node's configuration is another: adopted, changed or stamped (R43, R47, R48), or that of the
	// record. The host opens links to new members before it sends. What it sends may be to a node that is no member any
	// more, which is to learn of it. See Node.Configuration.
	ConfigurationChanged bool
	// Send is what leaves the node, in this order. Its memory belongs to the node: the next Step writes over it. See Node.Beside.
	Send []spec.Message
	// LeaderChanged says that what users may be told has changed: the leader, and its epoch (R39). See Node.LeaderChanged.
	LeaderChanged bool
}

// Cause says why an input was ignored. The constants are all there are; Causes lists them.
type Cause string

const (
	// Malformed is a message that is none, or a promise that is none (R33).
	Malformed Cause = "malformed"
	// UnknownType is a message of a type that this version does not know (R34).
	UnknownType Cause = "unknown-type"
	// NonMember is a message of a node that is no member, or a promise to one (R34).
	NonMember Cause = "non-member"
	// Misaddressed is a message to another node (R34).
	Misaddressed Cause = "misaddressed"
	// TimerNotRunning is the end of a timer that does not run in the node's state (R35).
	TimerNotRunning Cause = "timer-not-running"
	// NotStarted is an input before the start.
	NotStarted Cause = "not-started"
	// Mixed is a message or promise without a configuration given to a node of changing members, or one with it to a node
	// of fixed ones (R34).
	Mixed Cause = "mixed-members"
	// StartedTwice is a start of a node that has started.
	StartedTwice Cause = "started-twice"
)

// Causes returns every cause.
func Causes() []Cause {
	return []Cause{Malformed, UnknownType, NonMember, Misaddressed, TimerNotRunning, NotStarted, StartedTwice, Mixed}
}

// Leader returns what users may be told: which node leads, and in which epoch. It is no node, and epoch 0, unless the
// node leads, or is a follower that keeps a lease (R39).
func (n *Node) Leader() (leader spec.NodeID, epoch spec.Epoch) {
	r, e := n.told()
	return n.idOf(r), e
}

// told is Leader by place. A candidate, claimant or electing node may keep a lease, but does not know of a leader.
func (s *state) told() (place, spec.Epoch) {
	if s.leader != none && (s.role == spec.Leader || s.role == spec.Follower) {
		return s.leader, s.epoch
	}
	return none, 0
}

// leads returns the epoch that the node leads, or 0, which nobody leads.
func (s *state) leads() spec.Epoch {
	if s.role != spec.Leader {
		return 0
	}
	return s.epoch
}

// saves reports whether the step has made a promise that is not on disk yet, or uses numbers that are not reserved there (R4). Each
// start reserves some (R50).
func (n *Node) saves(action spec.Action) bool {
	switch action {
	case spec.StartAction, spec.RestartAction:
		return true
	}
	return n.latest.Reserved() != n.before.latest.Reserved() || n.epoch != n.before.epoch || n.grantee != n.before.grantee || n.configuration != n.before.configuration
}

// output compares the state before a step with that after it.
func (n *Node) output(action spec.Action, in *Input, ran spec.TimerSet) Output {
	out := Output{Action: action, Send: n.sent}
	if n.saves(action) {
		out.Save, out.Promise = true, n.promise()
	}
	out.ReignEnded = n.before.leads() != 0 && n.leads() != n.before.leads()
	runs := n.Running()
	out.Cancel = ran &^ runs
	out.Arm = runs & (n.restarted(in) | ^ran)
	out.Dated = n.dated
	out.ConfigurationChanged = n.configuration != n.before.configuration
	toldBefore, epochBefore := n.before.told()
	toldNow, epochNow := n.told()
	out.LeaderChanged = toldNow != toldBefore || epochNow != epochBefore
	return out
}

// Step takes one step: it changes the state of the node by the rules, and returns what the host must do, in order of
// duty. An input that is bad or out of place is ignored, and changes nothing.
func (n *Node) Step(in Input) Output {
	n.needScratch()
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
	case receive, timeout, resign, holderDead, change:
		if !n.started {
			return NotStarted
		}
	default:
		return Malformed
	}
	if in.kind == receive {
		return n.ignoresMessage(&in.message)
	}
	if in.kind == resign && !in.message.Hold.Valid() {
		return Malformed
	}
	if in.kind == timeout && !n.Running().Has(in.timer) {
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
	case n.configuration.IsNone() && !in.promise.Grantee.IsNone() && n.placeOf(in.promise.Grantee) == none:
		return NonMember
	}
	return ""
}

// mixes reports whether c comes from where members are fixed though they change here, or the other way round.
func (n *Node) mixes(c spec.Configuration) bool { return c.IsNone() != n.configuration.IsNone() }

// ignoresMessage is ignores for a message. With changing members a non-member is heard: it is told who the members are
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
	case n.configuration.IsNone() && n.placeOf(m.From) == none:
		return NonMember
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
	case timeout:
		return n.end(in.timer)
	case resign:
		if n.resign(in.message.Names, in.message.Hold) {
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
	if from := n.placeOf(m.From); n.meets(from) {
		n.obey(m, from)
	} else {
		n.turnAway(m)
	}
	return m.Type.Action()
}

// obey gives a message of a member to its rule.
func (n *Node) obey(m *spec.Message, from place) {
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
