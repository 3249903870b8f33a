package selftest_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/kit/suites"
	"github.com/seed-fdf591db/bully/conformance/ports/selftest"
	"github.com/seed-fdf591db/bully/conformance/vectors"
)

var update = flag.Bool("update", false, "try all mutants, and write TABLE.md (1 min)")

// TestMutants makes each mutant: its text is there once, and what it is to be refused for is a rule.
func TestMutants(t *testing.T) {
	names := map[string]bool{}
	for _, m := range selftest.Mutants() {
		require.NoError(t, m.Files(filepath.Join(t.TempDir(), m.Name)), m.Name)
		require.False(t, names[m.Name], m.Name)
		names[m.Name] = true
		require.NotEmpty(t, m.Rules, m.Name)
		for _, rule := range m.Rules {
			require.True(t, rule == "protocol" || kit.RuleText(rule) != "", "%s: %s is no rule", m.Name, rule)
		}
	}
	require.GreaterOrEqual(t, len(names), 255, "fewer mutants than there were")
}

// TestFiles refuses an edit that does not fit.
func TestFiles(t *testing.T) {
	for old, times := range map[string]string{"no such text": "0 times, not once", "self": "times, not once"} {
		m := selftest.Mutants()[0]
		m.Hunks[0].Old = old
		require.ErrorContains(t, m.Files(filepath.Join(t.TempDir(), "m")), times)
	}
	m := selftest.Mutants()[0]
	m.File = "bully.c"
	require.ErrorContains(t, m.Files(filepath.Join(t.TempDir(), "m")), "bully.c")
}

// python returns how Python is started, or ends the test if it is not there.
func python(t *testing.T) string {
	t.Helper()
	name, err := exec.LookPath("python3")
	if err == nil {
		err = exec.Command(name, "-c", "from enum import StrEnum").Run()
	}
	if err != nil {
		t.Skipf("needs Python: the mutants are written in it: %v", err)
	}
	return name
}

// named returns a mutant.
func named(t *testing.T, name string) selftest.Mutant {
	t.Helper()
	all := selftest.Mutants()
	i := slices.IndexFunc(all, func(m selftest.Mutant) bool { return m.Name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return all[i]
}

// TestRun tries some mutants, one that is none, and one that is not to be refused for what it does.
func TestRun(t *testing.T) {
	none, other := named(t, "votes-twice"), named(t, "forgets-its-vote")
	none.Name, none.Hunks[0].New = "none", "m.epoch == self.epoch and self.grantee in (m.sender, None)"
	other.Name, other.Rules = "other", []string{"R31"}
	floods := named(t, "floods")
	var told []string
	kills, err := selftest.Run(context.Background(), []selftest.Mutant{named(t, "votes-twice"), none, other, floods}, selftest.Options{
		Python: []string{python(t)}, Cases: suites.Fixed.Sample()[:1], Each: func(k selftest.Kill) { told = append(told, k.Name) },
	})
	require.NoError(t, err)
	require.Equal(t, []string{"votes-twice", "none", "other", "floods"}, told)
	require.Empty(t, kills[0].Problem())
	require.Equal(t, "R17", kills[0].Rule)
	require.Contains(t, kills[1].Problem(), "none survives 254 requests")
	require.Contains(t, kills[2].Problem(), `for "R30", and breaks one of ["R31"]`)
	require.Empty(t, kills[3].Problem(), kills[3].String())
	require.Contains(t, selftest.Table(kills), "| `none` | it grants an epoch to two nodes | **nobody** | – | 254 |\n")

	_, err = selftest.Run(context.Background(), nil, selftest.Options{Cases: suites.Fixed.Sample()})
	require.ErrorContains(t, err, "no mutants")
	none.Hunks[0].Old = "no such text"
	_, err = selftest.Run(context.Background(), []selftest.Mutant{none}, selftest.Options{Cases: suites.Fixed.Sample()})
	require.ErrorContains(t, err, "0 times")
}

// page has what refuses each mutant, and head is how it begins.
const (
	page = "TABLE.md"
	head = "# What refuses each mutant of the port in Python\n\n" +
		"`go test ./conformance/ports/selftest -run TestTable -update` writes this page; [README.md](README.md) says what it is about.\n\n"
)

var row = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| .* \\| `([^`]+)` \\| (R[0-9]+|the protocol) \\| [0-9]+ \\|$")

// TestTable holds TABLE.md to the mutants that there are: each is refused, for a rule of its own. With -update it tries all, and
// writes the page.
func TestTable(t *testing.T) {
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(head+tried(t)), 0o644))
	}
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	table, begins := strings.CutPrefix(string(text), head)
	require.True(t, begins, "%s begins otherwise: run this test with -update", page)
	rows := row.FindAllStringSubmatch(table, -1)
	mutants := selftest.Mutants()
	summary, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	require.Contains(t, string(summary), fmt.Sprintf("in one line, in %d ways", len(mutants)), "conformance/README.md says how many there are")
	require.Equal(t, len(mutants), len(rows), "run: go test ./conformance/ports/selftest -run TestTable -update")
	for i, m := range mutants {
		require.Equal(t, m.Name, rows[i][1])
		rule := rows[i][3]
		if rule == "the protocol" {
			rule = "protocol"
		}
		require.Contains(t, m.Rules, rule, m.Name)
	}
}

// tried tries all mutants, and returns the table.
func tried(t *testing.T) string {
	cases := slices.Concat(kit.Loop(), vectors.Cases(), suites.Silver(), suites.Gold())
	kills, err := selftest.Run(context.Background(), selftest.Mutants(), selftest.Options{
		Python: []string{python(t)}, Cases: cases, Each: func(k selftest.Kill) { t.Log(k.String()) },
	})
	require.NoError(t, err)
	var problems []string
	for i := range kills {
		if problem := kills[i].Problem(); problem != "" {
			problems = append(problems, problem)
		}
	}
	require.Empty(t, problems)
	return selftest.Table(kills)
}

// What came of two mutants, one of which the kit has missed.
func ExampleTable() {
	mutants := selftest.Mutants()
	fmt.Print(selftest.Table([]selftest.Kill{
		{Mutant: mutants[0], Case: "sample-questions", Rule: "R17", Outcome: kit.Fail, Requests: 193},
		{Mutant: mutants[1], Requests: 2_000_000},
	}))
	// Output:
	// | mutant | what it does | refused by | for | requests |
	// |---|---|---|---|---|
	// | `votes-twice` | it grants an epoch to two nodes | `sample-questions` | R17 | 193 |
	// | `forgets-its-vote` | after a restart it does not know to whom it has promised its epoch | **nobody** | – | 2000000 |
}
