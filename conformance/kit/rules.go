package kit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// NoRule stands for a rule where no rule says it, but the protocol between kit and port.
const NoRule = "protocol"

// RuleResult is what came of the cases that have asked a rule: those that are about it, and those in which a node had to take something by it.
type RuleResult struct {
	Rule   string `json:"rule"`
	Cases  int    `json:"cases"`  // that have asked it
	Passed int    `json:"passed"` // of these
	Failed int    `json:"failed"` // of these: they say that this rule is broken
	Others int    `json:"others"` // of these: broken is another rule, or it is not known, or not supported
	Asked  uint64 `json:"asked"`  // how often a node had to take something by it
}

// ByRule returns what came of each rule of the specification, in its order, whether any case has asked it or not; then of what no rule says,
// and of promises that were broken.
func (r *Report) ByRule() (all []RuleResult) {
	at := map[string]int{}
	row := func(rule string) *RuleResult {
		if _, is := at[rule]; !is {
			at[rule] = len(all)
			all = append(all, RuleResult{Rule: rule})
		}
		return &all[at[rule]]
	}
	for _, rule := range spec.Rules() {
		row(rule.Name)
	}
	row(NoRule)
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		for _, rule := range v.rules() {
			one := row(rule)
			one.Cases++
			one.Asked += v.Asked[rule]
			switch {
			case v.Outcome == Pass:
				one.Passed++
			case v.Failed() && rule == v.broken():
				one.Failed++
			default:
				one.Others++
			}
		}
	}
	return all
}

// broken returns the rule that a failed case says is broken, or NoRule.
func (v *Verdict) broken() string {
	if v.Rule == "" {
		return NoRule
	}
	return v.Rule
}

// rules returns the rules that a case has asked, each once, ascending as text; and NoRule if it is about none, or has failed of none.
func (v *Verdict) rules() []string {
	set := map[string]bool{}
	for _, rule := range v.Rules {
		set[rule] = true
	}
	for rule := range maps.Keys(v.Asked) {
		set[rule] = true
	}
	if v.Failed() {
		set[v.broken()] = true
	}
	if len(set) == 0 {
		set[NoRule] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// RuleTable returns what came of each rule as a table for a terminal.
func (r *Report) RuleTable() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-19s %6s %6s %6s %6s %10s  %s\n", "rule", "cases", "pass", "fail", "others", "asked", "title")
	for _, one := range r.ByRule() {
		fmt.Fprintf(&b, "%-19s %6d %6d %6d %6d %10d  %s\n", one.Rule, one.Cases, one.Passed, one.Failed, one.Others, one.Asked, ruleTitle(one.Rule))
	}
	b.WriteString("cases have asked the rule; of those that fail, fail says that this rule is broken, and others that another is, or that it is not known;\n" +
		"asked is how often a node had to take something by it: 0 where only other rules use it.\n")
	return b.String()
}

// ruleTitle returns what a rule is called, or "".
func ruleTitle(rule string) string {
	for _, r := range spec.Rules() {
		if r.Name == rule {
			return r.Title
		}
	}
	if rule == NoRule {
		return "no rule, but the protocol between kit and port"
	}
	return ""
}
