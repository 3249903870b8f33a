package engine_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/conformance/compare/scenarios"
	"github.com/seed-fdf591db/bully/impl/internal/engine"
	"github.com/seed-fdf591db/bully/impl/internal/interactive"
	"github.com/seed-fdf591db/bully/traces/recording"
)

var update = flag.Bool("update", false, "write the digests of testdata/cases anew")

// replayed plays a case again, and returns the digest of as many frames as it had.
func replayed(t *testing.T, c *engine.Case) (frames int, digest string) {
	t.Helper()
	run, err := interactive.Begin(c.RunSpec)
	require.NoError(t, err)
	all := run.Taken()
	if len(all) < c.Frames {
		more, _ := run.Next(c.Frames - len(all))
		all = append(all, more...)
	}
	return len(all), engine.Digest(all)
}

// TestCases plays every test case of testdata/cases again.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.case.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var c engine.Case
		require.NoError(t, json.Unmarshal(text, &c), file)
		require.Equal(t, 1, c.Case, file)
		frames, digest := replayed(t, &c)
		if *update {
			c.Digest = digest
			text, err = json.MarshalIndent(&c, "", "  ")
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file, append(text, '\n'), 0o644))
		}
		require.Equal(t, c.Frames, frames, file)
		require.Equal(t, c.Digest, digest, "%s plays otherwise than when it was saved", file)
	}
}

// played plays a run spec for some frames.
func played(t *testing.T, runSpec string, frames int) (*recording.Recording, *interactive.Run) {
	t.Helper()
	opened := engine.Open([]byte(runSpec), "")
	require.Nil(t, opened.Problem)
	run := opened.Run
	more, _ := run.Next(frames - len(opened.Recording.Frames))
	opened.Recording.Frames = append(opened.Recording.Frames, more...)
	return opened.Recording, run
}

// TestRunsAreExported saves runs as traces, recordings and test cases, and reads them again.
func TestRunsAreExported(t *testing.T) {
	f, run := played(t, `{"runSpec":1,"algorithm":"textbook","nodes":5,"profile":"lan","seed":3,"do":[{"after":60,"do":"crash","node":4}]}`, 150)
	before := lines(t, f)
	name, text, err := engine.ExportCase(f, run, nil)
	require.NoError(t, err)
	require.Contains(t, name, ".case.json")
	var c engine.Case
	require.NoError(t, json.Unmarshal(text, &c))
	frames, digest := replayed(t, &c)
	require.Equal(t, c.Frames, frames)
	require.Equal(t, c.Digest, digest)
	require.Equal(t, before, lines(t, f), "who asks for a case keeps the words")
	c.RunSpec.Seed++
	_, digest = replayed(t, &c)
	require.NotEqual(t, c.Digest, digest, "another seed shows other frames")
	name, text, err = engine.ExportTrace(f, run, nil)
	require.NoError(t, err)
	require.Contains(t, name, ".recording.ndjson")
	again := engine.Open(text, name)
	require.Nil(t, again.Problem)
	require.Equal(t, engine.Digest(f.Frames), engine.Digest(again.Recording.Frames))

	f, run = played(t, `{"runSpec":1,"algorithm":"bully","nodes":5,"profile":"lan","seed":3,"do":[{"after":90,"do":"crash","node":4},{"after":200,"do":"restart","node":4}]}`, 400)
	name, text, err = engine.ExportTrace(f, run, nil)
	require.NoError(t, err)
	require.NotContains(t, name, "recording")
	again = engine.Open(text, name)
	require.Nil(t, again.Problem)
	require.True(t, again.Recording.Timed, "a recording of a run has times")
	name, text, err = engine.ExportCase(f, run, nil)
	require.NoError(t, err)
	require.Contains(t, name, ".script", "a script: %s", text)
	script, err := cluster.ParseScript(string(text))
	require.NoError(t, err)
	require.NotEmpty(t, script.Ops)
}

// TestSeedOfAScenario exports a run of a scenario, whose seed is that of the scenario and not that of the run spec.
func TestSeedOfAScenario(t *testing.T) {
	all := scenarios.All()
	at := slices.IndexFunc(all, func(n scenarios.Named) bool { return n.Seed > 1 })
	require.GreaterOrEqual(t, at, 0)
	s, err := interactive.Begin(interactive.RunSpec{RunSpec: 1, Scenario: all[at].Name, Algorithm: "bully", Seed: 1})
	require.NoError(t, err)
	_, text, err := engine.ExportTrace(&recording.Recording{Header: s.Header(), Frames: s.Taken()}, s, nil)
	require.NoError(t, err)
	require.Contains(t, string(text), fmt.Sprintf(`"seed":%d,`, all[at].Seed))
}
