package spec_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

func TestClosedSets(t *testing.T) {
	closed(t, spec.Roles, 5, spec.Role.Valid)
	closed(t, spec.MessageTypes, 11, spec.MessageType.Valid)
	closed(t, spec.Timers, 7, spec.Timer.Valid)
	closed(t, spec.Actions, 26, spec.Action.Valid)
	closed(t, spec.FixedActions, 25, spec.Action.Valid)
	closed(t, spec.Properties, 9, spec.Property.Valid)
	closed(t, spec.MemberKinds, 3, spec.MemberKind.Valid)
}

// closed checks that a set lists so many different words, that these are valid and others are not, and that
// a caller who changes the list changes nothing.
func closed[T ~string](t *testing.T, list func() []T, size int, valid func(T) bool) {
	seen := map[T]bool{}
	for _, word := range list() {
		require.True(t, valid(word), "%q", word)
		require.False(t, seen[word], "%q twice", word)
		seen[word] = true
	}
	require.Len(t, seen, size)
	for _, word := range []T{"", "x", list()[0] + "x", " " + list()[0]} {
		require.False(t, valid(word), "%q", word)
	}
	list()[0] = "x"
	require.True(t, valid(list()[0]))
}

// TestFixedActions holds the places of the actions that were there first: programs count by them.
func TestFixedActions(t *testing.T) {
	all := spec.Actions()
	require.Equal(t, []spec.Action{spec.HolderDeadAction, spec.ChangeAction, spec.CrashAction}, all[21:24])
	require.Equal(t, slices.Delete(all, 22, 23), spec.FixedActions())
}

func TestActionsOfInputs(t *testing.T) {
	named := map[spec.Action]bool{}
	for _, timer := range spec.Timers() {
		action := timer.Action()
		require.Equal(t, timer, action.Timer())
		require.Empty(t, action.Receipt())
		named[action] = true
	}
	for _, message := range spec.MessageTypes() {
		action := message.Action()
		require.Equal(t, message, action.Receipt())
		require.Empty(t, action.Timer())
		named[action] = true
	}
	for _, action := range []spec.Action{spec.StartAction, spec.RestartAction, spec.ResignAction, spec.HolderDeadAction,
		spec.ChangeAction, spec.CrashAction, spec.LoseAction, spec.CutAction} {
		require.Empty(t, action.Timer())
		require.Empty(t, action.Receipt())
		named[action] = true
	}
	require.Len(t, named, len(spec.Actions()))

	require.Equal(t, spec.OnImBack, spec.ImBack.Action())
	require.Equal(t, spec.OnOk, spec.OK.Action())
	require.Equal(t, spec.HeartbeatTimeout, spec.HeartbeatTimer.Action())
	require.Empty(t, spec.Timer("x").Action())
	require.Empty(t, spec.Timer("").Action())
	require.Empty(t, spec.MessageType("x").Action())
	require.Empty(t, spec.MessageType("").Action())
	require.Empty(t, spec.Action("x").Timer())
	require.Empty(t, spec.Action("x").Receipt())
}

func TestActionOfNode(t *testing.T) {
	for _, action := range spec.Actions() {
		require.Equal(t, action != spec.LoseAction && action != spec.CutAction, action.OfNode(), "%s", action)
	}
	require.False(t, spec.Action("x").OfNode())
}
