package tla

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Verdict is what became of the properties of a configuration.
type Verdict string

// The verdicts.
const (
	Holds    Verdict = "holds"    // every state and every behaviour is as it must be
	Violates Verdict = "violates" // there is a counterexample to one property
	// Failed is never expected: the run came to nothing, because of a mistake in a module, say.
	Failed Verdict = "failed"
)

// Deadlock is the property that CHECK_DEADLOCK TRUE checks.
const Deadlock = "Deadlock"

// Effort says when a configuration is run.
type Effort string

// The efforts.
const (
	Quick Effort = "quick" // by make check
	Deep  Effort = "deep"  // by make check-deep only
)

// Level is how much of a configuration the Go explorer can confirm.
type Level string

// The levels, from most to least.
const (
	// Full: the verdict, the property violated, the counts, and the depth.
	Full Level = "verdict"
	// Counts: the graph and its counts, but not the properties, because they are about
	// liveness.
	Counts Level = "counts"
	// None: no model in Go knows this configuration.
	None Level = "none"
)

// Result is what one run of one configuration came to.
type Result struct {
	// Verdict is the outcome.
	Verdict Verdict `json:"verdict"`
	// Property is the one that is violated, or empty.
	Property string `json:"property,omitempty"`
	// Exit is the exit status of TLC: 0, 11 (deadlock), 12 (invariant) or 13 (step or
	// temporal property).
	Exit int `json:"exit"`
	// Distinct is the number of distinct states found. A run that finds a violation before
	// its end counts what it had found by then.
	Distinct int `json:"distinct"`
	// Generated is the number of initial states and successors, duplicates included.
	Generated int `json:"generated"`
	// Depth is the number of levels, of which the initial states are the first; or if
	// something is violated, the number of states of the counterexample.
	Depth int `json:"depth"`
	// States is the digest of the set of states, or empty if it is not taken.
	States string `json:"states,omitempty"`
	// Seconds is the time that the run took. It is never compared, and says which
	// configurations to begin with.
	Seconds float64 `json:"seconds"`
}

// Entry is one configuration of models.json, and what it must come to.
type Entry struct {
	// Name is the path of the .cfg file without .cfg, such as mutants/ClusterB06DoubleVote.
	Name string `json:"name"`
	// Module is the root module, without .tla.
	Module string `json:"module"`
	// Question is what the configuration asks: the first comment of its file.
	Question string `json:"question"`
	// Result is what TLC must find; without TLC, what the explorer must find.
	Result
	// Effort says when it is run.
	Effort Effort `json:"effort"`
	// Explorer says how much of it the Go explorer must confirm.
	Explorer Level `json:"explorer"`
	// TLC is false if it is too large for TLC: then the explorer alone checks it.
	TLC bool `json:"tlc"`
	// TLCEffort is Deep if TLC runs a quick configuration in make check-deep only, because it is
	// slow there. The explorer gives its verdict in make check.
	TLCEffort Effort `json:"tlc_effort,omitempty"`
	// Why says why Explorer or TLC is less than all.
	Why string `json:"why,omitempty"`
	// Configuration is the content of the .cfg file; see Load.
	Configuration Configuration `json:"-"`
}

// validate returns everything in which e contradicts its configuration or itself.
func (e Entry) validate(fsys fs.FS) []error {
	var wrong []error
	refuse := func(format string, args ...any) {
		wrong = append(wrong, fmt.Errorf("%s: %s: %s", ListFile, e.Name, fmt.Sprintf(format, args...)))
	}
	c := e.Configuration
	if e.Module != c.Module {
		refuse("module is %q, but its name says %s", e.Module, c.Module)
	} else if _, err := fs.Stat(fsys, e.Module+".tla"); err != nil {
		refuse("there is no module %s.tla", e.Module)
	}
	if e.Question != c.Question {
		refuse("question is %q, but the file says %q", e.Question, c.Question)
	}
	if e.Effort != Quick && e.Effort != Deep {
		refuse("effort is %q, not %s or %s", e.Effort, Quick, Deep)
	}
	if e.TLCEffort != "" && (e.TLCEffort != Deep || e.Effort != Quick || !e.TLC || e.Explorer != Full) {
		refuse("tlc_effort is %q, which is for %s, and for quick configurations whose verdict the explorer gives too",
			e.TLCEffort, Deep)
	}
	if !slices.Contains([]Level{Full, Counts, None}, e.Explorer) {
		refuse("explorer is %q, not %s, %s or %s", e.Explorer, Full, Counts, None)
	}
	if !e.TLC && e.Explorer != Full {
		refuse("neither TLC nor the explorer gives its verdict")
	}
	if (e.TLC && e.Explorer == Full) != (e.Why == "") {
		refuse("why must say what TLC or the explorer leaves out, and nothing else")
	}
	if e.Verdict == Holds && e.Distinct <= 0 {
		refuse("a state space of %d distinct states proves nothing", e.Distinct)
	}
	if e.Verdict != Holds && e.States != "" {
		refuse("only a complete set of states has a digest")
	}
	for _, w := range e.contradictions() {
		refuse("%s", w)
	}
	return wrong
}

// contradictions returns everything in which the verdict of e does not fit its folder, its
// configuration, its property and its exit status.
func (e Entry) contradictions() []string {
	c := e.Configuration
	exit := 0
	var wrong []string
	switch {
	case e.Verdict != Holds && e.Verdict != Violates:
		return append(wrong, fmt.Sprintf("verdict is %q, not %s or %s", e.Verdict, Holds, Violates))
	case (path.Dir(e.Name) == Models) != (e.Verdict == Holds):
		wrong = append(wrong, fmt.Sprintf("%s, but in folder %s", e.Verdict, path.Dir(e.Name)))
	}
	switch {
	case e.Verdict == Holds && e.Property != "":
		wrong = append(wrong, "it holds, but names a property")
	case e.Verdict == Holds:
	case e.Property == Deadlock && c.CheckDeadlock:
		exit = 11
	case slices.Contains(c.Invariants, e.Property):
		exit = 12
	case slices.Contains(c.Properties, e.Property):
		exit = 13
		if c.Specification == "FairSpec" && len(c.Properties) > 1 {
			wrong = append(wrong, fmt.Sprintf(
				"TLC does not say which temporal property fails: list %s alone", e.Property))
		}
	default:
		return append(wrong, fmt.Sprintf("property is %q, which the configuration does not check", e.Property))
	}
	if e.Exit != exit {
		wrong = append(wrong, fmt.Sprintf("exit is %d, but TLC says %d for this verdict", e.Exit, exit))
	}
	return wrong
}

// Compare returns every difference between what e expects and what TLC found, seconds apart.
func (e Entry) Compare(found Result) []string {
	d := e.verdicts(found)
	d = differ(d, "exit", found.Exit, e.Exit)
	d = differ(d, "distinct", found.Distinct, e.Distinct)
	d = differ(d, "generated", found.Generated, e.Generated)
	d = differ(d, "depth", found.Depth, e.Depth)
	return differ(d, "states", found.States, e.States)
}

// CompareExplorer returns every difference between what e expects and what the explorer
// found, as far as the two must agree. If a safety property is violated, TLC stops at once
// and the explorer at the end of the level, so that they agree on the shortest
// counterexample but not on the counts; TLC checks liveness on the complete graph.
func (e Entry) CompareExplorer(found Result) []string {
	var d []string
	if e.Explorer == None {
		return nil
	}
	if e.Explorer == Full {
		d = e.verdicts(found)
	} else {
		d = differ(d, "verdict of what it can check", found.Verdict, Holds)
	}
	if e.Verdict == Holds || e.Explorer == Full {
		d = differ(d, "depth", found.Depth, e.Depth)
	}
	if e.Verdict == Holds || e.Explorer == Counts {
		d = differ(d, "distinct", found.Distinct, e.Distinct)
		d = differ(d, "generated", found.Generated, e.Generated)
	}
	return differ(d, "states", found.States, e.States)
}

// verdicts returns the differences of verdict and property.
func (e Entry) verdicts(found Result) []string {
	d := differ(nil, "verdict", found.Verdict, e.Verdict)
	return differ(d, "property", found.Property, e.Property)
}

// differ adds a difference to d if there is one.
func differ[T comparable](d []string, what string, found, expected T) []string {
	if found == expected {
		return d
	}
	text := func(v T) string {
		if s := fmt.Sprint(v); s != "" {
			return s
		}
		return "none"
	}
	return append(d, strings.Join([]string{what, text(found) + ",", "expected", text(expected)}, " "))
}
