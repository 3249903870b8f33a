package interactive_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/impl/internal/engine"
	"github.com/seed-fdf591db/bully/impl/internal/interactive"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// changing begins a run of five nodes whose members come and go, three of them members at first.
func changing(t *testing.T, do ...interactive.Intervention) (*interactive.Run, *viewer) {
	t.Helper()
	s, err := interactive.Begin(interactive.RunSpec{RunSpec: 1, Algorithm: "bully-members", Nodes: 5, Profile: "lan", Seed: 3, Do: do})
	require.NoError(t, err)
	v := viewerOf(t, s.Header())
	v.show(s.Taken())
	return s, v
}

// settles goes on until the leader has what it has made acknowledged.
func settles(s *interactive.Run, v *viewer) recording.Frame {
	return v.until(s, 4000, func() bool { i := v.leader(); return i >= 0 && v.nodes[i].Settled })
}

// change makes a node something, and returns the frame of that.
func change(t *testing.T, s *interactive.Run, v *viewer, node int, kind string) recording.Frame {
	t.Helper()
	frames, err := s.Do(interactive.Intervention{After: v.count, Do: interactive.Change, Node: &node, Kind: kind})
	require.NoError(t, err)
	v.show(frames)
	return frames[0]
}

// TestMembersAreChanged adds a node, makes it a voter, which then takes over as the highest, and removes another; the trace of it
// all is by the rules.
func TestMembersAreChanged(t *testing.T) {
	s, v := changing(t)
	node := 3
	_, err := s.Do(interactive.Intervention{After: v.count, Do: interactive.Change, Node: &node, Kind: "observer"})
	require.ErrorContains(t, err, "nobody leads now")
	settles(s, v)
	require.Equal(t, 2, v.leader(), "the highest of the first members")
	_, err = s.Do(interactive.Intervention{After: v.count, Do: interactive.Change, Node: new(2), Kind: "removed"})
	require.ErrorContains(t, err, "does not stay an elector")

	f := change(t, s, v, 3, "observer")
	require.Equal(t, "is called to add 4 as an observer", f.Text)
	require.Equal(t, "R47", f.Rule)
	require.Equal(t, recording.You, f.By)
	require.False(t, f.Upkeep, "a change is not upkeep")
	require.False(t, f.Sends[0].Upkeep, "a message about a change is not upkeep")
	settles(s, v)
	v.until(s, 4000, func() bool { return v.nodes[3].Look == recording.Follows })
	v.until(s, 4000, func() bool { return v.nodes[3].Configuration == v.nodes[2].Configuration })
	settles(s, v)
	change(t, s, v, 3, "voter")
	v.until(s, 9000, func() bool { return v.leader() == 3 })
	settles(s, v)
	f = change(t, s, v, 0, "removed")
	require.Equal(t, "is called to remove 1", f.Text)
	v.until(s, 4000, func() bool { return v.nodes[0].Configuration == v.nodes[3].Configuration && v.nodes[3].Settled })
	require.Equal(t, recording.Green, v.indicators["OneConfiguration"])
	require.Equal(t, recording.Green, v.indicators["Rules"])

	name, text, err := engine.ExportTrace(&recording.Recording{Header: s.Header()}, s, nil)
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(name, ".ndjson"), "a trace has the suffix of its format")
	require.Contains(t, string(text), `"format":3`)
	_, err = check.Trace(bytes.NewReader(text), check.Options{})
	require.NoError(t, err)

	again, w := changing(t, s.RunSpec().Do...)
	require.Equal(t, s.RunSpec(), again.RunSpec())
	require.Equal(t, "removed", again.RunSpec().Do[2].Kind)
	require.Equal(t, v.nodes[3].Configuration, w.nodes[3].Configuration, "the same run again")
}

// TestChangesWait: who asks for a change while the leader has not been answered, or saves, need not ask again: the change is made as soon as
// the leader can, and the run spec plays the same again.
func TestChangesWait(t *testing.T) {
	s, v := changing(t)
	settles(s, v)
	waited := 0
	ask := func(node int, kind string) recording.Frame {
		frames, err := s.Do(interactive.Intervention{After: v.count, Do: interactive.Change, Node: &node, Kind: kind})
		require.NoError(t, err, "after %d frames", v.count)
		v.show(frames)
		waited += len(frames) - 1
		last := frames[len(frames)-1]
		require.Equal(t, []any{recording.Call, recording.You, "R47"}, []any{last.Kind, last.By, last.Rule})
		require.Equal(t, len(frames) > 1, strings.Contains(last.Note, "waited until a quorum had acknowledged"), last.Note)
		return last
	}
	kinds := []string{"observer", "removed"}
	for k := range 60 { // at any moment of a reign that goes on
		frames, _ := s.Next(k)
		v.show(frames)
		ask(3, kinds[k%2])
	}
	require.Positive(t, waited)
	again, w := changing(t, s.RunSpec().Do...)
	require.Equal(t, s.RunSpec(), again.RunSpec())
	require.Equal(t, v.count, w.count)
	require.Equal(t, v.nodes, w.nodes)
}

// TestChangesWaitInVain: where no quorum answers, a change is refused at once, and nothing has happened.
func TestChangesWaitInVain(t *testing.T) {
	s, v := changing(t)
	settles(s, v)
	for _, node := range []int{0, 1} {
		frames, err := s.Do(interactive.Intervention{After: v.count, Do: interactive.Crash, Node: &node})
		require.NoError(t, err)
		v.show(frames)
	}
	node := 3
	refused := 0
	for v.leader() == 2 {
		frames, err := s.Do(interactive.Intervention{After: v.count, Do: interactive.Change, Node: &node, Kind: "observer"})
		if err != nil {
			require.Regexp(t, "not settled|waits for its disk", err.Error())
			require.Empty(t, frames)
			require.Empty(t, s.Taken())
			refused++
			frames, _ = s.Next(1)
		}
		v.show(frames)
	}
	require.Positive(t, refused)
}

// TestChangesThatCannotBe are refused before anything happens.
func TestChangesThatCannotBe(t *testing.T) {
	for says, r := range map[string]interactive.RunSpec{
		"members of bully are fixed": {RunSpec: 1, Algorithm: "bully", Nodes: 5, Profile: "lan", Do: []interactive.Intervention{{After: 5, Do: interactive.Change, Node: new(1), Kind: "voter"}}},
		`kind: "king"`:               {RunSpec: 1, Algorithm: "bully-members", Nodes: 5, Profile: "lan", Do: []interactive.Intervention{{After: 5, Do: interactive.Change, Node: new(1), Kind: "king"}}},
		`kind: "voter"`:              {RunSpec: 1, Algorithm: "bully-members", Nodes: 5, Profile: "lan", Do: []interactive.Intervention{{After: 5, Do: interactive.Crash, Node: new(1), Kind: "voter"}}},
	} {
		_, err := interactive.Begin(r)
		require.ErrorContains(t, err, says)
	}
}

// TestSilentQuorumIsSaid kills who votes until nobody can lead: the indicator knows who counts.
func TestSilentQuorumIsSaid(t *testing.T) {
	s, v := changing(t)
	settles(s, v)
	for _, node := range []int{2, 1} {
		frames, err := s.Do(interactive.Intervention{After: v.count, Do: interactive.Crash, Node: &node})
		require.NoError(t, err)
		v.show(frames)
	}
	require.Equal(t, recording.Green, v.indicators["SomeLeader"], "one of three votes: nobody can lead, though two others run")

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
	frames, err := s.Do(interactive.Intervention{After: v.count, Do: interactive.Crash, Node: new(2)})
	require.NoError(t, err)
	v.show(frames)
	require.Equal(t, recording.Green, v.indicators["SomeLeader"], "two of three vote, and none of them may lead")
}
