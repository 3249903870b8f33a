package check_test

import (
	"github.com/seed-fdf591db/bully/spec"
)

// numbered gives the node of the event a latest number, and all that it sends; a candidate asks it.
func numbered(q spec.Question) func(*spec.Event) {
	return func(e *spec.Event) {
		e.State.Latest = q
		if e.State.Asked != 0 {
			e.State.Asked = q
		}
		for i := range e.Sent {
			e.Sent[i].Question = q
		}
	}
}

// editsOfNumbers break what is said of questions, and the rules that keep epochs from running away.
var editsOfNumbers = []edit{
	{name: "R30-numbers-begin-again", from: "leader-back-unnoticed", at: "Restart & 3 is", alter: numbered(1)},
	{name: "R4-crash-forgets-its-numbers", from: "leader-back-unnoticed", at: "Crash & 3 is", alter: numbered(3)},
	{name: "R8-asks-under-the-number-before", from: "failover", at: "PatienceTimeout & 2 is", alter: numbered(1)},
	{name: "R8-skips-a-number", from: "failover", at: "PatienceTimeout & 2 is", alter: numbered(3)},
	{
		name: "R9-names-no-lease", from: "hand-over", at: "PreemptTimeout",
		alter: func(e *spec.Event) {
			for i := range e.Sent {
				e.Sent[i].Keeps = spec.NodeID{}
			}
		},
	},
	{
		name: "R11-claimant-gives-way", from: "claimant-goes-on", at: "OnElection & claimant & ASSENT",
		alter: func(e *spec.Event) { e.State.Role, e.State.Support, e.State.Asked = spec.Electing, nil, 0 },
	},
	{
		name: "R17-claimant-grants-its-rival", from: "claimant-refuses-a-lower-one", at: "OnClaim 2→3 & REFUSE",
		alter: func(e *spec.Event) {
			m := &e.Input.Message
			e.State = spec.State{Role: spec.Electing, Leader: m.From, Lease: m.Question, Epoch: m.Epoch, Grantee: m.From, Latest: e.State.Latest}
			e.Sent[0].Type, e.Sent[0].Epoch = spec.Grant, m.Epoch
		},
	},
	{
		name: "R17-lease-gets-older", from: "late-election-and-claim", at: "OnClaim 3→1 & lease:4",
		alter: func(e *spec.Event) { e.State.Lease = e.Input.Message.Question },
	},
	{
		name: "R18-names-no-successor", from: "hand-over", at: "OnClaim 4→3 CLAIM epoch:3",
		alter: func(e *spec.Event) {
			for i := range e.Sent {
				e.Sent[i].Granted = spec.Granted{}
			}
		},
	},
	{
		name: "R21-refusal-of-an-earlier-claim", from: "refusal-of-an-earlier-claim", at: "OnRefuse 1→3 & claimant",
		alter: func(e *spec.Event) {
			e.State.Role, e.State.Asked, e.State.Epoch, e.State.Grantee, e.State.Support = spec.Follower, 0, e.Input.Message.Epoch, spec.NodeID{}, nil
		},
	},
	{
		name: "R23-lease-gets-older", from: "late-heartbeat-and-ack", at: "OnHeartbeat 3→1 HEARTBEAT epoch:1 question:4 & lease:5",
		alter: func(e *spec.Event) { e.State.Lease = 4 },
	},
	{
		name: "R25-dates-from-the-arrival", from: "late-heartbeat-and-ack", at: "OnAck 1→3 ACK epoch:1 question:4 & latest:5",
		alter: func(e *spec.Event) { e.State.Dated, e.State.Answered[0].Question = 5, 5 },
	},
	{
		name: "R29-late-resign-ends-a-later-lease", from: "late-resign", at: "OnResign 3→1 & electing leader:3",
		alter: func(e *spec.Event) {
			e.State.Role, e.State.Leader, e.State.Lease = spec.Follower, spec.NodeID{}, 0
		},
	},
	{
		name: "R29-does-not-grant-the-successor", from: "hand-over", at: "OnResign 3→1 & GRANT",
		alter: func(e *spec.Event) {
			e.Sent = nil
			e.State.Role, e.State.Leader, e.State.Lease, e.State.Epoch, e.State.Grantee = spec.Follower, spec.NodeID{}, 0, 2, spec.IntegerID(3)
		},
	},
	{
		name: "R31-late-im-back-ends-a-later-lease", from: "late-im-back", at: "OnImBack 3→1 & electing leader:3",
		alter: func(e *spec.Event) {
			e.State.Role, e.State.Leader, e.State.Lease = spec.Follower, spec.NodeID{}, 0
		},
	},
	{
		name: "links-invented-number", from: "failover", at: "OnRefuse 1→2",
		alter: func(e *spec.Event) { e.Input.Message.Question++ },
	},
	{
		name: "links-invented-lease", from: "hand-over", at: "OnElection 4→1 & keeps:3",
		alter: func(e *spec.Event) { e.Input.Message.Keeps = spec.IntegerID(2) },
	},
	{
		name: "links-invented-successor", from: "hand-over", at: "OnResign 3→1 & GRANT",
		alter: func(e *spec.Event) { e.Input.Message.Granted.By = spec.IntegerID(2) },
	},
}
