package tlc

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/tla"
)

// recorded returns an output of TLC and its exit status.
func recorded(t *testing.T, name string) (string, int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "outputs", name+".txt"))
	require.NoError(t, err)
	said, exit, ok := strings.Cut(string(text), "\nexit ")
	if !ok {
		return said, -1
	}
	status, err := strconv.Atoi(strings.TrimSpace(exit))
	require.NoError(t, err)
	return said, status
}

func TestParse(t *testing.T) {
	const holds, violates, failed = tla.Holds, tla.Violates, tla.Failed
	for name, want := range map[string]tla.Result{
		"holds":            {Verdict: holds, Exit: 0, Distinct: 6, Generated: 7, Depth: 6},
		"invariant":        {Verdict: violates, Property: "Never4", Exit: 12, Distinct: 5, Generated: 5, Depth: 5},
		"initial":          {Verdict: violates, Property: "Never0", Exit: 12, Depth: 1},
		"step":             {Verdict: violates, Property: "Grows", Exit: 13, Distinct: 6, Generated: 7, Depth: 7},
		"step-by-place":    {Verdict: violates, Property: "Listed", Exit: 13, Distinct: 4, Generated: 4, Depth: 4},
		"initial-property": {Verdict: violates, Property: "Listed", Exit: 13, Depth: 1},
		"temporal":         {Verdict: violates, Property: "Listed", Exit: 13, Distinct: 6, Generated: 7, Depth: 6},
		"stuttering":       {Verdict: violates, Property: "Listed", Exit: 13, Distinct: 6, Generated: 7, Depth: 3},
		"deadlock":         {Verdict: violates, Property: "Deadlock", Exit: 11, Distinct: 6, Generated: 6, Depth: 6},
		"evaluation":       {Verdict: failed, Exit: 76, Distinct: 4, Generated: 4, Depth: 4},
		"assumption":       {Verdict: failed, Exit: 10},
		"configuration":    {Verdict: failed, Exit: 151},
		"parse":            {Verdict: failed, Exit: 150},
		"semantics":        {Verdict: failed, Exit: 150},
		"killed":           {Verdict: failed, Exit: -1},
	} {
		said, exit := recorded(t, name)
		report := Parse(said, exit, []string{"Listed"})
		require.Equal(t, want, report.Result, name)
		require.Equal(t, want.Verdict == tla.Failed, report.Message != "", "%s: %s", name, report.Message)
		if want.Verdict == tla.Violates {
			require.Len(t, report.Run, want.Depth, name)
			require.Contains(t, report.Run[0], "x = 0", name)
		}
	}
}

func TestParseSaysWhatWentWrong(t *testing.T) {
	for name, want := range map[string]string{
		"evaluation":    "Evaluating invariant Mistaken failed",
		"assumption":    "Assumption line 14",
		"configuration": "The invariant Nowhere specified in the configuration file",
		"parse":         "***Parse Error***",
		"semantics":     "Unknown operator: `Nowhere'",
		"killed":        "TLC did not end its output",
	} {
		said, exit := recorded(t, name)
		require.Contains(t, Parse(said, exit, nil).Message, want, name)
	}
}

func TestParseOfLiveness(t *testing.T) {
	said, exit := recorded(t, "temporal")
	require.Equal(t, "back to state 1", Parse(said, exit, []string{"P"}).Loop)
	require.Equal(t, "a temporal property, one of P or Q", Parse(said, exit, []string{"P", "Q"}).Property,
		"TLC does not say which")
	said, exit = recorded(t, "stuttering")
	require.Equal(t, "nothing ever changes again", Parse(said, exit, []string{"P"}).Loop)
}

// TestParseBelievesNothingAlone pairs outputs with exit statuses that do not belong to them.
func TestParseBelievesNothingAlone(t *testing.T) {
	for name, exit := range map[string]int{"holds": 12, "invariant": 0, "temporal": 12, "deadlock": 12, "step": 0} {
		said, _ := recorded(t, name)
		require.Equal(t, tla.Failed, Parse(said, exit, []string{"P"}).Verdict, name)
	}
	said, _ := recorded(t, "holds")
	left := strings.Replace(said, "0 states left", "1 states left", 1)
	require.NotEqual(t, said, left)
	require.Equal(t, tla.Holds, Parse(said, 0, nil).Verdict)
	left = strings.ReplaceAll(said, "0 states left", "1 states left")
	require.Equal(t, tla.Failed, Parse(left, 0, nil).Verdict, "states are left to be expanded")
}

// FuzzParse checks that no output breaks the reader, and that none holds without TLC saying so.
func FuzzParse(f *testing.F) {
	names, err := filepath.Glob(filepath.Join("testdata", "outputs", "*.txt"))
	require.NoError(f, err)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(string(text), 0)
	}
	f.Fuzz(func(t *testing.T, said string, exit int) {
		if Parse(said, exit, []string{"P"}).Verdict == tla.Holds {
			require.Contains(t, said, "STARTMSG 2193")
		}
	})
}
