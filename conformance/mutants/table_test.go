package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTable holds the table of this repository to fit its source: a mutant that is stale is found without running any.
func TestTable(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	all, err := readTable("../..", "table")
	require.NoError(t, err)
	areas := map[string]int{}
	for _, m := range all {
		for _, area := range []string{"impl/bully/", "model/", "impl/storage/", "impl/host/", "spec/policy/", "impl/transport/", "impl/resource/", "impl/trace/", "conformance/"} {
			if strings.HasPrefix(m.File, area) {
				areas[area]++
			}
		}
		old, now, err := m.diff("../..")
		require.NoError(t, err)
		require.NotEqual(t, old, now, m.Name)
	}
	for area, least := range map[string]int{
		"impl/bully/": 40, "model/": 10, "impl/storage/": 5, "impl/host/": 10, "spec/policy/": 10, "impl/transport/": 4, "impl/resource/": 3, "impl/trace/": 3, "conformance/": 5,
	} {
		require.GreaterOrEqual(t, areas[area], least, area)
	}
}

// TestEquivalents holds what is said to be equivalent to fit the source of this repository.
func TestEquivalents(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	known, err := readEquivalents("equivalent")
	require.NoError(t, err)
	packages := map[string]bool{}
	for _, k := range known {
		packages["./"+k.file[:strings.LastIndex(k.file, "/")]] = true
	}
	require.NotEmpty(t, packages)
	for dir := range packages {
		all, err := generate("../..", dir)
		require.NoError(t, err)
		rest, equivalent, err := known.takeOut(all, []string{dir})
		require.NoError(t, err)
		require.Positive(t, equivalent)
		require.Equal(t, len(all), len(rest)+equivalent)
	}
}

func TestBlocks(t *testing.T) {
	blocks, err := parseBlocks("x.txt", "# comment\ntests ./a ./b\n\nmutant one\nfile a.go\nbreaks that\n-old\n-\tlines\n+new\n-more\n+\n\n-gone\n\nmutant two\ntests ./c\n-x\n+y\n")
	require.NoError(t, err)
	require.Len(t, blocks, 2)
	require.Equal(t, []hunk{{"old\n\tlines", "new"}, {"more", ""}, {"gone", ""}}, blocks[0].hunks)
	require.Equal(t, "./a ./b", blocks[0].fields["tests"])
	require.Equal(t, "./c", blocks[1].fields["tests"])
	require.Equal(t, "x.txt:4", blocks[0].place)

	_, err = parseBlocks("x.txt", "\nwhat is this\n")
	require.ErrorContains(t, err, `x.txt:2: "what" is no field`)
	_, err = parseBlocks("x.txt", "-old\n+new\n")
	require.ErrorContains(t, err, "x.txt:1: a change of nothing")
}

func TestMutantsThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"mutant \nfile a.go\nbreaks x\ntests ./a\n-a\n+b\n":       `"" is no name`,
		"mutant a|b\nfile a.go\nbreaks x\ntests ./a\n-a\n+b\n":    `"a|b" is no name`,
		"equivalent a.go\n-a\n+b\n":                               `is no name: write mutant NAME`,
		"mutant a\nbreaks x\ntests ./a\n-a\n+b\n":                 "needs the fields",
		"mutant a\nfile a.go\ntests ./a\n-a\n+b\n":                "needs the fields",
		"mutant a\nfile a.go\nbreaks x\n-a\n+b\n":                 "needs the fields",
		"mutant a\nfile a.go\nbreaks x\ntests ./a\n":              "needs the fields",
		"mutant a\nfile a.go\nbreaks x\ntests ./a\n-a\n+a\n":      "a change says",
		"mutant a\nfile a.go\nbreaks x\ntests ./a\n+only\n+new\n": "a change says",
	} {
		blocks, err := parseBlocks("x.txt", text)
		require.NoError(t, err, text)
		_, err = blocks[0].mutant()
		require.ErrorContains(t, err, want, text)
	}
}
