package stage_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/impl/internal/stage"
	"github.com/seed-fdf591db/bully/traces/film"
)

// changing begins a run of five nodes whose members come and go, three of them members at first.
func changing(t *testing.T, do ...stage.Doing) (*stage.Stage, *viewer) {
	t.Helper()
	s, err := stage.Begin(stage.Recipe{Recipe: 1, Algorithm: "bully-members", Nodes: 5, Profile: "lan", Seed: 3, Do: do})
	require.NoError(t, err)
	v := viewerOf(t, s.Header())
	v.show(s.Taken())
	return s, v
}

// settles goes on until the leader has what it has made acknowledged.
func settles(s *stage.Stage, v *viewer) film.Frame {
	return v.until(s, 4000, func() bool { i := v.leader(); return i >= 0 && v.nodes[i].Settled })
}

// change makes a node something, and returns the frame of that.
func change(t *testing.T, s *stage.Stage, v *viewer, node int, kind string) film.Frame {
	t.Helper()
	frames, err := s.Do(stage.Doing{After: v.count, Do: stage.Change, Node: &node, Kind: kind})
	require.NoError(t, err)
	v.show(frames)
	return frames[0]
}

// TestMembersAreChanged adds a node, makes it a voter, which then takes over as the highest, and removes another; the trace of it
// all is by the rules.
func TestMembersAreChanged(t *testing.T) {
	s, v := changing(t)
	node := 3
	_, err := s.Do(stage.Doing{After: v.count, Do: stage.Change, Node: &node, Kind: "observer"})
	require.ErrorContains(t, err, "nobody leads now")
	settles(s, v)
	require.Equal(t, 2, v.leader(), "the highest of the first members")
	_, err = s.Do(stage.Doing{After: v.count, Do: stage.Change, Node: new(2), Kind: "removed"})
	require.ErrorContains(t, err, "does not stay an elector")

	f := change(t, s, v, 3, "observer")
	require.Equal(t, "is called to add 4 as an observer", f.Text)
	require.Equal(t, "R47", f.Rule)
	require.Equal(t, film.You, f.By)
	require.False(t, f.Upkeep)
	require.False(t, f.Sends[0].Upkeep)
	_, err = s.Do(stage.Doing{After: v.count, Do: stage.Change, Node: &node, Kind: "voter"})
	require.Error(t, err, "it is saving, or not settled yet")
	settles(s, v)
	v.until(s, 4000, func() bool { return v.nodes[3].Look == film.Follows })
	v.until(s, 4000, func() bool { return v.nodes[3].Configuration == v.nodes[2].Configuration })
	settles(s, v)
	change(t, s, v, 3, "voter")
	v.until(s, 9000, func() bool { return v.leader() == 3 })
	settles(s, v)
	f = change(t, s, v, 0, "removed")
	require.Equal(t, "is called to remove 1", f.Text)
	v.until(s, 4000, func() bool { return v.nodes[0].Configuration == v.nodes[3].Configuration && v.nodes[3].Settled })
	require.Equal(t, film.Green, v.lamps["OneConfiguration"])
	require.Equal(t, film.Green, v.lamps["Rules"])

	name, text, err := stage.ExportTrace(&film.Film{Header: s.Header()}, s, nil)
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(name, ".ndjson"))
	require.Contains(t, string(text), `"format":3`)
	_, err = check.Trace(bytes.NewReader(text), check.Options{})
	require.NoError(t, err)

	again, w := changing(t, s.Recipe().Do...)
	require.Equal(t, s.Recipe(), again.Recipe())
	require.Equal(t, "removed", again.Recipe().Do[2].Kind)
	require.Equal(t, v.nodes[3].Configuration, w.nodes[3].Configuration, "the same run again")
}

// TestChangesThatCannotBe are refused before anything happens.
func TestChangesThatCannotBe(t *testing.T) {
	for says, r := range map[string]stage.Recipe{
		"members of bully are fixed": {Recipe: 1, Algorithm: "bully", Nodes: 5, Profile: "lan", Do: []stage.Doing{{After: 5, Do: stage.Change, Node: new(1), Kind: "voter"}}},
		`kind: "king"`:               {Recipe: 1, Algorithm: "bully-members", Nodes: 5, Profile: "lan", Do: []stage.Doing{{After: 5, Do: stage.Change, Node: new(1), Kind: "king"}}},
		`kind: "voter"`:              {Recipe: 1, Algorithm: "bully-members", Nodes: 5, Profile: "lan", Do: []stage.Doing{{After: 5, Do: stage.Crash, Node: new(1), Kind: "voter"}}},
	} {
		_, err := stage.Begin(r)
		require.ErrorContains(t, err, says)
	}
}

// TestSilentQuorumIsSaid kills who votes until nobody can lead: the lamp knows who counts.
func TestSilentQuorumIsSaid(t *testing.T) {
	s, v := changing(t)
	settles(s, v)
	for _, node := range []int{2, 1} {
		frames, err := s.Do(stage.Doing{After: v.count, Do: stage.Crash, Node: &node})
		require.NoError(t, err)
		v.show(frames)
	}
	require.Equal(t, film.Green, v.lamps["SomeLeader"], "one of three votes: nobody can lead, though two others run")

	s, v = changing(t)
	for _, node := range []int{0, 1} {
		settles(s, v)
		change(t, s, v, node, "witness")
		v.until(s, 4000, func() bool {
			return v.nodes[1].Configuration == v.nodes[2].Configuration && v.nodes[0].Configuration == v.nodes[2].Configuration
		})
	}
	frames, _ := s.Next(20) // by then all have saved it
	v.show(frames)
	frames, err := s.Do(stage.Doing{After: v.count, Do: stage.Crash, Node: new(2)})
	require.NoError(t, err)
	v.show(frames)
	require.Equal(t, film.Green, v.lamps["SomeLeader"], "two of three vote, and none of them may lead")
}
