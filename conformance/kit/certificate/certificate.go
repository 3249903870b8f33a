// Package certificate says which level a port has reached, in a form that anybody can make again, byte for byte: without times,
// paths, or the name of a machine.
//
//	c := certificate.Of(report, certificate.Kit{Levels: levels, Vectors: vectors.Digest()})
//	if err := os.WriteFile("certificate.json", c.JSON(), 0o644); err != nil {
//		return err
//	}
//	err := os.WriteFile("badge.json", c.Badge(), 0o644) // for shields.io/endpoint
package certificate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/port"
)

// format is the version of the form of a certificate. In the first one it did not say what came of each rule.
const format = 2

// None is the level of a port that has not reached the first.
const None = "none"

// Level is what a port can reach: by passing these cases, and those of all levels before it.
type Level struct {
	Name  string // such as bronze
	Cases []kit.Case
}

// Kit is what a port was held to.
type Kit struct {
	Levels     []Level // the lowest one first
	Vectors    string  // the digest of the vectors
	Seeds      uint64  // of the simulator, from 1 on
	SeedsLevel string  // the level of which they are
}

// Certificate says what a port has passed.
type Certificate struct {
	Certificate int           `json:"certificate"` // format
	Kit         string        `json:"kit"`         // version
	Spec        string        `json:"spec"`        // version of the rules that were asked for
	Vectors     string        `json:"vectors"`     // digest
	Port        port.Identity `json:"port"`
	Features    []string      `json:"features"`
	Level       string        `json:"level"`
	Suites      []Suite       `json:"suites"`
	Rules       []Rule        `json:"rules"`
	Seeds       uint64        `json:"seeds"`  // of the simulator that were asked for, from 1 on; 0 if none were
	Digest      string        `json:"digest"` // of the verdicts
}

// Suite is how many cases of a suite there were, and what came of them.
type Suite struct {
	Suite       string `json:"suite"`
	Cases       int    `json:"cases"`
	Passed      int    `json:"passed"`
	Unsupported int    `json:"unsupported"`
}

// Rule is how many cases have asked a rule, and what came of them: as kit.RuleResult.
type Rule struct {
	Rule   string `json:"rule"`
	Cases  int    `json:"cases"`
	Passed int    `json:"passed"`
	Failed int    `json:"failed"`
}

// Of makes the certificate of a report. A level is reached if the report has a verdict of each of its cases, and all are good; a
// case that the port need not support, or that is advice, may be as it is, but at the last level all must have passed; only those
// about changing members (R42 to R49) no level asks of a port for fixed ones, which its features say.
func Of(r *kit.Report, k Kit) *Certificate {
	c := &Certificate{Certificate: format, Kit: r.Kit, Spec: r.Spec, Vectors: k.Vectors, Port: r.Port, Features: slices.Clone(r.Features), Level: None}
	slices.Sort(c.Features)
	if c.Features == nil {
		c.Features = []string{}
	}
	verdicts := map[string]*kit.Verdict{}
	for i := range r.Verdicts {
		verdicts[r.Verdicts[i].Case] = &r.Verdicts[i]
	}
	for i, l := range k.Levels {
		if !reached(l.Cases, verdicts, i == len(k.Levels)-1 && i > 0) {
			break
		}
		if c.Level = l.Name; l.Name == k.SeedsLevel {
			c.Seeds = k.Seeds
		}
	}
	c.Suites = suites(r)
	for _, one := range r.ByRule() {
		c.Rules = append(c.Rules, Rule{one.Rule, one.Cases, one.Passed, one.Failed})
	}
	c.Digest = digest(r)
	return c
}

// reached reports whether there are good verdicts of all cases.
func reached(cases []kit.Case, verdicts map[string]*kit.Verdict, last bool) bool {
	for i := range cases {
		v := verdicts[cases[i].ID]
		switch {
		case v == nil:
			return false
		case v.Outcome == kit.Pass:
		case v.Outcome == kit.Unsupported && !v.Must && isOptional(cases[i].Needs):
		case last:
			return false
		case v.Outcome == kit.Unsupported && !v.Must: // it needs a feature that the port does not say it has
		case v.Outcome == kit.Fail && !cases[i].Must: // it is advice
		default:
			return false
		}
	}
	return len(cases) > 0
}

// isOptional reports whether a port may lack these features at every level: some, and none but those that its clusters can do without.
func isOptional(needs string) bool {
	all := strings.Fields(needs)
	return len(all) > 0 && !slices.ContainsFunc(all, func(f string) bool { return f != port.FeatureMembers && f != port.FeatureNames })
}

// suites counts what came of each suite, in the order of their first cases.
func suites(r *kit.Report) (list []Suite) {
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		at := slices.IndexFunc(list, func(s Suite) bool { return s.Suite == v.Suite })
		if at < 0 {
			list, at = append(list, Suite{Suite: v.Suite}), len(list)
		}
		s := &list[at]
		s.Cases++
		switch v.Outcome {
		case kit.Pass:
			s.Passed++
		case kit.Unsupported:
			s.Unsupported++
		}
	}
	return list
}

// digest is of what came of each case, in the order of the cases.
func digest(r *kit.Report) string {
	h := sha256.New()
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		fmt.Fprintf(h, "%s %s %s\n", v.Case, v.Outcome, v.Rule)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Read reads what JSON has returned, and what earlier kits have.
func Read(name string) (*Certificate, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	var c Certificate
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("certificate: %s is none: %w", name, err)
	}
	switch {
	case c.Certificate < 1 || c.Port.Name == "" || c.Level == "":
		return nil, fmt.Errorf("certificate: %s is none: bullytest test -certificate FILE writes one", name)
	case c.Certificate > format:
		return nil, fmt.Errorf("certificate: %s is of form %d, and this kit knows those up to %d: take a newer kit", name, c.Certificate, format)
	}
	return &c, nil
}

// JSON returns the certificate as canonical JSON: fields sorted, no white space, a line feed at the end.
func (c *Certificate) JSON() []byte { return canonical(c) }

// Badge returns what shields.io/endpoint makes a badge of.
func (c *Certificate) Badge() []byte {
	colours := map[string]string{"bronze": "cd7f32", "silver": "a7a7ad", "gold": "d4af37"}
	colour, known := colours[c.Level]
	if !known {
		colour = "lightgrey"
	}
	says := c.Level
	if known && slices.Contains(c.Features, port.FeatureMembers) {
		says += ", changing members"
	}
	return canonical(struct {
		Version int    `json:"schemaVersion"`
		Label   string `json:"label"`
		Message string `json:"message"`
		Colour  string `json:"color"`
	}{1, "bully " + c.Spec, says, colour})
}

// canonical writes a value so that two that are equal are the same bytes.
func canonical(value any) []byte {
	var fields any
	text, err := json.Marshal(value)
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		err = d.Decode(&fields)
	}
	if err == nil {
		text, err = json.Marshal(fields) // which sorts the fields
	}
	if err != nil {
		panic(fmt.Sprintf("certificate: %v", err)) // it is texts and numbers
	}
	return append(text, '\n')
}
