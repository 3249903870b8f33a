// Command mutants shows that the tests see what they are there to see. It breaks the source in a known way, one mutant
// at a time, and runs the tests: the mutant is killed if a test fails. Nothing in the tree changes: the go command is
// told to read one file from elsewhere (-overlay). The table of mutants is in the files of table/; make mutants calls
// the command, and on its own it is run like this:
//
//	go run ./conformance/mutants                          # all of the table, and a sample of what is generated: in less than half an hour, on two cores
//	go run ./conformance/mutants -run 'grant' -v          # some, with their diffs and what the tests say
//	go run ./conformance/mutants -update                  # all, and writes conformance/mutants/TABLE.md
//	go run ./conformance/mutants -update -missing         # those that this table lacks; its other rows stay
//	go run ./conformance/mutants -generate ./impl/...     # mutants that nobody has thought of: 12 of each package
//
// What -generate finds alive is a hole in the tests of its own package, or changes nothing that anybody could see: then it belongs into
// a list in conformance/mutants/harmless, with the reason. How many a whole run tries says sample.txt.
//
// Package conformance/mutants/table says how a mutant is written. What takes much longer than the same tests without it is no verdict:
// a mutant that only time tells of says so itself (hangs yes).
//
// It exits with 0 if every mutant is killed, 1 if one survives, or is stale, or does not build, or if there is none, and
// 2 if it was called wrongly.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// The exit statuses.
const (
	exitOK       = 0
	exitSurvivor = 1
	exitUsage    = 2
)

// options are the flags.
type options struct {
	pattern, generate                    string
	update, missing, json, verbose, list bool
	jobs, each                           int
	limit                                time.Duration
}

// app is one run of the command.
type app struct {
	options
	root     string // of the module whose tests are run
	folder   string // that holds table/
	page     string // that -update writes to
	out, log io.Writer
	filter   *regexp.Regexp
	begin    time.Time
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	a := app{out: os.Stdout, log: os.Stderr}
	status := a.main(ctx, os.Args[1:])
	stop()
	os.Exit(status)
}

// main is the command without the process around it.
func (a *app) main(ctx context.Context, args []string) int {
	a.begin = time.Now()
	if err := a.parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return exitOK
		}
		return exitUsage
	}
	if err := a.act(ctx); err != nil {
		if ctx.Err() != nil {
			err = errors.New("interrupted")
		}
		_, _ = fmt.Fprintf(a.log, "mutants: %v\n", err)
		return exitSurvivor
	}
	return exitOK
}

// parse reads the flags, and finds the module.
func (a *app) parse(args []string) error {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.SetOutput(a.log)
	flags.StringVar(&a.pattern, "run", "", "run those mutants whose name matches this `regexp`")
	flags.BoolVar(&a.list, "list", false, "print the mutants as diffs, and run nothing")
	flags.BoolVar(&a.missing, "missing", false, "run those mutants that conformance/mutants/TABLE.md lacks")
	flags.BoolVar(&a.update, "update", false, "write what was killed into this table: rows of mutants that were not run stay")
	flags.StringVar(&a.generate, "generate", "", "try mutants that are generated of these `packages`, divided by commas, instead of the table: each by the tests of its package")
	flags.IntVar(&a.each, "each", 12, "with -generate, try this many mutants of each package, or all if it is 0")
	flags.BoolVar(&a.json, "json", false, "print the results as JSON")
	flags.BoolVar(&a.verbose, "v", false, "print the diff of each mutant, and what the tests say")
	flags.IntVar(&a.jobs, "jobs", 2*runtime.NumCPU(), "try this many mutants at a time: most tests wait more than they work")
	flags.DurationVar(&a.limit, "limit", 2*time.Minute, "stop the tests of one package after this long, or ten times what they take without mutants, if that is more: longer than a test waits")
	if err := flags.Parse(args); err != nil {
		return err
	}
	err := a.consistent(flags)
	if err != nil {
		_, _ = fmt.Fprintf(a.log, "mutants: %v\n", err)
	}
	return err
}

// consistent reports flags that do not go together, and fills in what follows from them.
func (a *app) consistent(flags *flag.FlagSet) (err error) {
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q: name mutants with -run", flags.Arg(0))
	case a.jobs < 1:
		return fmt.Errorf("-jobs %d: give at least 1", a.jobs)
	case a.limit < time.Second:
		return fmt.Errorf("-limit %v: give at least 1s", a.limit)
	case a.generate != "" && (a.update || a.missing):
		return errors.New("-generate has no table: leave out -update and -missing")
	case a.each < 0:
		return fmt.Errorf("-each %d: give at least 1, or 0 for all", a.each)
	case a.update && a.list:
		return errors.New("-list runs nothing: leave out -update")
	}
	if a.filter, err = regexp.Compile(a.pattern); err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	if a.root == "" {
		a.root, err = moduleRoot(".")
	}
	if a.folder == "" {
		a.folder = filepath.Join(a.root, "conformance", "mutants")
	}
	if a.page == "" {
		a.page = filepath.Join(a.root, "conformance", "mutants", "TABLE.md")
	}
	return err
}

// moduleRoot returns the nearest folder at or above dir that holds a go.mod.
func moduleRoot(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("there is no go.mod here or above: run it in the module whose tests it is to try")
		}
		dir = filepath.Dir(dir)
	}
}

// chosen returns the mutants that -run names, and of these only what TABLE.md lacks if -missing is given. They know what killed
// them last.
func (a *app) chosen(all []*mutant) (some []*mutant, err error) {
	listed, err := readRows(a.page)
	if err != nil && (a.missing || !errors.Is(err, fs.ErrNotExist)) {
		return nil, err
	}
	remember(all, listed)
	for _, m := range all {
		if _, there := listed[m.Name]; !(there && a.missing) && a.filter.MatchString(m.Name) {
			some = append(some, m)
		}
	}
	switch {
	case len(some) > 0:
		return some, nil
	case a.missing:
		return nil, fmt.Errorf("no mutant of %d that matches %q is missing in TABLE.md: nothing was tried", len(all), a.pattern)
	}
	return nil, fmt.Errorf("no mutant of %d matches %q: nothing was tried", len(all), a.pattern)
}

// act tries the mutants of the table, or generated ones, or some of both.
func (a *app) act(ctx context.Context) error {
	var all, some []*mutant
	var samples []*sample
	sources, err := digest(os.DirFS(a.root))
	if err != nil {
		return err
	}
	if a.generate != "" {
		some, err = a.generated(ctx)
	} else if all, err = readTable(a.root, os.DirFS(filepath.Join(a.folder, "table"))); err == nil {
		some, err = a.chosen(all)
	}
	if err == nil && a.isWhole() {
		samples, err = a.samples(ctx)
		for _, s := range samples {
			some = append(some, s.mutants...)
		}
	}
	if err != nil {
		return err
	}
	if a.list {
		return a.show(some)
	}
	results, err := a.trial(some).everything(ctx)
	if err != nil {
		if a.update { // interrupted: what was killed is not lost
			results = slices.DeleteFunc(results, func(r *result) bool { return !r.isKilled() })
			err = errors.Join(err, updateTable(a.page, all, results))
		}
		return err
	}
	if err := a.report(results); err != nil {
		return err
	}
	wrong := verdict(results)
	if a.update {
		err = updateTable(a.page, all, results)
		if err == nil && a.isWhole() {
			w := wholeOf(results, samples)
			w.sources = sources
			err = w.update(a.page)
		}
	}
	return errors.Join(err, wrong)
}
