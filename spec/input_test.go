package spec_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

func TestTimerSet(t *testing.T) {
	set := spec.TimersOf(spec.HeartbeatTimer, spec.ReignTimer, "lunch")
	require.Equal(t, []spec.Timer{spec.ReignTimer, spec.HeartbeatTimer}, slices.Collect(set.All()))
	for first := range set.All() {
		require.Equal(t, spec.ReignTimer, first)
		break
	}
	for _, timer := range append(spec.Timers(), "", "lunch") {
		require.Equal(t, timer == spec.ReignTimer || timer == spec.HeartbeatTimer, set.Has(timer), timer)
	}
	require.Equal(t, spec.Timers(), slices.Collect(spec.TimerSet(math.MaxUint8).All()), "the bits are in the order of the words")
	require.Equal(t, "{reign heartbeat}", set.String())
	require.Equal(t, "{}", spec.TimerSet(0).String())
}

// TestActionOfInput goes from each action of a node to an input that makes it, and back.
func TestActionOfInput(t *testing.T) {
	for _, action := range spec.Actions() {
		in := spec.Input{Timer: action.Timer(), Call: action.Call(), Message: spec.Message{Type: action.Receipt()}}
		if in.Action() == "" {
			require.Contains(t, []spec.Action{spec.CrashAction, spec.LoseAction, spec.CutAction}, action)
			continue
		}
		require.Equal(t, action, in.Action())
		require.Equal(t, action.Receipt() != "", in.OfMessage(), action)
		require.Equal(t, action == spec.StartAction || action == spec.RestartAction, in.Starts(), action)
		event := spec.Event{Action: action, Input: in.Written()}
		require.Equal(t, in, event.Trigger(), action)
		require.Equal(t, in.Starts(), event.Input.Action() == "", "a start is said by the action alone")
	}
	for _, none := range []spec.Input{{}, {Timer: "lunch"}, {Call: "help"}, {Message: spec.Message{Type: "HELLO"}}} {
		require.Empty(t, none.Action(), none)
	}
}

func TestStepsEqual(t *testing.T) {
	made := func() spec.Step {
		return spec.Step{State: spec.State{Role: spec.Leader, Epoch: 4}, Sent: []spec.Message{{Type: spec.Ack, Epoch: 4}}}
	}
	require.True(t, made().Equal(made()))
	for name, change := range map[string]func(*spec.Step){
		"ignored": func(s *spec.Step) { s.Ignored = true },
		"state":   func(s *spec.Step) { s.State.Epoch = 5 },
		"sent":    func(s *spec.Step) { s.Sent[0].Epoch = 5 },
		"more":    func(s *spec.Step) { s.Sent = append(s.Sent, s.Sent[0]) },
		"save":    func(s *spec.Step) { s.Save = true },
		"cancel":  func(s *spec.Step) { s.Cancel = 1 },
		"arm":     func(s *spec.Step) { s.Arm = 1 },
	} {
		other := made()
		change(&other)
		require.False(t, made().Equal(other), name)
	}
}
