package spec

import (
	"iter"
	"slices"
	"strings"
)

// Role is what a node is doing about leadership. The set is closed; Roles lists it.
type Role string

const (
	// Follower is a node at rest: it follows the leader whose lease it keeps, or waits for one.
	Follower Role = "follower"
	// Candidate is a node that has asked the others, by ELECTION, who is there and would follow it.
	Candidate Role = "candidate"
	// Electing is a node that waits for a better node, or for a lease it keeps, for one T_coord.
	Electing Role = "electing"
	// Claimant is a node that has claimed the next epoch and counts the grants.
	Claimant Role = "claimant"
	// Leader is a node that a quorum has granted its epoch to.
	Leader Role = "leader"
)

var roles = []Role{Follower, Candidate, Electing, Claimant, Leader}

// Roles returns every role, in the order in which a node passes through them on its way to lead.
func Roles() []Role { return slices.Clone(roles) }

// Valid reports whether r is one of Roles.
func (r Role) Valid() bool { return slices.Contains(roles, r) }

// Timer names a timer that a node asks its host to run. The protocol never says how long: the host
// decides when a timer fires (rules R36 and R37). The set is closed; Timers lists it.
type Timer string

const (
	// PatienceTimer is a follower's patience with the leader that it follows, or with having none.
	PatienceTimer Timer = "patience"
	// ElectionTimer is T_elec: how long a candidate waits for answers to its ELECTION.
	ElectionTimer Timer = "election"
	// CoordinatorTimer is T_coord: how long an electing node waits for somebody better to lead.
	CoordinatorTimer Timer = "coordinator"
	// ClaimTimer is how long a claimant waits for a quorum of grants.
	ClaimTimer Timer = "claim"
	// ReignTimer is how long a leader may act since it asked what a quorum has answered.
	ReignTimer Timer = "reign"
	// HeartbeatTimer is the leader's heartbeat interval.
	HeartbeatTimer Timer = "heartbeat"
	// PreemptTimer is how long a follower lets a lower leader lead before it stands itself.
	PreemptTimer Timer = "preempt"
)

var timers = []Timer{PatienceTimer, ElectionTimer, CoordinatorTimer, ClaimTimer, ReignTimer, HeartbeatTimer, PreemptTimer}

// Timers returns every timer.
func Timers() []Timer { return slices.Clone(timers) }

// Valid reports whether t is one of Timers.
func (t Timer) Valid() bool { return slices.Contains(timers, t) }

// Action returns the step that a node takes when t fires, or "" if t is not valid.
func (t Timer) Action() Action {
	for i := range forms {
		f := &forms[i] // not a copy: each step asks
		if f.timer == t && t != "" {
			return f.action
		}
	}
	return ""
}

// TimerSet is a set of timers: bit i stands for the timer i of Timers.
type TimerSet uint8

// TimersOf returns a set of timers. What is no timer is left out.
func TimersOf(of ...Timer) (s TimerSet) {
	for _, t := range of {
		if i := slices.Index(timers, t); i >= 0 {
			s |= 1 << i
		}
	}
	return s
}

// Has reports whether t is in the set.
func (s TimerSet) Has(t Timer) bool { return s&TimersOf(t) != 0 }

// All returns the timers of the set, in the order of Timers.
func (s TimerSet) All() iter.Seq[Timer] {
	return func(yield func(Timer) bool) {
		for i, t := range timers {
			if s>>i&1 == 1 && !yield(t) {
				return
			}
		}
	}
}

// String returns the set as a person would say it: {reign heartbeat}.
func (s TimerSet) String() string {
	var words []string
	for t := range s.All() {
		words = append(words, string(t))
	}
	return "{" + strings.Join(words, " ") + "}"
}

// Property names a promise of the protocol: an invariant or a temporal property that TLC, the Go model,
// the simulator and the trace validator check under this same name. The set is closed; Properties lists it.
type Property string

const (
	// OneLeaderPerEpoch promises that at most one node is ever leader in an epoch. It needs durable
	// promises, and nothing of time.
	OneLeaderPerEpoch Property = "OneLeaderPerEpoch"
	// EpochMonotonic promises that a node's epoch never goes back, over restarts too.
	EpochMonotonic Property = "EpochMonotonic"
	// NoStaleWrite promises that a fenced resource admits no epoch below the highest it has admitted.
	// It needs the check and the write to be one step.
	NoStaleWrite Property = "NoStaleWrite"
	// OneActing promises that no two nodes act as leader at the same moment. It needs clocks that are right to a known rate, and
	// nothing of the network.
	OneActing Property = "OneActing"
	// SomeLeader promises that once faults stop, every node that reaches a quorum-connected leader ends up
	// following one and the same. It needs fairness, and timers on time.
	SomeLeader Property = "SomeLeader"
	// HighestLeads promises that this leader ends up being the highest eligible node, which is the Bully
	// rule. It needs what SomeLeader needs, pre-emption, and that no node reaches only some of the eligible.
	HighestLeads Property = "HighestLeads"
	// NoDisruption promises that a leader that reaches a quorum is not deposed by a node that does not.
	NoDisruption Property = "NoDisruption"
	// ConfigurationMonotonic promises that a node's configuration never gets older, over restarts too.
	ConfigurationMonotonic Property = "ConfigurationMonotonic"
	// OneConfiguration promises that an epoch and a version name one list of members.
	OneConfiguration Property = "OneConfiguration"
)

var properties = []Property{OneLeaderPerEpoch, EpochMonotonic, NoStaleWrite, OneActing, SomeLeader, HighestLeads, NoDisruption,
	ConfigurationMonotonic, OneConfiguration}

// Properties returns every property.
func Properties() []Property { return slices.Clone(properties) }

// Valid reports whether p is one of Properties.
func (p Property) Valid() bool { return slices.Contains(properties, p) }

// Action names a step of the cluster: one disjunct of Next in tla/Cluster.tla, one line of a trace. The set is
// closed; Actions lists it. Constants of timers end in Timeout and those of receipts begin with On; the rest
// end in Action, so that the step ResignAction and the message Resign are told apart.
type Action string

const (
	// PatienceTimeout ends a follower's patience. R8.
	PatienceTimeout Action = "PatienceTimeout"
	// PreemptTimeout makes a follower of a lower leader stand. R9.
	PreemptTimeout Action = "PreemptTimeout"
	// ElectionTimeout ends a candidate's wait for answers. R14.
	ElectionTimeout Action = "ElectionTimeout"
	// CoordinatorTimeout ends an electing node's wait for somebody better. R15.
	CoordinatorTimeout Action = "CoordinatorTimeout"
	// ClaimTimeout ends a claimant's wait for grants. R22.
	ClaimTimeout Action = "ClaimTimeout"
	// ReignTimeout ends a reign that no quorum has renewed. R26.
	ReignTimeout Action = "ReignTimeout"
	// HeartbeatTimeout makes a leader say HEARTBEAT. R27.
	HeartbeatTimeout Action = "HeartbeatTimeout"

	// OnElection is the receipt of an ELECTION. R10, R11.
	OnElection Action = "OnElection"
	// OnOk is the receipt of an OK. R12.
	OnOk Action = "OnOk"
	// OnAssent is the receipt of an ASSENT. R13.
	OnAssent Action = "OnAssent"
	// OnClaim is the receipt of a CLAIM. R17, R18.
	OnClaim Action = "OnClaim"
	// OnGrant is the receipt of a GRANT. R19, R20.
	OnGrant Action = "OnGrant"
	// OnRefuse is the receipt of a REFUSE. R21.
	OnRefuse Action = "OnRefuse"
	// OnCoordinator is the receipt of a COORDINATOR. R23, R24.
	OnCoordinator Action = "OnCoordinator"
	// OnHeartbeat is the receipt of a HEARTBEAT. R23, R24.
	OnHeartbeat Action = "OnHeartbeat"
	// OnAck is the receipt of an ACK. R25.
	OnAck Action = "OnAck"
	// OnResign is the receipt of a RESIGN. R29.
	OnResign Action = "OnResign"
	// OnImBack is the receipt of an IM_BACK. R31.
	OnImBack Action = "OnImBack"

	// StartAction is a node's first start, with nothing on disk. R32.
	StartAction Action = "Start"
	// RestartAction is a start with what the disk has kept. R30.
	RestartAction Action = "Restart"
	// ResignAction is a node told by its user to lead no longer, or to stop in good order. R28.
	ResignAction Action = "Resign"
	// HolderDeadAction is a node told that the node whose lease it keeps is proved dead. R41.
	HolderDeadAction Action = "HolderDead"
	// ChangeAction is a leader told to change who the members are. R47.
	ChangeAction Action = "Change"

	// CrashAction is a node's end without notice: only the durable part of its state survives. R4.
	CrashAction Action = "Crash"
	// LoseAction is the network's loss of one message. It is no node's step.
	LoseAction Action = "Lose"
	// CutAction is a change of the links that carry nothing. It is no node's step.
	CutAction Action = "Cut"
)

// Call names an input that is neither a message nor a timer's end: what the node's user asks of it, or its host
// tells it.
type Call string

const (
	// ResignCall asks a node to lead no longer, or to stop in good order. R28.
	ResignCall Call = "resign"
	// HolderDeadCall tells a node that the node whose lease it keeps is proved dead. R41.
	HolderDeadCall Call = "holder-dead"
	// ChangeCall asks a leader to make a configuration that of the cluster. R47.
	ChangeCall Call = "change"

	// StartCall is the first start of a node. An event of a trace says it by its action, and has no input. R32, R49.
	StartCall Call = "start"
	// RestartCall is a start with what the disk has kept. An event says it as it says StartCall. R30.
	RestartCall Call = "restart"
)

// Action returns the step that a node takes if it is called so, or "" if c is none of the calls.
func (c Call) Action() Action {
	switch c {
	case StartCall:
		return StartAction
	case RestartCall:
		return RestartAction
	case ResignCall:
		return ResignAction
	case HolderDeadCall:
		return HolderDeadAction
	case ChangeCall:
		return ChangeAction
	}
	return ""
}

// calls is those that an event has as its input.
var calls = []Call{ResignCall, HolderDeadCall, ChangeCall}

// form says what an event of one action carries.
type form struct {
	action   Action
	fields   uint        // the fields that it has, as bits of eventFields
	input    uint        // the input that it has, as a bit of inputFields
	optional uint        // what may come with it, as bits of inputFields
	message  MessageType // of this type, or of any
	timer    Timer       // this timer
	call     Call        // this call

	changing bool // whether it is never a step where members are fixed
}

const (
	nodeStep  = hasSeq | hasNode | hasAction | hasSent | hasState
	inputStep = nodeStep | hasInput
	crashStep = hasSeq | hasNode | hasAction | hasState
	linkStep  = hasSeq | hasAction | hasInput
)

var forms = []form{
	{action: PatienceTimeout, fields: inputStep, input: hasTimer, timer: PatienceTimer},
	{action: PreemptTimeout, fields: inputStep, input: hasTimer, timer: PreemptTimer},
	{action: ElectionTimeout, fields: inputStep, input: hasTimer, timer: ElectionTimer},
	{action: CoordinatorTimeout, fields: inputStep, input: hasTimer, timer: CoordinatorTimer},
	{action: ClaimTimeout, fields: inputStep, input: hasTimer, timer: ClaimTimer},
	{action: ReignTimeout, fields: inputStep, input: hasTimer, timer: ReignTimer},
	{action: HeartbeatTimeout, fields: inputStep, input: hasTimer, timer: HeartbeatTimer},
	{action: OnElection, fields: inputStep, input: hasMessage, message: Election},
	{action: OnOk, fields: inputStep, input: hasMessage, message: OK},
	{action: OnAssent, fields: inputStep, input: hasMessage, message: Assent},
	{action: OnClaim, fields: inputStep, input: hasMessage, message: Claim},
	{action: OnGrant, fields: inputStep, input: hasMessage, message: Grant},
	{action: OnRefuse, fields: inputStep, input: hasMessage, message: Refuse},
	{action: OnCoordinator, fields: inputStep, input: hasMessage, message: Coordinator},
	{action: OnHeartbeat, fields: inputStep, input: hasMessage, message: Heartbeat},
	{action: OnAck, fields: inputStep, input: hasMessage, message: Ack},
	{action: OnResign, fields: inputStep, input: hasMessage, message: Resign},
	{action: OnImBack, fields: inputStep, input: hasMessage, message: ImBack},
	{action: StartAction, fields: nodeStep},
	{action: RestartAction, fields: nodeStep},
	{action: ResignAction, fields: inputStep, input: hasCall, optional: hasNames | hasHold, call: ResignCall},
	{action: HolderDeadAction, fields: inputStep, input: hasCall, call: HolderDeadCall},
	{action: ChangeAction, fields: inputStep, input: hasChange, call: ChangeCall, changing: true},
	{action: CrashAction, fields: crashStep},
	{action: LoseAction, fields: linkStep, input: hasMessage},
	{action: CutAction, fields: linkStep, input: hasCut},
}

var actions, fixedActions = func() (all, fixed []Action) {
	for _, f := range forms {
		all = append(all, f.action)
		if !f.changing {
			fixed = append(fixed, f.action)
		}
	}
	return all, fixed
}()

// Actions returns every action: timers, then receipts, then calls, then what the environment does.
func Actions() []Action { return slices.Clone(actions) }

// FixedActions returns the actions of a cluster of fixed members: every one but Change, in the order of Actions.
func FixedActions() []Action { return slices.Clone(fixedActions) }

// Valid reports whether a is one of Actions.
func (a Action) Valid() bool { return slices.Contains(actions, a) }

// form returns what an event of a carries, or nil if a is not valid.
func (a Action) form() *form {
	if i := slices.Index(actions, a); i >= 0 {
		return &forms[i]
	}
	return nil
}

// Timer returns the timer whose firing is the step a, or "" if a is another kind of step.
func (a Action) Timer() Timer {
	if f := a.form(); f != nil {
		return f.timer
	}
	return ""
}

// Receipt returns the type of the message whose receipt is the step a, or "" if a is another kind of step.
func (a Action) Receipt() MessageType {
	if f := a.form(); f != nil {
		return f.message
	}
	return ""
}

// Call returns the call that is the step a, a start and a restart among them, or "" if a is another kind of step.
func (a Action) Call() Call {
	switch a {
	case StartAction:
		return StartCall
	case RestartAction:
		return RestartCall
	}
	if f := a.form(); f != nil {
		return f.call
	}
	return ""
}

// OfNode reports whether a is a step of a node, as all are but Lose and Cut, which are the network's.
func (a Action) OfNode() bool {
	f := a.form()
	return f != nil && f.fields&hasNode != 0
}
