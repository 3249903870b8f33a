// Package kit judges ports. A [Case] puts a port through something and says what of it was wrong; [Run] runs many, each on a
// port that has forgotten all others, and a port that dies, hangs or talks nonsense costs its case, never the run.
//
//	report, err := kit.Run(ctx, cases, kit.Options{Port: port.Config{Command: command}, Each: func(v kit.Verdict) { … }})
//	if err != nil {
//		return err // the port did not start
//	}
//	for _, v := range report.Verdicts {
//		fmt.Println(v.Case, v.Outcome, v.Problem)
//	}
package kit

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/port"
)

// Case is something that a port is put through.
type Case struct {
	ID    string   // such as R17-grant-after-restart or sim-crash-81: never changed, never used again
	Title string   // what it is about: a sentence
	Rules []string // of spec/README.md, such as R17, the first one first
	Suite string   // a part of all cases: vectors, steps, cuts, sim, fence, live, cover
	Must  bool     // a port that fails it does not conform; else it is advice
	Needs string   // features that the port must have, such as fence, with a space between two; ""
	// Run puts a port through it, which has been reset. Nodes and subjects may panic with a *port.Failure. An error that is
	// none is the kit's own, or Inconclusive.
	Run func(ctx context.Context, p *port.Process) error
}

// Outcome is what came of a case.
type Outcome string

const (
	Pass             Outcome = "pass"
	Fail             Outcome = "fail"             // the port did what no rule allows
	ExpectedFail     Outcome = "expected-fail"    // it failed, as a list says that it does
	UnexpectedPass   Outcome = "unexpected-pass"  // it passed, though a list says that it fails: a failure, as the list is stale
	Unsupported      Outcome = "unsupported"      // the port says that it does not do this
	Broken           Outcome = "error"            // it died, hung, flooded, or talked nonsense
	Nondeterministic Outcome = "nondeterministic" // the same requests had other replies the second time
	Undecided        Outcome = "inconclusive"     // the time was up, or a goal was never reached
)

// Verdict is what came of one case.
type Verdict struct {
	Case     string            `json:"case"`
	Suite    string            `json:"suite"`
	Must     bool              `json:"must"`
	Rules    []string          `json:"rules"`
	Outcome  Outcome           `json:"outcome"`
	Rule     string            `json:"rule,omitempty"`    // that was broken, which need not be one of Rules
	Kind     port.Kind         `json:"kind,omitempty"`    // in which way the port has failed
	Problem  string            `json:"problem,omitempty"` // what was wrong, and what would be right
	Request  string            `json:"request,omitempty"`
	Reply    string            `json:"reply,omitempty"`
	Last     []string          `json:"last,omitempty"`
	Standard string            `json:"stderr,omitempty"`  // the end of what the port had written to its standard error
	Written  uint64            `json:"written,omitempty"` // how many bytes that was
	Before   []string          `json:"before,omitempty"`  // cases that must come before it in the same process, so that it fails
	Whole    bool              `json:"whole,omitempty"`   // it has failed in the whole run, and neither alone nor after some of the cases before it
	Dump     string            `json:"dump,omitempty"`    // a file of all requests of the case, for bullytest replay
	Requests uint64            `json:"requests"`          // how many the port was asked
	Asked    map[string]uint64 `json:"asked,omitempty"`   // by which rules a node must take what it was given, and how often
	Seconds  float64           `json:"seconds"`
}

// Select returns the cases whose ids match one of the globs, such as R17-*, separated by commas, and that are about the rule. ""
// matches all. If there are none, or none matches one of the globs, the error says which there are that look alike.
func Select(cases []Case, globs, rule string) ([]Case, error) {
	if rule != "" && RuleText(rule) == "" {
		return nil, fmt.Errorf("there is no rule %q: rules are R1 to R49, see spec/README.md", rule)
	}
	patterns := strings.Split(globs, ",")
	for _, pattern := range patterns {
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, fmt.Errorf("%q is no glob: * stands for any characters, ? for one, [a-z] for one of these", pattern)
		}
		if globs != "" && !slices.ContainsFunc(cases, func(c Case) bool { matches, _ := path.Match(pattern, c.ID); return matches }) {
			return nil, fmt.Errorf("no case matches %q, of %d; bullytest list shows them%s", pattern, len(cases), Alike(cases, pattern))
		}
	}
	var some []Case
	for _, c := range cases {
		named := globs == "" || slices.ContainsFunc(patterns, func(pattern string) bool {
			matches, _ := path.Match(pattern, c.ID)
			return matches
		})
		if named && (rule == "" || slices.Contains(c.Rules, rule)) {
			some = append(some, c)
		}
	}
	if len(some) > 0 {
		return some, nil
	}
	about := ""
	if rule != "" {
		about = " that is about " + rule
	}
	if globs == "" {
		return nil, fmt.Errorf("there is no case%s, of %d", about, len(cases))
	}
	return nil, fmt.Errorf("no case%s matches %q, of %d; bullytest list -rule %s shows which there are", about, globs, len(cases), rule)
}

// Alike says which cases have names like one that is none, or "".
func Alike(cases []Case, name string) string {
	name = strings.ToLower(strings.Trim(name, "*"))
	var alike []string
	for n := len(name); n > 2 && len(alike) == 0; n-- {
		for _, c := range cases {
			if strings.Contains(strings.ToLower(c.ID), name[:n]) {
				alike = append(alike, c.ID)
			}
		}
	}
	if len(alike) == 0 {
		return ""
	}
	const most = 5
	if len(alike) > most {
		alike = append(alike[:most], "…")
	}
	return ", such as " + strings.Join(alike, ", ")
}

// mostLines is how many lines of what a port has written to its standard error are shown.
const mostLines = 10

// standard returns the end of what the port had written to its standard error when it failed, or "".
func (v *Verdict) standard() string { return ending(v.Standard, v.Written) }

// StandardError says how much the port has written to its standard error in all, and how that ends; "" if it has written nothing.
func (r *Report) StandardError() string {
	if r.Written == 0 {
		return ""
	}
	return fmt.Sprintf("It has written %d bytes to its standard error, which end so:\n%s", r.Written, ending(r.Standard, 0))
}

// ending returns the last lines of a text; and if it is the end of more, of so many bytes in all, it says so.
func ending(text string, written uint64) string {
	lines := strings.Split(text, "\n")
	last := strings.Join(lines[max(0, len(lines)-mostLines):], "\n")
	if shown := uint64(len(last)); shown > 0 && written > shown+1 {
		return fmt.Sprintf("… (the end of %d bytes)\n%s", written, last)
	}
	return last
}
