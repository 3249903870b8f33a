// Command check binds the specification in TLA+ to the models in Go: it runs TLC on the
// configurations of models.json, then the Go explorer on the same, and compares what they find
// with the list and with each other, number by number. The make targets that begin with check
// call it; on its own it is run like this:
//
//	go run ./tla/check                        # the quick configurations
//	go run ./tla/check -run 'ClusterB.*' -v   # some, with counterexamples
//	go run ./tla/check -update -run MyNew     # measure, and write models.json
//	go run ./tla/check -traces traces/valid   # have TLC replay recorded traces
//
// It exits with 0 if everything is as it must be, 1 if anything is not, and 2 if it was called
// wrongly.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/tla"
	"github.com/seed-fdf591db/bully/tla/check/explorer"
	"github.com/seed-fdf591db/bully/tla/check/tlc"
	"github.com/seed-fdf591db/bully/tla/check/traces"
)

// The exit statuses.
const (
	exitOK       = 0
	exitMismatch = 1
	exitUsage    = 2
)

// options are the flags.
type options struct {
	deep, update, digest, separate, verbose, json bool
	bench, traces                                 bool
	files                                         []string // with traces
	pattern, expect, noTLC, dir, cache            string
	config, heap                                  string
	lanes, chunk                                  int
	limit                                         time.Duration
	speed, memory                                 float64
}

// app is one run of the command.
type app struct {
	options
	out, log io.Writer
	live     bool // log is a terminal
	filter   *regexp.Regexp
	open     func(explore.Configuration) (explore.Model, error) // nil but in tests
	begin    time.Time
	skipped  error // why TLC does not run; nil if it does
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	a := app{out: os.Stdout, log: os.Stderr, live: isTerminal(os.Stderr) && os.Getenv("CI") == ""}
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
		_, _ = fmt.Fprintf(a.log, "check: %v\n", err)
		if errors.Is(err, tlc.ErrNoJava) {
			_, _ = fmt.Fprintf(a.log, "To install Java: %s\n", tlc.InstallJava())
		}
		return exitMismatch
	}
	return exitOK
}

// parse reads the flags.
func (a *app) parse(args []string) error {
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	flags.SetOutput(a.log)
	flags.BoolVar(&a.deep, "deep", false, "run the deep configurations too")
	flags.StringVar(&a.pattern, "run", "", "run those whose name matches this `regexp`, quick or deep")
	flags.BoolVar(&a.update, "update", false, "measure, and write the counts to models.json")
	flags.StringVar(&a.expect, "expect", "", "with -update: the `property` that new configurations violate")
	flags.StringVar(&a.noTLC, "no-tlc", "", "with -update: new configurations are for the explorer alone; say `why`")
	flags.BoolVar(&a.digest, "digest", false, "with -update: take digests of the sets of states too")
	flags.BoolVar(&a.separate, "separate", false, "give each configuration a JVM of its own")
	flags.BoolVar(&a.verbose, "v", false, "print the counterexamples")
	flags.BoolVar(&a.json, "json", false, "print the results as JSON")
	flags.BoolVar(&a.bench, "bench", false, "measure TLC and the explorer on the same configuration")
	flags.BoolVar(&a.traces, "traces", false, "have TLC replay the recorded traces in the files and folders that are named")
	flags.IntVar(&a.chunk, "chunk", 1000, "with -traces: replay so many `events` in one go")
	flags.StringVar(&a.config, "config", benchConfiguration, "with -bench: the configuration's `name`")
	flags.StringVar(&a.heap, "heap", "", "with -bench: bound TLC's heap to this `size`, such as 128m; empty means Java's default")
	flags.Float64Var(&a.speed, "min-speed", 20, "with -bench: how many `times` faster the explorer must be")
	flags.Float64Var(&a.memory, "min-memory", 10, "with -bench: how many `times` less memory it must take")
	flags.IntVar(&a.lanes, "lanes", runtime.NumCPU(), "run this many configurations at a time")
	flags.DurationVar(&a.limit, "limit", 0, "stop a configuration after this long; 0 means ten minutes or more")
	flags.StringVar(&a.dir, "dir", "", "the `folder` of the modules; empty means tla/ of this module")
	flags.StringVar(&a.cache, "cache", "", "the `folder` that keeps the jar; empty means .cache/ beside tla/")
	if err := flags.Parse(args); err != nil {
		return err
	}
	err := a.consistent(flags)
	if err != nil {
		_, _ = fmt.Fprintf(a.log, "check: %v\n", err)
	}
	return err
}

// consistent refuses flags that make no sense, and fills in the folders.
func (a *app) consistent(flags *flag.FlagSet) error {
	modes := 0
	for _, mode := range []bool{a.update, a.bench, a.traces} {
		if mode {
			modes++
		}
	}
	switch {
	case a.traces && flags.NArg() == 0:
		return errors.New("-traces needs files of traces, or folders of them: no trace would be checked")
	case !a.traces && flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case modes > 1:
		return errors.New("-update, -bench and -traces exclude each other")
	case (a.expect != "" || a.noTLC != "" || a.digest) && !a.update:
		return errors.New("-expect, -no-tlc and -digest need -update")
	case a.chunk < 1 || a.chunk > traces.MaxChunk:
		return fmt.Errorf("-chunk is %d, but must be from 1 to %d", a.chunk, traces.MaxChunk)
	case a.lanes < 1:
		return fmt.Errorf("-lanes is %d, but must be at least 1", a.lanes)
	}
	a.files = flags.Args()
	var err error
	if a.filter, err = regexp.Compile(a.pattern); err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	if a.dir == "" {
		if a.dir, err = modules(); err != nil {
			return err
		}
	}
	if a.dir, err = filepath.Abs(a.dir); err != nil {
		return err
	}
	if a.cache == "" {
		a.cache = filepath.Join(filepath.Dir(a.dir), ".cache")
	}
	a.cache, err = filepath.Abs(a.cache)
	return err
}

// act does what the flags ask for.
func (a *app) act(ctx context.Context) error {
	switch {
	case a.update:
		return a.rewrite(ctx)
	case a.bench:
		return a.compareSpeed(ctx)
	case a.traces:
		return a.checkTraces(ctx)
	}
	return a.check(ctx)
}

// modules returns the folder tla/ at or above the working directory.
func modules() (string, error) {
	at, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		dir := filepath.Join(at, "tla")
		if _, err := os.Stat(filepath.Join(dir, tla.ListFile)); err == nil {
			return dir, nil
		}
		if filepath.Dir(at) == at {
			return "", fmt.Errorf("there is no tla/%s here or above: go to the project, or use -dir", tla.ListFile)
		}
		at = filepath.Dir(at)
	}
}

// selected returns the entries that the flags ask for, each to be compared. None at all is an error.
func (a *app) selected(entries []tla.Entry) ([]comparison, error) {
	var chosen []comparison
	for _, e := range entries {
		if a.filter.MatchString(e.Name) && (e.Effort == tla.Quick || a.deep || a.pattern != "") {
			deferred := e.TLCEffort == tla.Deep && !a.deep && a.pattern == ""
			chosen = append(chosen, comparison{entry: e, deferred: deferred})
		}
	}
	if len(chosen) == 0 && a.pattern != "" {
		return nil, fmt.Errorf("-run %q matches none of the %d configurations", a.pattern, len(entries))
	}
	if len(chosen) == 0 {
		return nil, errors.New("no configuration is quick: nothing would be checked")
	}
	return chosen, nil
}

// runner gets Java and TLC ready. The caller calls clean when it has done.
func (a *app) runner(ctx context.Context) (r tlc.Runner, clean func(), err error) {
	r = tlc.Runner{Dir: a.dir, Lanes: a.lanes, Limit: a.limit}
	if r.Java, err = tlc.Java(ctx); err != nil {
		return r, nil, err
	}
	if r.Jar, err = tlc.Jar(ctx, os.Getenv("TLC_JAR"), a.cache, a.log); err != nil {
		return r, nil, err
	}
	if !a.separate {
		if r.Classes, err = tlc.Driver(ctx, r.Java, a.cache, a.log); err != nil {
			return r, nil, err
		}
	}
	if r.Scratch, err = os.MkdirTemp("", "bully-check-"); err != nil {
		return r, nil, err
	}
	return r, func() { _ = os.RemoveAll(r.Scratch) }, nil
}

// comparison is one configuration, and what came of it.
type comparison struct {
	entry       tla.Entry
	deferred    bool              // TLC runs it in make check-deep only
	tlc         *tlc.Outcome      // nil if TLC does not run it
	explorer    *explorer.Outcome // nil if the explorer does not run it
	differences []string
}

// byTLC reports whether TLC is to run c, if it runs at all.
func (c comparison) byTLC() bool { return c.entry.TLC && !c.deferred }

// check runs TLC and the explorer, and compares. Without Java it runs the explorer alone, unless
// the environment asks for TLC.
func (a *app) check(ctx context.Context) error {
	entries, err := tla.Load(os.DirFS(a.dir))
	if err != nil {
		return err
	}
	all, err := a.selected(entries)
	if err != nil {
		return err
	}
	times, err := a.runBoth(ctx, all)
	if err != nil {
		return err
	}
	for i := range all {
		all[i].differences = compare(all[i])
	}
	return a.conclude(all, times)
}

// mayGoWithout reports whether a check without TLC will do. It will not where counts are to be
// written, nor where the environment says so: CI, which build servers set, or TLC.
func (a *app) mayGoWithout(variable func(string) string) bool {
	wanted := func(name string) bool {
		return !slices.Contains([]string{"", "no", "false", "0"}, variable(name))
	}
	return !a.update && !wanted("CI") && !wanted("TLC")
}

// isTerminal reports whether f is one.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
