package spec

import (
	_ "embed" // for the pages
	"regexp"
	"slices"
	"strings"
	"sync"
)

// The specification, and its index of rules.
var (
	//go:embed README.md
	page string
	//go:embed index.md
	indexPage string
)

// Rule is a rule of the specification, README.md, in its own words.
type Rule struct {
	Name  string   // such as R17
	Title string   // such as: Granting a claim
	Says  []string // the words of RFC 2119 by which it binds, such as MUST and MAY
	Text  string   // the rule in Markdown, without its heading

	Sentence  string   // what it comes to, for who reads a failure
	Operators []string // in tla that say the same: of modules Node and Cluster by their names alone, of others as Fencing!Admits
}

var operator = regexp.MustCompile("`([A-Z][A-Za-z!]*)`")

// Rules returns all rules, in the order of their numbers, as the index has them, index.md.
func Rules() []Rule { return rules() }

// Sentence returns what a rule, such as R17, comes to, in one sentence for who reads a failure; "" for what is no rule.
func Sentence(rule string) string {
	if i := slices.IndexFunc(rules(), func(r Rule) bool { return r.Name == rule }); i >= 0 {
		return rules()[i].Sentence
	}
	return ""
}

var rules = sync.OnceValue(func() (rules []Rule) {
	sentences := map[string]string{}
	for line := range strings.SplitSeq(indexPage, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) == 4 {
			sentences[strings.TrimSpace(cells[1])] = strings.TrimSpace(cells[2])
		}
		if len(cells) != 7 || !strings.HasPrefix(cells[1], " R") {
			continue
		}
		r := Rule{Name: strings.TrimSpace(cells[1]), Title: strings.TrimSpace(cells[2]), Sentence: sentences[strings.TrimSpace(cells[1])]}
		for word := range strings.SplitSeq(cells[3], ",") {
			r.Says = append(r.Says, strings.TrimSpace(word))
		}
		for _, name := range operator.FindAllStringSubmatch(cells[4], -1) {
			r.Operators = append(r.Operators, name[1])
		}
		_, text, _ := strings.Cut(page, "\n### "+r.Name+" "+r.Title+"\n")
		r.Text = strings.TrimSpace(section(text))
		rules = append(rules, r)
	}
	return rules
})

// section returns what comes before the next heading.
func section(text string) string {
	end := len(text)
	for _, heading := range []string{"\n## ", "\n### "} {
		if i := strings.Index(text, heading); i >= 0 {
			end = min(end, i)
		}
	}
	return text[:end]
}
