package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/vectors"
	"github.com/seed-fdf591db/bully/spec"
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

// explain says what a rule says and which cases are about it, or what a case is.
func explain(_ context.Context, p *program, args []string) error {
	set := p.flags("explain")
	if err := parse(set, args); err != nil {
		return err
	}
	if set.NArg() != 1 {
		return wrong("say what: a rule, such as R12, or a case, such as R12-waits-for-a-better-one")
	}
	what := set.Arg(0)
	cases, err := casesOf("")
	if err != nil {
		return err
	}
	rules := spec.Rules()
	if i := slices.IndexFunc(rules, func(r spec.Rule) bool { return strings.EqualFold(r.Name, what) }); i >= 0 {
		explainRule(p, &rules[i], cases)
		return nil
	}
	i := slices.IndexFunc(cases, func(c kit.Case) bool { return c.ID == what })
	if i < 0 {
		return wrong("%q is neither a rule, R1 to R%d, nor a case%s", what, len(rules), kit.Alike(cases, what))
	}
	explainCase(p, &cases[i])
	return nil
}

// explainRule says what a rule says, and which cases are about it.
func explainRule(p *program, r *spec.Rule, cases []kit.Case) {
	fmt.Fprintf(p.out, "%s %s (%s)\n\n%s\n", r.Name, r.Title, strings.Join(r.Says, ", "), r.Text)
	fmt.Fprintf(p.out, "\nIn short: %s\n", kit.RuleText(r.Name))
	if parts, why := vectors.Unshown(r.Name); len(parts) > 0 {
		fmt.Fprintf(p.out, "\nNo case shows:\n")
		for i, part := range parts {
			fmt.Fprintf(p.out, "  %-6s %s\n", part, why[i])
		}
	}
	first, besides := 0, 0
	for _, c := range cases {
		if c.Suite == kit.Vectors && len(c.Rules) > 0 && c.Rules[0] == r.Name {
			if first++; first == 1 {
				fmt.Fprintf(p.out, "\nCases:\n")
			}
			fmt.Fprintf(p.out, "  %s\n      %s\n", c.ID, c.Title)
		} else if slices.Contains(c.Rules, r.Name) {
			besides++
		}
	}
	if besides > 0 {
		fmt.Fprintf(p.out, "\n%d more cases are about it besides: bullytest list -rule %s\n", besides, r.Name)
	}
}

// explainCase says what a case is: a vector line by line.
func explainCase(p *program, c *kit.Case) {
	fmt.Fprintf(p.out, "%s (%s)\n%s\n", c.ID, c.Suite, c.Title)
	for _, rule := range c.Rules {
		fmt.Fprintf(p.out, "  %-5s %s\n", rule, kit.RuleText(rule))
	}
	v := vectors.Named(c.ID)
	if v == nil {
		return
	}
	if len(v.Source) > 0 {
		fmt.Fprintf(p.out, "  from  %s\n", strings.Join(v.Source, ", "))
	}
	fmt.Fprintf(p.out, "\n> is a request, and < the reply to it. By hand: bullytest stdin %s | your port\n\n", c.ID)
	for _, s := range v.Steps {
		fmt.Fprintf(p.out, "> %s\n< %s\n", s.Request, s.Reply)
	}
}

// noVector says that there is no such vector, and whether there is such a case.
func noVector(id string) error {
	cases, err := casesOf("")
	if err != nil {
		return err
	}
	for _, c := range cases {
		if c.ID == id {
			return wrong("%s is a case of suite %s, and no vector: what it asks is no fixed list of lines that could be piped. To run it: bullytest test -run %s -- CMD…", id, c.Suite, id)
		}
	}
	return wrong("there is no case %q%s", id, kit.Alike(vectors.Cases(), id))
}

// stdin writes the requests of a case, from hello to bye, or the replies that are right.
func stdin(_ context.Context, p *program, args []string) error {
	set := p.flags("stdin")
	replies := set.Bool("replies", false, "write the right replies instead, without those to hello, reset and bye")
	if err := parse(set, args); err != nil {
		return err
	}
	if set.NArg() != 1 {
		return wrong("say which case, such as: bullytest stdin R17-grants-a-higher-epoch | python3 port.py")
	}
	v := vectors.Named(set.Arg(0))
	if v == nil {
		return noVector(set.Arg(0))
	}
	if !*replies {
		_, err := io.WriteString(p.out, v.Stdin())
		return err
	}
	for _, s := range v.Steps {
		if _, err := fmt.Fprintln(p.out, s.Reply); err != nil {
			return err
		}
	}
	return nil
}

// writeVectors writes all vectors as files.
func writeVectors(_ context.Context, p *program, args []string) error {
	set := p.flags("vectors")
	if err := parse(set, args); err != nil {
		return err
	}
	if set.NArg() != 1 {
		return wrong("say into which folder, such as: bullytest vectors mine/vectors")
	}
	if err := vectors.Write(set.Arg(0)); err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%d vectors are in %s, a file each, and manifest.json with the digest of each.\n", len(vectors.All()), set.Arg(0))
	return nil
}
