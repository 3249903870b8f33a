package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// call runs the command on the module in testdata, with one of the tables there.
func call(t *testing.T, tables string, args ...string) (status int, out, log string) {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("testdata", "module"))
	require.NoError(t, err)
	var o, l strings.Builder
	a := app{root: root, folder: tableFolder(t, tables), page: filepath.Join(t.TempDir(), "TABLE.md"), out: &o, log: &l}
	status = a.main(context.Background(), append([]string{"-limit", "3s"}, args...))
	return status, seconds.ReplaceAllString(o.String(), "(S s)"), seconds.ReplaceAllString(l.String(), "(S s)")
}

// tableFolder returns a folder with the files of testdata/tables.txtar that are in one of that name.
func tableFolder(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "tables.txtar"))
	require.NoError(t, err)
	folder := t.TempDir()
	for _, part := range strings.Split(string(text), "\n-- ")[1:] {
		file, text, _ := strings.Cut(part, " --\n")
		if file, is := strings.CutPrefix(file, name+"/"); is {
			file = filepath.Join(folder, filepath.FromSlash(file))
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, []byte(strings.TrimSuffix(text, "\n")+"\n"), 0o644))
		}
	}
	return folder
}

var seconds = regexp.MustCompile(`\([0-9.]+ s\)`)

func TestKilled(t *testing.T) {
	status, out, log := call(t, "good", "-jobs", "2")
	require.Equal(t, exitOK, status, log)
	require.Equal(t, `mutant          killed by        smallest run
clamps-nothing  small TestClamp  –
sums-one-less   small TestSum    n = 1
two-changes     small TestSum    n = 1
3 mutants, 3 killed (S s)
`, out)
	require.Contains(t, log, "without mutants 1 packages pass (S s)\n")
	require.Contains(t, log, " of 3] clamps-nothing: killed by small TestClamp (S s)\n")
}

func TestNotKilled(t *testing.T) {
	for tables, want := range map[string]string{
		"survivor": "mutants: 1 of 2 mutants were not killed: the tests have a hole, or the table a mistake\ntriples (survived): what nobody tests\n",
		"stale": "2 of 2 mutants are stale: bring their old text up to date\n" +
			"small.txt:3: gone: small/small.go has this 0 times, not once: \"n * 4\"\n" +
			"small.txt:9: twice: small/small.go has this 2 times, not once: \"return n\"\n",
		"unbuilt":  "undefined: m",
		"untested": "./none has no tests: nothing there can kill a mutant",
		"failing":  "./failing fails without any mutant: mend that first\n",
		"empty":    "there are no mutants: nothing was tried",
	} {
		t.Run(tables, func(t *testing.T) {
			t.Parallel()
			status, _, log := call(t, tables)
			require.Equal(t, exitSurvivor, status, log)
			require.Contains(t, log, want)
		})
	}
}

// TestHangs shows that a mutant that never ends is killed by the limit, and that this is said; and that one of which the table does not
// say so is no verdict.
func TestHangs(t *testing.T) {
	slowtest.Only(t, "it compiles a module many times")
	t.Parallel()
	status, out, log := call(t, "hangs", "-limit", "1s")
	require.Equal(t, exitOK, status, log)
	require.Contains(t, out, "for-ever  small TestSum (time limit)  –\n1 mutants, 1 hung")

	status, out, log = call(t, "slow", "-limit", "1s")
	require.Equal(t, exitSurvivor, status, log)
	require.Contains(t, out, "1 mutants, 1 could not be tried")
	require.Contains(t, log, "which is no verdict: if only time tells of it, let the table say hangs yes")
}

// TestCrowd: a mutant whose tests start processes without end is killed, and what is said is why.
func TestCrowd(t *testing.T) {
	slowtest.Only(t, "it compiles a module many times")
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux: for /proc")
	}
	t.Parallel()
	status, out, log := call(t, "crowd", "-limit", "30s")
	require.Equal(t, exitOK, status, log)
	require.Contains(t, out, "never-ends-any  crowd (no test: more than 200 processes)  –\n1 mutants, 1 killed")
}

func TestJSONAndRun(t *testing.T) {
	slowtest.Only(t, "it compiles a module many times")
	t.Parallel()
	status, out, log := call(t, "survivor", "-json", "-v", "-run", "^trip")
	require.Equal(t, exitSurvivor, status, log)
	var results []map[string]any
	require.NoError(t, json.Unmarshal([]byte(out), &results))
	require.Len(t, results, 1)
	require.Equal(t, "triples", results[0]["name"])
	require.Equal(t, "survived", results[0]["status"])
	require.Contains(t, log, "triples: what nobody tests\n-n * 2\n+n * 3\n")

	status, _, log = call(t, "survivor", "-run", "^quad")
	require.Equal(t, exitSurvivor, status)
	require.Contains(t, log, `no mutant of 2 matches "^quad": nothing was tried`)
}

func TestUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"unexpected argument":       {"grant"},
		"-jobs 0":                   {"-jobs", "0"},
		"-each -1":                  {"-each", "-1"},
		"-generate has no table":    {"-generate", "./small", "-update"},
		"-limit 1ms":                {"-limit", "1ms"},
		"-list runs nothing":        {"-update", "-list"},
		"missing closing ]":         {"-run", "["},
		"flag provided but not def": {"-x"},
	} {
		status, out, log := call(t, "good", args...)
		require.Equal(t, exitUsage, status, want)
		require.Empty(t, out)
		require.Contains(t, log, want)
	}
	status, _, log := call(t, "good", "-help")
	require.Equal(t, exitOK, status)
	require.Contains(t, log, "-update")
}

// TestInterrupted stops the command on its way.
func TestInterrupted(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("testdata", "module"))
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	stop()
	var out, log strings.Builder
	a := app{root: root, folder: tableFolder(t, "good"), out: &out, log: &log}
	require.Equal(t, exitSurvivor, a.main(ctx, nil))
	require.Empty(t, out.String())
	require.Equal(t, "mutants: interrupted\n", log.String())
}
