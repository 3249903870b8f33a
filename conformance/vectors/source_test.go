package vectors

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/ports/selftest"
	"github.com/seed-fdf591db/bully/spec"
)

// writtenSources returns what scripts/sources.txt says of each case.
func writtenSources(t *testing.T) map[string][]string {
	text, err := os.ReadFile("scripts/sources.txt")
	require.NoError(t, err)
	all, before := map[string][]string{}, ""
	for line := range strings.SplitSeq(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		id, words, found := strings.Cut(line, ": ")
		require.True(t, found, "%q is not such as: R22-rests-in-silence: B13", line)
		require.Less(t, before, id, "ascending, each once")
		all[id], before = strings.Fields(words), id
	}
	return all
}

// numberedQuestion matches a question that is one of the table.
var numberedQuestion = regexp.MustCompile(`^Q-R[0-9]+-([0-9]+)-`)

// sourced says of the cases that were written by hand, which are all but runs of clusters, from what they are.
func sourced(t *testing.T, all []*Vector) {
	said := writtenSources(t)
	for _, v := range all {
		if v.Suite == "clusters" {
			continue
		}
		rule, _, _ := strings.Cut(strings.TrimPrefix(v.Case, "Q-"), "-")
		if rule != "protocol" {
			v.Source = []string{rule}
		}
		if match := numberedQuestion.FindStringSubmatch(v.Case); match != nil {
			v.Source = append(v.Source, "question:"+match[1])
		}
		v.Source = append(v.Source, said[v.Case]...)
		delete(said, v.Case)
	}
	require.Empty(t, said, "scripts/sources.txt speaks of what is no case that was written by hand")
}

// sources are all that a case may be from.
type sources struct {
	rules                     []spec.Rule
	flaws, questions, mutants []string
	loop                      []string // the numbers of its points
	sections                  []string
}

// know reads what there is.
func know(t *testing.T) *sources {
	index, table, kit := readText(t, "../../spec/index.md"), readText(t, "../../spec/table.md"), readText(t, "../CERTIFYING.md")
	s := &sources{rules: spec.Rules()}
	find := func(pattern, text string) (found []string) {
		for _, match := range regexp.MustCompile(`(?m)`+pattern).FindAllStringSubmatch(text, -1) {
			found = append(found, match[1])
		}
		require.NotEmpty(t, found, pattern)
		return found
	}
	s.flaws = find(`^\| ([BL][0-9]+) \|`, index)
	_, table, _ = strings.Cut(table, "\n## Questions\n")
	s.questions = find(`^\| ([0-9]+) \|`, table)
	s.sections = find(`^## (Requests|Replies)$`, kit)
	_, kit, _ = strings.Cut(kit, "\n## The loop\n")
	kit, _, _ = strings.Cut(kit, "\n## ")
	s.loop = find(`^([0-9]+)\. `, kit)
	for _, m := range selftest.Mutants() {
		s.mutants = append(s.mutants, m.Name)
	}
	return s
}

// check says what is wrong with one word of a source.
func (s *sources) check(word string) error {
	kind, name, is := strings.Cut(word, ":")
	known := false
	switch {
	case is && kind == "question":
		known = slices.Contains(s.questions, name)
	case is && kind == "loop":
		known = slices.Contains(s.loop, name)
	case is && kind == "mutant":
		known = slices.Contains(s.mutants, name)
	case is:
	case slices.Contains(s.flaws, word):
		known = true
	case word == "requests" || word == "replies":
		known = slices.Contains(s.sections, strings.ToUpper(word[:1])+word[1:])
	default:
		rule, part, isPart := strings.Cut(word, ".")
		k := slices.IndexFunc(s.rules, func(r spec.Rule) bool { return r.Name == rule })
		known = k >= 0 && (!isPart || regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(part)+`\. `).MatchString(s.rules[k].Text))
	}
	if !known {
		return fmt.Errorf("there is no %q to be from: scripts/sources.txt says what there may be", word)
	}
	return nil
}

// TestSources holds that each case that was written by hand says from what it is, and that there is all of it.
func TestSources(t *testing.T) {
	s := know(t)
	for _, v := range All() {
		require.Equal(t, v.Suite != "clusters", len(v.Source) > 0, v.Case)
		for _, word := range v.Source {
			require.NoError(t, s.check(word), v.Case)
		}
	}
	for _, word := range []string{"R52", "R17.99", "B99", "L0", "question:0", "loop:9", "mutant:none", "fault:x", "hearsay", ""} {
		require.Error(t, s.check(word))
	}
	for _, word := range []string{"R17", "R36.5", "B06", "L16", "question:16", "loop:3", "mutant:votes-twice", "requests"} {
		require.NoError(t, s.check(word))
	}
}
