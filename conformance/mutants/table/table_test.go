package table_test

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/mutants/table"
)

func TestParse(t *testing.T) {
	all, err := table.Parse("x.txt", "# comment\ntests ./a ./b\nbreaks that\n\nmutant one\nfile a.go\n-old\n-\tlines\n+new\n-more\n+\n\n-gone\n\nmutant two\nfile b.py\ntests\nrules R1 protocol\nhangs yes\n-x\n+y\n")
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, []table.Hunk{{"old\n\tlines", "new"}, {"more", ""}, {"gone", ""}}, all[0].Hunks)
	require.Equal(t, []string{"./a", "./b"}, all[0].Tests)
	require.Equal(t, "x.txt:5", all[0].Place)
	require.False(t, all[0].Hangs)
	require.Equal(t, table.Mutant{Name: "two", File: "b.py", Breaks: "that", Tests: []string{}, Rules: []string{"R1", "protocol"},
		Hangs: true, Hunks: []table.Hunk{{"x", "y"}}, Place: "x.txt:15"}, all[1])

	_, err = table.Parse("x.txt", "\nwhat is this\n")
	require.ErrorContains(t, err, `x.txt:2: "what" is no field`)
	_, err = table.Parse("x.txt", "-old\n+new\n")
	require.ErrorContains(t, err, "x.txt:1: a change of nothing")
}

func TestMutantsThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"mutant \nfile a.go\nbreaks x\ntests ./a\n-a\n+b\n":       `"" is no name`,
		"mutant a|b\nfile a.go\nbreaks x\ntests ./a\n-a\n+b\n":    `"a|b" is no name`,
		"survivor a.go\n-a\n+b\n":                                 `"survivor" is no field`,
		"mutant a\nbreaks x\ntests ./a\n-a\n+b\n":                 "needs the fields",
		"mutant a\nfile a.go\ntests ./a\n-a\n+b\n":                "needs the fields",
		"mutant a\nfile a.go\nbreaks x\n-a\n+b\n":                 "needs the fields",
		"mutant a\nfile a.go\nbreaks x\ntests ./a\n":              "needs the fields",
		"mutant a\nfile a.go\nbreaks x\ntests ./a\n-a\n+a\n":      "a change says",
		"mutant a\nfile a.go\nbreaks x\ntests ./a\n+only\n+new\n": "a change says",
	} {
		_, err := table.Parse("x.txt", text)
		require.ErrorContains(t, err, want, text)
	}
}

// TestRead reads files in the order of their names, and refuses a name that is there twice.
func TestRead(t *testing.T) {
	file := func(name string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("mutant " + name + "\nfile a.go\nbreaks x\ntests ./a\n-a\n+b\n")}
	}
	all, err := table.Read(fstest.MapFS{"b.txt": file("one"), "a.txt": file("two"), "c.md": file("three")})
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, "two", all[0].Name)
	for want, folder := range map[string]fstest.MapFS{
		"there are no .txt files":                              {"c.md": file("three")},
		"there are no mutants: nothing was tried":              {"a.txt": {Data: []byte("# none\n")}},
		"b.txt:1: there are two mutants one: give each a name": {"a.txt": file("one"), "b.txt": file("one")},
		`a.txt:1: "a|b" is no name`:                            {"a.txt": file("a|b")},
	} {
		_, err := table.Read(folder)
		require.ErrorContains(t, err, want)
	}
}

// TestApply makes changes in any order, and refuses a text that is not there once.
func TestApply(t *testing.T) {
	m := table.Mutant{Name: "m", File: "a.go", Hunks: []table.Hunk{{"b == c", "b != c"}, {"a", "aa"}}}
	text, err := m.Apply("a, b == c")
	require.NoError(t, err)
	require.Equal(t, "aa, b != c", text)
	for source, want := range map[string]string{"a": `a.go has this 0 times, not once: "b == c"`, "a a b == c": `2 times, not once: "a"`} {
		_, err := m.Apply(source)
		require.ErrorContains(t, err, want)
	}
	edits, err := m.Edits("a, b == c")
	require.NoError(t, err)
	require.Equal(t, []table.Edit{{5, 6, "!"}, {1, 1, "a"}}, edits, "what is the same at both ends is left out")
}

// One mutant of a table, made.
func ExampleMutant_Apply() {
	all, err := table.Parse("core.txt", "mutant grants-below\nfile claim.go\nbreaks R17: an epoch below is granted\ntests ./impl/bully\n-e > n.epoch\n+e != n.epoch\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(all[0].Apply("return e > n.epoch"))
	// Output: return e != n.epoch <nil>
}
