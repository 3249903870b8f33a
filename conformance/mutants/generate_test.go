package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGenerate tries what is made of a small package: what no test looks at survives, and one is known to be equivalent.
func TestGenerate(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	t.Parallel()
	status, out, log := call(t, "good", "-generate", "./small", "-run", "small.go:(9|12|25):")
	require.Equal(t, exitSurvivor, status, log)
	require.Contains(t, log, " mutants; 1 more are known to be equivalent\n")
	require.Contains(t, out, "# small/small.go:25:11\nequivalent small/small.go\nin Untested\nwhy \n-return n * 2\n+return n / 2\n")
	require.NotContains(t, out, "in Clamp")
	require.Contains(t, log, "were not killed: strengthen a test, or say in equivalent/ why no test can")
	require.Contains(t, log, "small.go:12:9: killed by small TestClamp (S s)\n")
}

func TestGenerateRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		"good write it as ./impl/bully":       {"-generate", "small"},
		"good cannot find package":            {"-generate", "./nowhere"},
		"good ./failing: there is nothing":    {"-generate", "./failing"},
		"good of 3 matches \"nowhere\": noth": {"-generate", "./none", "-tests", "./small", "-run", "nowhere"},
		"stale fit no mutant: bring them up":  {"-generate", "./small"},
		"empty there are no .txt files":       {"-generate", "./small"},
	} {
		tables, problem, _ := strings.Cut(want, " ")
		status, _, log := call(t, tables, args...)
		require.Equal(t, exitSurvivor, status, log)
		require.Contains(t, log, problem)
	}
	a := app{out: &strings.Builder{}, log: &strings.Builder{}}
	err := a.reportGenerated([]*result{{mutant: &mutant{}, Status: unbuilt}})
	require.EqualError(t, err, "none of 1 mutants builds: nothing was tried")
}

// TestOperators lists the changes that are made of a function that has some of everything.
func TestOperators(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "p"), 0o700))
	source := `package p

type pair struct{ left, right int }

const (
	first = iota
	second
)

func f(a, b int, ok bool) (int, error) {
	if ok && a <= b {
		g()
	}
	switch a {
	case 1, 2:
		b = 3
	default:
		b++
	}
	p := pair{left: a}
	for i := 0; i < b; i++ {
		p.left += first
	}
	for range b {
		return p.left, errNone
	}
	return h(a, b), nil
}
`
	require.NoError(t, os.WriteFile(filepath.Join(root, "p", "p.go"), []byte(source), 0o600))
	made, err := generate(root, "./p")
	require.NoError(t, err)
	var changes []string
	for _, m := range made {
		require.NotEmpty(t, m.key)
		old, now, err := m.diff(root)
		require.NoError(t, err)
		changes = append(changes, strings.Join(old, " ")+" => "+strings.Join(now, " "))
	}
	for _, want := range []string{
		"if ok && a <= b { => if (ok && a <= b) || true {",
		"if ok && a <= b { => if (ok && a <= b) && false {",
		"if ok && a <= b { => if ok || a <= b {",
		"if ok && a <= b { => if (ok || true) && a <= b {",
		"if ok && a <= b { => if ok && (a <= b || true) {",
		"if ok && a <= b { => if ok && a < b {",
		"if ok && a <= b { => if ok && a > b {",
		"if ok && a <= b { => if ok && b <= b {",
		"if ok && a <= b { => if ok && a <= a {",
		"g() => ",
		"case 1, 2: => case 2:",
		"case 1, 2: => case 1:",
		"case 1, 2: b = 3 => ",
		"b = 3 => ",
		"b = 3 => _ = 3",
		"b = 3 => b = 4",
		"b++ => ",
		"p := pair{left: a} => p := pair{}",
		"p := pair{left: a} => p := pair{left: b}",
		"for i := 0; i < b; i++ { => for i := 0; (i < b) && false; i++ {",
		"p.left += first => p.right += first",
		"p.left += first => p.left += second",
		" => break",
		"return p.left, errNone => return (p.left) + 1, errNone",
		"return p.left, errNone => return p.left, nil",
		"return h(a, b), nil => return h(b, a), nil",
	} {
		require.Contains(t, changes, want)
	}
	require.Equal(t, "p/p.go:6:2", made[0].Name)
}

// TestSameChangeTwice shows that two changes that look alike are told apart.
func TestSameChangeTwice(t *testing.T) {
	root := t.TempDir()
	source := "package p\n\nfunc f() {\n\tg()\n\th()\n\tg()\n}\n"
	require.NoError(t, os.MkdirAll(filepath.Join(root, "p"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(root, "p", "p.go"), []byte(source), 0o600))
	made, err := generate(root, "./p")
	require.NoError(t, err)
	require.Len(t, made, 3)
	require.Equal(t, []string{"f", "f", "f #2"}, []string{made[0].place, made[1].place, made[2].place})
	known := equivalents{made[2].key: {file: "p/p.go"}}
	rest, equivalent, err := known.takeOut(made, []string{"./p"})
	require.NoError(t, err)
	require.Equal(t, made[:2], rest)
	require.Equal(t, 1, equivalent)
}

func TestEquivalentsThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"mutant x\n-a\n+b\n":                                        "is no file",
		"equivalent a.go\nin f\n-a\n+b\n":                           "needs the fields in and why",
		"equivalent a.go\nwhy x\n-a\n+b\n":                          "needs the fields in and why",
		"equivalent a.go\nin f\nwhy x\n":                            "needs the fields in and why",
		"equivalent a.go\nin f\nwhy x\n-a\n\n-b\n":                  "and one change",
		strings.Repeat("equivalent a.go\nin f\nwhy x\n-a\n+b\n", 2): "is listed at x.txt:1 already",
	} {
		folder := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(folder, "x.txt"), []byte(text), 0o600))
		_, err := readEquivalents(folder)
		require.ErrorContains(t, err, want, text)
	}
	_, err := readEquivalents(t.TempDir())
	require.ErrorContains(t, err, "there are no .txt files")
}
