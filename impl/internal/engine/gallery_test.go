package engine_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/compare/scenarios"
	"github.com/seed-fdf591db/bully/impl/internal/engine"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces"
)

// TestGalleryIsWhole wants a sentence on everything that people can choose, and a place for every operator.
func TestGalleryIsWhole(t *testing.T) {
	g := engine.Look()
	require.Len(t, g.Golden, len(traces.Table()))
	require.Len(t, g.Scenarios, len(scenarios.All()))
	require.Len(t, g.Rules, len(spec.Rules()))
	for _, s := range g.Scenarios {
		require.NotEmpty(t, s.Title, s.Name)
		require.NotEmpty(t, s.Watch, s.Name)
		require.NotEmpty(t, s.Cause, s.Name)
		require.NotEmpty(t, s.Remedy, s.Name)
		require.Contains(t, s.Algorithms, s.Algorithm, s.Name)
	}
	for _, r := range g.Rules {
		require.NotEmpty(t, r.Text, r.Name)
		require.NotEmpty(t, r.Operators, r.Name)
		for _, o := range r.Operators {
			require.Contains(t, g.Actions, o, r.Name)
		}
	}
	for _, a := range spec.FixedActions() {
		require.True(t, strings.HasPrefix(g.Actions[string(a)], "Cluster.tla:"), "%s: %q", a, g.Actions[string(a)])
	}
}

// TestGoldenTracesAreScripts makes a script of every golden trace, which does the same again.
func TestGoldenTracesAreScripts(t *testing.T) {
	for _, e := range traces.Table() {
		opened := engine.OpenGolden(e.Name)
		name, text, err := engine.ExportCase(opened.Recording, nil, opened.Trace)
		require.NoError(t, err, e.Name)
		require.Equal(t, e.Name+".script", name)
		require.Contains(t, string(text), "\nmembers ")
	}
	for _, e := range engine.Look().Refused {
		opened := engine.OpenGolden(e.Name)
		_, _, err := engine.ExportCase(opened.Recording, nil, opened.Trace)
		require.ErrorContains(t, err, "no test case can be made", e.Name)
	}
}

// TestTracesAreExported gives back the very bytes of a trace that was opened.
func TestTracesAreExported(t *testing.T) {
	opened := engine.OpenGolden("failover")
	name, text, err := engine.ExportTrace(opened.Recording, nil, opened.Trace)
	require.NoError(t, err)
	require.Equal(t, "failover.ndjson", name)
	require.Equal(t, opened.Trace, text)
	name, text, err = engine.ExportTrace(opened.Recording, nil, nil)
	require.NoError(t, err)
	require.Equal(t, "failover.recording.ndjson", name)
	require.Nil(t, engine.Open(text, name).Problem)
	_, _, err = engine.ExportCase(opened.Recording, nil, nil)
	require.ErrorContains(t, err, "neither")
}

// TestGoldenTracesOpenAtWhatTheyShow wants what each is about to be found in it.
func TestGoldenTracesOpenAtWhatTheyShow(t *testing.T) {
	for name := range engine.Shows {
		opened := engine.OpenGolden(name)
		require.NotNil(t, opened.Recording, name)
		open, ok := engine.AboutGolden(opened.Recording, name)
		require.True(t, ok, "%s: %q is nowhere in it", name, engine.Shows[name])
		require.Equal(t, open, opened.Recording.Open, name)
	}
}
