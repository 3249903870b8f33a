// Command runtests runs the tests of this repository for make test. It runs several calls of go test, some of them side
// by side, and says at the end what failed, how long each stage took, which tests were slowest, and which were skipped
// for want of a tool, with the command that installs it.
//
//	runtests -beside "processes: -p 4 ./impl/cmd/bully" -then "plain: ./spec ./impl/host" -then "race: -race ./impl/host"
//
// Stages that -beside names begin at once, at the priority of runtests. Stages that -then names run one after the other,
// at a lower priority: they compute, and the others mostly wait. -alone names stages that run at the end, with nothing
// beside them. Status 1 says that a test failed, 2 that runtests was called wrongly.
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
	"strings"
	"sync"
	"syscall"
	"time"
)

// plan is what runtests is told to do.
type plan struct {
	beside, then, alone stages
	keep                string // a file for the slowest tests, "" for none
	missing             string // tools that this machine lacks and that no test speaks of: "gcc"
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var p plan
	flags := flag.NewFlagSet("runtests", flag.ContinueOnError)
	flags.Var(&p.beside, "beside", "a stage that runs beside the others: `NAME: ARGUMENTS of go test`")
	flags.Var(&p.then, "then", "a stage that runs after the one before it: `NAME: ARGUMENTS of go test`")
	flags.Var(&p.alone, "alone", "a stage that runs at the end, alone: `NAME: ARGUMENTS of go test`")
	flags.StringVar(&p.keep, "keep", "", "write the slowest tests to this `FILE`")
	flags.StringVar(&p.missing, "missing", "", "`TOOL`s, with commas between them, that this machine lacks")
	if err := flags.Parse(os.Args[1:]); err != nil {
		os.Exit(2)
	}
	if err := p.check(flags.Args()); err != nil {
		fmt.Fprintf(os.Stderr, "runtests: %v\n", err)
		os.Exit(2)
	}
	r := p.run(ctx, os.Stdout)
	if err := errors.Join(ctx.Err(), r.print(os.Stdout), p.keepSlowest(r)); err != nil {
		fmt.Fprintf(os.Stderr, "\n%v\n", err)
		os.Exit(1)
	}
}

// check returns what is wrong with the command line.
func (p *plan) check(rest []string) error {
	if len(rest) > 0 {
		return fmt.Errorf("unexpected argument %q: every stage is given by a flag", rest[0])
	}
	if len(p.beside)+len(p.then)+len(p.alone) == 0 {
		return errors.New("no stage is given: use -beside, -then or -alone")
	}
	return nil
}

// run runs all stages, and prints each package as it ends.
func (p *plan) run(ctx context.Context, out io.Writer) *report {
	r := newReport(out)
	for tool := range strings.SplitSeq(p.missing, ",") {
		r.lacks(tool)
	}
	var group sync.WaitGroup
	for _, s := range p.beside {
		group.Go(func() { r.add(s.run(ctx, r, false)) })
	}
	for _, s := range p.then {
		r.add(s.run(ctx, r, true))
	}
	group.Wait()
	for _, s := range p.alone {
		r.add(s.run(ctx, r, false))
	}
	return r
}

// keepSlowest writes the slowest tests where another program gathers those of several runs.
func (p *plan) keepSlowest(r *report) error {
	if p.keep == "" {
		return nil
	}
	var text strings.Builder
	for _, t := range r.slowest() {
		fmt.Fprintln(&text, t)
	}
	if err := os.MkdirAll(filepath.Dir(p.keep), 0o755); err != nil {
		return err
	}
	return os.WriteFile(p.keep, []byte(text.String()), 0o644)
}

// seconds rounds a duration for a table.
func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
