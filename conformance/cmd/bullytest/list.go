package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/vectors"
)

// listed is a case as list -json has it.
type listed struct {
	Case   string   `json:"case"`
	Title  string   `json:"title"`
	Rules  []string `json:"rules"`
	Suite  string   `json:"suite"`
	Must   bool     `json:"must"`
	Needs  string   `json:"needs,omitempty"`
	Source []string `json:"source,omitempty"`
}

// list lists the cases.
func list(_ context.Context, p *program, args []string) error {
	set := p.flags("list")
	asJSON := set.Bool("json", false, "as JSON, a case a line")
	var f testFlags
	set.StringVar(&f.run, "run", "", "only the cases whose ids match one of these `globs`, which commas separate")
	set.StringVar(&f.rule, "rule", "", "only the cases that are about this `rule`, such as R17")
	set.StringVar(&f.level, "level", "", "only the cases of this `level`, and of those below it")
	if err := parse(set, args); err != nil {
		return err
	}
	if set.NArg() > 0 {
		return wrong("what is %q? To list some cases: bullytest list -run %q", set.Arg(0), set.Arg(0))
	}
	cases, err := casesOf(f.level)
	if err != nil {
		return err
	}
	if cases, err = choose(cases, f.run, f.rule); err != nil {
		return err
	}
	sources := map[string]*vectors.Vector{}
	for _, v := range vectors.All() {
		sources[v.Case] = v
	}
	encoder := json.NewEncoder(p.out)
	encoder.SetEscapeHTML(false)
	for _, c := range cases {
		if !*asJSON {
			fmt.Fprintf(p.out, "%s  (%s)\n    %s\n", c.ID, strings.Join(append([]string{c.Suite}, c.Rules...), " "), c.Title)
			continue
		}
		one := listed{Case: c.ID, Title: c.Title, Rules: c.Rules, Suite: c.Suite, Must: c.Must, Needs: c.Needs}
		if v := sources[c.ID]; v != nil {
			one.Source = v.Source
		}
		if err := encoder.Encode(one); err != nil {
			return err
		}
	}
	if !*asJSON {
		fmt.Fprintf(p.out, "%d cases.\n", len(cases))
	}
	return nil
}
