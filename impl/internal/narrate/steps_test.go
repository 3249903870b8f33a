package narrate

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// begun lets three nodes start, and returns a function that tells an event of one of them and returns its last frame.
func begun(t *testing.T) func(e spec.Event) recording.Frame {
	t.Helper()
	narrator, err := New([]spec.NodeID{one, two, three}, Options{})
	require.NoError(t, err)
	tell := func(e spec.Event) recording.Frame {
		frames := narrator.Tell(&e)
		return frames[len(frames)-1]
	}
	for _, id := range []spec.NodeID{one, two, three} {
		tell(spec.Event{Node: id, Action: spec.StartAction, State: spec.State{Role: spec.Follower}})
	}
	return tell
}

// TestFirstStepOfANode: a node that was not seen to start was a follower, and has not become one.
func TestFirstStepOfANode(t *testing.T) {
	narrator, err := New([]spec.NodeID{one, two}, Options{})
	require.NoError(t, err)
	e := heard(spec.Message{Type: spec.Grant, From: two, To: one, Epoch: 1, Question: 4}, spec.State{Role: spec.Follower})
	require.Equal(t, "comes too late: it claims nothing now", narrator.Tell(&e)[0].Note)
}

// TestAnswersOfAnElectingNode: it has asked, and what answers that counts, as long as it stands.
func TestAnswersOfAnElectingNode(t *testing.T) {
	tell := begun(t)
	waits := spec.State{Role: spec.Electing, Asked: 7, Latest: 7}
	tell(spec.Event{Node: one, Action: spec.ElectionTimeout, Input: spec.Input{Timer: spec.ElectionTimer}, State: waits})
	assent := spec.Message{Type: spec.Assent, From: two, To: one, Question: 7}
	backed := waits
	backed.Support = []spec.NodeID{two}
	require.Contains(t, tell(heard(assent, backed)).Note, "2 would follow it: that is 2 of 3, itself included")
	f := tell(heard(assent, spec.State{Role: spec.Follower, Latest: 7}))
	require.Equal(t, "that is too late to matter; waits for a leader", f.Note)
}

// TestNextEpochOfTheSameNode: who was promised an epoch has not been promised the next.
func TestNextEpochOfTheSameNode(t *testing.T) {
	tell := begun(t)
	grants := func(of spec.Epoch) string {
		m := spec.Message{Type: spec.Claim, From: three, To: one, Epoch: of, Question: spec.Question(of)}
		promised := spec.State{Role: spec.Follower, Epoch: of, Grantee: three}
		return tell(heard(m, promised, spec.Message{Type: spec.Grant, From: one, To: three, Epoch: of, Question: m.Question})).Note
	}
	const first, again = "nobody was promised it", "it has promised it to 3 before"
	require.Contains(t, grants(1), first)
	require.Contains(t, grants(1), again)
	require.Contains(t, grants(2), first)
}

// TestStateIsShownWhereItChanges: what changes nothing shows none, but for a node that is back as it was.
func TestStateIsShownWhereItChanges(t *testing.T) {
	tell := begun(t)
	follows := spec.State{Role: spec.Follower, Leader: three, Epoch: 1, Grantee: three}
	heartbeat := spec.Message{Type: spec.Heartbeat, From: three, To: one, Epoch: 1}
	require.NotNil(t, tell(heard(heartbeat, follows)).State)
	require.Nil(t, tell(heard(heartbeat, follows)).State)
	require.Equal(t, "down", tell(spec.Event{Node: one, Action: spec.CrashAction, State: follows}).State.Role)
	f := tell(spec.Event{Node: one, Action: spec.RestartAction, State: follows})
	require.NotNil(t, f.State)
	require.Equal(t, "follower", f.State.Role)
}

// TestCrashBeforeItWasBack says so where nothing runs that could crash.
func TestCrashBeforeItWasBack(t *testing.T) {
	tell := begun(t)
	crash := spec.Event{Node: one, Action: spec.CrashAction, State: spec.State{Role: spec.Follower}}
	require.Equal(t, "crashes", tell(crash).Text)
	require.Equal(t, "crashes again, before it was back", tell(crash).Text)
}

// TestUpkeepOfAReign: it is heartbeats and what answers them; an answer to the beginning of a reign is none, nor a refusal.
func TestUpkeepOfAReign(t *testing.T) {
	tell := begun(t)
	follows := spec.State{Role: spec.Follower, Leader: three, Epoch: 1, Grantee: three}
	answered := func(to, with spec.MessageType) bool {
		f := tell(heard(spec.Message{Type: to, From: three, To: one, Epoch: 1}, follows, spec.Message{Type: with, From: one, To: three, Epoch: 1}))
		require.Len(t, f.Sends, 1)
		return f.Sends[0].Upkeep
	}
	require.False(t, answered(spec.Coordinator, spec.Ack), "the answer to a COORDINATOR is not upkeep")
	require.True(t, answered(spec.Heartbeat, spec.Ack), "the answer to a HEARTBEAT is upkeep")
	require.False(t, answered(spec.Heartbeat, spec.Refuse), "a refusal is not upkeep")
}

// TestWhoIsNamed: who is named claims for the first time, and not again (R51).
func TestWhoIsNamed(t *testing.T) {
	tell := begun(t)
	follows := spec.State{Role: spec.Follower, Leader: three, Lease: 1, Epoch: 1, Grantee: three}
	tell(heard(spec.Message{Type: spec.Coordinator, From: three, To: one, Epoch: 1, Question: 3}, follows))
	claims := spec.State{Role: spec.Claimant, Epoch: 1, Grantee: three, Asked: 2, Latest: 2}
	note := tell(heard(spec.Message{Type: spec.Resign, From: three, To: one, Epoch: 1, Question: 4, Names: one}, claims)).Note
	require.Contains(t, note, "it is named: claims epoch 2 at once, and asks nobody")
	require.NotContains(t, note, "again")
}
