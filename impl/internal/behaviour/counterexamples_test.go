package behaviour_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/behaviour"
	"github.com/seed-fdf591db/bully/impl/internal/engine"
	"github.com/seed-fdf591db/bully/spec/slowtest"
	"github.com/seed-fdf591db/bully/tla"
	"github.com/seed-fdf591db/bully/tla/check/explorer"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// red returns the frame, from 1, with which an indicator first goes red; 0 if it never does.
func red(f *recording.Recording, name string) int {
	for i := range f.Frames {
		for _, indicator := range f.Frames[i].Indicators {
			if indicator.Name == name && indicator.Light == recording.Red {
				return i + 1
			}
		}
	}
	return 0
}

// opensAtItsViolation requires that a recording of a counterexample opens at its end, with the indicator of the property red there, and
// not before.
func opensAtItsViolation(t *testing.T, name string, f *recording.Recording, property string) {
	t.Helper()
	require.Equal(t, recording.Counterexample, f.Source, name)
	require.Len(t, f.Frames, f.Open, name)
	require.Equal(t, f.Open, red(f, property), name)
	for i := range f.Frames {
		require.NotEmpty(t, f.Frames[i].Text, "%s %d", name, i+1)
	}
	var text strings.Builder
	require.NoError(t, f.Write(&text), name)
	again, err := recording.Read(strings.NewReader(text.String()))
	require.NoError(t, err, name)
	require.Len(t, again.Frames, len(f.Frames), name)
}

// TestEveryCounterexampleOpens records every counterexample that the explorer finds in the quick configurations, and what
// the explorer prints of it: both recordings are the same. Unless slow tests run, it takes the configurations with at most
// 10,000 states.
func TestEveryCounterexampleOpens(t *testing.T) {
	entries, err := tla.Load(tla.FS())
	require.NoError(t, err)
	recordings, traces, refused := 0, 0, 0
	for _, e := range entries {
		if e.Effort != tla.Quick || e.Verdict != tla.Violates || e.Explorer != tla.Full || !slowtest.Wanted() && e.Distinct > 10_000 {
			continue
		}
		o := explorer.Run(context.Background(), e, explorer.Options{})
		require.NotNil(t, o.Violation, e.Name)
		b, err := behaviour.Of(o.Violation, e.Name, e.Question)
		require.NoError(t, err, e.Name)
		f, trace, err := engine.RecordingOf(b)
		require.NoError(t, err, e.Name)
		opensAtItsViolation(t, e.Name, f, e.Property)
		require.Equal(t, e.Question, f.Watch)
		recordings++
		if trace != nil {
			traces++
			if red(f, "Rules") > 0 {
				refused++
			}
		}
		if strings.Contains(e.Name, "/Cluster") {
			require.Equal(t, e.Configuration.Replacements["Kept"] == "", trace != nil, e.Name)
		}
		printed := engine.Open([]byte(e.Name+": "+e.Question+"\n"+o.Violation.String()), "printed")
		require.Nil(t, printed.Problem, e.Name)
		require.Equal(t, f, printed.Recording, e.Name)
		own, err := b.Recording()
		require.NoError(t, err, e.Name)
		opensAtItsViolation(t, e.Name, own, e.Property)
	}
	require.Greater(t, recordings, 50)
	require.Greater(t, refused, 10)
	require.Greater(t, traces-refused, 5, "those of witnesses are what the rules allow")
	t.Logf("%d recordings, of which %d are traces, of which the rules refuse %d", recordings, traces, refused)
}

// TestTLCOpens opens what TLC has printed.
func TestTLCOpens(t *testing.T) {
	files, err := filepath.Glob("../engine/testdata/tlc/*")
	require.NoError(t, err)
	require.Len(t, files, 4)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		property := map[string]string{"ClusterGrantsTwice.txt": "OneLeaderPerEpoch", "TextbookB01Partition.txt": "OneLeader", "check-v.txt": "SomeLeader",
			"invariant-tool.txt": "Never4"}[filepath.Base(file)]
		for _, coloured := range []bool{false, true} {
			if coloured {
				text = []byte(strings.ReplaceAll(string(text), "State ", "\x1b[1;31mState\x1b[0m "))
			}
			opened := engine.Open(text, file)
			require.Nil(t, opened.Problem, file)
			opensAtItsViolation(t, file, opened.Recording, property)
		}
	}
}
