package tla

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// spaces are what a formula may be broken at.
var spaces = regexp.MustCompile(`\s+`)

// names returns what the first group of pattern matches in text, in order.
func names(pattern, text string) []string {
	var found []string
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	slices.Sort(found)
	return found
}

// between returns what of text is after from, and before to.
func between(t *testing.T, text, from, to string) string {
	t.Helper()
	_, after, ok := strings.Cut(text, from)
	require.True(t, ok, from)
	within, _, ok := strings.Cut(after, to)
	require.True(t, ok, to)
	return within
}

// TestInvariantsOfProof sees that the invariants that are proved, those that TLC evaluates, and those that the page explains are
// the same, by name; and that a formula on the page is one of the module.
func TestInvariantsOfProof(t *testing.T) {
	read := func(file string) string {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return string(text)
	}
	module, proof, page := read("Invariants.tla"), read("proof/fixed.py"), read("proof/README.md")

	proved := names(`(?m)^        "(\w+)": `, between(t, proof, "def promises(", "def acting("))
	proved = slices.DeleteFunc(proved, func(name string) bool { return name == "Overtaken" }) // what it says is its definition in the module
	require.Greater(t, len(proved), 20)
	require.Equal(t, proved, names(`(?m)^(\w+) == `, between(t, module, "(* Why an epoch has one leader *)", "\n====")))

	configurations, err := ReadConfigurations(FS())
	require.NoError(t, err)
	asked := 0
	for name, c := range configurations {
		if c.Module != "MCInvariants" || !strings.HasPrefix(name, Models+"/") {
			continue
		}
		asked++
		for _, p := range proved {
			require.Contains(t, c.Invariants, p, name)
		}
	}
	require.NotZero(t, asked)

	explained := between(t, page, "## One leader an epoch", "## Changing members")
	for _, row := range names(`(?m)^\| (.+?) \|`, explained) {
		for _, name := range names("`(\\w+)`", row) {
			require.Contains(t, append([]string{"Overtaken"}, proved...), name, "the page explains what is not proved")
		}
	}
	formulas := names("`(\\\\A [^`]+)`", explained)
	require.NotEmpty(t, formulas)
	whole := spaces.ReplaceAllString(module, " ")
	for _, f := range formulas {
		require.Contains(t, whole, " == "+f+" ", "the page has a formula that is none of the module")
	}
}
