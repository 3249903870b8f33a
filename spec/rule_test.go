package spec_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// TestRules finds each rule of the index on the page.
func TestRules(t *testing.T) {
	rules := spec.Rules()
	require.Len(t, rules, 51, "rule numbers are never used again")
	for i, r := range rules {
		require.Equal(t, fmt.Sprintf("R%d", i+1), r.Name)
		require.NotEmpty(t, r.Title, r.Name)
		require.NotEmpty(t, r.Text, "there is no section whose heading is: %s %s", r.Name, r.Title)
		require.NotContains(t, r.Text, "\n#", r.Name)
		require.True(t, slices.ContainsFunc(r.Says, func(word string) bool { return word == "MUST" || word == "MUST NOT" }), r.Name)
		for _, word := range r.Says {
			require.Contains(t, []string{"MUST", "MUST NOT", "SHOULD", "MAY"}, word, r.Name)
		}
	}
}

func ExampleRules() {
	r := spec.Rules()[21]
	fmt.Println(r.Name, r.Title, r.Says)
	fmt.Println(r.Text[:72])
	// Output:
	// R22 The claim timer ends [MUST]
	// When the claim timer of a claimant ends, it rests (R6). Nothing is sent.
}

// TestSentences holds the sentences to the rules: each has one, and there is none of another.
func TestSentences(t *testing.T) {
	for _, r := range spec.Rules() {
		require.Regexp(t, `^[A-Z].*\.$`, r.Sentence, r.Name)
		require.Equal(t, r.Sentence, spec.Sentence(r.Name))
	}
	require.Len(t, regexp.MustCompile(`(?m)^\| R[0-9]+ \| [^|]+ \|$`).FindAllString(readText(t, "index.md"), -1), len(spec.Rules()))
	require.Empty(t, spec.Sentence("R0"))
	require.Empty(t, spec.Sentence(fmt.Sprintf("R%d", len(spec.Rules())+1)))
}
