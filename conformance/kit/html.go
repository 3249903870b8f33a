package kit

import (
	_ "embed" // for the page
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{"rule": RuleText}).Parse(pageText))

// row is a rule on the page, and what came of the cases that are about it first.
type row struct {
	Name, Title            string
	Passed, Failed, Others int
}

// HTML writes the report as one page, which needs nothing else: rules, failures, and all cases.
func (r *Report) HTML(w io.Writer) error {
	data := struct {
		*Report
		Rows   []row
		Failed []*Verdict
		Good   bool
	}{Report: r}
	for _, rule := range spec.Rules() {
		data.Rows = append(data.Rows, row{Name: rule.Name, Title: rule.Title})
	}
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		if v.Failed() || v.Outcome == Undecided {
			data.Failed = append(data.Failed, v)
		}
		k := -1
		if len(v.Rules) > 0 {
			k = slices.IndexFunc(data.Rows, func(one row) bool { return one.Name == v.Rules[0] })
		}
		switch {
		case k < 0:
		case v.Outcome == Pass:
			data.Rows[k].Passed++
		case v.Failed():
			data.Rows[k].Failed++
		default:
			data.Rows[k].Others++
		}
	}
	failed, undecided := r.Failed()
	data.Good = failed+undecided == 0
	if err := page.Execute(w, data); err != nil {
		return fmt.Errorf("kit: %w", err)
	}
	return nil
}

// Text returns the failure as test says it.
func (v Verdict) Text() string { return v.Explain("") }

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
