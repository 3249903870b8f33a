package check_test

import (
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// listed returns a configuration of members that are said so: 1 2 witness:3.
func listed(e spec.Epoch, version uint64, text string) spec.Configuration {
	var members []spec.Member
	for word := range strings.FieldsSeq(text) {
		m := spec.Member{Kind: spec.Voter}
		if kind, id, said := strings.Cut(word, ":"); said {
			m.Kind, word = spec.MemberKind(kind), id
		}
		number, err := strconv.ParseUint(word, 10, 64)
		if err != nil {
			panic(err)
		}
		m.ID = spec.IntegerID(number)
		members = append(members, m)
	}
	c, err := spec.NewConfiguration(e, version, members)
	if err != nil {
		panic(err)
	}
	return c
}

// holds makes c the configuration of the state after the event, and of all that it sends.
func holds(c spec.Configuration) func(*spec.Event) {
	return func(e *spec.Event) {
		e.State.Configuration = c
		for i := range e.Sent {
			e.Sent[i].Configuration = c
		}
	}
}

// asks makes the node of the event ask these nodes, as a candidate.
func asks(of ...uint64) func(*spec.Event) {
	return func(e *spec.Event) {
		e.State.Role, e.State.Leader, e.State.Lease, e.State.Latest = spec.Candidate, spec.NodeID{}, 0, e.State.Latest+1
		e.State.Asked = e.State.Latest
		tells(spec.Election, of...)(e)
	}
}

// tells makes the node of the event say one thing to these nodes, and nothing else.
func tells(kind spec.MessageType, to ...uint64) func(*spec.Event) {
	return func(e *spec.Event) {
		e.Sent = nil
		for _, id := range to {
			e.Sent = append(e.Sent, spec.Message{
				Type: kind, From: e.Node, To: spec.IntegerID(id), Epoch: e.State.Epoch, Question: e.State.Latest, Configuration: e.State.Configuration,
			})
		}
	}
}

// changesTo makes a change to c of the event, which is that of a leader, told to these nodes.
func changesTo(c spec.Configuration, told ...uint64) func(*spec.Event) {
	return func(e *spec.Event) {
		e.Action, e.Input = spec.ChangeAction, spec.Input{Call: spec.ChangeCall, Configuration: c}
		e.State.Configuration, e.State.Support, e.State.Latest, e.Sent = c, nil, e.State.Latest+1, nil
		for _, id := range told {
			e.Sent = append(e.Sent, spec.Message{
				Type: spec.Heartbeat, From: e.Node, To: spec.IntegerID(id), Epoch: e.State.Epoch, Question: e.State.Latest, Configuration: c,
			})
		}
	}
}

// editsOfMembers are those traces of traces/invalid in which members change.
var editsOfMembers = []edit{
	{name: "R42-crash-makes-a-configuration-up", from: "members-change-lost", at: "Crash & 3 is", alter: holds(listed(1, 3, "1 2 3"))},
	{
		name: "ConfigurationMonotonic-crash-forgets-a-change", from: "members-change-lost", at: "Crash & 3 is",
		alter: holds(listed(1, 1, "1 2 3")),
	},
	{
		name: "ConfigurationMonotonic-restart-with-an-older-one", from: "members-change-lost", at: "Restart & 3 is",
		alter: func(e *spec.Event) {
			holds(listed(1, 1, "1 2 3"))(e)
			e.Sent = slices.DeleteFunc(e.Sent, func(m spec.Message) bool { return m.To == spec.IntegerID(4) })
		},
	},
	{
		name: "OneConfiguration-two-lists-of-first-members", from: "members-grow", at: "Start & 3 is",
		alter: holds(listed(0, 1, "1 2 3 4")),
	},
	{
		name: "R43-newer-one-not-adopted", from: "members-grow", at: "OnHeartbeat 3→1 & version:2",
		alter: holds(listed(1, 1, "1 2 3")),
	},
	{
		name: "ConfigurationMonotonic-adopts-an-older-one", from: "members-two-operators", at: "OnHeartbeat 3→2 & version:2",
		alter: holds(listed(1, 2, "1 2 3 observer:4")),
	},
	{
		name: "R43-claimant-stands-on", from: "members-claimant-adopts", at: "OnRefuse 2→4 & version:2",
		alter: func(e *spec.Event) { e.State.Role = spec.Claimant },
	},
	{
		name: "R47-keeps-its-support", from: "members-leader-removed", at: "Change & 3 is",
		alter: func(e *spec.Event) { e.State.Support = []spec.NodeID{spec.IntegerID(1), spec.IntegerID(2)} },
	},
	{
		name: "R43-says-the-one-before", from: "members-shrink", at: "Change & 5 is",
		alter: func(e *spec.Event) { e.Sent[3].Configuration = listed(1, 1, "1 2 3 4 5") },
	},
	{
		name: "R44-non-member-teaches-its-epoch", from: "members-claimant-adopts", at: "OnGrant 1→4",
		alter: func(e *spec.Event) { e.State.Epoch, e.State.Grantee = 2, spec.NodeID{} },
	},
	{
		name: "R44-removed-gets-no-answer", from: "members-removed-told-late", at: "OnElection 1→2 & version:2",
		alter: func(e *spec.Event) { e.Sent = nil },
	},
	{
		name: "R44-removed-is-answered-as-a-member", from: "members-removed-told-late", at: "OnElection 1→4 & version:2",
		alter: func(e *spec.Event) { e.Sent[0].Type = spec.OK },
	},
	{
		name: "R44-removed-acknowledges", from: "members-shrink", at: "OnHeartbeat 5→1 & version:2",
		alter: func(e *spec.Event) {
			e.Sent = []spec.Message{{Type: spec.Ack, From: e.Node, To: spec.IntegerID(5), Epoch: 1, Question: e.Input.Message.Question, Configuration: e.State.Configuration}}
		},
	},
}

// editsOfVotes break what is said of who votes and stands.
var editsOfVotes = []edit{
	{
		name: "R45-grants-in-a-newer-one", from: "members-claimant-adopts", at: "OnClaim 4→2 & version:2",
		alter: func(e *spec.Event) {
			e.State.Role, e.State.Leader, e.State.Epoch, e.State.Grantee = spec.Electing, spec.IntegerID(4), 2, spec.IntegerID(4)
			e.Sent[0].Type, e.Sent[0].Epoch = spec.Grant, 2
		},
	},
	{
		name: "R45-observer-says-that-it-would-follow", from: "members-observer", at: "OnElection 1→3 & version:2",
		alter: func(e *spec.Event) {
			e.Sent[0].Type = spec.OK
		},
	},
	{
		name: "R45-supports-who-holds-an-older-one", from: "members-change-survives", at: "OnElection 2→1 & version:3",
		alter: func(e *spec.Event) {
			e.Sent[0].Type, e.State.Role = spec.Assent, spec.Electing
		},
	},
	{name: "R46-removed-asks", from: "members-shrink", at: "PatienceTimeout & 2 is", alter: asks(3, 4, 5)},
	{name: "R46-witness-asks", from: "members-witness", at: "PatienceTimeout & 3 is", alter: asks(1, 2)},
	{name: "R46-observer-asks", from: "members-observer", at: "PatienceTimeout & 4 is", alter: asks(1, 2, 3)},
	{name: "R46-observer-is-asked", from: "members-observer", at: "PatienceTimeout & 2 is", alter: tells(spec.Election, 1, 3, 4)},
	{name: "R46-witness-keeps-silent", from: "members-witness-speaks", at: "PatienceTimeout & 3 is", alter: tells(spec.ImBack)},
	{name: "R46-observer-speaks-to-the-voter-alone", from: "members-voter-unaware", at: "PatienceTimeout & 3 is", alter: tells(spec.ImBack, 1)},
	{name: "R46-removed-speaks", from: "members-shrink", at: "PatienceTimeout & 2 is", alter: tells(spec.ImBack, 3, 4, 5)},
	{
		name: "R46-observer-is-not-told", from: "members-observer", at: "HeartbeatTimeout & 3 is",
		alter: func(e *spec.Event) { e.Sent = e.Sent[:2] },
	},
	{
		name: "R35-witness-pre-empts", from: "members-leader-removed", at: "OnCoordinator 2→3", how: inserts, after: 1,
		alter: func(e *spec.Event) {
			e.Action, e.Input, e.Sent = spec.PreemptTimeout, spec.Input{Timer: spec.PreemptTimer}, nil
			leader, lease := e.State.Leader, e.State.Lease
			asks(1, 2)(e)
			e.State.Leader, e.State.Lease = leader, lease
		},
	},
	{
		name: "R48-wins-unstamped", from: "members-grow", at: "OnGrant 1→4 & 4 is leader",
		alter: holds(listed(1, 3, "1 2 3 4")),
	},
	{
		name: "R48-wins-a-version-too", from: "members-grow", at: "OnGrant 1→4 & 4 is leader",
		alter: holds(listed(2, 4, "1 2 3 4")),
	},
	{
		name: "R49-begins-with-a-version-of-its-own", from: "members-grow", at: "Start & 1 is",
		alter: holds(listed(0, 2, "1 2 3")),
	},
	{
		name: "R49-begins-with-one-that-it-is-not-in", from: "members-grow", at: "Start & 4 is",
		alter: holds(listed(0, 1, "1 2 3")),
	},
	{
		name: "R46-restart-does-not-tell-all", from: "members-restart-with-an-old-configuration", at: "Restart & 2 is",
		alter: func(e *spec.Event) { e.Sent = e.Sent[1:] },
	},
}

// editsOfChanges break R47.
var editsOfChanges = []edit{
	{
		name: "R47-two-members-at-once", from: "members-shrink", at: "Change & 5 is",
		alter: changesTo(listed(1, 2, "3 4 5"), 1, 2, 3, 4),
	},
	{
		name: "R47-not-settled", from: "members-shrink", at: "Change & 5 is", how: inserts, after: 1,
		alter: changesTo(listed(1, 3, "3 4 5"), 2, 3, 4),
	},
	{
		name: "R47-removes-itself", from: "members-leader-removed", at: "Change & 3 is",
		alter: changesTo(listed(1, 2, "1 2"), 1, 2),
	},
	{
		name: "R47-skips-a-version", from: "members-grow", at: "Change & version:2",
		alter: changesTo(listed(1, 3, "1 2 3 observer:4"), 1, 2, 4),
	},
	{
		name: "ConfigurationMonotonic-changes-to-an-older-epoch", from: "members-leader-removed", at: "Change & 2 is",
		alter: changesTo(listed(1, 3, "1 2"), 1, 3),
	},
	{
		name: "R47-a-follower-changes", from: "members-grow", at: "OnCoordinator 3→2", how: inserts, after: 1,
		alter: changesTo(listed(1, 2, "1 2"), 1, 3),
	},
	{
		name: "R47-removed-is-not-told", from: "members-shrink", at: "Change & 5 is",
		alter: func(e *spec.Event) { e.Sent = e.Sent[1:] },
	},
	{
		name: "R47-newcomer-alone-is-told", from: "members-grow", at: "Change & version:2",
		alter: func(e *spec.Event) { e.Sent = e.Sent[2:] },
	},
}
