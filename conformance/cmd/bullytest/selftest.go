package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
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
	if err := positive(set, "workers"); err != nil {
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
	switch {
	case len(mutants) == 0:
		return wrong("there is no mutant that matches %q", *run)
	case len(kept) == 0:
		return wrong("there is no suite %q: no case is left", *suite)
	}
	if err := tryPython(ctx, strings.Fields(*python)); err != nil {
		return err
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
	fmt.Fprintf(p.log, "Of mutants there are %d, of which %d are not refused for a rule of their own.\n", len(kills), failed)
	if failed > 0 {
		return &exit{exitFailed, errors.New("the kit has missed something")}
	}
	return nil
}

// tryPython says whether Python starts, and is one that knows what the port is written in: else every mutant would look refused.
func tryPython(ctx context.Context, python []string) error {
	if len(python) == 0 {
		return wrong("-python says how Python 3.11 is started, such as python3")
	}
	says, err := exec.CommandContext(ctx, python[0], append(python[1:], "-c", "from enum import StrEnum")...).CombinedOutput()
	if err != nil {
		return &exit{exitNoPort, fmt.Errorf("%s does not start as Python 3.11, in which the mutants are written: %w\n%s", strings.Join(python, " "), err, bytes.TrimSpace(says))}
	}
	return nil
}
