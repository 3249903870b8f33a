package spec_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// plainWords is the words of the glossary that are no constant: names of types, of fields, and of notions that
// only the prose and the modules in tla speak of.
var plainWords = []string{
	"node", "member", "configuration", "epoch", "role", "grantee", "support", "lease", "quorum", "reign", "step", "action", "timer",
	"question", "asked", "latest", "reserved", "answered", "dated", "keeps", "granted", "names", "hold",
}

// constants returns every constant of a closed set.
func constants() (words []string) {
	words = append(words, texts(spec.Roles())...)
	words = append(words, texts(spec.MemberKinds())...)
	words = append(words, texts(spec.MessageTypes())...)
	words = append(words, texts(spec.Timers())...)
	words = append(words, texts(spec.Actions())...)
	return append(words, texts(spec.Properties())...)
}

func texts[T ~string](words []T) (texts []string) {
	for _, word := range words {
		texts = append(texts, string(word))
	}
	return texts
}

// requireSameWords requires two lists to have the same words, in any order and however often.
func requireSameWords(t *testing.T, want []string, wantIn string, got []string, gotIn string) {
	t.Helper()
	require.NotEmpty(t, want, "no words at all in %s", wantIn)
	require.NotEmpty(t, got, "no words at all in %s", gotIn)
	require.Empty(t, without(want, got), "these words of %s are missing in %s", wantIn, gotIn)
	require.Empty(t, without(got, want), "these words of %s are missing in %s", gotIn, wantIn)
}

// without returns the words of a that are not in b, sorted.
func without(a, b []string) (rest []string) {
	left := map[string]bool{}
	for _, word := range a {
		left[word] = !slices.Contains(b, word)
	}
	for _, word := range slices.Sorted(maps.Keys(left)) {
		if left[word] {
			rest = append(rest, word)
		}
	}
	return rest
}

func readText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err, "the words of this file are compared with the constants of this package")
	return string(text)
}

// glossary returns the words of the table between the markers, and the rows that have no word in their first cell.
func glossary(text string) (words, wrong []string) {
	_, text, _ = strings.Cut(text, "<!-- glossary:begin -->")
	table, _, found := strings.Cut(text, "<!-- glossary:end -->")
	if !found {
		return nil, nil
	}
	rows := 0
	for line := range strings.Lines(table) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if rows++; rows <= 2 { // The heading, and the rule below it.
			continue
		}
		if cell := regexp.MustCompile("^\\| *`([^`]+)` *\\|").FindStringSubmatch(line); cell != nil {
			words = append(words, cell[1])
		} else {
			wrong = append(wrong, line)
		}
	}
	return words, wrong
}

func TestGlossary(t *testing.T) {
	words, wrong := glossary(readText(t, "README.md"))
	require.Empty(t, wrong, "rows of the glossary whose first cell is not a word in backticks")
	require.NotEmpty(t, words, "spec/README.md has no glossary: a table between <!-- glossary:begin --> and <!-- glossary:end -->")
	requireSameWords(t, append(constants(), plainWords...), "package spec", words, "the glossary of spec/README.md")
	for i, word := range words {
		require.NotContains(t, words[:i], word, "two rows of the glossary")
	}
}

// TestGlossaryIsRead: who asks for the words has all of the table, with their kinds, and those of the pages after them.
func TestGlossaryIsRead(t *testing.T) {
	words, _ := glossary(readText(t, "README.md"))
	all := spec.Glossary()
	meant := map[string]spec.Word{}
	for i, w := range all {
		require.NotEmpty(t, w.Meaning, w.Word)
		require.Equal(t, i < len(words), w.Kind != "", w.Word)
		if meant[w.Word] = w; i < len(words) {
			require.Equal(t, words[i], w.Word)
		}
	}
	require.Greater(t, len(all), len(words)+20)
	require.Equal(t, "term, field", meant["lease"].Kind)
	require.Equal(t, "I have promised it to you", meant["GRANT"].Meaning)
	require.Contains(t, meant["token"].Meaning, "fence")
	require.Contains(t, meant["outranks"].Meaning, "who votes")
}

// withoutComments returns the text of a TLA+ module without its comments.
func withoutComments(module string) string {
	module = regexp.MustCompile(`(?s)\(\*.*?\*\)`).ReplaceAllString(module, "")
	return regexp.MustCompile(`\\\*.*`).ReplaceAllString(module, "")
}

// literals returns the strings in a TLA+ module: those in capitals, and the others.
func literals(module string) (capitals, others []string) {
	for _, found := range regexp.MustCompile(`"([^"\n]*)"`).FindAllStringSubmatch(withoutComments(module), -1) {
		if found[1] == strings.ToUpper(found[1]) {
			capitals = append(capitals, found[1])
		} else {
			others = append(others, found[1])
		}
	}
	return capitals, others
}

func TestWordsOfNode(t *testing.T) {
	capitals, others := literals(readText(t, "../tla/Node.tla"))
	requireSameWords(t, texts(spec.MessageTypes()), "spec.MessageTypes", capitals, "tla/Node.tla")
	requireSameWords(t, texts(spec.Roles()), "spec.Roles", others, "tla/Node.tla")
}

// disjuncts returns the names of the actions that Next is a disjunction of.
func disjuncts(module string) (names []string) {
	_, next, _ := strings.Cut(withoutComments(module), "\nNext ==")
	if end := regexp.MustCompile(`(?m)^\S`).FindStringIndex(next); end != nil {
		next = next[:end[0]]
	}
	for _, found := range regexp.MustCompile(`(?:\\/|:)\s*([A-Z]\w*)`).FindAllStringSubmatch(next, -1) {
		names = append(names, found[1])
	}
	return names
}

func TestActionsOfCluster(t *testing.T) {
	// Start is where the behaviours of Cluster begin: it is in Init (R32).
	names := append(disjuncts(readText(t, "../tla/Cluster.tla")), string(spec.StartAction))
	requireSameWords(t, texts(spec.Actions()), "spec.Actions", names, "Next of tla/Cluster.tla")
}

func TestPropertiesAreDefined(t *testing.T) {
	modules := readText(t, "../tla/Cluster.tla") + readText(t, "../tla/Fencing.tla")
	for _, property := range spec.Properties() {
		require.Regexp(t, `(?m)^`+string(property)+` +==`, modules)
	}
}

// TestVocabularyIsCompared shows that the comparisons find words that differ.
func TestVocabularyIsCompared(t *testing.T) {
	words, wrong := glossary("x\n<!-- glossary:begin -->\n| word | meaning |\n|---|---|\n| `node` | one |\n|  `IM_BACK` | two `x` |\n| lease | bare |\n\n<!-- glossary:end -->\n| `no` |")
	require.Equal(t, []string{"node", "IM_BACK"}, words)
	require.Equal(t, []string{"| lease | bare |"}, wrong)
	words, _ = glossary("| `node` | one |")
	require.Empty(t, words)

	capitals, others := literals("A == \"OK\" \\* \"NO\"\n(* \"NOR\n\" *) B == {\"leader\", \"IM_BACK\"}")
	require.Equal(t, []string{"OK", "IM_BACK"}, capitals)
	require.Equal(t, []string{"leader"}, others)

	require.Equal(t, []string{"OnClaim", "Crash", "Cut"}, disjuncts("X == Y\nNext ==\n  \\/ \\E l \\in Link : OnClaim(l)\n  \\/ \\E i \\in Node : Crash(i) \\* : No\n  \\/ Cut\n\nSpec == \\/ No"))
	require.Empty(t, disjuncts("Spec == Init"))

	require.Equal(t, []string{"a", "c"}, without([]string{"c", "b", "a", "a"}, []string{"b", "d"}))
	require.Empty(t, without([]string{"b"}, []string{"b", "d"}))
}
