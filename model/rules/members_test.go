package rules

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// of returns a configuration with these voters, of an epoch and a version.
func of(e spec.Epoch, version uint64, voters ...ID) Configuration {
	return Configuration{Epoch: e, Version: version, Of: &Members{Voters: SetOf(voters...)}}
}

func (c Configuration) witness(ids ...ID) Configuration {
	of := *c.Members()
	of.Witnesses, c.Of = SetOf(ids...), &of
	return c
}

func (c Configuration) observer(ids ...ID) Configuration {
	of := *c.Members()
	of.Observers, c.Of = SetOf(ids...), &of
	return c
}

// ranked returns c with ranks of the nodes 1, 2 and so on.
func (c Configuration) ranked(ranks ...uint16) Configuration {
	of := *c.Members()
	of.Ranks, c.Of = RanksOf(ranks...), &of
	return c
}

// node returns the state of a node whose configuration is c.
func node(role Role, leader ID, e spec.Epoch, grantee ID, c Configuration, support ...ID) State {
	return State{Role: role, Leader: leader, Grantee: grantee, Epoch: e, Support: SetOf(support...), Conf: c}
}

// numbered returns a state of node i with numbers, as they could have come to be. The cases say nothing of numbers: package conformance
// asks for them.
func numbered(i ID, s State) State {
	s.Latest = 9
	if s.Leader != None && s.Leader != i {
		s.Lease = 3
	}
	if s.Role == candidate || s.Role == claimant || s.Role == electing && s.Support != 0 {
		s.Asked = s.Latest
	}
	if s.Role == leader {
		s.Dated = s.Latest
	}
	return s
}

// plain returns a state without numbers.
func plain(s State) State {
	s.Lease, s.Asked, s.Latest, s.Dated, s.Answered = 0, 0, 0, 0, ""
	return s
}

// The configurations of the cases: those of epoch 1 were stamped, or made, by a leader of that epoch.
var (
	first  = of(0, 1, 1, 2, 3)
	three  = of(1, 1, 1, 2, 3)
	grown  = of(1, 2, 1, 2, 3).observer(4)
	shrunk = of(1, 2, 1, 3)
	mixed  = of(1, 1, 1, 2).witness(3).observer(4)
)

// Shorter names for the roles, since there are many.
const (
	follower  = Follower
	candidate = Candidate
	electing  = Electing
	claimant  = Claimant
	leader    = Leader
)

// a rulesCase is a step worked out by hand from a rule.
type rulesCase struct {
	says   string
	id     ID
	before State
	input  func(r *Rules, i ID, s State) Step
	after  State
	sent   string
}

func hears(t MessageType, from ID, e spec.Epoch, c Configuration) func(*Rules, ID, State) Step {
	return func(r *Rules, i ID, s State) Step {
		m := Message{Type: t, From: from, To: i, Epoch: e, Question: max(s.Lease, 1), Conf: c}
		switch t {
		case OK, Assent, Grant, Refuse, Ack:
			m.Question = s.Latest
		}
		return r.Hear(i, s, m)
	}
}

func ends(t Timer) func(*Rules, ID, State) Step {
	return func(r *Rules, i ID, s State) Step { return r.Timeout(i, s, t) }
}

func asked(c Configuration) func(*Rules, ID, State) Step {
	return func(r *Rules, i ID, s State) Step { return r.Change(i, s, c) }
}

func restarts(r *Rules, i ID, s State) Step { return r.Restart(i, r.Survives(s)) }

var rulesCases = map[string][]rulesCase{
	"R42": {
		{"half of the electors are no quorum, whoever else supports", 1, node(candidate, None, 1, 1, mixed.witness(2, 3), 4),
			ends(ElectionTimer), node(follower, None, 1, 1, mixed.witness(2, 3)), "[]"},
		{"a witness makes a quorum", 1, node(candidate, None, 1, 1, mixed, 3),
			ends(ElectionTimer), node(claimant, None, 1, 1, mixed), "[1→2 CLAIM(2) 1→3 CLAIM(2)]"},
		{"in an empty configuration nobody is a quorum", 1, node(electing, 1, 0, None, Configuration{}),
			ends(CoordinatorTimer), node(follower, None, 0, None, Configuration{}), "[]"},
	},
	"R43": {
		{"who is told of members follows", 4, Blank(Configuration{}),
			hears(Heartbeat, 3, 1, grown), node(follower, 3, 1, 3, grown), "[4→3 ACK(1)]"},
		{"a candidate stands no more, and so its OK counts for nothing", 2, node(candidate, None, 1, None, three, 1),
			hears(OK, 3, 1, grown), node(follower, None, 1, None, grown), "[]"},
		{"a claimant that keeps a lease waits it out", 2, node(claimant, 1, 1, 1, three, 3),
			hears(Grant, 3, 2, grown), node(electing, 1, 1, 1, grown), "[]"},
		{"support is for the old one, and what was asked in it is asked no more", 1, node(electing, None, 1, None, three, 2),
			hears(OK, 3, 1, grown), node(electing, None, 1, None, grown), "[]"},
		{"a leader steps down for one of a higher epoch", 2, node(leader, 2, 1, 2, three, 1),
			hears(Ack, 3, 4, of(3, 1, 1, 2, 3)), node(follower, None, 4, None, of(3, 1, 1, 2, 3)), "[]"},
		{"but not for a later version of its own epoch", 3, node(leader, 3, 1, 3, three, 1),
			hears(Ack, 2, 1, grown), node(leader, 3, 1, 3, grown, 2), "[]"},
		{"what is older is not adopted", 2, node(follower, 3, 1, 3, grown),
			hears(Heartbeat, 3, 1, three), node(follower, 3, 1, 3, grown), "[2→3 ACK(1)]"},
		{"of two versions in two epochs that of the higher epoch is newer", 2, node(follower, 3, 1, 3, grown),
			hears(Ack, 1, 2, of(2, 1, 1, 2, 3)), node(electing, 3, 2, None, of(2, 1, 1, 2, 3)), "[]"},
	},
	"R44": {
		{"who learns that it is no member hears nothing more", 2, node(follower, 3, 1, 3, three),
			hears(Heartbeat, 3, 1, shrunk), node(follower, 3, 1, 3, shrunk), "[]"},
		{"who is no member is told so", 3, node(leader, 3, 1, 3, shrunk),
			hears(Election, 2, 9, three), node(leader, 3, 1, 3, shrunk), "[3→2 REFUSE(1)]"},
		{"and is told by followers too", 1, node(follower, 3, 1, 3, shrunk),
			hears(Claim, 2, 2, three), node(follower, 3, 1, 3, shrunk), "[1→2 REFUSE(1)]"},
		{"after a restart as well", 1, node(follower, 3, 1, 3, shrunk),
			hears(ImBack, 2, 1, three), node(follower, 3, 1, 3, shrunk), "[1→2 REFUSE(1)]"},
		{"a reign of an older configuration is refused", 1, node(follower, None, 1, 3, shrunk),
			hears(Coordinator, 2, 7, three), node(follower, None, 1, 3, shrunk), "[1→2 REFUSE(1)]"},
		{"an answer is not answered", 3, node(leader, 3, 1, 3, shrunk),
			hears(Refuse, 2, 9, three), node(leader, 3, 1, 3, shrunk), "[]"},
		{"who asks with the same configuration knows", 3, node(leader, 3, 1, 3, shrunk),
			hears(Heartbeat, 2, 9, shrunk), node(leader, 3, 1, 3, shrunk), "[]"},
	},
	"R45": {
		{"an older configuration is not supported", 2, node(follower, None, 1, None, grown),
			hears(Election, 3, 2, three), node(follower, None, 2, None, grown), "[2→3 REFUSE(2)]"},
		{"a leader that outranks the sender says that it leads", 3, node(leader, 3, 1, 3, grown),
			hears(Election, 2, 1, three), node(leader, 3, 1, 3, grown), "[3→2 OK(1) 3→2 COORDINATOR(1)]"},
		{"an older configuration is not voted for", 2, node(follower, None, 1, None, grown),
			hears(Claim, 3, 2, three), node(follower, None, 1, None, grown), "[2→3 REFUSE(1)]"},
		{"nor handed over to", 2, node(leader, 2, 1, 2, grown),
			hears(Claim, 3, 2, three), node(leader, 2, 1, 2, grown), "[2→3 REFUSE(1)]"},
		{"an ACK with another configuration is no support", 3, node(leader, 3, 1, 3, grown, 2),
			hears(Ack, 1, 1, three), node(leader, 3, 1, 3, grown, 2), "[]"},
		{"with the same configuration an ACK counts", 3, node(leader, 3, 1, 3, grown, 2),
			hears(Ack, 4, 1, grown), node(leader, 3, 1, 3, grown, 2, 4), "[]"},
		{"a witness is granted nothing", 1, node(follower, None, 1, None, mixed),
			hears(Claim, 3, 2, mixed), node(follower, None, 1, None, mixed), "[1→3 REFUSE(1)]"},
		{"an observer grants nothing", 4, node(follower, None, 1, None, mixed),
			hears(Claim, 2, 2, mixed), node(follower, None, 1, None, mixed), "[4→2 REFUSE(1)]"},
		{"and supports nobody", 4, node(follower, None, 1, None, mixed),
			hears(Election, 2, 1, mixed), node(follower, None, 1, None, mixed), "[4→2 REFUSE(1)]"},
	},
	"R46": {
		{"a voter asks the electors", 2, node(follower, None, 1, None, mixed),
			ends(PatienceTimer), node(candidate, None, 1, None, mixed), "[2→1 ELECTION(1) 2→3 ELECTION(1)]"},
		{"and so does one who is asked", 2, node(follower, None, 1, None, mixed), hears(Election, 1, 1, mixed),
			node(candidate, None, 1, None, mixed), "[2→1 OK(1) 2→1 ELECTION(1) 2→3 ELECTION(1)]"},
		{"and claims from them", 2, node(candidate, None, 1, None, mixed, 1),
			ends(ElectionTimer), node(claimant, None, 1, None, mixed), "[2→1 CLAIM(2) 2→3 CLAIM(2)]"},
		{"a witness rests, and says so to all members", 3, node(follower, 2, 1, 2, mixed),
			ends(PatienceTimer), node(follower, None, 1, 2, mixed), "[3→1 IM_BACK(1) 3→2 IM_BACK(1) 3→4 IM_BACK(1)]"},
		{"and again, though it follows nobody", 3, node(follower, None, 1, 2, mixed),
			ends(PatienceTimer), node(follower, None, 1, 2, mixed), "[3→1 IM_BACK(1) 3→2 IM_BACK(1) 3→4 IM_BACK(1)]"},
		{"whoever backs it", 3, node(electing, 2, 1, 2, mixed, 1, 2),
			ends(CoordinatorTimer), node(follower, None, 1, 2, mixed), "[3→1 IM_BACK(1) 3→2 IM_BACK(1) 3→4 IM_BACK(1)]"},
		{"an observer does the same", 4, node(electing, 4, 1, 2, mixed),
			ends(CoordinatorTimer), node(follower, None, 1, 2, mixed), "[4→1 IM_BACK(1) 4→2 IM_BACK(1) 4→3 IM_BACK(1)]"},
		{"who is no member rests in silence", 5, node(follower, 2, 1, 2, mixed),
			ends(PatienceTimer), node(follower, None, 1, 2, mixed), "[]"},
		{"a lower voter pre-empts a witness", 1, node(follower, 3, 1, 3, mixed),
			ends(PreemptTimer), node(candidate, 3, 1, 3, mixed),
			"[1→2 ELECTION(1) 1→3 ELECTION(1)]"},
		{"a witness assents to a lower node", 3, node(follower, None, 1, None, mixed),
			hears(Election, 1, 1, mixed), node(electing, None, 1, None, mixed), "[3→1 ASSENT(1)]"},
		{"but not while it keeps the lease of a higher voter", 3, node(follower, 2, 1, 2, mixed),
			hears(Election, 1, 1, mixed), node(follower, 2, 1, 2, mixed), "[3→1 REFUSE(1)]"},
		{"the highest voter claims at once", 2, node(candidate, None, 1, None, mixed),
			hears(Assent, 3, 1, mixed), node(claimant, None, 1, None, mixed), "[2→1 CLAIM(2) 2→3 CLAIM(2)]"},
		{"a lower one waits", 1, node(candidate, None, 1, None, mixed),
			hears(Assent, 3, 1, mixed), node(candidate, None, 1, None, mixed, 3), "[]"},
		{"a reign is told to all members", 2, node(leader, 2, 1, 2, mixed),
			ends(HeartbeatTimer), node(leader, 2, 1, 2, mixed), "[2→1 HEARTBEAT(1) 2→3 HEARTBEAT(1) 2→4 HEARTBEAT(1)]"},
		{"a demoted leader hands over to a lower claimant", 3, node(leader, 3, 1, 3, mixed, 1),
			hears(Claim, 1, 2, mixed), node(electing, 1, 2, 1, mixed), "[3→1 GRANT(2) 3→1 RESIGN(1) 3→2 RESIGN(1) 3→4 RESIGN(1)]"},
		{"but not in its own epoch", 3, node(leader, 3, 1, 3, mixed, 1),
			hears(Claim, 1, 1, mixed), node(leader, 3, 1, 3, mixed, 1), "[3→1 REFUSE(1)]"},
		{"one that may lead hands over to nobody lower", 2, node(leader, 2, 1, 2, mixed, 1),
			hears(Claim, 1, 2, mixed), node(leader, 2, 1, 2, mixed, 1), "[2→1 REFUSE(1)]"},
		{"what is claimed again goes to electors", 2, node(claimant, 3, 1, 3, mixed, 1),
			hears(Resign, 4, 1, mixed), node(claimant, 3, 1, 3, mixed, 1), "[2→3 CLAIM(2)]"},
	},
	"R47": {
		{"a member is added", 3, node(leader, 3, 1, 3, three, 1), asked(grown),
			node(leader, 3, 1, 3, grown), "[3→1 HEARTBEAT(1) 3→2 HEARTBEAT(1) 3→4 HEARTBEAT(1)]"},
		{"a member is removed, and told so", 3, node(leader, 3, 1, 3, three, 1), asked(shrunk),
			node(leader, 3, 1, 3, shrunk), "[3→1 HEARTBEAT(1) 3→2 HEARTBEAT(1)]"},
		{"the leader is made a witness", 3, node(leader, 3, 1, 3, three, 1), asked(of(1, 2, 1, 2).witness(3)),
			node(leader, 3, 1, 3, of(1, 2, 1, 2).witness(3)), "[3→1 HEARTBEAT(1) 3→2 HEARTBEAT(1)]"},
		{"who acknowledged the old one is forgotten", 3, node(leader, 3, 1, 3, three, 1, 2),
			asked(of(1, 2, 1, 3).witness(2)), node(leader, 3, 1, 3, of(1, 2, 1, 3).witness(2)), "[3→1 HEARTBEAT(1) 3→2 HEARTBEAT(1)]"},
	},
	"R48": {
		{"who wins stamps its configuration", 3, node(claimant, None, 4, None, of(2, 5, 1, 2, 3)),
			hears(Grant, 2, 5, of(2, 5, 1, 2, 3)), node(leader, 3, 5, 3, of(5, 5, 1, 2, 3)),
			"[3→1 COORDINATOR(5) 3→2 COORDINATOR(5)]"},
		{"one that is a quorum alone too", 1, node(candidate, None, 0, None, of(0, 1, 1).observer(2)),
			ends(ElectionTimer), node(leader, 1, 1, 1, of(1, 1, 1).observer(2)), "[1→2 COORDINATOR(1)]"},
	},
	"R49": {
		{"a first member that starts again", 2, Blank(first), restarts, node(electing, 2, 0, None, first), "[2→1 IM_BACK(0) 2→3 IM_BACK(0)]"},
		{"one that was told of members keeps them", 4, node(follower, 3, 1, 3, grown), restarts,
			node(electing, 4, 1, 3, grown), "[4→1 IM_BACK(1) 4→2 IM_BACK(1) 4→3 IM_BACK(1)]"},
		{"one that is to join has nobody to tell", 4, Blank(Configuration{}), restarts,
			node(electing, 4, 0, None, Configuration{}), "[]"},
	},
}

func TestStepsOfEachRule(t *testing.T) {
	r := New()
	for n := 42; n <= 49; n++ {
		rule := fmt.Sprintf("R%d", n)
		require.NotEmpty(t, rulesCases[rule], rule)
		for _, c := range rulesCases[rule] {
			t.Run(rule+" "+c.says, func(t *testing.T) {
				step := c.input(r, c.id, numbered(c.id, c.before))
				require.False(t, step.Ignored)
				require.Equal(t, plain(c.after), plain(step.State))
				require.Equal(t, c.sent, fmt.Sprint(step.Sent()))
				for _, m := range step.Sent() {
					require.Equal(t, step.State.Conf, m.Conf, "a message carries the configuration after the step")
				}
			})
		}
	}
}

// TestChangeHasConditions spoils each condition of R47 in turn.
func TestChangeHasConditions(t *testing.T) {
	settled := node(leader, 3, 1, 3, three, 1)
	moved := Configuration{1, 2, &Members{Voters: SetOf(1, 2, 3), Addresses: "\na:1\n"}}
	for says, c := range map[string]struct {
		before State
		wanted Configuration
		may    bool
	}{
		"it may":                           {settled, grown, true},
		"an address is a change":           {settled, moved, true},
		"a rank is a change":               {settled, of(1, 2, 1, 2, 3).ranked(0, 7), true},
		"a rank and another member":        {settled, of(1, 2, 1, 2, 3).observer(4).ranked(0, 7), false},
		"who does not lead":                {node(follower, 2, 1, 2, three), grown, false},
		"who stands":                       {node(claimant, None, 1, 3, three, 1, 2), grown, false},
		"not settled":                      {node(leader, 3, 1, 3, three), grown, false},
		"an observer settles nothing":      {node(leader, 3, 1, 3, three.observer(4), 4), of(1, 2, 1, 2, 3), false},
		"of another epoch":                 {settled, of(2, 2, 1, 2, 3).observer(4), false},
		"of the same version":              {settled, of(1, 1, 1, 2, 3).observer(4), false},
		"of a version too many":            {settled, of(1, 3, 1, 2, 3).observer(4), false},
		"nothing differs":                  {settled, of(1, 2, 1, 2, 3), false},
		"two are added":                    {settled, of(1, 2, 1, 2, 3).observer(4, 5), false},
		"one for another":                  {settled, of(1, 2, 1, 3, 4), false},
		"a kind and an address of another": {settled, Configuration{1, 2, &Members{Voters: SetOf(1, 3), Witnesses: SetOf(2), Addresses: "\na:1\n"}}, true},
		"a member becomes a witness":       {settled, of(1, 2, 1, 3).witness(2), true},
		"an observer becomes a witness":    {node(leader, 3, 1, 3, grown, 1), of(1, 3, 1, 2, 3).witness(4), true},
		"a non-member becomes a witness":   {settled, of(1, 2, 1, 2, 3).witness(4), true},
		"the leader leaves":                {settled, of(1, 2, 1, 2), false},
		"the leader becomes an observer":   {settled, of(1, 2, 1, 2).observer(3), false},
		"no voter is left":                 {node(leader, 3, 1, 3, of(1, 1, 3).witness(1, 2), 1), Configuration{Epoch: 1, Version: 2}.witness(1, 2, 3), false},
	} {
		step := New().Change(3, c.before, c.wanted)
		require.Equal(t, !c.may, step.Ignored, says)
		if !c.may {
			require.Equal(t, c.before, step.State, says)
			require.Empty(t, step.Sent(), says)
		}
	}
}

// TestTimersThatRun has, for each kind of member, the timers of a follower.
func TestTimersThatRun(t *testing.T) {
	r := New()
	for says, c := range map[string]struct {
		id   ID
		s    State
		runs string
	}{
		"a voter without a leader":         {1, node(follower, None, 1, None, mixed), "[patience]"},
		"a voter of a higher leader":       {1, node(follower, 2, 1, 2, mixed), "[patience]"},
		"a voter of a lower leader":        {2, node(follower, 1, 1, 1, mixed), "[patience preempt]"},
		"a voter that a witness leads":     {1, node(follower, 3, 1, 3, mixed), "[patience preempt]"},
		"a witness with a leader":          {3, node(follower, 2, 1, 2, mixed), "[patience]"},
		"a witness without":                {3, node(follower, None, 1, 2, mixed), "[patience]"},
		"an observer without":              {4, node(follower, None, 1, 2, mixed), "[patience]"},
		"who is no member, with a leader":  {5, node(follower, 2, 1, 2, mixed), "[patience]"},
		"who is no member, without":        {5, node(follower, None, 1, 2, mixed), "[]"},
		"who is to join":                   {1, Blank(Configuration{}), "[]"},
		"a demoted leader":                 {3, node(leader, 3, 1, 3, mixed), "[reign heartbeat]"},
		"a witness that waits for another": {3, node(electing, 2, 1, 2, mixed), "[coordinator]"},
	} {
		runs := []Timer{}
		for k := range Timer(len(spec.Timers()) + 1) {
			if r.Runs(c.id, c.s, k) {
				runs = append(runs, k)
			} else {
				require.Equal(t, ignored(c.s), r.Timeout(c.id, c.s, k), says)
			}
		}
		require.Equal(t, c.runs, fmt.Sprint(runs), says)
	}
}

// TestCallsThatAreNoStep has what is ignored for another reason than R47.
func TestCallsThatAreNoStep(t *testing.T) {
	r := New()
	s := node(follower, None, 1, 3, three)
	require.Equal(t, ignored(s), r.Resign(1, s))
	require.Equal(t, ignored(s), r.HolderDead(1, s))
	restarted := node(electing, 1, 1, 3, three)
	require.Equal(t, ignored(restarted), r.HolderDead(1, restarted), "its own lease is nobody's")
	for _, m := range []Message{{Type: Claim, From: 3, To: 2}, {Type: Claim, From: 1, To: 1}, {Type: Claim, To: 1},
		{Type: Claim, From: MaxIDs + 1, To: 1}, {Type: ImBack + 1, From: 3, To: 1}} {
		m.Epoch, m.Conf = 2, three
		require.Equal(t, ignored(s), r.Hear(1, s, m), m.Type)
	}
	following := node(follower, 3, 1, 3, three)
	require.Equal(t, quietly(s), r.HolderDead(1, following))
	resigned := r.Resign(3, node(leader, 3, 1, 3, grown, 1))
	require.Equal(t, node(follower, None, 1, 3, grown), resigned.State)
	require.Equal(t, "[3→1 RESIGN(1) 3→2 RESIGN(1) 3→4 RESIGN(1)]", fmt.Sprint(resigned.Sent()))
}

func TestNobodyClaimsBeyondTheLastEpoch(t *testing.T) {
	r := New()
	for role, timer := range map[Role]Timer{candidate: ElectionTimer, electing: CoordinatorTimer} {
		s := node(role, None, spec.MaxEpoch, None, three, 1, 2)
		require.NotEqual(t, claimant, r.Timeout(3, s, timer).State.Role)
		s.Epoch--
		require.Equal(t, claimant, r.Timeout(3, s, timer).State.Role)
	}
	backed := node(candidate, None, spec.MaxEpoch, None, three, 1, 2)
	require.Equal(t, candidate, r.Hear(3, backed, Message{Type: Assent, From: 2, To: 3, Conf: three}).State.Role)
}
