package stage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/compare/scenarios"
	"github.com/seed-fdf591db/bully/impl/internal/algorithms"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces"
)

// Golden is a golden trace.
type Golden struct {
	Name   string `json:"name"`
	Nodes  int    `json:"nodes"`
	Events int    `json:"events"`
	Watch  string `json:"watch"` // what there is to see; of one that is refused, what is wrong with it
}

// Scenario is a scenario in which algorithms go wrong, or do not.
type Scenario struct {
	Name       string   `json:"name"`
	Title      string   `json:"title"`
	Algorithm  string   `json:"algorithm"`  // that it is about
	Algorithms []string `json:"algorithms"` // that can take part in it
	Nodes      int      `json:"nodes"`
	Flaw       string   `json:"flaw"` // what goes wrong with Algorithm; "" if nothing does
	Watch      string   `json:"watch"`
	Cause      string   `json:"cause"`
	Remedy     string   `json:"remedy"`
}

// Rule is a rule of the specification.
type Rule struct {
	Name      string   `json:"name"`
	Title     string   `json:"title"`
	Says      string   `json:"says"` // a sentence; "" for a rule that is no step of a node
	Text      string   `json:"text"` // Markdown
	Operators []string `json:"operators"`
}

// Gallery is what there is to begin with.
type Gallery struct {
	Algorithms []Algorithm       `json:"algorithms"`
	Profiles   []Profile         `json:"profiles"`
	Golden     []Golden          `json:"golden"`
	Refused    []Golden          `json:"refused"` // traces with a fault, each refused by the rules at one line
	Scenarios  []Scenario        `json:"scenarios"`
	Rules      []Rule            `json:"rules"`
	Actions    map[string]string `json:"actions"` // where each action and operator stands in TLA+: "Cluster.tla:120"
}

// Look returns what there is to begin with.
func Look() Gallery {
	return Gallery{Algorithms: Algorithms(), Profiles: Profiles(), Golden: golden(), Refused: refused(), Scenarios: played(), Rules: ruleList(),
		Actions: places()}
}

func golden() (all []Golden) {
	for _, e := range traces.Table() {
		all = append(all, Golden(e))
	}
	return all
}

// refused lists the traces that must be refused, and why.
var refused = sync.OnceValue(func() (all []Golden) {
	text, _ := fs.ReadFile(traces.Invalid, "expected.json") // it is embedded
	var expected map[string]struct {
		Line int
		Rule string
	}
	_ = json.Unmarshal(text, &expected) // and a test reads it
	names, _ := fs.Glob(traces.Invalid, "*.ndjson")
	for _, name := range names {
		text, _ := fs.ReadFile(traces.Invalid, name)
		nodes := 0
		if in, err := spec.NewTraceReader(bytes.NewReader(text)); err == nil {
			nodes = len(in.Header().Members)
		}
		e := expected[name]
		all = append(all, Golden{Name: strings.TrimSuffix(name, ".ndjson"), Nodes: nodes, Events: bytes.Count(text, []byte("\n")) - 1,
			Watch: fmt.Sprintf("The rules do not allow line %d. %s: %s", e.Line, e.Rule, check.Sentence(e.Rule))})
	}
	return all
})

// OpenGolden opens a golden trace, or one that must be refused, by its name.
func OpenGolden(name string) Opened {
	for _, e := range traces.Table() {
		if e.Name == name {
			return openTold(traces.Valid, name, e.Watch)
		}
	}
	for _, e := range refused() {
		if e.Name == name {
			return openTold(traces.Invalid, name, e.Watch)
		}
	}
	return failed(0, fmt.Sprintf("there is no golden trace %q", name))
}

func openTold(files fs.FS, name, watch string) Opened {
	text, err := fs.ReadFile(files, name+".ndjson")
	if err != nil {
		return failed(0, err.Error())
	}
	opened := openTrace(text, name)
	if opened.Film != nil {
		opened.Film.Watch = watch
		if open, ok := aboutGolden(opened.Film, name); ok {
			opened.Film.Open = open
		}
	}
	return opened
}

// played lists the scenarios.
func played() (all []Scenario) {
	known := algorithms.All()
	for _, n := range scenarios.All() {
		s := Scenario{Name: n.Name, Title: n.Title, Algorithm: n.Shows, Nodes: n.Nodes, Flaw: string(n.Flaw), Watch: n.Watch, Cause: n.Cause, Remedy: n.Remedy}
		for i := range known {
			if takesPart(&n.Scenario, &known[i]) {
				s.Algorithms = append(s.Algorithms, known[i].Name)
			}
		}
		all = append(all, s)
	}
	return all
}

// takesPart reports whether an algorithm can have as many nodes as a scenario, and the server that a fault befalls.
func takesPart(s *compare.Scenario, a *compare.Algorithm) bool {
	if a.MaxNodes > 0 && s.Nodes > a.MaxNodes {
		return false
	}
	for _, f := range s.Faults {
		if f.Node > s.Nodes+a.Servers {
			return false
		}
	}
	return true
}

func ruleList() (all []Rule) {
	rules := spec.Rules()
	for i, r := range rules {
		all = append(all, Rule{Name: r.Name, Title: r.Title, Says: spec.Sentence(r.Name), Text: r.Text, Operators: operatorsOf(rules[i:])})
	}
	return all
}
