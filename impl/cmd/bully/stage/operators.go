package stage

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/tla"
)

// fence is the rule whose operators are of module Fencing; those of all others are of Node and Cluster.
const fence = "R38"

var (
	definition = regexp.MustCompile(`^([A-Za-z]\w*)(\([^)]*\))? *==`)
	quoted     = regexp.MustCompile("`([A-Za-z]\\w*)`")
)

// places says where operators stand: of modules Node and Cluster by their names, and of Fencing as Fencing!Admits.
var places = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, module := range []string{"Node", "Cluster", "Fencing"} {
		text, _ := fs.ReadFile(tla.FS(), module+".tla") // it is embedded
		line := 0
		for said := range strings.Lines(string(text)) {
			line++
			found := definition.FindStringSubmatch(said)
			if found == nil {
				continue
			}
			name := found[1]
			if module == "Fencing" {
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

// operatorsOf returns the operators that a rule names after the word TLA+, as far as there are such. Where two rules share an
// operator, the text of the second names it: a rule that names none has those of the next.
func operatorsOf(rules []spec.Rule) []string {
	r, operators := &rules[0], []string{}
	_, said, _ := strings.Cut(r.Text, "*TLA+:*")
	for _, stop := range []string{"\n*Why:*", "\n\n"} {
		said, _, _ = strings.Cut(said, stop)
	}
	for _, name := range quoted.FindAllStringSubmatch(said, -1) {
		operator := name[1]
		if r.Name == fence {
			operator = "Fencing!" + operator
		}
		if places()[operator] != "" && !slices.Contains(operators, operator) {
			operators = append(operators, operator)
		}
	}
	if len(operators) == 0 && len(rules) > 1 {
		return operatorsOf(rules[1:])
	}
	return operators
}
