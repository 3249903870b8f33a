package kit

import (
	"encoding/xml"
	"fmt"
	"io"
)

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
}

type problem struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes the report in the XML of JUnit: a suite of the kit is one there, by the name of the port.
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
