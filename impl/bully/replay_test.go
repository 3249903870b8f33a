package bully_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

// TestReplay takes one step of each kind that an event of a trace can tell of.
func TestReplay(t *testing.T) {
	members := []spec.NodeID{id(1), id(2), id(3)}
	leads := numbered(2, spec.State{Role: spec.Leader, Leader: id(2), Epoch: 4, Grantee: id(2)})
	follows := numbered(2, spec.State{Role: spec.Follower, Leader: id(3), Epoch: 4, Grantee: id(3)})
	for _, test := range []struct {
		before spec.State
		in     spec.Input
		want   spec.Action
	}{
		{follows, spec.Input{Message: spec.Message{Type: spec.Resign, From: id(3), To: id(2), Epoch: 4, Question: 9}}, spec.OnResign},
		{follows, spec.Input{Timer: spec.PatienceTimer}, spec.PatienceTimeout},
		{follows, spec.Input{Call: spec.HolderDeadCall}, spec.HolderDeadAction},
		{leads, spec.Input{Call: spec.ResignCall}, spec.ResignAction},
		{leads, spec.Input{Timer: spec.PatienceTimer}, ""},
		{leads, spec.Input{Call: spec.HolderDeadCall}, ""},
		{leads, spec.Input{}, ""},
		{numbered(2, spec.State{Role: spec.Leader, Epoch: 4}), spec.Input{Call: spec.ResignCall}, ""}, // no node leads without its own lease
	} {
		action, after, sent := bully.Replay(id(2), members, test.before, test.in)
		require.Equal(t, test.want, action, "%v in %v", test.in, test.before)
		node, err := bully.At(id(2), members, test.before)
		if err != nil {
			require.Empty(t, sent)
			continue
		}
		out := node.Step(bully.InputOf(test.in))
		require.Equal(t, node.State(), after)
		require.ElementsMatch(t, out.Send, sent)
	}
}

// TestReplayOfAMerge takes steps as a merge of traces does for a node that was killed before it could record them.
func TestReplayOfAMerge(t *testing.T) {
	one, two := spec.IntegerID(1), spec.IntegerID(2)
	members := []spec.NodeID{one, two}
	claim := spec.Message{Type: spec.Claim, From: two, To: one, Epoch: 3, Question: 7}
	action, after, sent := bully.Replay(one, members, spec.State{Role: spec.Follower, Latest: 1}, spec.Input{Message: claim})
	require.Equal(t, spec.OnClaim, action)
	require.Equal(t, spec.Durable{Epoch: 3, Grantee: two, Reserved: spec.Block}, after.Durable())
	require.Equal(t, []spec.Message{{Type: spec.Grant, From: one, To: two, Epoch: 3, Question: 7}}, sent)
	action, after, _ = bully.Replay(one, members, spec.State{Role: spec.Follower, Latest: 1}, spec.Input{Timer: spec.PatienceTimer})
	require.Equal(t, spec.PatienceTimeout, action)
	require.Equal(t, spec.Candidate, after.Role)
	action, _, _ = bully.Replay(one, []spec.NodeID{two}, spec.State{Role: spec.Follower, Latest: 1}, spec.Input{Message: claim})
	require.Empty(t, action)
}
