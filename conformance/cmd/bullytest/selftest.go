package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/ports/selftest"
)

// selfTest breaks the port in Python in many ways, and looks whether each is refused.
func selfTest(ctx context.Context, p *program, args []string) error {
	set := p.flags("selftest")
	run := set.String("run", "*", "only the mutants whose names match this `glob`")
	python := set.String("python", "python3", "how Python 3.11 is started")
	workers := set.Int("workers", 2, "how many mutants are tried at the same time")
	suite := set.String("suite", "", "only the cases of this `suite`, such as sim: what does it find without the others?")
	markdown := set.Bool("markdown", false, "write the table in Markdown, when all is done")
	if err := parse(set, args); err != nil {
		return err
	}
	if _, err := path.Match(*run, ""); err != nil || set.NArg() > 0 {
		return wrong("-run takes one glob, such as 'fence-*', and there are no other arguments")
	}
	mutants := slices.DeleteFunc(selftest.Mutants(), func(m selftest.Mutant) bool {
		matches, _ := path.Match(*run, m.Name)
		return !matches
	})
	cases, err := casesOf("")
	if err != nil {
		return err
	}
	kept := cases[:0:0]
	for _, c := range cases {
		if *suite == "" || c.Suite == *suite {
			kept = append(kept, c)
		}
	}
	if len(mutants) == 0 || len(kept) == 0 {
		return wrong("there is no mutant that matches %q, or no case is left", *run)
	}
	o := selftest.Options{Python: strings.Fields(*python), Cases: kept, Workers: *workers}
	if !*markdown {
		o.Each = func(k selftest.Kill) { fmt.Fprintf(p.out, "%s\n", k.String()) }
	}
	kills, err := selftest.Run(ctx, mutants, o)
	if err != nil {
		return err
	}
	if *markdown {
		fmt.Fprint(p.out, selftest.Table(kills))
	}
	failed := 0
	for i := range kills {
		if problem := kills[i].Problem(); problem != "" {
			failed++
			fmt.Fprintf(p.log, "%s\n", problem)
		}
	}
	fmt.Fprintf(p.log, "%d mutants, %d of which are not refused for a rule of their own.\n", len(kills), failed)
	if failed > 0 {
		return &exit{exitFailed, errors.New("the kit has missed something")}
	}
	return nil
}
