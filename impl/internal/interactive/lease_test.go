package interactive_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/compare/scenarios"
	"github.com/seed-fdf591db/bully/impl/internal/algorithms"
	"github.com/seed-fdf591db/bully/impl/internal/interactive"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// dueOf returns when a timer of a state ends, or 0.
func dueOf(s *recording.State, timer string) int64 {
	for _, due := range s.Timers {
		if due.Timer == timer {
			return due.At
		}
	}
	return 0
}

// TestLeaseIsDatedByItsQuestion holds what is drawn round a leader against the state: it ends when the reign timer does, and begins when the
// question was asked that a quorum has answered, as the trace of the run has it (R26, R36).
func TestLeaseIsDatedByItsQuestion(t *testing.T) {
	for _, profile := range []string{"lan", "wan", "lossy"} {
		node := 4
		s, err := interactive.Begin(interactive.RunSpec{RunSpec: 1, Algorithm: "bully", Nodes: 5, Profile: profile, Seed: 7,
			Do: []interactive.Intervention{{After: 400, Do: interactive.Crash, Node: &node}}})
		require.NoError(t, err)
		more, _ := s.Next(1500)
		frames := append(s.Taken(), more...)
		_, events, _ := s.Trace()
		reign := policy.LAN().Reign.Microseconds()
		if profile == "wan" {
			reign = policy.WAN().Reign.Microseconds()
		}
		seen, exact, renewed := 0, 0, map[int64]bool{}
		for k := range frames {
			state := frames[k].State
			if state == nil || state.Look != recording.Leads {
				require.True(t, state == nil || state.Lease == nil, "%s, frame %d: who does not lead has no lease", profile, k+1)
				continue
			}
			lease := state.Lease
			if state.Role != string(spec.Leader) { // it leads no more, but for its disk
				continue
			}
			require.NotNil(t, lease, "%s, frame %d", profile, k+1)
			require.Equal(t, dueOf(state, string(spec.ReignTimer)), lease.Ends, "%s, frame %d: it ends when its timer does", profile, k+1)
			// What the step arms that wins begins to run, in the simulator, when that is on disk: a few milliseconds late.
			late := lease.Ends - lease.Asked - reign
			require.GreaterOrEqual(t, late, int64(0), "%s, frame %d: it is a reign long", profile, k+1)
			require.LessOrEqual(t, late, int64(4_000), "%s, frame %d: it is a reign long", profile, k+1)
			if renewed[lease.Asked] = true; late == 0 {
				exact++
			}
			id := spec.IntegerID(uint64(frames[k].Node + 1))
			asked := slices.IndexFunc(events, func(e spec.Event) bool {
				return e.Node == id && e.State.Latest >= spec.Question(lease.Question)
			})
			require.Equal(t, spec.Question(lease.Question), events[asked].State.Latest, "%s, frame %d", profile, k+1)
			require.Equal(t, int64(events[asked].At-1_767_225_600_000_000), lease.Asked, "%s, frame %d: from when it was asked", profile, k+1)
			seen++
		}
		require.Greater(t, seen, 100, profile)
		require.Greater(t, exact, seen*3/4, "%s: all but the first of a reign", profile)
		require.Greater(t, len(renewed), 10, "%s: it is renewed", profile)
	}
}

// TestLeaseInAStore: who holds a key in a store acts until the deadline of the renewal that was answered, and no longer than it lasts.
func TestLeaseInAStore(t *testing.T) {
	s, err := interactive.Begin(interactive.RunSpec{RunSpec: 1, Algorithm: "lease", Nodes: 3, Profile: "lan", Seed: 7})
	require.NoError(t, err)
	frames, _ := s.Next(800)
	long := map[int64]bool{}
	for k := range frames {
		if state := frames[k].State; state != nil && state.Look == recording.Leads {
			require.NotNil(t, state.Lease, "frame %d", k+1)
			require.LessOrEqual(t, frames[k].At, state.Lease.Ends, "frame %d", k+1)
			long[state.Lease.Ends-state.Lease.Asked] = true
		}
	}
	require.Len(t, long, 1, "each is as long as every other")
}

// TestWritesAreTold plays every story of every algorithm that it is about, and with ours: what the resource has taken and refused is what
// the comparison counts.
func TestWritesAreTold(t *testing.T) {
	refused, stale, held := 0, 0, 0
	for _, story := range scenarios.All() {
		for _, name := range slices.Compact([]string{story.Shows, "bully"}) {
			s, err := interactive.Begin(interactive.RunSpec{RunSpec: 1, Algorithm: name, Scenario: story.Name})
			require.NoError(t, err)
			algorithm, _ := algorithms.Named(name)
			require.Equal(t, story.Work > 0, s.Header().Resource != "", story.Name)
			require.Equal(t, story.Work > 0 && algorithm.Fences, s.Header().Resource == recording.Fenced, story.Name)
			more, _ := s.Next(20_000)
			frames := append(s.Taken(), more...)
			fates := map[recording.Fate]int{}
			for k := range frames {
				f := &frames[k]
				require.Equal(t, f.Kind == recording.Write, f.Wrote != nil, "%s, frame %d", story.Name, k+1)
				if f.Wrote != nil {
					fates[f.Wrote.Fate]++
					require.GreaterOrEqual(t, f.At-f.Wrote.Looked, compare.WriteDelay.Microseconds(), "%s, frame %d", story.Name, k+1)
				}
				if f.State != nil && f.State.Writing && f.State.Paused {
					held++
				}
			}
			refused, stale = refused+fates[recording.Refused], stale+fates[recording.Stale]
			if name != story.Shows {
				continue // it goes on for longer here
			}
			scenario := story.Scenario
			scenario.Quiet = false
			result, err := compare.Run(&scenario, algorithm, story.Seed, compare.Options{})
			require.NoError(t, err)
			require.Equal(t, []int{result.Accepted, result.Refused, result.Stale},
				[]int{fates[recording.Taken] + fates[recording.Stale], fates[recording.Refused], fates[recording.Stale]}, "%s with %s", story.Name, name)
		}
	}
	require.Positive(t, refused)
	require.Positive(t, stale)
	require.Positive(t, held, "a leader is paused in the middle of a write")
}

// TestFatesOfWrites: which of what has come to the resource is stale, whoever wrote before.
func TestFatesOfWrites(t *testing.T) {
	require.Equal(t, recording.Taken, interactive.Wrote(&compare.Moment{}).Fate)
	require.Equal(t, recording.Refused, interactive.Wrote(&compare.Moment{Refused: true}).Fate)
	for node := range 3 {
		require.Equal(t, recording.Stale, interactive.Wrote(&compare.Moment{Stale: 1 + node}).Fate)
	}
}

// TestWriteInHand: the write that a paused leader had in hand when it was paused is refused behind a fence, and taken where there is none.
func TestWriteInHand(t *testing.T) {
	for algorithm, wanted := range map[string]recording.Fate{"textbook": recording.Stale, "bully": recording.Refused} {
		s, err := interactive.Begin(interactive.RunSpec{RunSpec: 1, Algorithm: algorithm, Scenario: "paused-leader"})
		require.NoError(t, err)
		more, _ := s.Next(20_000)
		frames := append(s.Taken(), more...)
		paused := slices.IndexFunc(frames, func(f recording.Frame) bool { return f.Kind == recording.Pause })
		require.True(t, frames[paused].State.Writing, algorithm)
		node := frames[paused].Node
		next := slices.IndexFunc(frames[paused:], func(f recording.Frame) bool { return f.Kind == recording.Write && f.Node == node })
		f := frames[paused+next]
		require.Equal(t, wanted, f.Wrote.Fate, algorithm)
		require.Less(t, f.Wrote.Looked, frames[paused].At, algorithm)
		require.False(t, f.State.Writing, "%s: it is in hand no more", algorithm)
	}
}

// TestSketch: what a story looks like from afar has a line of each node, and says who leads when.
func TestSketch(t *testing.T) {
	for _, story := range scenarios.All() {
		rows, err := interactive.SketchOf(story.Name)
		require.NoError(t, err, story.Name)
		again, _ := interactive.SketchOf(story.Name)
		require.Equal(t, rows, again, story.Name)
		require.Len(t, rows, story.Nodes, story.Name)
		for _, row := range rows {
			require.Len(t, row, 60, story.Name)
			require.Regexp(t, `^[0-7swfipd]+$`, row, story.Name)
		}
	}
	rows, err := interactive.SketchOf("split-brain")
	require.NoError(t, err)
	require.Regexp(t, `s0+$`, rows[2], "3 leads at the end")
	require.Regexp(t, `0{30}$`, rows[4], "and 5 from the beginning on")
	_, err = interactive.SketchOf("nothing")
	require.Error(t, err)
}
