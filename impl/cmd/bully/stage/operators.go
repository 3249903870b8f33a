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

// modules are those whose operators rules name: Node and Cluster by their names alone, all others as Fencing!Admits.
var modules = []string{"Node", "Cluster", "Fencing", "ChangingNode", "ChangingCluster"}

// theirs says of which other modules the operators of a rule are: R38 is of Fencing, and the rules of section 18 are of the
// modules of changing members.
func theirs(rule string) []string {
	switch rule {
	case "R38":
		return []string{"Fencing"}
	case "R42", "R43", "R44", "R45", "R46", "R47", "R48", "R49":
		return []string{"ChangingNode", "ChangingCluster"}
	}
	return nil
}

var (
	definition = regexp.MustCompile(`^([A-Za-z]\w*)(\([^)]*\))? *==`)
	quoted     = regexp.MustCompile("`([A-Za-z]\\w*)`")
)

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
	all["ChangingCluster!"+string(spec.StartAction)] = all["ChangingCluster!Init"]
	all[string(spec.ChangeAction)] = all["ChangingCluster!"+string(spec.ChangeAction)] // no other module has it
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
		for _, module := range theirs(r.Name) {
			if there := module + "!" + name[1]; places()[there] != "" {
				operator = there
				break
			}
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
