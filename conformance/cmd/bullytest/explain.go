package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/vectors"
	"github.com/seed-fdf591db/bully/spec"
)

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
