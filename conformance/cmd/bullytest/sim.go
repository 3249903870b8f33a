package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/kit/suites"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/conformance/sim"
)

// maxKept is how many failures of one run of sim are kept as files.
const maxKept = 10

// simulate puts a port through runs of the simulator.
func simulate(ctx context.Context, p *program, args []string) error {
	set := p.flags("sim")
	seeds := set.String("seeds", "1-200", "the `seeds`, such as 81, or 1-2000")
	profile := set.String("profile", "", "the `profile` of faults: "+profileNames()+"; \"\" takes all but the last in turn, which is of changing members")
	nodes := set.Int("nodes", 0, "how many `nodes`, 1 to 7; 0 takes all of them in turn")
	out := set.String("out", "failures", "the `directory` where the plans are kept that a port fails, for replay and shrink")
	workers := set.Int("workers", 2, "how many ports run at the same time")
	answer := set.Duration("answer", 5*time.Second, "how long a port may take for a reply")
	isolate := set.Bool("isolate", false, "run each node in a process of its own")
	if err := parse(set, args); err != nil {
		return err
	}
	if err := positive(set, "workers", "answer"); err != nil {
		return err
	}
	if set.NArg() == 0 {
		return wrong("say how the port is started: bullytest sim -seeds 1-200 -- python3 port.py")
	}
	if err := flagsFirst(set, args); err != nil {
		return err
	}
	chosen, err := simCases(*seeds, *nodes, sim.Profile(*profile))
	if err != nil {
		return err
	}
	var cases []kit.Case
	for _, c := range chosen {
		cases = append(cases, c.Case)
	}
	s := &simulation{program: p, chosen: chosen, out: *out, command: set.Args()}
	r, err := kit.Run(ctx, cases, kit.Options{
		Port: port.Config{Command: set.Args(), Answer: *answer, Isolate: *isolate}, Workers: *workers, Each: s.tell,
	})
	if err := errors.Join(startError(ctx, err), s.failed); err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%s %s (%s): %s; %s\n", r.Port.Name, r.Port.Version, r.Port.Language, r.Summary(), r.Speed())
	return verdict(r)
}

// startError gives an error of kit.Run its exit status.
func startError(ctx context.Context, err error) error {
	var not *kit.NotStarted
	switch {
	case errors.As(err, &not):
		return &exit{exitNoPort, err}
	case err != nil && ctx.Err() != nil:
		return &exit{exitUndecided, errors.New("interrupted")}
	}
	return err
}

// simCase is a seed, and its case.
type simCase struct {
	kit.Case
	seed    uint64
	nodes   int
	profile sim.Profile
}

// simCases returns the cases of seeds.
func simCases(seeds string, nodes int, profile sim.Profile) (cases []simCase, err error) {
	low, high, isRange := strings.Cut(seeds, "-")
	if !isRange {
		high = low
	}
	first, err := strconv.ParseUint(low, 10, 64)
	last, err2 := strconv.ParseUint(high, 10, 64)
	const most = 1_000_000
	switch {
	case errors.Join(err, err2) != nil || last < first || last > sim.MaxSeed || last-first >= most:
		return nil, wrong("-seeds %s: give one number, or two such as 1-2000, the first not above the last, a million at most", seeds)
	case profile != "" && !profile.Valid():
		return nil, wrong("-profile %s: there are %s", profile, profileNames())
	case nodes < 0 || nodes > sim.MaxNodes:
		return nil, wrong("-nodes %d: give 1 to %d, or 0 for all of them in turn", nodes, sim.MaxNodes)
	}
	for seed := first; seed <= last; seed++ {
		n, f := suites.KindOf(profile).OfSeed(seed)
		if nodes > 0 {
			n = nodes
		}
		if profile != "" {
			f = profile
		}
		cases = append(cases, simCase{suites.SimCase(seed, n, f), seed, n, f})
	}
	return cases, nil
}

func profileNames() string {
	var names []string
	for _, profile := range sim.Profiles() {
		names = append(names, string(profile))
	}
	return strings.Join(names, ", ")
}

// simulation says what comes of runs, and keeps what fails.
type simulation struct {
	program *program
	chosen  []simCase
	out     string
	command []string
	kept    int
	failed  error
}

// tell says what came of a run that has failed.
func (s *simulation) tell(v kit.Verdict) {
	if !v.Failed() && v.Outcome != kit.Undecided {
		return
	}
	if s.kept++; s.kept > maxKept {
		fmt.Fprintf(s.program.out, "%s %s %s\n", v.Outcome, v.Case, v.Rule)
		return
	}
	i := slices.IndexFunc(s.chosen, func(c simCase) bool { return c.ID == v.Case })
	name, err := s.keep(&s.chosen[i])
	if err != nil && s.failed == nil {
		s.failed = err
	}
	again := "bullytest replay " + name + " -- " + strings.Join(s.command, " ")
	fmt.Fprintf(s.program.out, "%s\n", v.Explain(again))
}

// keep writes the plan of a seed to a file.
func (s *simulation) keep(c *simCase) (string, error) {
	name := filepath.Join(s.out, c.ID+".json")
	plan, err := suites.Short(c.seed, c.nodes, c.profile)
	if err != nil {
		return name, err
	}
	text, err := plan.MarshalJSON()
	if err == nil {
		err = os.MkdirAll(s.out, 0o755)
	}
	if err != nil {
		return name, err
	}
	return name, os.WriteFile(name, append(text, '\n'), 0o644)
}
