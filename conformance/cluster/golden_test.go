package cluster_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/spec"
)

const (
	goldenTraces = "../../traces/valid/"
	goldenReadme = "../../traces/README.md"
	tableBegins  = "<!-- valid:begin -->\n"
	tableEnds    = "<!-- valid:end -->"
)

// golden is a trace, and what it shows.
type golden struct {
	name, shows string
	changing    bool
	members     int
	events      uint64
	trace       []byte
}

// goldens makes all golden traces anew.
func goldens(t *testing.T) (all []golden) {
	known, err := cluster.Known()
	require.NoError(t, err)
	for i := range known {
		script := &known[i]
		if !script.IsScenario() {
			continue
		}
		var trace bytes.Buffer
		changing := !script.First.IsNone()
		w := spec.NewTraceWriter(&trace, spec.Header{Changing: changing, Members: script.Members, Commit: "golden"})
		c, err := script.Run(model, cluster.Options{Trace: w})
		require.NoError(t, err, script.Where())
		require.NoError(t, w.Flush(), script.Where())
		all = append(all, golden{
			name:     script.Name,
			shows:    strings.ReplaceAll(script.Comment, "\n", " "),
			changing: changing, members: len(script.Members), events: c.Events(), trace: trace.Bytes(),
		})
	}
	return append(all, recordings(t)...)
}

// TestGoldenTraces compares the traces of traces/valid with what comes of the scenarios now.
func TestGoldenTraces(t *testing.T) {
	all := goldens(t)
	require.GreaterOrEqual(t, len(all), 30)
	wanted := map[string]bool{}
	sizes := map[int]int{}
	for _, g := range all {
		file := goldenTraces + g.name + ".ndjson"
		wanted[filepath.Base(file)] = true
		sizes[g.members]++
		require.NotEmpty(t, g.shows, "%s: the comment at the top of a scenario says what to watch", g.name)
		most := uint64(120)
		if strings.HasPrefix(g.name, "sim-") {
			most = 160
		}
		require.True(t, g.events >= 10 && g.events <= most, "%s: %d events: a golden trace is to be read", g.name, g.events)
		if *update {
			require.NoError(t, os.WriteFile(file, g.trace, 0o644))
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err, "if the scenario is new: -update")
		require.True(t, bytes.Equal(text, g.trace), "%s is not what comes of its scenario; if that is meant: -update", file)
		require.Equal(t, g.events, countEvents(t, g.trace), file)
	}
	files, err := filepath.Glob(goldenTraces + "*")
	require.NoError(t, err)
	for _, file := range files {
		require.True(t, wanted[filepath.Base(file)], "%s has no scenario: write one, or remove it", file)
	}
	for _, n := range []int{1, 2, 3, 4, 5, 7} {
		require.Positive(t, sizes[n], "there is a trace of %d members", n)
	}
}

// countEvents returns how many events a trace has.
func countEvents(t *testing.T, trace []byte) (events uint64) {
	r, err := spec.NewTraceReader(bytes.NewReader(trace))
	require.NoError(t, err)
	for {
		var e spec.Event
		err := r.Read(&e)
		if errors.Is(err, io.EOF) {
			return events
		}
		require.NoError(t, err)
		events++
	}
}

// TestGoldenReadme compares the table of traces/README.md with the scenarios.
func TestGoldenReadme(t *testing.T) {
	var b strings.Builder
	b.WriteString("| trace | nodes | events | watch |\n|---|---|---|---|\n")
	for _, g := range goldens(t) {
		fmt.Fprintf(&b, "| [%s](valid/%[1]s.ndjson) | %d | %d | %s |\n", g.name, g.members, g.events, g.shows)
	}
	text, err := os.ReadFile(goldenReadme)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), tableBegins)
	table, after, ends := strings.Cut(rest, tableEnds)
	require.True(t, found && ends, "%s has no line %s%s", goldenReadme, tableBegins, tableEnds)
	if *update {
		require.NoError(t, os.WriteFile(goldenReadme, []byte(before+tableBegins+b.String()+tableEnds+after), 0o644))
		return
	}
	require.Equal(t, b.String(), table, "%s is not what the scenarios say; if they are right: -update", goldenReadme)
}
