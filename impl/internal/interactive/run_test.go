package interactive_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/compare/scenarios"
	"github.com/seed-fdf591db/bully/impl/internal/algorithms"
	"github.com/seed-fdf591db/bully/impl/internal/interactive"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// begun begins a run.
func begun(t require.TestingT, r interactive.RunSpec) (*interactive.Run, []recording.Frame) {
	s, err := interactive.Begin(r)
	require.NoError(t, err)
	return s, s.Taken()
}

// plain is a run spec of nodes to which nobody has done anything.
func plain(algorithm string, nodes int, profile string, seed uint64) interactive.RunSpec {
	return interactive.RunSpec{RunSpec: 1, Algorithm: algorithm, Nodes: nodes, Profile: profile, Seed: seed}
}

func place(i int) *int { return &i }

// TestWhoLeadsNext kills the leader of every algorithm with many seeds: another leads, and of ours the next highest. What the page
// shows is coherent, and says why.
func TestWhoLeadsNext(t *testing.T) {
	for _, a := range algorithms.All() {
		for seed := range uint64(20) {
			s, frames := begun(t, plain(a.Name, 5, "lan", seed))
			v := viewerOf(t, s.Header())
			v.show(frames)
			require.Len(t, frames, 5+a.Servers)
			frame := v.until(s, 2000, func() bool { return v.leader() >= 0 })
			require.Contains(t, frame.Note, "LEADS", a.Name)
			if a.Name == "bully" {
				require.Contains(t, frame.Note, "LEADS epoch 1: ")
				require.Contains(t, frame.Note, "5 is the highest of all")
			}
			v.until(s, 2000, func() bool { return v.at > 1_000_000 })
			first := v.leader()
			frames, err := s.Do(interactive.Intervention{After: v.count, Do: interactive.Crash, Node: &first})
			require.NoError(t, err)
			v.show(frames)
			require.Contains(t, frames[0].Note, "nobody knows yet that it is gone")
			if a.Name == "textbook" {
				require.Contains(t, frames[0].Note, "it led, and", "its reigns are not counted")
			}
			frame = v.until(s, 5000, func() bool { return v.leader() >= 0 })
			if a.Name == "bully" {
				require.Equal(t, 3, v.leader(), "seed %d", seed)
				require.Contains(t, frame.Note, "5 is down: 4 is the highest that is left", "seed %d", seed)
			}
			require.NotEqual(t, first, v.leader())
			v.until(s, 2000, func() bool { return v.at > 2_500_000 })
			for name, light := range v.indicators {
				require.Equal(t, recording.Green, light, "%s, seed %d: %s", a.Name, seed, name)
			}
		}
	}
}

// doing draws something that may be done, or may not.
func doing(t *rapid.T, v *viewer, timers []string) interactive.Intervention {
	all := []interactive.Deed{interactive.Crash, interactive.Restart, interactive.Pause, interactive.Resume, interactive.Cut, interactive.Heal, interactive.Deliver, interactive.Drop, interactive.Delay, interactive.Fire, interactive.Suspect, interactive.Resign}
	d := interactive.Intervention{After: v.count, Do: rapid.SampledFrom(all).Draw(t, "do")}
	some := func(what string) int { return rapid.IntRange(0, len(v.nodes)-1).Draw(t, what) }
	switch d.Do {
	case interactive.Cut, interactive.Heal:
		for range rapid.IntRange(1, 6).Draw(t, "links") {
			if l := (recording.Link{some("from"), some("to")}); l[0] != l[1] {
				d.Links = append(d.Links, l)
			}
		}
	case interactive.Deliver, interactive.Drop, interactive.Delay:
		d.Message = rapid.IntRange(max(1, len(v.flights)-8), len(v.flights)+1).Draw(t, "message")
		if d.Do == interactive.Delay {
			d.By = rapid.Int64Range(1, 500_000).Draw(t, "by")
		}
	case interactive.Fire:
		d.Node, d.Timer = place(some("node")), rapid.SampledFrom(timers).Draw(t, "timer")
	default:
		d.Node = place(some("node"))
	}
	return d
}

// TestInterventions does anything at any time to a run of any algorithm: what the page shows is coherent; the same run spec gives the
// same frames, byte for byte; and the trace of a run of ours is one that the rules allow.
func TestInterventions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SampledFrom(algorithms.All()).Draw(t, "algorithm")
		profile := rapid.SampledFrom(interactive.Profiles()).Draw(t, "profile")
		r := plain(a.Name, rapid.IntRange(interactive.MinNodes, interactive.MaxNodes).Draw(t, "nodes"), profile.Name, rapid.Uint64Range(0, interactive.MaxSeed).Draw(t, "seed"))
		s, frames := begun(t, r)
		v := viewerOf(t, s.Header())
		v.show(frames)
		all := frames
		for range rapid.IntRange(0, 25).Draw(t, "interventions") {
			more, _ := s.Next(rapid.IntRange(0, 60).Draw(t, "frames"))
			v.show(more)
			d := doing(t, v, a.Timers)
			done, err := s.Do(d)
			if err != nil {
				require.Empty(t, done)
			} else {
				require.NotEmpty(t, done, "%v", d)
				for _, f := range done {
					require.Equal(t, recording.You, f.By)
				}
			}
			v.show(done)
			all = append(append(all, more...), done...)
		}
		more, _ := s.Next(50)
		v.show(more)
		all = append(all, more...)
		again, frames := begun(t, s.RunSpec())
		more, _ = again.Next(len(all) - len(frames))
		require.Equal(t, asText(t, all), asText(t, append(frames, more...)))
		checked(t, s)
	})
}

// TestFirstStartIsSaid: who starts for the first time is told what it does by its rank, and who is back is not. Writes of the leader are
// upkeep.
func TestFirstStartIsSaid(t *testing.T) {
	s, frames := begun(t, plain("bully", 3, "lan", 1))
	v := viewerOf(t, s.Header())
	v.show(frames)
	const rank = "the higher a node is, the sooner it asks itself"
	require.Contains(t, frames[0].Note, rank)
	frame := v.until(s, 2000, func() bool { return v.last == recording.Write })
	require.True(t, frame.Upkeep, "%+v", frame)
	for _, d := range []interactive.Deed{interactive.Crash, interactive.Restart} {
		done, err := s.Do(interactive.Intervention{After: v.count, Do: d, Node: place(0)})
		require.NoError(t, err)
		require.NotContains(t, done[0].Note, rank)
		v.show(done)
	}
}

// TestTwoCrashAmidSave crashes two nodes while both save a grant: a trace of the run has neither step, and all others.
func TestTwoCrashAmidSave(t *testing.T) {
	s, frames := begun(t, plain("bully", 3, "lan", 1))
	v := viewerOf(t, s.Header())
	v.show(frames)
	var claims []recording.Message
	v.until(s, 200, func() bool {
		for _, f := range v.flights[len(v.flights)-min(2, len(v.flights)):] {
			if f.Kind == "CLAIM" && len(claims) < 2 {
				claims = append(claims, f.Message)
			}
		}
		return len(claims) == 2 && len(v.unsent) == 0
	})
	do := func(d interactive.Intervention) {
		d.After = v.count
		done, err := s.Do(d)
		require.NoError(t, err)
		v.show(done)
	}
	for _, m := range claims {
		do(interactive.Intervention{Do: interactive.Deliver, Message: m.Number})
	}
	require.True(t, v.nodes[0].Saving && v.nodes[1].Saving, "nodes 1 and 2 must save when they crash")
	events := len(eventsOf(t, s))
	do(interactive.Intervention{Do: interactive.Crash, Node: place(0)})
	do(interactive.Intervention{Do: interactive.Crash, Node: place(1)})
	require.Len(t, eventsOf(t, s), events, "two steps less, and two crashes more")
	for _, e := range eventsOf(t, s) {
		require.NotEqual(t, spec.OnClaim, e.Action)
	}
	do(interactive.Intervention{Do: interactive.Restart, Node: place(0)})
	do(interactive.Intervention{Do: interactive.Restart, Node: place(1)})
	require.Equal(t, recording.Green, v.indicators[string(spec.EpochMonotonic)], "what was not saved was never its epoch")
	checked(t, s)
}

// TestCrashAmidFirstStart crashes a node before its first record is written, twice: it has never started, and starts anew.
func TestCrashAmidFirstStart(t *testing.T) {
	s, frames := begun(t, plain("bully", 3, "lan", 1))
	v := viewerOf(t, s.Header())
	v.show(frames)
	do := func(d interactive.Deed) {
		done, err := s.Do(interactive.Intervention{After: v.count, Do: d, Node: place(0)})
		require.NoError(t, err)
		v.show(done)
	}
	for range 2 {
		require.True(t, v.nodes[0].Saving, "node 1 must save when it crashes")
		do(interactive.Crash)
		do(interactive.Restart)
	}
	v.until(s, 2000, func() bool { return v.leader() == 2 })
	var starts []spec.Action
	for _, e := range eventsOf(t, s) {
		if e.Node.String() == "1" && (e.Action == spec.StartAction || e.Action == spec.RestartAction || e.Action == spec.CrashAction) {
			starts = append(starts, e.Action)
		}
	}
	require.Equal(t, []spec.Action{spec.StartAction}, starts)
	checked(t, s)
}

func asText(t require.TestingT, frames []recording.Frame) string {
	var text bytes.Buffer
	for k := range frames {
		require.NoError(t, json.NewEncoder(&text).Encode(&frames[k]))
	}
	return text.String()
}

// checked holds the trace of a run of ours to the rules.
func checked(t require.TestingT, s *interactive.Run) {
	header, events, ours := s.Trace()
	if !ours {
		require.Nil(t, events)
		return
	}
	var text bytes.Buffer
	w := spec.NewTraceWriter(&text, header)
	for k := range events {
		require.NoError(t, w.Write(&events[k]))
	}
	require.NoError(t, w.Flush())
	if len(header.Members) <= 7 { // as many as the model takes
		report, err := check.Trace(bytes.NewReader(text.Bytes()), check.Options{})
		require.NoError(t, err)
		require.Equal(t, uint64(len(events)), report.Events)
	}
}

// eventsOf returns what a trace has of a run of ours.
func eventsOf(t *testing.T, s *interactive.Run) []spec.Event {
	t.Helper()
	_, events, ours := s.Trace()
	require.True(t, ours, "a run of this algorithm has a trace")
	return events
}

// TestScenarios plays every scenario to its end, and intervenes in it: it is coherent, and its flaw shows in an indicator where indicators
// are for it. Ours has no such flaw.
func TestScenarios(t *testing.T) {
	var elections []string // the scenarios that are about a first election: all others open when there is a leader
	for _, n := range scenarios.All() {
		for _, name := range []string{"", "bully"} {
			r := interactive.RunSpec{RunSpec: 1, Scenario: n.Name, Algorithm: name}
			s, frames := begun(t, r)
			v := viewerOf(t, s.Header())
			v.show(frames)
			all := slices.Clone(frames)
			red := map[string]bool{}
			for !s.Ended() && v.count < 20_000 {
				frames, _ = s.Next(500)
				v.show(frames)
				all = append(all, frames...)
				for _, f := range frames {
					for _, l := range f.Indicators {
						if l.Light == recording.Red {
							red[l.Name] = true
						}
					}
				}
			}
			require.Greater(t, s.Header().Open, len(v.nodes)-1, n.Name)
			if name == "" {
				first := all[s.Header().Open-1]
				require.Equal(t, recording.Plan, first.By, n.Name)
				require.Contains(t, []recording.Kind{recording.Crash, recording.Pause, recording.Links, recording.Call}, first.Kind, n.Name)
				if first.Kind == recording.Call {
					elections = append(elections, n.Name)
				}
			}
			require.LessOrEqual(t, s.Header().Open, v.count, n.Name)
			if name == "" {
				require.True(t, n.Flaw != scenarios.TwoLeaders || red["OneActing"], n.Name)
				require.True(t, n.Flaw != scenarios.StaleWrite || red["StaleWrite"], n.Name)
				require.True(t, n.Flaw != scenarios.SameEpoch || red["OneLeaderPerEpoch"], n.Name)
			} else {
				require.Empty(t, red, n.Name)
				checked(t, s)
			}
			if s.Ended() {
				deed := interactive.Crash
				if v.nodes[0].Look == recording.Down {
					deed = interactive.Restart
				}
				done, err := s.Do(interactive.Intervention{After: v.count, Do: deed, Node: place(0)})
				require.NoError(t, err, n.Name)
				v.show(done)
				more, _ := s.Next(10)
				v.show(more)
				require.NotEmpty(t, more, "%s goes on after its end", n.Name)
			}
		}
	}
	require.Equal(t, []string{"ring-lost-ack"}, elections)
}

// TestRunsAreFull plays a run on and on.
func TestRunsAreFull(t *testing.T) {
	defer interactive.SetMostFrames(20)()
	s, frames := begun(t, plain("bully", 3, "lan", 1))
	more, ended := s.Next(1000)
	frames = append(frames, more...)
	require.True(t, ended, "the run must end when it is full")
	require.Len(t, frames, 20)
	require.Contains(t, frames[19].Text, "at most 20 frames")
	_, err := s.Do(interactive.Intervention{After: 20, Do: interactive.Crash, Node: place(0)})
	require.ErrorContains(t, err, "given up")
}
