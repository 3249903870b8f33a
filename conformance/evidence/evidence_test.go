package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

var top = os.DirFS("../..")

// The rest of the tests is about a small tree, and about this one only this: what is kept is as it was written, the page is of it, and
// what is stale is told. That something is stale is no failure.
func TestKept(t *testing.T) {
	all, err := readAll(top)
	require.NoError(t, err)
	page, err := os.ReadFile("README.md")
	require.NoError(t, err)
	require.NoError(t, honest(string(page), all))
	for _, s := range all {
		t.Logf("make %s: %s", s.name, s.age())
	}
}

// No file here is left that is nobody's.
func TestNobodysFiles(t *testing.T) {
	found, err := filepath.Glob("*.txt")
	require.NoError(t, err)
	for _, name := range found {
		_, err := find(strings.TrimSuffix(name, ".txt"))
		require.NoError(t, err)
	}
}

// The targets are there, and each has inputs that are: what was built, or is not in the repository, would make all stale elsewhere.
func TestCommands(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	require.NoError(t, err)
	out, err := exec.Command("git", "-C", "../..", "ls-files", "--cached", "--others", "--exclude-standard").Output()
	for _, c := range commands {
		require.Contains(t, string(makefile), "\n"+c.name+":")
		found, failed := c.files(top)
		require.NoError(t, failed)
		if err == nil {
			require.Subset(t, strings.Split(string(out), "\n"), found, c.name)
		}
		_, failed = c.digest(top)
		require.NoError(t, failed)
	}
}

func TestInputs(t *testing.T) {
	for name, want := range map[string][]string{
		"prove":      {"spec/code.md", "tla/proof/fixed.py", "tla/proof/requirements.txt", "tla/Fencing.tla", "tla/models/Fencing.cfg"},
		"check-deep": {"tla/Node.tla", "tla/MCCluster.tla", "tla/models/Cluster.cfg", "tla/check/main.go", "model/rules/rules.go", "go.mod"},
		"soak":       {"impl/bully/core.go", "impl/host/host_test.go", "traces/valid/failover.ndjson", "conformance/mutants/table/host.txt"},
	} {
		c, err := find(name)
		require.NoError(t, err)
		for _, file := range want {
			require.Regexp(t, c.inputs, file, name)
		}
		require.NotRegexp(t, c.inputs, "README.md")
	}
}

const rules = "# The rules\n\n### The code\n\n```python\n# a comment\nx = 1\n```\n\n## 9. Timers\n\n### R37 Bounds\n\n| d | 1 |\n\n#### More\n\ntext\n\n### R38 The fence\n\nwords\n"

func TestSection(t *testing.T) {
	code, err := section([]byte(rules), "### The code")
	require.NoError(t, err)
	require.Equal(t, "### The code\n\n```python\n# a comment\nx = 1\n```\n\n", string(code))
	bounds, err := section([]byte(rules), "### R37 ")
	require.NoError(t, err)
	require.Equal(t, "### R37 Bounds\n\n| d | 1 |\n\n#### More\n\ntext\n\n", string(bounds))
	_, err = section([]byte(rules), "### R99 ")
	require.ErrorContains(t, err, `no heading "### R99 "`)
}

// tree is a repository with what make prove reads, and an app whose make says what it is told.
func tree(t *testing.T, said string, ends error) (*app, func(file, text string)) {
	t.Helper()
	root := t.TempDir()
	put := func(file, text string) {
		file = filepath.Join(root, file)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	put(page, rules)
	for _, name := range []string{"spec/code.md", "tla/proof/fixed.py", "tla/models.json", "tla/A.tla", "model/rules/a.go", "go.mod"} {
		put(name, "first\n")
	}
	put(readme, "# Kept\n"+tableBegin+tableEnd)
	return &app{root: root, out: new(strings.Builder), log: new(strings.Builder), variables: map[string][]string{},
		make: func(context.Context, ...string) (string, error) { return said, ends }}, put
}

const proved = "1 of 63\r2 of 63: fixed\nqueries seconds  by           statement\n    602    15.6  z3           OneLeaderPerEpoch\n602 queries in 50 s: all is proved.\n"

// text returns what is in a file of an app's tree.
func text(t *testing.T, a *app, file string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(a.root, file))
	require.NoError(t, err)
	return string(data)
}

// age returns what is said of make prove now.
func age(t *testing.T, a *app) string {
	t.Helper()
	all, err := readAll(os.DirFS(a.root))
	require.NoError(t, err)
	require.NoError(t, honest(text(t, a, readme), all), "that inputs change makes no page wrong")
	return all[1].age()
}

func TestKeeps(t *testing.T) {
	a, put := tree(t, proved, nil)
	require.Equal(t, exitOK, a.main(t.Context(), []string{"-run", "prove"}), a.log)
	kept := text(t, a, folder+"/prove.txt")
	require.Contains(t, kept, "run:     make prove\n")
	require.Contains(t, kept, "exit:    0\n\nqueries seconds  by           statement\n    602    15.6  z3           OneLeaderPerEpoch\n602 queries in 50 s: all is proved.\n\ndigest: ")
	require.Contains(t, text(t, a, readme), "| [`make prove`](prove.txt) | 602 queries in 50 s: all is proved. |")
	require.Contains(t, text(t, a, readme), "`: the same |\n| `make prove-second` | | | | nothing is kept |\n")
	require.Equal(t, "the same", age(t, a))

	for _, changed := range [][2]string{{"tla/proof/fixed.py", "second\n"}, {"tla/proof/new.py", "one more\n"}, {"spec/code.md", "second\n"},
		{page, strings.Replace(rules, "| d | 1 |", "| d | 2 |", 1)}, {page, strings.Replace(rules, "#### More\n\ntext", "#### More\n\nother", 1)}} {
		a, put := tree(t, proved, nil)
		require.Equal(t, exitOK, a.main(t.Context(), []string{"-run", "prove"}), a.log)
		put(changed[0], changed[1])
		require.Contains(t, age(t, a), "**stale: inputs changed since 2", changed[0])
		require.Equal(t, exitOK, a.main(t.Context(), []string{"-page"}), "what is stale is no error")
		require.Contains(t, text(t, a, readme), ": **stale: inputs changed since 2")
		require.Contains(t, age(t, a), "stale")
	}

	put(page, strings.Replace(rules, "words", "other words", 1))
	put("tla/A.tla", "of no proof\n")
	put("tla/proof/fixed_test.go", "package proof\n")
	put("conformance/evidence/soak.py", "not an input\n")
	require.Equal(t, "the same", age(t, a))
}

func TestKeepsNot(t *testing.T) {
	for name, c := range map[string]struct {
		said string
		ends error
		want string
	}{
		"failed":  {"602 queries in 50 s: all is proved.\n", errors.New("exit status 2"), "make prove: exit status 2. Nothing is kept of it"},
		"nothing": {"", nil, "does not say that all is well"},
		"not all": {"queries\n602 queries in 50 s: 1 ARE NOT AS THEY MUST BE.\n", nil, "does not say that all is well"},
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := tree(t, c.said, c.ends)
			require.Equal(t, exitWrong, a.main(t.Context(), []string{"-run", "prove"}))
			require.Contains(t, a.log.(*strings.Builder).String(), c.want)
			require.NoFileExists(t, filepath.Join(a.root, folder, "prove.txt"))
		})
	}
	t.Run("inputs that change", func(t *testing.T) {
		a, put := tree(t, "", nil)
		a.make = func(context.Context, ...string) (string, error) {
			put("tla/proof/fixed.py", "second\n")
			return proved, nil
		}
		require.Equal(t, exitWrong, a.main(t.Context(), []string{"-run", "prove"}))
		require.Contains(t, a.log.(*strings.Builder).String(), "its inputs have changed meanwhile")
		require.NoFileExists(t, filepath.Join(a.root, folder, "prove.txt"))
	})
}

func TestSoakSaysHowLong(t *testing.T) {
	a, put := tree(t, "profile  nodes\nswarm    5   100  200\n  a run that says much\nok  \texample/a\t2.0s\n812 mutants, 812 killed (500 s)\nIt is. As it must be: 9.\n== ./spec FuzzID\n", nil)
	put("impl/bully/core.go", "package bully\n")
	require.Equal(t, exitOK, a.main(t.Context(), []string{"-run", "soak", "-soak", "2"}), a.log)
	kept := text(t, a, folder+"/soak.txt")
	require.Contains(t, kept, "run:     make soak SOAK=2\n")
	require.NotContains(t, kept, "says much")
	require.Contains(t, kept, "\nprofile  nodes\nswarm    5   100  200\nok  \texample/a\t2.0s\n812 mutants, 812 killed (500 s)\nIt is. As it must be: 9.\n== ./spec FuzzID\n\ndigest: ")
}

// What is not as it was written is refused: a figure, a line more, a line less, of another command, or not of the form at all.
func TestRefuses(t *testing.T) {
	good := (&record{command: "prove", date: "2026-11-24", inputs: strings.Repeat("a1", 32), machine: "2 cores", took: "50s", log: "602 queries in 50 s: all is proved.\n"}).text()
	sealed := func(body string) string { return body + "digest:  " + digestOf(body) + "\n" }
	body := good[:strings.LastIndex(good, "digest: ")]
	c, err := find("prove")
	require.NoError(t, err)
	read := func(text string) error {
		_, err := c.read(fstest.MapFS{folder + "/prove.txt": {Data: []byte(text)}})
		return err
	}
	require.NoError(t, read(good))
	for name, x := range map[string]struct{ text, want string }{
		"a figure":        {strings.Replace(good, "602", "9602", 1), "its digest is another"},
		"the inputs":      {strings.Replace(good, "a1a1", "b1b1", 1), "its digest is another"},
		"a line more":     {strings.Replace(good, "\n\ndigest", "\nmore\n\ndigest", 1), "its digest is another"},
		"the digest":      {body + "digest:  " + strings.Repeat("0", 64) + "\n", "its digest is another"},
		"no digest":       {body, "not of the form"},
		"something after": {good + "\n", "not of the form"},
		"empty":           {"", "not of the form"},
		"it failed":       {sealed(strings.Replace(body, "exit:    0", "exit:    1", 1)), "not of the form"},
		"no date":         {sealed(strings.Replace(body, "2026-11-24", "yesterday", 1)), "the date"},
		"no duration":     {sealed(strings.Replace(body, "50s", "long", 1)), "how long it took"},
		"another command": {sealed(strings.Replace(body, "make prove", "make soak", 1)), "it is of make soak"},
		"not all is well": {sealed(strings.Replace(body, "all is proved", "1 is not", 1)), "does not end as make prove does"},
	} {
		require.ErrorContains(t, read(x.text), x.want, name)
	}
}

// A page that says of a stale record that it is of what was there, or names another figure, is a lie.
func TestHonest(t *testing.T) {
	a, _ := tree(t, proved, nil)
	require.Equal(t, exitOK, a.main(t.Context(), []string{"-run", "prove"}), a.log)
	all, err := readAll(os.DirFS(a.root))
	require.NoError(t, err)
	page := text(t, a, readme)
	require.NoError(t, honest(page, all))
	digest := short(all[1].inputs())
	for name, text := range map[string]string{
		"a figure":                       strings.Replace(page, "| 602 queries", "| 603 queries", 1),
		"other inputs, called the same":  strings.Replace(page, "`"+digest+"`: the same", "`000000000000`: the same", 1),
		"the same inputs, called stale":  strings.Replace(page, "the same", "**stale: inputs changed since 2026-11-24**", 1),
		"a row less":                     strings.Replace(page, "| `make prove-second` | | | | nothing is kept |\n", "", 1),
		"no table":                       "# Kept\n",
		"kept, and it says that nothing": strings.Replace(page, table(all[1:2])[len(tableHead):], "| `make prove` | | | | nothing is kept |\n", 1),
	} {
		require.NotEqual(t, page, text, name)
		require.ErrorContains(t, honest(text, all), "go run ./conformance/evidence -page", name)
	}
}

func TestUsage(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		exit int
		want string
	}{
		"no such command": {[]string{"-run", "prove,check"}, exitUsage, `"check" is none of the commands`},
		"no such flag":    {[]string{"-keep"}, exitUsage, "flag provided but not defined"},
		"a word":          {[]string{"prove"}, exitUsage, "[-run all"},
		"no soak":         {[]string{"-soak", "0"}, exitUsage, "N is 1 or more"},
		"help":            {[]string{"-h"}, exitOK, "run these commands"},
	} {
		a, _ := tree(t, "", nil)
		require.Equal(t, c.exit, a.main(t.Context(), c.args), name)
		require.Contains(t, a.log.(*strings.Builder).String(), c.want, name)
	}
	a := &app{root: t.TempDir(), out: new(strings.Builder), log: new(strings.Builder), variables: map[string][]string{}}
	require.Equal(t, exitWrong, a.main(t.Context(), nil))
	require.Contains(t, a.log.(*strings.Builder).String(), "is this the top of the repository?")
}

// The digest of inputs in a row that was written earlier.
var then = regexp.MustCompile("`([0-9a-f]{12})`: [^|]*\\|$")

// honest says whether a page's table was true when it was written: it is that of the records that are kept, and calls stale what had
// changed by then. That inputs have changed since it was written is no fault of it.
func honest(page string, all []status) error {
	_, rest, _ := strings.Cut(page, tableBegin)
	old, _, _ := strings.Cut(rest, tableEnd)
	was := make([]status, len(all))
	lines := strings.Split(strings.TrimSuffix(strings.TrimPrefix(old, tableHead), "\n"), "\n")
	if len(lines) != len(all) {
		return fmt.Errorf("%s: the table has %d rows, and there are %d commands: go run ./conformance/evidence -page", readme, len(lines), len(all))
	}
	for i, s := range all {
		was[i] = s
		if digest := then.FindStringSubmatch(lines[i]); digest != nil && s.record != nil {
			if was[i].now = digest[1]; digest[1] == short(s.inputs()) {
				was[i].now = s.inputs()
			}
		}
		if row := was[i].row(); row != lines[i]+"\n" {
			return fmt.Errorf("%s: the row of make %s is not of what is kept: go run ./conformance/evidence -page\n is: %s\nand: %s", readme, s.name, lines[i], row)
		}
	}
	return nil
}
