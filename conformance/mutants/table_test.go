package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/mutants/table"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// TestTableListsEachMutant holds TABLE.md to list the mutants that there are, in their order, and what each breaks.
func TestTableListsEachMutant(t *testing.T) {
	all, err := table.Read(os.DirFS("table"))
	require.NoError(t, err)
	rows, err := readRows("TABLE.md")
	require.NoError(t, err)
	text, err := os.ReadFile("TABLE.md")
	require.NoError(t, err)
	var want []row
	for _, m := range all {
		r, listed := rows[m.Name]
		if !listed {
			t.Errorf("%s: %s is not in TABLE.md: go run ./conformance/mutants -missing -update", m.Place, m.Name)
		}
		r.name, r.breaks = m.Name, cell(m.Breaks)
		want = append(want, r)
	}
	if !t.Failed() && !strings.Contains(string(text), tableBegin+markdown(want)+tableEnd) {
		t.Error("TABLE.md is not of the mutants that there are: go run ./conformance/mutants -update -run NAME, of any mutant, mends it")
	}
}

// TestTableNamesTests holds TABLE.md to say of each mutant that a test has killed it which is still there, or that
// the program has ended.
func TestTableNamesTests(t *testing.T) {
	rows, err := readRows("TABLE.md")
	require.NoError(t, err)
	sources := map[string]string{}
	for name, r := range rows {
		folder, test, _ := strings.Cut(strings.Trim(r.by, "`"), " ")
		if test == noTest {
			continue
		}
		if _, read := sources[folder]; !read {
			sources[folder] = testsOf(t, folder)
		}
		test = strings.FieldsFunc(test, func(c rune) bool { return c == '/' || c == ' ' })[0]
		if !strings.Contains(sources[folder], "\nfunc "+test+"(") {
			t.Errorf("%s was killed by %s of %s, which is not there any more: go run ./conformance/mutants -update -run '^%s$'", name, test, folder, name)
		}
	}
}

// testsOf returns the source of the tests of a package.
func testsOf(t *testing.T, folder string) (source string) {
	files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(folder), "*_test.go"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		source += string(text)
	}
	return source
}

// pageOf writes a page with the rows of a table.
func pageOf(t *testing.T, rows ...row) (file string) {
	file = filepath.Join(t.TempDir(), "TABLE.md")
	require.NoError(t, os.WriteFile(file, []byte("before\n"+tableBegin+markdown(rows)+tableEnd+"after\n"), 0o600))
	return file
}

// TestUpdate merges what was tried now into a table: other rows stay, but for what they break.
func TestUpdate(t *testing.T) {
	mutantOf := func(name, breaks string) *mutant { return &mutant{Mutant: table.Mutant{Name: name, Breaks: breaks}} }
	again, kept, survivor := mutantOf("again", "this | that"), mutantOf("kept", "more | or less"), mutantOf("survivor", "nothing")
	slow, long, untried := mutantOf("slow", "time"), mutantOf("long", "all"), mutantOf("untried", "who knows")
	file := pageOf(t,
		row{"gone", "what was", "`small TestA`", none}, row{"survivor", "nothing", "`small TestA`", none},
		row{"kept", "what it broke", "`small TestA/x\\|y`", "`n = 2`"}, row{"again", "this", "`small TestB`", "`n = 3`"})
	results := []*result{
		{mutant: again, Status: killed, By: "small TestA", Smallest: "n = 1"},
		{mutant: survivor, Status: survived},
		{mutant: slow, Status: hung, By: "small TestB", Seconds: 3},
		{mutant: long, Status: killed, By: "small TestC", Smallest: "20 ops: " + strings.Repeat("end 2 heartbeat; ", 20)},
	}
	for range 2 {
		require.NoError(t, updateTable(file, []*mutant{again, kept, survivor, slow, untried, long}, results))
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, "before\n"+tableBegin+"4 mutants, all killed.\n\n| mutant | breaks | killed by | smallest run |\n|---|---|---|---|\n"+
			"| `again` | this \\| that | `small TestA` | `n = 1` |\n| `kept` | more \\| or less | `small TestA/x\\|y` | `n = 2` |\n"+
			"| `slow` | time | `small TestB (time limit)` | – |\n| `long` | all | `small TestC` | 20 ops |\n"+tableEnd+"after\n", string(text))
	}
}

func TestNoTableToUpdate(t *testing.T) {
	file := pageOf(t, row{"a", "b", "c", "d | e"})
	require.ErrorContains(t, updateTable(file, nil, nil), "the table has a row of 5 cells, not 4")
	require.NoError(t, os.WriteFile(file, []byte("no place\n"+tableEnd), 0o600))
	require.ErrorContains(t, updateTable(file, nil, nil), "has no place for the table: add the lines")
	require.ErrorIs(t, updateTable(file+"x", nil, nil), os.ErrNotExist)
}

// TestMissing runs what the page lacks, and puts it there.
func TestMissing(t *testing.T) {
	slowtest.Only(t, "it compiles a module many times")
	t.Parallel()
	root, err := filepath.Abs(filepath.Join("testdata", "module"))
	require.NoError(t, err)
	file := pageOf(t, row{"clamps-nothing", "what it broke", "`old TestClamp`", none})
	run := func(args ...string) (status int, log string) {
		var o, l strings.Builder
		a := app{root: root, folder: tableFolder(t, "good"), page: file, out: &o, log: &l}
		status = a.main(t.Context(), append([]string{"-missing", "-update"}, args...))
		return status, l.String()
	}
	status, log := run("-run", "clamps|two")
	require.Equal(t, exitOK, status, log)
	require.Contains(t, log, "[1 of 1] two-changes: killed by small TestSum")
	status, log = run()
	require.Equal(t, exitOK, status, log)
	require.Contains(t, log, "[1 of 1] sums-one-less: killed by small TestSum")
	rows, err := readRows(file)
	require.NoError(t, err)
	require.Len(t, rows, 3)
	require.Equal(t, "`old TestClamp`", rows["clamps-nothing"].by)
	status, log = run()
	require.Equal(t, exitSurvivor, status)
	require.Contains(t, log, `no mutant of 3 that matches "" is missing in TABLE.md: nothing was tried`)
}

// TestLastKiller begins with the test that the page names, and runs all if that finds nothing.
func TestLastKiller(t *testing.T) {
	slowtest.Only(t, "it compiles a module many times")
	t.Parallel()
	root, err := filepath.Abs(filepath.Join("testdata", "module"))
	require.NoError(t, err)
	file := pageOf(t, row{"sums-one-less", "x", "`small TestSmallest`", none}, row{"two-changes", "x", "`small TestClamp`", none},
		row{"clamps-nothing", "x", "`small TestThatIsGone (time limit)`", none})
	var o, l strings.Builder
	a := app{root: root, folder: tableFolder(t, "good"), page: file, out: &o, log: &l}
	require.Equal(t, exitOK, a.main(t.Context(), nil), l.String())
	require.Contains(t, l.String(), "sums-one-less: killed by small TestSmallest")
	require.Contains(t, l.String(), "two-changes: killed by small TestSum")
	require.Contains(t, l.String(), "clamps-nothing: killed by small TestClamp")
}
