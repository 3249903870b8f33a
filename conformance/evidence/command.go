package main

import (
	"fmt"
	"regexp"
	"slices"
)

// command is a target of the Makefile that is too slow for every day, and whose last run is kept.
type command struct {
	name string
	// inputs are the files that its outcome depends on, by their paths; tests of Go packages too only if tests is true.
	inputs *regexp.Regexp
	tests  bool
	// sections are what it reads of spec/README.md, by their headings.
	sections []string
	// keep says which lines of its output are kept. from the first that matches on, or, if alone, only those that match.
	keep  *regexp.Regexp
	alone bool
	// says is the line that a run ends with that is as it must be.
	says *regexp.Regexp
}

// What the proofs read of the specification: the code that they execute, and the bounds. And the module that they write down a second
// time, with all that its number of states in tla/models.json is measured from: that file itself changes with every other module.
var (
	ofTheProof = []string{"### R37 "}
	executed   = `spec/code\.md|tla/(LeaderElection|Fencing|MCFencing)\.tla|tla/models/Fencing\.cfg`
)

var commands = []*command{
	{
		name:   "check-deep",
		inputs: regexp.MustCompile(`^(tla/[^/]+\.(tla|cfg|go)|tla/models\.json|tla/(models|mutants|witnesses)/.*\.cfg|(tla/check|model)/.*\.(go|xml)|go\.mod)$`),
		keep:   regexp.MustCompile(`^promise\b`),
		says:   regexp.MustCompile(`the explorer agrees on \d+ of \d+\..*`),
	},
	{
		name:     "prove",
		inputs:   regexp.MustCompile(`^(tla/proof/(.*\.py|requirements\.txt)|` + executed + `)$`),
		sections: ofTheProof,
		keep:     regexp.MustCompile(`^queries\b`),
		says:     regexp.MustCompile(`^\d+ queries in \d+ s: all is proved\.`),
	},
	{
		name:     "prove-second",
		inputs:   regexp.MustCompile(`^(tla/proof/(.*\.py|requirements\.txt|second\.txt)|` + executed + `)$`),
		sections: ofTheProof,
		keep:     regexp.MustCompile(`^queries\b`),
		says:     regexp.MustCompile(`^\d+ queries in \d+ s: all is proved\.`),
	},
	{
		name:     "prove-mutants",
		inputs:   regexp.MustCompile(`^(tla/proof/(.*\.py|requirements\.txt|mutants\.json)|` + executed + `)$`),
		sections: ofTheProof,
		keep:     regexp.MustCompile(`.`),
		says:     regexp.MustCompile(`^\d+ queries in \d+ s: all is proved\.`),
	},
	{
		name:   "soak",
		inputs: regexp.MustCompile(`^((conformance|impl|model|spec|tla|traces)/.*\.(go|tla|cfg|json|ndjson|txt|mod|sum)|go\.(mod|sum))$`),
		tests:  true,
		keep:   regexp.MustCompile(`^(== \./|ok\s|profile\s|[a-z]+\s+\d+\s+\d+\s|\d+ mutants, |.*As it must be: )`),
		alone:  true,
		says:   regexp.MustCompile(`^\d+ mutants, .*`),
	},
}

// find returns the command of a name.
func find(name string) (*command, error) {
	i := slices.IndexFunc(commands, func(c *command) bool { return c.name == name })
	if i < 0 {
		return nil, fmt.Errorf("%q is none of the commands whose runs are kept: %s", name, names())
	}
	return commands[i], nil
}

// names returns the names of all commands, as they are told to a user.
func names() (all []string) {
	for _, c := range commands {
		all = append(all, c.name)
	}
	return all
}
