package spec

import (
	_ "embed" // for the pages
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

// Rules returns all rules, in the order of their numbers, as the index has them, index.md.
func Rules() []Rule {
	rules.read.Do(func() { rules.all = readRules() })
	return rules.all
}

// rules are read when somebody asks. A sync.OnceValue would be made at the start of every program, and bring the page into it.
var rules struct {
	read sync.Once
	all  []Rule
}

// Sentence returns what a rule, such as R17, comes to, in one sentence for who reads a failure; "" for what is no rule.
func Sentence(rule string) string { return sentences()[rule] }

// sentences are those of the index: they need no page.
var sentences = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for line := range strings.SplitSeq(indexPage, "\n") {
		if cells := strings.Split(line, "|"); len(cells) == 4 && strings.HasPrefix(cells[1], " R") {
			all[strings.TrimSpace(cells[1])] = strings.TrimSpace(cells[2])
		}
	}
	return all
})

// Word is a word of the glossary of the specification (section 4).
type Word struct {
	Word    string // such as lease, or ACK
	Kind    string // such as term, field, message or timer; several with commas; "" for one that only pages use
	Meaning string // in Markdown
}

// Glossary returns the words of the specification: those of its code first, then those of its pages, in the order of README.md.
func Glossary() (all []Word) {
	_, text, _ := strings.Cut(page, "<!-- glossary:begin -->")
	first, second, _ := strings.Cut(text, "<!-- glossary:end -->")
	for line := range strings.SplitSeq(first, "\n") {
		if cells := strings.Split(line, "|"); len(cells) == 5 && strings.HasPrefix(cells[1], " `") {
			all = append(all, Word{Word: strings.Trim(cells[1], " `"), Kind: strings.TrimSpace(cells[2]), Meaning: strings.TrimSpace(cells[3])})
		}
	}
	second, _, _ = strings.Cut(second, "\n## ")
	for line := range strings.SplitSeq(second, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || cells[1] == " word " || strings.HasPrefix(cells[1], "---") {
			continue
		}
		for word := range strings.SplitSeq(cells[1], ",") {
			all = append(all, Word{Word: strings.TrimSpace(word), Meaning: strings.TrimSpace(cells[2])})
		}
	}
	return all
}

// readRules reads the index, and the rules on the page.
func readRules() (all []Rule) {
	for line := range strings.SplitSeq(indexPage, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 7 || !strings.HasPrefix(cells[1], " R") {
			continue
		}
		r := Rule{Name: strings.TrimSpace(cells[1]), Title: strings.TrimSpace(cells[2])}
		r.Sentence = Sentence(r.Name)
		for word := range strings.SplitSeq(cells[3], ",") {
			r.Says = append(r.Says, strings.TrimSpace(word))
		}
		for i, said := range strings.Split(cells[4], "`") {
			if isQuoted := i%2 == 1; isQuoted {
				r.Operators = append(r.Operators, said)
			}
		}
		_, text, _ := strings.Cut(page, "\n### "+r.Name+" "+r.Title+"\n")
		r.Text = strings.TrimSpace(section(text))
		all = append(all, r)
	}
	return all
}

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
