package kit

import (
	_ "embed" // for the page
	"encoding/xml"
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
		text = "No rule, but the protocol between kit and port (conformance/CERTIFYING.md, The loop)."
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

// suites, suite and test are JUnit's form of results, as CI systems read it.
type suites struct {
	XMLName xml.Name `xml:"testsuites"`
	Suites  []*suite `xml:"testsuite"`
}

type suite struct {
	Name     string  `xml:"name,attr"`
	Tests    int     `xml:"tests,attr"`
	Failures int     `xml:"failures,attr"`
	Errors   int     `xml:"errors,attr"`
	Skipped  int     `xml:"skipped,attr"`
	Time     string  `xml:"time,attr"`
	seconds  float64 // Time
	Cases    []test  `xml:"testcase"`
}

type test struct {
	Name    string   `xml:"name,attr"`
	Class   string   `xml:"classname,attr"`
	Time    string   `xml:"time,attr"`
	Failure *problem `xml:"failure"`
	Error   *problem `xml:"error"`
	Skipped *problem `xml:"skipped"`
	Says    string   `xml:"system-out,omitempty"`
}

type problem struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// ofRules makes each rule a test of one more suite: it passes if cases have asked the rule, and none of them says that it is broken.
func (r *Report) ofRules() *suite {
	s := &suite{Name: r.Port.Name + ".rules", Time: "0.000"}
	for _, one := range r.ByRule() {
		c := test{Name: one.Rule, Class: s.Name, Time: s.Time}
		p := &problem{Message: fmt.Sprintf("%d cases have asked it: %d pass, %d fail, %d others", one.Cases, one.Passed, one.Failed, one.Others), Text: RuleText(one.Rule)}
		switch {
		case one.Failed > 0:
			s.Failures, c.Failure = s.Failures+1, p
		case one.Passed == 0:
			s.Skipped, c.Skipped = s.Skipped+1, p
		default:
			c.Says = p.Message
		}
		s.Tests++
		s.Cases = append(s.Cases, c)
	}
	return s
}

// JUnit writes the report in the XML of JUnit: a suite of the kit is one there, by the name of the port; and so are the rules, each of them a test.
func (r *Report) JUnit(w io.Writer) error {
	var all suites
	byName := map[string]*suite{}
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		s := byName[v.Suite]
		if s == nil {
			s = &suite{Name: r.Port.Name + "." + v.Suite}
			byName[v.Suite] = s
			all.Suites = append(all.Suites, s)
		}
		c := test{Name: v.Case, Class: s.Name, Time: fmt.Sprintf("%.3f", v.Seconds)}
		p := &problem{Message: v.first(), Text: v.Explain(r.Again(v))}
		switch {
		case v.Outcome == Broken:
			s.Errors, c.Error = s.Errors+1, p
		case v.Failed():
			s.Failures, c.Failure = s.Failures+1, p
		case v.Outcome != Pass:
			p.Message = string(v.Outcome) + ": " + p.Message
			s.Skipped, c.Skipped = s.Skipped+1, p
		}
		s.Tests++
		s.seconds += v.Seconds
		s.Time = fmt.Sprintf("%.3f", s.seconds)
		s.Cases = append(s.Cases, c)
	}
	all.Suites = append(all.Suites, r.ofRules())
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", " ")
	if err := encoder.Encode(all); err != nil {
		return fmt.Errorf("kit: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}
