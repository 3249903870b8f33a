package sim

import (
	"math/bits"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// A rank is the place of a member among all, from 0 on, or none.
type rank int8

const none rank = -1

// A set is a set of members: bit r stands for rank r.
type set uint8

func one(r rank) set {
	if r < 0 {
		return 0
	}
	return 1 << r
}

func (s set) has(r rank) bool { return s&one(r) != 0 }
func (s set) size() int       { return bits.OnesCount8(uint8(s)) }

// ranks are the members of a run.
type ranks []spec.NodeID

// of returns the rank of a member, and none for everybody else. It looks at the highest first, as most ids are of who leads.
func (m ranks) of(id *spec.NodeID) rank {
	for i := len(m) - 1; i >= 0; i-- {
		if m[i] == *id {
			return rank(i)
		}
	}
	return none
}

func (m ranks) all() set { return 1<<len(m) - 1 }

// role is the place of a role in spec.Roles.
type role uint8

const (
	follower role = iota
	candidate
	electing
	claimant
	leader
	noRole
)

var roles = spec.Roles()

// roleOf returns the place of a role in spec.Roles, or noRole.
func roleOf(r spec.Role) role {
	if i := slices.Index(roles, r); i >= 0 {
		return role(i)
	}
	return noRole
}

// view is a state in ranks.
type view struct {
	role            role
	leader, grantee rank
	support         set
	epoch           spec.Epoch
	who
}

// who is who: a configuration, in ranks. Where members are fixed none is said, and all nodes are voters, always.
type who struct {
	configuration             spec.Configuration
	members, electors, voters set
	raised                    [8]uint16 // the rank of each node (R1)
}

// quorum reports whether there are more than half of the electors in s (R3, R42).
func (w *who) quorum(s set) bool { return 2*(s&w.electors).size() > w.electors.size() }

// higher reports whether k is of a higher rank than l, or of the same and of a higher id (R1).
func (w *who) higher(k, l rank) bool {
	return w.raised[k] > w.raised[l] || w.raised[k] == w.raised[l] && k > l
}

// outranked reports whether k is to lead rather than l: it is higher, or l is no voter (R46). No node is to lead rather than
// itself.
func (w *who) outranked(l, k rank) bool { return w.higher(k, l) || l != k && !w.voters.has(l) }

// first returns who is who with a configuration to begin with, which is valid, or none.
func (m ranks) first(c *spec.Configuration) who {
	if c.IsNone() {
		return who{members: m.all(), electors: m.all(), voters: m.all()}
	}
	w, _ := m.whoIn(c)
	return w
}

// whoIn returns who is who in a configuration, and what is wrong with it, or "".
func (m ranks) whoIn(c *spec.Configuration) (w who, problem string) {
	if err := c.Validate(); err != nil {
		return w, "its configuration is not valid: " + err.Error()
	}
	w.configuration = *c
	for _, member := range c.Members() {
		i := m.of(&member.ID)
		if i == none {
			return w, "node " + member.ID.String() + " of its configuration is no node of the plan"
		}
		w.raised[i] = member.Rank
		w.members |= one(i)
		if member.Kind != spec.Observer {
			w.electors |= one(i)
		}
		if member.Kind == spec.Voter {
			w.voters |= one(i)
		}
	}
	return w, ""
}

// promisesAs reports whether a node is no other than before to those who look at what was promised: see shows.
func (v *view) promisesAs(was *view) bool {
	return v.role == was.role && v.epoch == was.epoch && v.configuration == was.configuration
}

// told returns what users may be told: the leader and its epoch (R39).
func (v *view) told() (rank, spec.Epoch) {
	if v.leader != none && (v.role == leader || v.role == follower) {
		return v.leader, v.epoch
	}
	return none, 0
}

// viewOf returns a state of member i in ranks, and what is wrong with it, or "": what is not valid, and what no input leads
// to (section 6). Who was who before is computed anew only if it is no more.
func (m ranks) viewOf(i rank, s *spec.State, was *who) (v view, rule spec.Property, problem string) {
	v = view{role: roleOf(s.Role), leader: none, grantee: none, epoch: s.Epoch, who: *was}
	if s.Configuration != was.configuration {
		if was.configuration.IsNone() {
			return v, "R42", "it has a configuration, though members are fixed"
		}
		if v.who, problem = m.whoIn(&s.Configuration); problem != "" {
			return v, "R42", problem
		}
	}
	if v.role == noRole {
		return v, "R5", "there is no such role"
	}
	if !s.Leader.IsNone() {
		if v.leader = m.of(&s.Leader); v.leader == none {
			return v, "R5", "leader is no member"
		}
	}
	if !s.Grantee.IsNone() {
		if v.grantee = m.of(&s.Grantee); v.grantee == none {
			return v, "R5", "grantee is no member"
		}
	}
	last := none
	for k := range s.Support {
		r := m.of(&s.Support[k])
		if r <= last {
			return v, "R5", "support is not members, ascending, each once"
		}
		v.support, last = v.support|one(r), r
	}
	if rule, problem = v.problem(i); problem == "" {
		rule, problem = v.problemOfNumbers(i, s)
	}
	return v, rule, problem
}

// problemOfNumbers says what of the numbers of a state no input leads to, and by which rule; or nothing.
func (v *view) problemOfNumbers(i rank, s *spec.State) (spec.Property, string) {
	stands := v.role == candidate || v.role == claimant
	switch {
	case (s.Lease == 0) != (v.leader == none || v.leader == i):
		return "R5", "the lease of another node is of a question, and no other lease is"
	case s.Latest == 0 || s.Asked > s.Latest || s.Dated > s.Latest || s.Latest > spec.MaxQuestion:
		return "R50", "a number is above the latest, or that is none"
	case v.role != electing && stands != (s.Asked != 0):
		return "R16", "who stands asks something, and who follows or leads does not"
	case (v.role == leader) != (s.Dated != 0) || v.role != leader && len(s.Answered) > 0:
		return "R26", "a reign is dated from a question that is answered, and nothing else is"
	}
	for k := range s.Answered {
		if a := &s.Answered[k]; a.Question == 0 || a.Question > s.Latest || k > 0 && s.Answered[k-1].Node.Compare(a.Node) >= 0 {
			return "R25", "the answers are not of members, ascending, each to what was asked"
		}
	}
	return "", ""
}

// LeaderIsElector is that who leads is an elector of its own configuration, by which it counts itself in quorums (R47).
const LeaderIsElector spec.Property = "LeaderIsElector"

// problem says what of a state no input leads to, and by which rule; or nothing.
func (v *view) problem(i rank) (spec.Property, string) {
	stands := v.role == candidate || v.role == claimant
	switch {
	case !v.epoch.Valid():
		return "R5", "its epoch is above 2^53-1"
	case v.support.has(i):
		return "R5", "support holds the node itself"
	case v.role == follower && (v.leader == i || v.support != 0):
		return "R5", "a follower keeps no lease or another's, and has no support"
	case stands && v.leader != none && !v.outranked(v.leader, i):
		return "R5", "a candidate and a claimant keep no lease but that of a lower node"
	case v.role == claimant && v.epoch >= spec.MaxEpoch:
		return "R5", "there is no epoch to claim above 2^53-1"
	case v.role == leader && (v.leader != i || v.grantee != i || v.epoch == 0):
		return "R5", "a leader keeps its own lease, and is the grantee of its epoch, which is not 0"
	case v.configuration.Epoch > v.epoch:
		return "R43", "its configuration is of a higher epoch"
	case v.support&^v.members != 0:
		return "R44", "support holds nodes that are no members"
	case stands && !v.voters.has(i):
		return "R46", "it is no voter, and stands"
	case v.role == leader && v.configuration.Epoch != v.epoch && !v.configuration.IsNone():
		return "R48", "the configuration of a leader is of its epoch"
	case v.role == leader && !v.electors.has(i):
		return LeaderIsElector, "a leader is an elector"
	}
	return "", ""
}

// noMessage is the place of what is no message.
const noMessage = -1

var (
	messageTypes = spec.MessageTypes()
	firstOnType  = int(placeOf(messageTypes[0].Action()))
)

// typeOf returns the place of a type of messages in spec.MessageTypes, or noMessage; that of its receipt is firstOnType above.
func typeOf(t spec.MessageType) int { return slices.Index(messageTypes, t) }

// The places of timers in spec.Timers, and with it their bits in spec.TimerSet.
const (
	patience = iota
	election
	coordinator
	claim
	reign
	heartbeat
	preempt
	timerCount
)

var timers = spec.Timers()

// The places of actions in spec.Actions.
var (
	actions     = spec.Actions()
	timerAction = func() (places [timerCount]uint8) {
		for t, timer := range timers {
			places[t] = placeOf(timer.Action())
		}
		return places
	}()
	preemptAction = placeOf(spec.PreemptTimeout)
	startAction   = placeOf(spec.StartAction)
	restartAction = placeOf(spec.RestartAction)
	resignAction  = placeOf(spec.ResignAction)
	deadAction    = placeOf(spec.HolderDeadAction)
	changeAction  = placeOf(spec.ChangeAction)
	crashAction   = placeOf(spec.CrashAction)
	loseAction    = placeOf(spec.LoseAction)
	cutAction     = placeOf(spec.CutAction)
)

func placeOf(a spec.Action) uint8 { return uint8(slices.Index(actions, a)) }

// input is what a node is given, in ranks.
type input struct {
	action uint8 // what the step is, if it is one
	from   rank  // of a message, or none
	timer  int8  // the timer that ended, or -1
	given  spec.Input
}
