package kit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

const (
	Version = "2.0"        // of the kit
	Spec    = spec.Version // that it holds ports to
)

// Report is what came of cases.
type Report struct {
	Kit      string        `json:"kit"`
	Spec     string        `json:"spec"`
	Port     port.Identity `json:"port"`
	Features []string      `json:"features"`
	Command  []string      `json:"command,omitempty"` // by which the port was started
	Flags    []string      `json:"flags,omitempty"`   // of bullytest, that say how cases were run
	Chosen   []string      `json:"chosen,omitempty"`  // … and which
	Seconds  float64       `json:"seconds"`
	Rate     float64       `json:"rate,omitempty"`    // requests a second that the port answers; 0 if that was not measured
	Standard string        `json:"stderr,omitempty"`  // the end of what the port has written to its standard error
	Written  uint64        `json:"written,omitempty"` // how many bytes that was, of all its processes
	Stale    []string      `json:"stale,omitempty"`   // on the list of expected failures, and no case
	Verdicts []Verdict     `json:"verdicts"`
}

// Changing reports whether the port says that it can do changing members (R42 to R49).
func (r *Report) Changing() bool { return slices.Contains(r.Features, port.FeatureMembers) }

// Members says which members the report is about.
func (r *Report) Members() string {
	if r.Changing() {
		return "Fixed members, and changing ones."
	}
	return `Fixed members alone: the port does not say that it has the feature "members", and nothing of R42 to R49 was asked of it.`
}

// Outcomes returns all outcomes, good ones first.
func Outcomes() []Outcome {
	return []Outcome{Pass, ExpectedFail, Unsupported, Undecided, UnexpectedPass, Nondeterministic, Broken, Fail}
}

// Failed reports whether a verdict lets a run fail. An unsupported case does if it is one that every port must pass.
func (v *Verdict) Failed() bool {
	switch v.Outcome {
	case Fail, Broken, Nondeterministic, UnexpectedPass:
		return true
	case Unsupported:
		return v.Must
	}
	return false
}

// Failed returns how many cases let the run fail, and how many said neither yes nor no.
func (r *Report) Failed() (failed, undecided int) {
	for i := range r.Verdicts {
		if r.Verdicts[i].Failed() {
			failed++
		}
		if r.Verdicts[i].Outcome == Undecided {
			undecided++
		}
	}
	return failed + len(r.Stale), undecided
}

// NotPassed returns the ids of cases that have failed, or stayed undecided.
func (r *Report) NotPassed() (ids []string) {
	for i := range r.Verdicts {
		if v := &r.Verdicts[i]; v.Failed() || v.Outcome == Undecided || v.Outcome == ExpectedFail {
			ids = append(ids, v.Case)
		}
	}
	return ids
}

// Suspect is a rule that a port seems to break.
type Suspect struct {
	Rule          string   // "": no rule, but the protocol
	Failed, Cases int      // how many vectors say that it is broken, and how many fail
	Inputs        []string // of no rule: by which ones the inputs were to be taken to which came what is no reply
}

// String says who is suspected, and why.
func (s Suspect) String() string {
	rule, says := s.Rule, RuleText(s.Rule)
	if rule == "" {
		rule, says = "the protocol", "no rule says it (conformance/CERTIFYING.md, The loop, and Replies)"
	}
	if len(s.Inputs) > 0 {
		says += "; or the step is wrong, and so the reply is none: what was asked is taken by " + strings.Join(s.Inputs, ", ")
	}
	return fmt.Sprintf("%-4s said by %d of %d vectors that fail: %s", rule, s.Failed, s.Cases, says)
}

// formText is where to read what a reply looks like.
const formText = "the form of replies (conformance/CERTIFYING.md, Replies)"

// ofForm reports whether what is wrong is the form of a reply, and nothing that a rule says; but an epoch beyond the bound (R2), and ids that do
// not ascend (R1), show as that, too.
func (v *Verdict) ofForm() bool {
	return v.Failed() && v.Kind == port.Nonsense && v.Rule != "R2" && v.Rule != "R1"
}

// Suspects returns the rules that vectors say are broken, the most likely one first: the one that most of those say which fail, and of several
// with as many the one that was said first. What a vector is about does not matter: a port that breaks a rule which others use fails those about all of
// them, and each has asked further which it is.
func (r *Report) Suspects() (all []Suspect) {
	failed := 0
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		if v.Suite != Vectors || !v.Failed() || v.Outcome == Unsupported || v.Outcome == UnexpectedPass {
			continue
		}
		failed++
		rule := v.Rule
		if v.ofForm() {
			rule = ""
		}
		k := slices.IndexFunc(all, func(s Suspect) bool { return s.Rule == rule })
		if k < 0 {
			k, all = len(all), append(all, Suspect{Rule: rule})
		}
		all[k].Failed++
		if rule != v.Rule && !slices.Contains(all[k].Inputs, v.Rule) {
			all[k].Inputs = append(all[k].Inputs, v.Rule)
		}
	}
	for k := range all {
		all[k].Cases = failed
	}
	slices.SortStableFunc(all, func(a, b Suspect) int { return cmp.Compare(b.Failed, a.Failed) })
	return all
}

// Summary returns the report in a line: 403 cases: 401 pass, 2 fail.
func (r *Report) Summary() string {
	count := map[Outcome]int{}
	for i := range r.Verdicts {
		count[r.Verdicts[i].Outcome]++
	}
	var parts []string
	for _, o := range Outcomes() {
		if count[o] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[o], o))
		}
	}
	if len(r.Stale) > 0 {
		parts = append(parts, fmt.Sprintf("%d on the list of expected failures that do not exist", len(r.Stale)))
	}
	cases := "cases"
	if len(r.Verdicts) == 1 {
		cases = "case"
	}
	return fmt.Sprintf("%d %s: %s", len(r.Verdicts), cases, strings.Join(parts, ", "))
}

// RuleText returns what a rule says, in a sentence, or "" if there is no such rule.
func RuleText(rule string) string {
	return cmp.Or(spec.Sentence(rule), check.PromiseSentence(rule))
}

// Item is a part of what is said of a failure: what is broken, what was wrong, what was asked before.
type Item struct{ Name, Text string }

// Items returns all that a person needs to see why a case has failed. Again is the command that runs it once more.
func (v *Verdict) Items(again string) (items []Item) {
	item := func(name, text string) {
		if text != "" {
			items = append(items, Item{name, text})
		}
	}
	rule := v.Rule
	if rule == "" && len(v.Rules) > 0 && v.Outcome == Fail {
		rule = v.Rules[0]
	}
	if v.ofForm() {
		item("about", formText)
	}
	if v.ofForm() && rule != "" {
		item("or "+rule, "by which the input is taken, if the step itself is wrong: "+RuleText(rule))
	} else {
		item(rule, RuleText(rule))
	}
	problem, more, _ := strings.Cut(v.Problem, "\n")
	item("what", problem)
	for line := range strings.SplitSeq(more, "\n") {
		name, text, _ := strings.Cut(line, " ")
		item(name, strings.TrimSpace(text))
	}
	item("stderr", v.standard())
	last := slices.DeleteFunc(slices.Clone(v.Last), func(request string) bool { return request == v.Request })
	item("before", strings.Join(last, "\n"))
	item("request", v.Request)
	item("reply", v.Reply)
	item("again", again)
	item("dump", v.Dump)
	return items
}

// Explain returns the items as text.
func (v *Verdict) Explain(again string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", strings.ToUpper(string(v.Outcome)), v.Case)
	for _, item := range v.Items(again) {
		fmt.Fprintf(&b, "  %-9s%s\n", item.Name, strings.ReplaceAll(item.Text, "\n", "\n           "))
	}
	return b.String()
}

// Write writes the report to a file, as JSON.
func (r *Report) Write(name string) error {
	text, err := r.JSON()
	if err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}

// JSON returns the report as JSON, with what came of each rule besides.
func (r *Report) JSON() ([]byte, error) {
	text, err := json.MarshalIndent(struct {
		*Report
		ByRule []RuleResult `json:"by_rule"`
	}{r, r.ByRule()}, "", " ")
	if err != nil {
		return nil, fmt.Errorf("kit: %w", err)
	}
	return append(text, '\n'), nil
}

// ReadReport reads what Write has written.
func ReadReport(name string) (*Report, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("kit: %w", err)
	}
	var r Report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("kit: %s is no report: %w", name, err)
	}
	if r.Kit == "" || len(r.Verdicts) == 0 {
		return nil, fmt.Errorf("kit: %s is no report: it does not say of which kit it is, or has no verdicts", name)
	}
	return &r, nil
}

// Again returns the command that runs a case once more.
func (r *Report) Again(v *Verdict) string {
	if len(r.Command) == 0 {
		return ""
	}
	words := append([]string{"bullytest", "test"}, r.Flags...)
	if v.Whole || len(v.Before) > 0 { // what comes before matters, and must be in the same process
		words = append(words, "-workers", "1")
	}
	if v.Whole {
		words = append(words, r.Chosen...)
	} else {
		words = append(words, "-run", strings.Join(append(slices.Clone(v.Before), v.Case), ","))
	}
	words = append(append(words, "--"), r.Command...)
	for i, word := range words {
		words[i] = quote(word)
	}
	return strings.Join(words, " ")
}

// quote returns a word as a shell takes it.
func quote(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
