package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// TestSameSteps changes one thing of a step after the other: each makes another run of it, but its time and what is lost.
func TestSameSteps(t *testing.T) {
	one, two := spec.IntegerID(1), spec.IntegerID(2)
	first, err := spec.NewConfiguration(0, 1, []spec.Member{{ID: one, Kind: spec.Voter}})
	require.NoError(t, err)
	step := spec.Event{Node: one, Action: spec.OnElection, State: spec.State{Role: spec.Follower}}
	run := []spec.Event{step, step}
	for name, change := range map[string]func(*spec.Event){
		"its node":          func(e *spec.Event) { e.Node = two },
		"its action":        func(e *spec.Event) { e.Action = spec.OnClaim },
		"its message":       func(e *spec.Event) { e.Input.Message.From = two },
		"its configuration": func(e *spec.Event) { e.Input.Configuration = first },
		"its links":         func(e *spec.Event) { e.Input.Cut = []spec.Link{{From: one, To: two}} },
		"what it sends":     func(e *spec.Event) { e.Sent = []spec.Message{{From: one, To: two}} },
		"its state":         func(e *spec.Event) { e.State.Epoch++ },
	} {
		other := step
		change(&other)
		at, same := sameSteps(run, []spec.Event{step, other})
		require.False(t, same, name)
		require.Equal(t, 1, at, name)
	}
	late := step
	late.At = 5
	_, same := sameSteps(run, []spec.Event{late, {Action: spec.LoseAction}, step})
	require.True(t, same, "a run is the same when only times and losses differ")
	at, same := sameSteps(run, run[:1])
	require.False(t, same, "a shorter run is another run")
	require.Equal(t, 1, at)
}

// TestTellNothing is given what is no trace.
func TestTellNothing(t *testing.T) {
	_, _, err := tellTrace([]byte("oops"), shape{header: spec.Header{Members: []spec.NodeID{spec.IntegerID(1)}}}, nil)
	require.ErrorContains(t, err, "line 1")
}
