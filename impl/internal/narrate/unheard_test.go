package narrate

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// listening returns a narrator of real nodes 1 to 3, and what has a node say, so long after the first, in which role it is; it returns what is told.
func listening(t *testing.T, o Options) (*Narrator, func(after time.Duration, node uint64, role spec.Role, e spec.Epoch) []recording.Frame) {
	o.Timed, o.Middle = true, true
	told, err := New([]spec.NodeID{spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)}, o)
	require.NoError(t, err)
	return told, func(after time.Duration, node uint64, role spec.Role, e spec.Epoch) []recording.Frame {
		me := spec.IntegerID(node)
		event := spec.Event{Seq: 1, At: uint64(time.Second + after), Node: me, Action: spec.HeartbeatTimeout, Input: spec.Input{Timer: spec.HeartbeatTimer},
			State: spec.State{Role: role, Epoch: e, Latest: 3}}
		if role == spec.Leader {
			event.State.Leader, event.State.Grantee = me, me
		}
		return told.Tell(&event)
	}
}

// TestSilence: when a node comes to lead, a leader of a lower epoch is heard no more, once, until it says that it leads on. Others are as they were.
func TestSilence(t *testing.T) {
	_, says := listening(t, Options{Real: true})
	says(0, 3, spec.Follower, 1)
	says(1, 1, spec.Leader, 1)
	frames := says(2, 2, spec.Leader, 2)
	require.Len(t, frames, 2, "of 1, and of 2 itself")
	require.Equal(t, 0, frames[0].Node)
	require.Equal(t, "is heard no more", frames[0].Text)
	require.Contains(t, frames[0].Note, "it led epoch 1, and 2 comes to lead epoch 2 now")
	require.True(t, frames[0].State.Unheard, "the deposed leader is shown as unheard")
	require.Equal(t, string(spec.Leader), frames[1].State.Role)
	require.Len(t, says(3, 2, spec.Leader, 2), 1, "it leads as before")

	on := says(4, 1, spec.Leader, 1)
	require.Len(t, on, 1)
	require.False(t, on[0].State.Unheard, "it leads on")
	acting := slices.IndexFunc(on[0].Indicators, func(i recording.Indicator) bool { return i.Name == string(spec.OneActing) })
	require.Contains(t, on[0].Indicators[acting].Says, "two nodes act as leader: node 1 leads epoch 1, node 2 leads epoch 2; that can be if one of them was held up, which its log says then")
	require.Len(t, says(5, 2, spec.Leader, 2), 1, "who leads already does not come to lead")

	require.Len(t, says(6, 3, spec.Leader, 1), 1, "of an epoch that is no higher than another's")
	frames = says(7, 1, spec.Leader, 3)
	require.Len(t, frames, 3, "of 2 and 3, and not of itself, which led")
	require.Equal(t, []int{1, 2, 0}, []int{frames[0].Node, frames[1].Node, frames[2].Node})
	require.Len(t, says(8, 2, spec.Leader, 4), 2, "who is heard no more is not told of twice")

	told, says := listening(t, Options{Real: true})
	says(0, 1, spec.Leader, 1)
	says(1, 2, spec.Leader, 2)
	undated := spec.Event{Seq: 2, Node: spec.IntegerID(1), Action: spec.HeartbeatTimeout, Input: spec.Input{Timer: spec.HeartbeatTimer},
		State: spec.State{Role: spec.Leader, Leader: spec.IntegerID(1), Grantee: spec.IntegerID(1), Epoch: 1, Latest: 4}}
	require.False(t, told.Tell(&undated)[0].State.Unheard, "of an event that has no time it is not known that it is old")

	_, says = listening(t, Options{})
	says(0, 1, spec.Leader, 1)
	require.Len(t, says(1, 2, spec.Leader, 2), 1, "in a simulated run a node is what it is told to be")
}

// TestUnheard: a node that nothing is heard of is nothing that it was, though others may still hear what it has sent; what its silence does to the promises is told with it.
func TestUnheard(t *testing.T) {
	told, says := listening(t, Options{Real: true})
	says(0, 2, spec.Follower, 1)
	says(0, 3, spec.Follower, 1)
	says(0, 1, spec.Leader, 1)
	last := spec.State{Role: spec.Leader, Leader: spec.IntegerID(1), Epoch: 1, Grantee: spec.IntegerID(1), Latest: 3}
	frames := told.Unheard(spec.IntegerID(1), &last, "it is gone")
	require.Len(t, frames, 1)
	require.Equal(t, [2]string{"is heard no more", "it is gone"}, [2]string{frames[0].Text, frames[0].Note})
	require.True(t, frames[0].State.Unheard, "the silent node is shown as unheard")
	require.Equal(t, "heard no more", frames[0].State.Role)
	require.NotEmpty(t, frames[0].Indicators)
	require.Len(t, says(1, 2, spec.Leader, 2), 1, "it leads no more, for all that is known")

	end := spec.Event{Seq: 9, At: uint64(2 * time.Second), Node: spec.IntegerID(2), Action: spec.CrashAction, State: spec.State{Role: spec.Follower, Epoch: 2}}
	require.Equal(t, "crashes, or is stopped", told.Tell(&end)[0].Text)

	told, _ = listening(t, Options{Real: true})
	require.Equal(t, "is not heard", told.Unheard(spec.IntegerID(3), &spec.State{}, "")[0].Text)
}

// TestLease: a leader may act from when it asked the question from which its reign is dated, if that was seen.
func TestLease(t *testing.T) {
	var a Asked
	claims := spec.State{Role: spec.Claimant, Epoch: 1, Latest: 7, Asked: 7}
	leads := spec.State{Role: spec.Leader, Leader: spec.IntegerID(1), Epoch: 2, Latest: 7, Dated: 7}
	a.Note(&spec.State{Role: spec.Candidate, Epoch: 1, Latest: 6, Asked: 6}, 100)
	a.Note(&claims, 200)
	require.Nil(t, a.Lease(&claims), "it does not lead")
	a.Note(&leads, 300)
	require.Equal(t, &recording.Lease{Question: 7, Asked: 200}, a.Lease(&leads))
	leads.Latest = 9 // a question was missed
	a.Note(&leads, 400)
	leads.Dated = 9
	a.Note(&leads, 500)
	require.Nil(t, a.Lease(&leads), "nobody has seen it ask")
}

// TestWhoIsNamedSaysSo, and by whom (R51).
func TestWhoIsNamedSaysSo(t *testing.T) {
	says := Says(spec.ResignAction, &spec.Message{Type: spec.Claim, From: spec.IntegerID(2), To: spec.IntegerID(1), Epoch: 5, Question: 7, Names: spec.IntegerID(3)})
	require.Contains(t, says, ": 3 has resigned, and named me")
	says = Says(spec.ResignAction, &spec.Message{Type: spec.Resign, From: spec.IntegerID(3), To: spec.IntegerID(1), Epoch: 4, Question: 7, Names: spec.IntegerID(2)})
	require.Contains(t, says, ": 2 is to stand first")
}
