package check_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

// TestUnheard leaves the Crash of nodes out, as nobody writes it who is killed: each such node is heard no more after its last line, if
// the others have gone on for a while. One whose Crash is there has ended, and one that comes back, or has only just been heard, runs.
func TestUnheard(t *testing.T) {
	found := 0
	for seed := range uint64(150) {
		header, events := readTrace(t, recorded(t, integers(3), seed, 300))
		for _, u := range checked(t, writeTrace(t, header, events), check.Options{}).Unheard {
			last := lastOf(events, u.Node)
			require.Equal(t, last+2, u.Line, "seed %d", seed)
			require.NotEqual(t, spec.CrashAction, events[last].Action)
		}
		for crash := range events {
			id := events[crash].Node
			if events[crash].Action != spec.CrashAction || lastOf(events, id) != crash {
				continue
			}
			last := lastOf(events[:crash], id)
			if last < 0 || events[last].Action == spec.CrashAction || events[last].State.Durable() != events[crash].State.Durable() {
				continue // it has promised something in a step that is not there
			}
			ended := checked(t, writeTrace(t, header, events), check.Options{}).Unheard
			require.False(t, slices.ContainsFunc(ended, func(u check.Unheard) bool { return u.Node == id }), "seed %d: its end is recorded", seed)
			killed := slices.Delete(slices.Clone(events), crash, crash+1)
			for _, u := range checked(t, renumbered(t, header, killed), check.Options{}).Unheard {
				if u.Node == id {
					require.Equal(t, last+2, u.Line, "seed %d", seed)
					require.GreaterOrEqual(t, u.Said, 10)
					found++
				}
			}
			break
		}
	}
	require.Greater(t, found, 5)
	require.Equal(t, "node 5 is heard no more after line 812: 31 messages to it since", check.Unheard{Node: spec.IntegerID(5), Line: 812, Said: 31}.String())
}

// lastOf returns which of the events is the last of a node, or -1.
func lastOf(events []spec.Event, id spec.NodeID) int {
	for i := len(events) - 1; i >= 0; i-- {
		if events[i].Node == id {
			return i
		}
	}
	return -1
}

// TestAllAreHeard: in no golden trace a node just ends, as all of them say what has become of it, or end with it.
func TestAllAreHeard(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(validDir, "*.ndjson"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Empty(t, checked(t, text, check.Options{}).Unheard, file)
	}
}
