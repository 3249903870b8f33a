package kit

import (
	_ "embed" // for the page
	"fmt"
	"html/template"
	"io"
	"slices"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{"rule": RuleText, "title": ruleTitle, "code": isCode}).Parse(pageText))

// isCode reports whether an item is text of a program, which a person reads letter by letter.
func isCode(item string) bool {
	return slices.Contains([]string{"expected", "got", "before", "request", "reply", "again", "script", "cut", "then", "stderr", "first", "sent"}, item)
}

// row is a suite on the page, and what came of its cases.
type row struct {
	Name                   string
	Passed, Failed, Others int
}

// add counts a verdict.
func (r *row) add(v *Verdict) {
	switch {
	case v.Outcome == Pass:
		r.Passed++
	case v.Failed():
		r.Failed++
	default:
		r.Others++
	}
}

// group is failures that say that the same is broken.
type group struct {
	Rule, Text string
	Failures   []*Verdict
}

// HTML writes the report as one page, which needs nothing else: what failed, by what is broken, then rules, and all cases.
func (r *Report) HTML(w io.Writer) error {
	data := struct {
		*Report
		Suites      []*row
		Groups      []*group
		Says, Class string
	}{Report: r, Says: "All is well", Class: "pass"}
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		k := slices.IndexFunc(data.Suites, func(one *row) bool { return one.Name == v.Suite })
		if k < 0 {
			k, data.Suites = len(data.Suites), append(data.Suites, &row{Name: v.Suite})
		}
		data.Suites[k].add(v)
		if v.Failed() || v.Outcome == Undecided {
			data.Groups = grouped(data.Groups, v)
		}
	}
	slices.SortStableFunc(data.Groups, func(a, b *group) int { return len(b.Failures) - len(a.Failures) })
	switch failed, undecided := r.Failed(); {
	case failed > 0:
		data.Says, data.Class = "It does not conform", "fail"
	case undecided > 0:
		data.Says, data.Class = "It is not known whether it conforms", "other"
	}
	if err := page.Execute(w, data); err != nil {
		return fmt.Errorf("kit: %w", err)
	}
	return nil
}

// grouped adds a failure to those that say the same.
func grouped(groups []*group, v *Verdict) []*group {
	for _, g := range groups {
		if g.Rule == v.Rule {
			g.Failures = append(g.Failures, v)
			return groups
		}
	}
	text := RuleText(v.Rule)
	if v.Rule == "" {
		text = "No rule, but the protocol between kit and port (conformance/README.md, The loop)."
	}
	return append(groups, &group{v.Rule, text, []*Verdict{v}})
}

// First returns the first line of what was wrong.
func (v Verdict) First() string { return v.first() }

// Class returns how the page shows a verdict.
func (v Verdict) Class() string {
	switch {
	case v.Outcome == Pass:
		return "pass"
	case v.Failed():
		return "fail"
	}
	return "other"
}
