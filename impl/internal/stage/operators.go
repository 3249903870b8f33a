package stage

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"sync"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/tla"
)

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
