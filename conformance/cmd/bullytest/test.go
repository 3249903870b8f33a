package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/kit/certificate"
	"github.com/seed-fdf591db/bully/conformance/kit/suites"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/conformance/vectors"
)

// level is what a port can reach: its cases, and those of all levels above it in the table.
type level struct {
	name  string
	says  string
	asks  string // how many requests, with those of the levels below
	cases func() []kit.Case
}

// levels returns the levels, the first one first.
func levels() []level {
	return []level{
		{"bronze", "the loop, and all vectors: what each rule says, by examples", "22,000 requests", func() []kit.Case { return slices.Concat(kit.Loop(), vectors.Cases()) }},
		{"silver", "single steps, crash cuts, and 2,000 runs of the simulator, each step compared with the model", "1,500,000 requests", suites.Silver},
		{"gold", "every transition, runs that settle, the fence, and each node in a process of its own", "3,400,000 requests", suites.Gold},
	}
}

// allCases returns the cases of all levels. They are the same each time, and slow to make.
var allCases = sync.OnceValue(func() (cases []kit.Case) {
	for _, l := range levels() {
		cases = append(cases, l.cases()...)
	}
	return cases
})

// casesOf returns the cases of a level, and of those below it; of all levels if the name is "".
func casesOf(name string) ([]kit.Case, error) {
	if name == "" {
		return slices.Clone(allCases()), nil
	}
	var cases []kit.Case
	var names []string
	for _, l := range levels() {
		cases = append(cases, l.cases()...)
		if names = append(names, l.name); l.name == name {
			return cases, nil
		}
	}
	return nil, wrong("there is no level %q: levels are %s", name, strings.Join(names, ", "))
}

// testFlags are the flags of test.
type testFlags struct {
	level, run, rule  string
	failed            string
	known             string
	fix, isolate      bool
	workers           int
	answer, limit     time.Duration
	last              int
	json, junit, html string
	dump              string

	certificate, badge string
	verbose, keepGoing bool
}

// define makes the flags part of a set.
func (f *testFlags) define(set *flag.FlagSet) {
	set.StringVar(&f.level, "level", levels()[0].name, "the `level` whose cases are run, with those of the levels below it")
	set.StringVar(&f.run, "run", "", "only the cases of any level whose ids match one of these `globs`, which commas separate, such as 'R17-*'")
	set.StringVar(&f.rule, "rule", "", "only the cases that are about this `rule`, such as R17")
	set.StringVar(&f.failed, "failed", "", "only the cases of the results in this `file`, which -json has written, that have not passed there")
	set.StringVar(&f.known, "known-failing", "", "a `file` of cases that fail, one a line: CASE  # what the kit says of it")
	set.BoolVar(&f.fix, "fix", false, "write the file of -known-failing as it is now; not with -run, -rule or -failed")
	set.BoolVar(&f.isolate, "isolate", false, "run each node in a process of its own")
	set.IntVar(&f.workers, "workers", 2, "how many ports run at the same time")
	set.DurationVar(&f.answer, "answer", 5*time.Second, "how long a port may take for a reply; for the first one, 30s")
	set.DurationVar(&f.limit, "limit", 2*time.Minute, "how long a case may take")
	set.IntVar(&f.last, "last", 10, "how many requests before a failure are shown")
	set.StringVar(&f.dump, "dump", "", "write all requests of each case that fails to a file of this `directory`, which bullytest replay takes")
	set.StringVar(&f.json, "json", "", "write the results to this `file`, which -failed and bullytest report read")
	set.StringVar(&f.junit, "junit", "", "write the results to this `file`, as JUnit XML")
	set.StringVar(&f.html, "html", "", "write the results to this `file`, as a page")
	set.StringVar(&f.certificate, "certificate", "", "write what level the port has reached to this `file`")
	set.StringVar(&f.badge, "badge", "", "write the same to this `file`, for shields.io")
	set.BoolVar(&f.keepGoing, "keep-going", false, "go on when many cases in a row end with the same error")
	set.BoolVar(&f.verbose, "v", false, "say what came of each case, good ones too")
}

// test puts a port through cases.
func test(ctx context.Context, p *program, args []string) error {
	set := p.flags("test")
	var f testFlags
	f.define(set)
	if err := parse(set, args); err != nil {
		return err
	}
	if set.NArg() == 0 {
		return wrong("say how the port is started: bullytest test [flags] -- python3 port.py")
	}
	if err := flagsFirst(set, args); err != nil {
		return err
	}
	if err := positive(set, "workers", "answer", "limit", "last"); err != nil {
		return err
	}
	partial := f.run != "" || f.rule != "" || f.failed != ""
	if f.fix && (f.known == "" || partial) {
		return wrong("-fix writes the file of -known-failing, and only after a run of all cases of a level: what was not run would be forgotten")
	}
	cases, known, err := f.choose()
	if err != nil {
		return err
	}
	files := []string{f.json, f.junit, f.html, f.certificate, f.badge}
	if f.fix {
		files = append(files, f.known)
	}
	if err := writable(files...); err != nil {
		return err
	}
	if f.dump != "" {
		if err := os.MkdirAll(f.dump, 0o755); err != nil {
			return wrong("the requests cannot be kept: %v", err)
		}
	}
	outlive(append(files, f.dump)...)
	r, err := f.put(ctx, p, cases, known, set.Args())
	if r != nil {
		err = cmp.Or(err, f.write(r))
	}
	if err != nil {
		return err
	}
	if f.fix {
		failing := r.Known()
		if err := failing.Write(f.known); err != nil {
			return err
		}
		fmt.Fprintf(p.out, "%s says now that %d cases fail.\n", f.known, failing.Len())
		return nil
	}
	if err := verdict(r); err != nil {
		return err
	}
	if !partial {
		next(p, r, f.level)
	}
	return nil
}

// next says which level is reached, and what comes after it.
func next(p *program, r *kit.Report, asked string) {
	c := certificate.Of(r, heldTo())
	all := levels()
	k := slices.IndexFunc(all, func(l level) bool { return l.name == c.Level })
	reached := "No level is reached: cases that fail, or are on a list of expected failures, do not count."
	if k >= 0 {
		reached = fmt.Sprintf("Level %s is reached.", c.Level)
		if !r.Changing() {
			reached += " " + r.Members()
		}
	}
	switch {
	case k >= 0 && k+1 == len(all):
		fmt.Fprintf(p.out, "%s There is none above it. -certificate FILE keeps it.\n", reached)
	case c.Level != asked:
		fmt.Fprintf(p.out, "%s For %s, all that is unsupported, or expected to fail, must pass.\n", reached, asked)
	default:
		l := all[k+1]
		fmt.Fprintf(p.out, "%s Next is %s: %s (%s).\n  bullytest test -level %s -- %s\n", reached, l.name, l.says, l.asks, l.name, strings.Join(r.Command, " "))
	}
}

// choose returns the cases that are to be run, and the failures that are expected.
func (f *testFlags) choose() ([]kit.Case, *kit.Known, error) {
	all, err := casesOf("")
	if err != nil {
		return nil, nil, err
	}
	cases, err := casesOf(f.level) // which is looked at though -run chooses from all
	if err != nil {
		return nil, nil, err
	}
	if f.run != "" {
		cases = all
	}
	if f.failed != "" {
		if cases, err = f.notPassed(all); err != nil {
			return nil, nil, err
		}
	}
	if cases, err = choose(cases, f.run, f.rule); err != nil {
		return nil, nil, err
	}
	if f.known == "" {
		return cases, nil, nil
	}
	known, err := kit.ReadKnown(f.known)
	if err != nil && !(f.fix && errors.Is(err, os.ErrNotExist)) {
		return nil, nil, &exit{exitUsage, err}
	}
	return cases, known, nil
}

// notPassed returns the cases, of any level, that have not passed in the results of an earlier run.
func (f *testFlags) notPassed(all []kit.Case) ([]kit.Case, error) {
	before, err := kit.ReadReport(f.failed)
	if err != nil {
		return nil, &exit{exitUsage, err}
	}
	ids := before.NotPassed()
	some := slices.DeleteFunc(slices.Clone(all), func(c kit.Case) bool { return !slices.Contains(ids, c.ID) })
	if len(some) == 0 {
		return nil, wrong("there is nothing to run again: of the %d cases in %s none has failed, or stayed undecided", len(before.Verdicts), f.failed)
	}
	return some, nil
}

// put runs the cases, and says what came of them. If the run was cut short, it says so, and what came until then.
func (f *testFlags) put(ctx context.Context, p *program, cases []kit.Case, known *kit.Known, command []string) (*kit.Report, error) {
	told := &telling{program: p, again: &kit.Report{Command: command, Flags: f.repeat(), Chosen: f.chosen()}, verbose: f.verbose,
		progress: progress{log: p.log, of: len(cases), now: time.Now}}
	options := kit.Options{
		Port:    port.Config{Command: command, Answer: f.answer, Isolate: f.isolate, Last: f.last},
		Workers: f.workers, Limit: f.limit, Known: known, Each: told.tell, Alone: 20, Dump: f.dump,
		Measure: f.run == "" && f.rule == "" && f.failed == "",
	}
	if !f.keepGoing && !f.fix {
		options.GiveUp = 20
	}
	r, err := kit.Run(ctx, cases, options)
	var not *kit.NotStarted
	if r == nil || len(r.Verdicts) == 0 || errors.As(err, &not) {
		switch {
		case ctx.Err() != nil:
			return nil, &exit{exitUndecided, errors.New("interrupted")}
		case errors.As(err, &not):
			return nil, &exit{exitNoPort, fmt.Errorf("%w\n  bullytest check -- %s says what is expected", err, strings.Join(command, " "))}
		}
		return nil, err
	}
	r.Command, r.Flags, r.Chosen = told.again.Command, told.again.Flags, told.again.Chosen
	all, stale := casesOf("")
	if stale != nil {
		return nil, stale
	}
	r.Stale = known.Stale(all)
	told.rest()
	for _, id := range r.Stale {
		fmt.Fprintf(p.out, "UNEXPECTED %s is on the list of expected failures, and is no case: take it off%s\n", id, kit.Alike(all, id))
	}
	if suspects := r.Suspects(); len(suspects) > 0 {
		fmt.Fprintf(p.out, "Most likely broken:\n")
		for _, s := range suspects[:min(3, len(suspects))] {
			fmt.Fprintf(p.out, "  %s\n", s)
		}
	}
	if f.verbose {
		fmt.Fprintf(p.out, "%s", r.RuleTable())
	}
	if says := r.StandardError(); says != "" {
		fmt.Fprintf(p.out, "%s\n", says)
	}
	fmt.Fprintf(p.out, "%s %s (%s), %s: %s; %s\n", r.Port.Name, r.Port.Version, r.Port.Language, f.what(), r.Summary(), r.Speed())
	return r, cutShort(ctx, err, len(cases)-len(r.Verdicts))
}

// cutShort says why a run was, and how to go on.
func cutShort(ctx context.Context, err error, left int) error {
	var up *kit.GivenUp
	switch {
	case errors.As(err, &up):
		return &exit{exitFailed, fmt.Errorf("%w\n  %d cases were not run; -keep-going runs them all", err, left)}
	case ctx.Err() != nil:
		return &exit{exitUndecided, fmt.Errorf("interrupted: %d cases were not run", left)}
	}
	return err
}

// what says in words which cases are run.
func (f *testFlags) what() string {
	var words []string
	switch {
	case f.run != "":
		words = append(words, f.run)
	case f.failed == "":
		words = append(words, f.level)
	}
	if f.rule != "" {
		words = append(words, "about "+f.rule)
	}
	if f.failed != "" {
		words = append(words, "what has not passed in "+f.failed)
	}
	if f.isolate {
		words = append(words, "each node in a process of its own")
	}
	return strings.Join(words, ", ")
}

// repeat returns the flags that a command needs that runs a case in the same way.
func (f *testFlags) repeat() (flags []string) {
	if f.isolate {
		flags = append(flags, "-isolate")
	}
	return flags
}

// chosen returns the flags that choose the same cases again.
func (f *testFlags) chosen() (flags []string) {
	for _, flag := range []struct{ name, value string }{{"-level", f.level}, {"-run", f.run}, {"-rule", f.rule}, {"-failed", f.failed}} {
		if flag.value != "" {
			flags = append(flags, flag.name, flag.value)
		}
	}
	return flags
}

// write writes the results where the flags say.
func (f *testFlags) write(r *kit.Report) error {
	if f.json != "" {
		if err := r.Write(f.json); err != nil {
			return err
		}
	}
	if f.certificate != "" || f.badge != "" {
		c := certificate.Of(r, heldTo())
		return errors.Join(to(f.junit, r.JUnit), to(f.html, r.HTML), to(f.certificate, bytesOf(c.JSON())), to(f.badge, bytesOf(c.Badge())))
	}
	return errors.Join(to(f.junit, r.JUnit), to(f.html, r.HTML))
}

// bytesOf returns what writes some bytes.
func bytesOf(text []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}
}

// to writes a file, unless its name is "".
func to(name string, write func(io.Writer) error) error {
	if name == "" {
		return nil
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

// verdict returns the exit status of a report.
func verdict(r *kit.Report) error {
	switch failed, undecided := r.Failed(); {
	case failed > 0:
		return &exit{exitFailed, errSaid}
	case undecided > 0:
		return &exit{exitUndecided, errSaid}
	case !slices.ContainsFunc(r.Verdicts, func(v kit.Verdict) bool { return v.Outcome == kit.Pass }):
		return &exit{exitUndecided, errors.New("no case has passed: nothing is known of the port")}
	}
	return nil
}
