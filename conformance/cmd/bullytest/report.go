package main

import (
	"context"
	"fmt"

	"github.com/seed-fdf591db/bully/conformance/kit"
)

// report writes the results of a run in another form.
func report(_ context.Context, p *program, args []string) error {
	set := p.flags("report")
	html := set.Bool("html", false, "as one page")
	junit := set.Bool("junit", false, "as the XML of JUnit, which CI systems read")
	asJSON := set.Bool("json", false, "as JSON")
	text := set.Bool("text", false, "as text: each failure, as test says it, and what came of each rule")
	if err := parse(set, args); err != nil {
		return err
	}
	forms := 0
	for _, is := range []bool{*html, *junit, *asJSON, *text} {
		if is {
			forms++
		}
	}
	if forms != 1 || set.NArg() != 1 {
		return wrong("say one form, and the file that test -json has written: bullytest report -html results.json >page.html")
	}
	r, err := kit.ReadReport(set.Arg(0))
	if err != nil {
		return &exit{exitUsage, err}
	}
	switch {
	case *html:
		return r.HTML(p.out)
	case *junit:
		return r.JUnit(p.out)
	case *asJSON:
		text, err := r.JSON()
		if err == nil {
			_, err = p.out.Write(text)
		}
		return err
	}
	for i := range r.Verdicts {
		if v := &r.Verdicts[i]; v.Failed() || v.Outcome == kit.Undecided {
			fmt.Fprintf(p.out, "%s\n", v.Explain(r.Again(v)))
		}
	}
	fmt.Fprintf(p.out, "%s\n%s %s (%s): %s; %s\n", r.RuleTable(), r.Port.Name, r.Port.Version, r.Port.Language, r.Summary(), r.Speed())
	return nil
}
