package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/compare/scenarios"
	"github.com/seed-fdf591db/bully/impl/internal/algorithms"
	"github.com/seed-fdf591db/bully/impl/internal/interactive"
	"github.com/seed-fdf591db/bully/impl/internal/narrate"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/tla"
	"github.com/seed-fdf591db/bully/traces"
)

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
	Algorithms []interactive.Algorithm `json:"algorithms"`
	Profiles   []interactive.Profile   `json:"profiles"`
	Golden     []traces.Entry          `json:"golden"`
	Refused    []traces.Entry          `json:"refused"` // traces with a fault, each refused by the rules at one line
	Scenarios  []Scenario              `json:"scenarios"`
	Rules      []Rule                  `json:"rules"`
	Glossary   []Word                  `json:"glossary"`
	Actions    map[string]string       `json:"actions"` // where each action and operator stands in TLA+: "Cluster.tla:120"
}

// Word is a word of the specification.
type Word struct {
	Word    string `json:"word"`
	Kind    string `json:"kind"`
	Meaning string `json:"meaning"` // Markdown
}

func glossary() (all []Word) {
	for _, w := range spec.Glossary() {
		all = append(all, Word(w))
	}
	return all
}

// Look returns what there is to begin with.
func Look() Gallery {
	return Gallery{Algorithms: interactive.Algorithms(), Profiles: interactive.Profiles(), Golden: traces.Table(), Refused: refused(), Scenarios: played(), Rules: ruleList(),
		Glossary: glossary(), Actions: places()}
}

// refused lists the traces that must be refused, and why.
var refused = sync.OnceValue(func() (all []traces.Entry) {
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
		all = append(all, traces.Entry{Name: strings.TrimSuffix(name, ".ndjson"), Nodes: nodes, Events: bytes.Count(text, []byte("\n")) - 1,
			Watch: fmt.Sprintf("The rules do not allow line %d. %s: %s", e.Line, e.Rule, check.Sentence(e.Rule))})
	}
	return all
})

// OpenGolden opens a golden trace, or one that must be refused, by its name.
func OpenGolden(name string) Opened {
	named := func(e traces.Entry) bool { return e.Name == name }
	if i := slices.IndexFunc(traces.Table(), named); i >= 0 {
		return openTold(traces.Valid, name, traces.Table()[i].Watch)
	}
	if i := slices.IndexFunc(refused(), named); i >= 0 {
		return openTold(traces.Invalid, name, refused()[i].Watch)
	}
	return failed(0, fmt.Sprintf("there is no golden trace %q", name))
}

func openTold(files fs.FS, name, watch string) Opened {
	text, err := fs.ReadFile(files, name+".ndjson")
	if err != nil {
		return failed(0, err.Error())
	}
	opened := openTrace(text, name)
	if opened.Recording != nil {
		opened.Recording.Watch = watch
		if open, ok := aboutGolden(opened.Recording, name); ok {
			opened.Recording.Open = open
		}
	}
	return opened
}

// sketch returns what a golden trace, a refused one or a scenario looks like from afar.
func (e *Engine) sketch(a arguments) any {
	var rows []string
	var err error
	switch kind, name := a.text(0), a.text(1); kind {
	case "scenario":
		rows, err = interactive.SketchOf(name)
	case "golden":
		rows, err = sketchOf(traces.Valid, name)
	case "refused":
		rows, err = sketchOf(traces.Invalid, name)
	default:
		err = fmt.Errorf("%q is nothing of the gallery", kind)
	}
	if err != nil {
		panic(problem("there is no sketch of it: %s", err))
	}
	return sketched{Rows: rows}
}

// sketchOf returns what a trace looks like, up to the first line that cannot be read.
func sketchOf(files fs.FS, name string) ([]string, error) {
	text, err := fs.ReadFile(files, name+".ndjson")
	if err != nil {
		return nil, err
	}
	in, err := spec.NewTraceReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	var sketch interactive.Sketch
	members, at := in.Header().Members, int64(0)
	for e := (spec.Event{}); in.Read(&e) == nil; at += 1000 {
		if place := slices.Index(members, e.Node); place >= 0 {
			sketch.See(at, place, interactive.Letter(narrate.State(e.Node, members, &e.State, e.Action != spec.CrashAction)))
		}
	}
	return sketch.Rows(at), nil
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

// modules are those whose operators rules name: Node and Cluster by their names alone, all others as Fencing!Admits.
var modules = []string{"Node", "Cluster", "Fencing"}

var definition = regexp.MustCompile(`^([A-Za-z]\w*)(\([^)]*\))? *==`)

// places says where operators stand, by their names, or as Fencing!Admits.
var places = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for i, module := range modules {
		text, _ := fs.ReadFile(tla.FS(), module+".tla") // it is embedded
		line := 0
		for said := range strings.Lines(string(text)) {
			line++
			found := definition.FindStringSubmatch(said)
			if found == nil {
				continue
			}
			name := found[1]
			if i > 1 {
				name = module + "!" + name
			}
			if all[name] == "" {
				all[name] = fmt.Sprintf("%s.tla:%d", module, line)
			}
		}
	}
	all[string(spec.StartAction)] = all["Init"] // Start is Init of one node
	return all
})

// operatorsOf returns the operators of a rule that can be shown. A rule that names none has those of the next.
func operatorsOf(rules []spec.Rule) (operators []string) {
	for _, name := range rules[0].Operators {
		if places()[name] != "" {
			operators = append(operators, name)
		}
	}
	if len(operators) == 0 && len(rules) > 1 {
		return operatorsOf(rules[1:])
	}
	return operators
}
