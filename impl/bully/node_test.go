package bully_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

// integers returns the ids 1 to n.
func integers(n int) []spec.NodeID {
	ids := make([]spec.NodeID, n)
	for i := range ids {
		ids[i] = spec.IntegerID(uint64(i + 1))
	}
	return ids
}

// id returns the id i, and no node for 0.
func id(i int) spec.NodeID { return spec.IntegerID(uint64(i)) }

func message(kind spec.MessageType, from, to int, e spec.Epoch) bully.Input {
	return bully.Receive(spec.Message{Type: kind, From: id(from), To: id(to), Epoch: e, Question: 9})
}

// started returns node i of n after its first start.
func started(t testing.TB, i, n int) *bully.Node {
	node, err := bully.New(id(i), integers(n))
	require.NoError(t, err)
	require.Equal(t, spec.StartAction, node.Step(bully.Start()).Action)
	return node
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		id      spec.NodeID
		members []spec.NodeID
		problem string
	}{
		{id(1), nil, "bully: 0 members: give from 1 to 64"},
		{id(1), integers(65), "bully: 65 members: give from 1 to 64"},
		{id(1), []spec.NodeID{id(1), {}}, "bully: member none is no id: give integers from 1 on or UUIDs of version 4"},
		{id(1), []spec.NodeID{id(1), {0: 1}}, "bully: member 01000000-0000-0000-0000-000000000000 is no id: give integers from 1 on or UUIDs of version 4"},
		{id(1), []spec.NodeID{id(2), id(1), id(2)}, "bully: member 2 is there twice: give each once"},
		{id(4), integers(3), "bully: node 4 is no member: add it to the members, or correct its id"},
		{id(0), integers(3), "bully: node none is no member: add it to the members, or correct its id"},
	} {
		_, err := bully.New(c.id, c.members)
		require.EqualError(t, err, c.problem)
		_, err = bully.At(c.id, c.members, spec.State{Role: spec.Follower})
		require.EqualError(t, err, c.problem)
	}
}

func TestNewTakesMembersInAnyOrder(t *testing.T) {
	members := []spec.NodeID{id(3), id(1), id(4), id(2)}
	node, err := bully.New(id(2), members)
	require.NoError(t, err)
	members[0], members[1] = id(9), id(9) // the caller's slice is the caller's
	node.Step(bully.Start())
	out := node.Step(bully.Timeout(spec.PatienceTimer))
	to := []spec.NodeID{}
	for _, m := range out.Send {
		to = append(to, m.To)
	}
	require.Equal(t, []spec.NodeID{id(1), id(3), id(4)}, to)
}

func TestAtRefuses(t *testing.T) {
	for problem, s := range map[string]spec.State{
		`bully: state: role: `:                                     {},
		`bully: state: epoch: `:                                    {Role: spec.Follower, Epoch: spec.MaxEpoch + 1},
		`bully: state: leader: 4 is no member`:                     {Role: spec.Follower, Leader: id(4)},
		`bully: state: grantee: 4 is no member`:                    {Role: spec.Follower, Grantee: id(4)},
		`bully: state: support: 4 is no member`:                    {Role: spec.Electing, Support: []spec.NodeID{id(1), id(4)}},
		`bully: state: no input leads to it: R5: support holds`:    {Role: spec.Electing, Support: []spec.NodeID{id(2)}},
		`bully: state: no input leads to it: R5: a follower keeps`: {Role: spec.Follower, Leader: id(2)},
		`R5: a follower keeps no lease or another's`:               {Role: spec.Follower, Support: []spec.NodeID{id(1)}},
		`R9: a candidate and a claimant keep no lease but`:         {Role: spec.Candidate, Leader: id(3)},
		`R9: a candidate and a claimant keep no lease but that`:    {Role: spec.Claimant, Leader: id(2)},
		`R2: nobody claims an epoch above 2^53-1`:                  {Role: spec.Claimant, Epoch: spec.MaxEpoch},
		`bully: state: answered: 4 is no other member`: {Role: spec.Leader, Leader: id(2), Epoch: 4, Grantee: id(2), Latest: 9, Dated: 7,
			Answered: []spec.Answered{{Node: id(4), Question: 7}}},
		`R5: the lease of another node is of a question`:           {Role: spec.Follower, Leader: id(1), Latest: 9},
		`R5: the lease of another node is of a question, and no`:   {Role: spec.Follower, Lease: 3, Latest: 9},
		`R50: no number is above the latest, and that is not 0`:    {Role: spec.Follower},
		`R8, R16: a candidate and a claimant ask something`:        {Role: spec.Candidate, Latest: 9},
		`R26: a reign is dated from a question`:                    {Role: spec.Leader, Leader: id(2), Epoch: 4, Grantee: id(2), Latest: 9},
		`R20: a leader keeps its own lease`:                        {Role: spec.Leader, Leader: id(1), Epoch: 4, Grantee: id(2)},
		`R20: a leader keeps its own lease, and is the grantee`:    {Role: spec.Leader, Leader: id(2), Epoch: 4, Grantee: id(1)},
		`R20: a leader keeps its own lease, and is the grantee of`: {Role: spec.Leader, Leader: id(2), Epoch: 0, Grantee: id(2)},
	} {
		_, err := bully.At(id(2), integers(3), s)
		require.ErrorContains(t, err, problem)
	}
}

func TestAtIsThere(t *testing.T) {
	s := spec.State{Role: spec.Leader, Leader: id(2), Epoch: spec.MaxEpoch, Grantee: id(2), Support: []spec.NodeID{id(1), id(3)},
		Latest: 9, Dated: 7, Answered: []spec.Answered{{Node: id(1), Question: 7}}}
	node, err := bully.At(id(2), integers(3), s)
	require.NoError(t, err)
	require.Equal(t, s, node.State())
	require.Equal(t, "{reign heartbeat}", node.Running().String())

	node.State().Support[0] = id(9)
	node.State().Answered[0].Question = 9
	require.Equal(t, s, node.State(), "a copy")
	require.Equal(t, bully.StartedTwice, node.Step(bully.Restart(s.Durable())).Ignored)
}

func TestIgnored(t *testing.T) {
	noID := spec.NodeID{0: 1}
	for _, c := range []struct {
		in    bully.Input
		cause bully.Cause
		text  string
	}{
		{bully.Input{}, bully.Malformed, "no input"},
		{bully.Start(), bully.StartedTwice, "start"},
		{bully.Restart(spec.Durable{Epoch: 9, Grantee: id(3)}), bully.StartedTwice, "restart epoch:9 grantee:3 reserved:0"},
		{bully.Timeout(spec.ClaimTimer), bully.TimerNotRunning, "claim ended"},
		{bully.Timeout(spec.PreemptTimer), bully.TimerNotRunning, "preempt ended"},
		{bully.Timeout("lunch"), bully.TimerNotRunning, "lunch ended"},
		{bully.Timeout(""), bully.TimerNotRunning, " ended"},
		{bully.Receive(spec.Message{}), bully.UnknownType, "none→none  epoch:0 question:0"},
		{message("VOTE", 3, 2, 1), bully.UnknownType, "3→2 VOTE epoch:1 question:9"},
		{message(spec.Claim, 3, 2, spec.MaxEpoch+1), bully.Malformed, "3→2 CLAIM epoch:9007199254740992 question:9"},
		{message(spec.Claim, 3, 2, math.MaxUint64), bully.Malformed, "3→2 CLAIM epoch:18446744073709551615 question:9"},
		{message(spec.Claim, 2, 2, 1), bully.Malformed, "2→2 CLAIM epoch:1 question:9"},
		{message(spec.Claim, 0, 2, 1), bully.Malformed, "none→2 CLAIM epoch:1 question:9"},
		{message(spec.Claim, 3, 0, 1), bully.Malformed, "3→none CLAIM epoch:1 question:9"},
		{bully.Receive(spec.Message{Type: spec.Claim, From: noID, To: id(2), Epoch: 1, Question: 9}), bully.Malformed,
			"01000000-0000-0000-0000-000000000000→2 CLAIM epoch:1 question:9"},
		{bully.Receive(spec.Message{Type: spec.Claim, From: id(3), To: id(2), Epoch: 1}), bully.Malformed, "3→2 CLAIM epoch:1 question:0"},
		{bully.Receive(spec.Message{Type: spec.Claim, From: id(3), To: id(2), Epoch: 1, Question: spec.MaxQuestion + 1}), bully.Malformed,
			"3→2 CLAIM epoch:1 question:9007199254740992"},
		{message(spec.Claim, 4, 2, 1), bully.NonMember, "4→2 CLAIM epoch:1 question:9"},
		{message(spec.Claim, 4, 5, 1), bully.NonMember, "4→5 CLAIM epoch:1 question:9"},
		{message(spec.Claim, 3, 1, 1), bully.Misaddressed, "3→1 CLAIM epoch:1 question:9"},
		{message(spec.Claim, 2, 1, 1), bully.Misaddressed, "2→1 CLAIM epoch:1 question:9"},
		{message(spec.Claim, 3, 4, 1), bully.Misaddressed, "3→4 CLAIM epoch:1 question:9"},
		{bully.Resign(), "", "resign"},
		{bully.HolderDead(), "", "holder-dead"},
	} {
		node := started(t, 2, 3)
		before := node.State()
		require.Equal(t, bully.Output{Ignored: c.cause}, node.Step(c.in), c.text)
		require.Equal(t, before, node.State(), c.text)
		require.Equal(t, "{patience}", node.Running().String(), c.text)
		require.Equal(t, c.text, c.in.String())
		require.True(t, c.cause == "" || slices.Contains(bully.Causes(), c.cause), c.cause)
	}
}

func TestBeforeTheStart(t *testing.T) {
	node, err := bully.New(id(2), integers(3))
	require.NoError(t, err)
	for _, in := range []bully.Input{
		message(spec.Claim, 3, 2, 1), bully.Timeout(spec.PatienceTimer), bully.Resign(), bully.HolderDead(), message("VOTE", 3, 2, 1),
	} {
		require.Equal(t, bully.Output{Ignored: bully.NotStarted}, node.Step(in), in.String())
	}
	require.Equal(t, bully.Output{Ignored: bully.Malformed}, node.Step(bully.Restart(spec.Durable{Epoch: spec.MaxEpoch + 1})))
	require.Equal(t, bully.Output{Ignored: bully.Malformed}, node.Step(bully.Restart(spec.Durable{Epoch: 1, Grantee: spec.NodeID{0: 1}})))
	require.Equal(t, bully.Output{Ignored: bully.NonMember}, node.Step(bully.Restart(spec.Durable{Epoch: 1, Grantee: id(4)})))
	require.Equal(t, "{}", node.Running().String())
	require.Equal(t, spec.State{Role: spec.Follower, Latest: 1}, node.State())

	out := node.Step(bully.Restart(spec.Durable{Epoch: spec.MaxEpoch, Grantee: id(3), Reserved: 2 * spec.Block}))
	require.Equal(t, spec.RestartAction, out.Action)
	require.True(t, out.Save, "a life takes new numbers (R50)")
	require.Equal(t, 3*spec.Block, out.Promise.Reserved)
	require.Equal(t, "electing leader:2 epoch:9007199254740991 grantee:3 support:{} latest:2097153", node.State().String())
	require.Equal(t, bully.StartedTwice, node.Step(bully.Start()).Ignored)
}

// TestSixtyFour goes to the bound of the members: the quorum of 64 is 33.
func TestSixtyFour(t *testing.T) {
	for _, me := range []int{1, 32, 64} {
		members := integers(bully.MaxMembers)
		node, err := bully.New(id(me), members)
		require.NoError(t, err)
		node.Step(bully.Start())
		others := slices.DeleteFunc(members, func(m spec.NodeID) bool { return m == id(me) })
		require.Equal(t, others, receivers(node.Step(bully.Timeout(spec.PatienceTimer)).Send))

		for _, from := range others[31:62] { // 31 and the node itself are half
			node.Step(bully.Receive(spec.Message{Type: spec.Assent, From: from, To: id(me), Question: 2}))
		}
		require.Equal(t, spec.Candidate, node.State().Role)
		node.Step(bully.Receive(spec.Message{Type: spec.Assent, From: others[62], To: id(me), Question: 2}))
		if me != 64 {
			require.Equal(t, others[31:], node.State().Support)
			node.Step(bully.Timeout(spec.ElectionTimer))
		}
		require.Equal(t, spec.Claimant, node.State().Role)

		for _, from := range others[:31] {
			node.Step(bully.Receive(spec.Message{Type: spec.Grant, From: from, To: id(me), Epoch: 1, Question: 3}))
		}
		require.Equal(t, spec.Claimant, node.State().Role)
		out := node.Step(bully.Receive(spec.Message{Type: spec.Grant, From: others[31], To: id(me), Epoch: 1, Question: 3}))
		require.Equal(t, spec.Leader, node.State().Role)
		require.Equal(t, spec.Durable{Epoch: 1, Grantee: id(me), Reserved: spec.Block}, out.Promise)
		require.Equal(t, others, receivers(out.Send))
	}
}

func receivers(sent []spec.Message) (to []spec.NodeID) {
	for _, m := range sent {
		to = append(to, m.To)
	}
	return to
}
