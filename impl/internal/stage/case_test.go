package stage_test

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
	"github.com/seed-fdf591db/bully/impl/internal/stage"
	"github.com/seed-fdf591db/bully/traces/film"
)

var update = flag.Bool("update", false, "write the digests of testdata/cases anew")

// replayed plays a case again, and returns the digest of as many frames as it had.
func replayed(t *testing.T, c *stage.Case) (frames int, digest string) {
	t.Helper()
	run, err := stage.Begin(c.Recipe)
	require.NoError(t, err)
	all := run.Taken()
	if len(all) < c.Frames {
		more, _ := run.Next(c.Frames - len(all))
		all = append(all, more...)
	}
	return len(all), stage.Digest(all)
}

// TestCases plays every test case of testdata/cases again.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.case.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var c stage.Case
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

// played plays a recipe for some frames.
func played(t *testing.T, recipe string, frames int) (*film.Film, *stage.Stage) {
	t.Helper()
	r, err := stage.ReadRecipe([]byte(recipe))
	require.NoError(t, err)
	run, err := stage.Begin(r)
	require.NoError(t, err)
	opened := stage.OfRun(run)
	more, _ := run.Next(frames - len(opened.Film.Frames))
	opened.Film.Frames = append(opened.Film.Frames, more...)
	return opened.Film, run
}

// TestRunsAreExported saves runs as traces, films and test cases, and reads them again.
func TestRunsAreExported(t *testing.T) {
	f, run := played(t, `{"recipe":1,"algorithm":"textbook","nodes":5,"profile":"lan","seed":3,"do":[{"after":60,"do":"crash","node":4}]}`, 150)
	name, text, err := stage.ExportCase(f, run, nil)
	require.NoError(t, err)
	require.Contains(t, name, ".case.json")
	var c stage.Case
	require.NoError(t, json.Unmarshal(text, &c))
	frames, digest := replayed(t, &c)
	require.Equal(t, c.Frames, frames)
	require.Equal(t, c.Digest, digest)
	c.Recipe.Seed++
	_, digest = replayed(t, &c)
	require.NotEqual(t, c.Digest, digest, "another seed shows other frames")
	name, text, err = stage.ExportTrace(f, run, nil)
	require.NoError(t, err)
	require.Contains(t, name, ".film.ndjson")
	again := stage.Open(text, name)
	require.Nil(t, again.Problem)
	require.Equal(t, stage.Digest(f.Frames), stage.Digest(again.Film.Frames))

	f, run = played(t, `{"recipe":1,"algorithm":"bully","nodes":5,"profile":"lan","seed":3,"do":[{"after":90,"do":"crash","node":4},{"after":200,"do":"restart","node":4}]}`, 400)
	name, text, err = stage.ExportTrace(f, run, nil)
	require.NoError(t, err)
	require.NotContains(t, name, "film")
	again = stage.Open(text, name)
	require.Nil(t, again.Problem)
	require.True(t, again.Film.Timed)
	name, text, err = stage.ExportCase(f, run, nil)
	require.NoError(t, err)
	require.Contains(t, name, ".script", "a script: %s", text)
	script, err := cluster.ParseScript(string(text))
	require.NoError(t, err)
	require.NotEmpty(t, script.Ops)
}

// TestSeedOfAScenario exports a run of a scenario, whose seed is that of the scenario and not that of the recipe.
func TestSeedOfAScenario(t *testing.T) {
	all := scenarios.All()
	at := slices.IndexFunc(all, func(n scenarios.Named) bool { return n.Seed > 1 })
	require.GreaterOrEqual(t, at, 0)
	s, frames := begun(t, stage.Recipe{Recipe: 1, Scenario: all[at].Name, Algorithm: "bully", Seed: 1})
	_, text, err := stage.ExportTrace(&film.Film{Header: s.Header(), Frames: frames}, s, nil)
	require.NoError(t, err)
	require.Contains(t, string(text), fmt.Sprintf(`"seed":%d,`, all[at].Seed))
}
