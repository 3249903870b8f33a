package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// writePage writes a page without rows, with places for a table and for the last whole run.
func writePage(t *testing.T) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "TABLE.md")
	require.NoError(t, os.WriteFile(file, []byte("first\n"+wholeBegin+"never\n"+wholeEnd+tableBegin+tableEnd), 0o600))
	return file
}

// wholeRun runs the command on a copy of the tables for whole runs, in which some files have another text.
func wholeRun(t *testing.T, page string, files map[string]string, args ...string) (status int, log string) {
	t.Helper()
	folder := tableFolder(t, "whole")
	for file, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600))
	}
	root, err := filepath.Abs(filepath.Join("testdata", "module"))
	require.NoError(t, err)
	var o, l strings.Builder
	a := app{root: root, folder: folder, page: page, out: &o, log: &l}
	status = a.main(t.Context(), append([]string{"-limit", "3s"}, args...))
	return status, l.String()
}

// TestWholeRun tries the table and a sample of what is generated, and writes that it has.
func TestWholeRun(t *testing.T) {
	slowtest.Only(t, "it compiles a module many times")
	t.Parallel()
	page := writePage(t)
	status, log := wholeRun(t, page, nil, "-update")
	require.Equal(t, exitOK, status, log)
	require.Contains(t, log, "] sums-one-less: killed by small TestSum")
	require.Contains(t, log, "] made/made.go:")
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Regexp(t, regexp.MustCompile(`^first\n<!-- whole:begin -->\nLast whole run: 20\d\d-\d\d-\d\d, \d mutants, of which 0 survived; \d+ minutes of processor time; digest of the sources [0-9a-f]{12}\.\n\n`+
		`\| package \| generated \| tried \| killed \| harmless \| survived \|\n\|---\|---\|---\|---\|---\|---\|\n\| `+"`made`"+` \| 13 \| 4 \| 4 \| 0 \| 0 \|\n<!-- whole:end -->\n`), string(text))
	require.Contains(t, string(text), "1 mutants, all killed.", "the table has nothing that is generated")

	status, log = wholeRun(t, page, nil, "-run", "^sums")
	require.Equal(t, exitOK, status, log)
	require.NotContains(t, log, "made/made.go", "that is no whole run")
}

// TestSurvivorInAWholeRun fails, and is written down all the same: as what it is.
func TestSurvivorInAWholeRun(t *testing.T) {
	slowtest.Only(t, "it compiles a module many times")
	t.Parallel()
	page := writePage(t)
	status, log := wholeRun(t, page, map[string]string{"sample.txt": "made 13\n"}, "-update")
	require.Equal(t, exitOK, status, log)
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(text), "| `made` | 13 | 12 | 9 | 3 | 0 |\n", "one does not build")
	status, log = wholeRun(t, page, map[string]string{"sample.txt": "made 13\n", "harmless/made.txt": ""}, "-update")
	require.Equal(t, exitSurvivor, status)
	require.Contains(t, log, "3 of 13 mutants were not killed")
	text, err = os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(text), ", 13 mutants, of which 3 survived; ")
	require.Contains(t, string(text), "| `made` | 13 | 12 | 9 | 0 | 3 |\n")
}

// TestWholeRunThatCannotBegin says what is wrong before anything is tried.
func TestWholeRunThatCannotBegin(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ file, text, want string }{
		{"sample.txt", "made\n", "sample.txt:1: after the package stands how many of its mutants are tried, at least 1, or none: and why"},
		{"sample.txt", "made 1\nodd none: \n", "sample.txt:2: after the package"},
		{"sample.txt", "made 0\n", "sample.txt:1: after the package"},
		{"sample.txt", "nowhere 1\n", "-generate ./nowhere: go list: "},
		{"harmless/made.txt", "file made/made.go\nin Cap\n-n >= 9\n+n > 8\nwhy no\n",
			"1 of 1 mutants that are known to be harmless are stale: take them away, or judge them anew\nharmless/made.txt:3: nothing in Cap of made/made.go is made into \"n > 8\" now"},
	} {
		status, log := wholeRun(t, "", map[string]string{test.file: test.text})
		require.Equal(t, exitSurvivor, status, test.text)
		require.Contains(t, log, test.want)
		require.NotContains(t, log, "without mutants")
	}
	w := &whole{}
	file := filepath.Join(t.TempDir(), "TABLE.md")
	require.ErrorIs(t, w.update(file), os.ErrNotExist)
	require.NoError(t, os.WriteFile(file, []byte(wholeBegin), 0o600))
	require.ErrorContains(t, w.update(file), "has no place for the last whole run: add the lines")
}

// TestSampleHasEachPackage holds the file to have a line for each package of impl and of spec in this module, and none for any other.
func TestSampleHasEachPackage(t *testing.T) {
	shares, err := readShares("sample.txt")
	require.NoError(t, err)
	var listed []string
	for _, s := range shares {
		listed = append(listed, "github.com/seed-fdf591db/bully/"+s.dir)
	}
	command := exec.CommandContext(t.Context(), "go", "list", "./impl/...", "./spec/...")
	command.Dir = filepath.Join("..", "..")
	there, err := command.Output()
	require.NoError(t, err)
	require.ElementsMatch(t, strings.Fields(string(there)), listed, "say in sample.txt how many mutants of a package a whole run tries, or none: and why")
}

// TestWholeRunIsKept holds the page to have the packages of the sample, and says whether the last whole run was of what is there now.
func TestWholeRunIsKept(t *testing.T) {
	text, err := os.ReadFile("TABLE.md")
	require.NoError(t, err)
	_, rest, begins := strings.Cut(string(text), wholeBegin)
	said, _, ends := strings.Cut(rest, wholeEnd)
	require.True(t, begins && ends)
	now, err := digest(os.DirFS(filepath.Join("..", "..")))
	require.NoError(t, err)
	if !strings.Contains(said, digestWord+now) {
		t.Log("the sources have changed since the last whole run: go run ./conformance/mutants -update")
	}
}

func TestDigest(t *testing.T) {
	tree := func(extra string) string {
		files := fstest.MapFS{"a/a.go": {Data: []byte("a")}}
		if extra != "" {
			files[extra] = &fstest.MapFile{Data: []byte("b")}
		}
		sum, err := digest(files)
		require.NoError(t, err)
		return sum
	}
	for _, part := range []string{"a/b_test.go", "a/a.go", "go.mod", "conformance/mutants/table/b.txt"} {
		require.NotEqual(t, tree(""), tree(part), part)
	}
	for _, other := range []string{"README.md", ".cache/b.go", "viewer/node_modules/b.go"} {
		require.Equal(t, tree(""), tree(other), other)
	}
}
