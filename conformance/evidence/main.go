// Command evidence keeps what the slow checks have said last, each in a small file beside this one, with a digest of what it was said of:
//
//	go run ./conformance/evidence                        # what is kept, and whether it is of what is here
//	go run ./conformance/evidence -run prove,check-deep  # runs these, and keeps what they say; -run all runs all
//	go run ./conformance/evidence -page                  # writes the table of conformance/evidence/README.md
//
// make evidence runs all; make evidence OF=prove one. A run that fails is not kept. What is kept becomes stale when one of its inputs
// changes: that is shown, and is no error. A file that is not as it was written is one.
//
// It exits with 0, or with 1 if a run or a file is not as it must be, and with 2 if it was called wrongly.
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
)

// The exit statuses.
const (
	exitOK    = 0
	exitWrong = 1
	exitUsage = 2
)

// app is one run of the command.
type app struct {
	root      string
	out, log  io.Writer
	make      func(ctx context.Context, words ...string) (string, error)
	variables map[string][]string // what make is told besides, by the name of the command
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	a := &app{root: ".", out: os.Stdout, log: os.Stderr, variables: map[string][]string{}}
	a.make = a.runMake
	os.Exit(a.main(ctx, os.Args[1:]))
}

func (a *app) main(ctx context.Context, args []string) int {
	flags := flag.NewFlagSet("evidence", flag.ContinueOnError)
	flags.SetOutput(a.log)
	run := flags.String("run", "", "run these commands, or all, and keep what they say: "+strings.Join(names(), ","))
	soak := flags.Int("soak", 20, "how long make soak is to run: its SOAK")
	page := flags.Bool("page", false, "write the table of "+readme)
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return exitOK
	} else if err != nil || flags.NArg() > 0 || *soak < 1 {
		_, _ = fmt.Fprintln(a.log, "evidence: go run ./conformance/evidence [-run all | -run NAME,NAME] [-soak N] [-page], at the top of the repository; N is 1 or more")
		return exitUsage
	}
	todo, err := chosen(*run)
	if err != nil {
		_, _ = fmt.Fprintf(a.log, "evidence: %v\n", err)
		return exitUsage
	}
	a.variables["soak"] = []string{fmt.Sprintf("SOAK=%d", *soak)}
	if err := a.do(ctx, todo, *page); err != nil {
		_, _ = fmt.Fprintf(a.log, "evidence: %v\n", err)
		return exitWrong
	}
	return exitOK
}

// chosen returns the commands of a list of names.
func chosen(list string) (todo []*command, err error) {
	if list == "all" {
		return commands, nil
	}
	for name := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		c, err := find(name)
		if err != nil {
			return nil, err
		}
		todo = append(todo, c)
	}
	return todo, nil
}

// do runs what is to be run, each that ends well is kept, and says what is kept now.
func (a *app) do(ctx context.Context, todo []*command, page bool) error {
	root, err := filepath.Abs(a.root)
	if err != nil {
		return err
	}
	a.root = root
	var failed error
	for _, c := range todo {
		failed = errors.Join(failed, a.keep(ctx, c))
	}
	all, err := readAll(os.DirFS(a.root))
	if err != nil {
		return errors.Join(failed, err)
	}
	if page || len(todo) > 0 {
		failed = errors.Join(failed, a.writePage(all))
	}
	for _, s := range all {
		_, _ = fmt.Fprintf(a.out, "%-13s  %s\n", s.name, strings.Trim(s.age(), "*"))
	}
	return failed
}

func (a *app) writePage(all []status) error {
	name := filepath.Join(a.root, readme)
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	text, err := written(string(old), all)
	if err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}
