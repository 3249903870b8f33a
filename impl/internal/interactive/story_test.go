package interactive_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/compare/scenarios"
	"github.com/seed-fdf591db/bully/impl/internal/interactive"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// TestStoriesOfOthers plays the stories of other algorithms with ours: the title is of what is played, and the contrast is said.
func TestStoriesOfOthers(t *testing.T) {
	for _, story := range scenarios.All() {
		s, err := interactive.Begin(interactive.RunSpec{RunSpec: 1, Algorithm: "bully", Scenario: story.Name})
		require.NoError(t, err, story.Name)
		h := s.Header()
		require.Contains(t, h.Title, "(ours) in the story “", story.Name)
		require.NotContains(t, h.Title, story.Title)
		require.Contains(t, h.Watch, story.Title)
		own, err := interactive.Begin(interactive.RunSpec{RunSpec: 1, Algorithm: story.Shows, Scenario: story.Name})
		require.NoError(t, err, story.Name)
		require.Equal(t, []string{story.Title, story.Watch}, []string{own.Header().Title, own.Header().Watch})
	}
}

// TestStoriesEndWell: with ours a story goes on until the highest leads again that its partition has deposed.
func TestStoriesEndWell(t *testing.T) {
	for _, name := range []string{"split-brain", "one-way", "ring-partition", "raft-minority-leader"} {
		s, err := interactive.Begin(interactive.RunSpec{RunSpec: 1, Algorithm: "bully", Scenario: name})
		require.NoError(t, err)
		v := viewerOf(t, s.Header())
		v.show(s.Taken())
		frames, ended := s.Next(20_000)
		require.True(t, ended, "the story must end")
		v.show(frames)
		require.Equal(t, 4, v.leader(), name)
		require.Equal(t, uint64(3), v.nodes[4].Epoch, name)
		require.Equal(t, recording.Green, v.indicators["OneActing"], name)
	}
}
