// Command bullytest says whether a program in any language is the protocol of this repository. conformance/CERTIFYING.md says what
// a port is, and what it reads and writes.
//
//	bullytest new -lang python mine       # a skeleton: it answers hello, and fails
//	bullytest check -- python3 port.py    # does it speak? and the first few cases, with explanations
//	bullytest test -- python3 port.py     # all cases
//	bullytest test -run 'R17-*' -- …      # some of them
//	bullytest explain R17                 # the rule, and its cases
//	bullytest stdin R17-grants | python3 -m pdb port.py   # a case by hand
//	bullytest help test
//
// It exits with 0 if all is well, 1 if something has failed, 2 if something stayed undecided, 3 if it was called
// wrongly or nothing was selected, and 4 if the port did not start.
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
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/vectors"
)

// The exit statuses.
const (
	exitOK        = 0
	exitFailed    = 1
	exitUndecided = 2
	exitUsage     = 3
	exitNoPort    = 4
)

// command is a subcommand. Each has a file of its own.
type command struct {
	name    string
	args    string // what follows the name, as help says it
	summary string
	run     func(ctx context.Context, p *program, args []string) error
}

// commands returns all subcommands, in the order of help.
func commands() []command {
	return []command{
		{"new", "-lang python|javascript|rust|go|other DIR", "write a skeleton of a port, to begin with", newPort},
		{"check", "-- CMD…", "ask a port who it is, and a few cases, with explanations", check},
		{"test", "[flags] -- CMD…", "put a port through the cases of a level", test},
		{"sim", "[-seeds A-B] [-profile P] [-nodes N] -- CMD…", "put a port through runs of the simulator, one a seed", simulate},
		{"replay", "FILE -- CMD…", "put a port through a plan, a script, a vector or requests once more", replay},
		{"shrink", "FILE -- CMD…", "make a plan or a script that a port fails as simple as it can be", shrink},
		{"list", "[-json] [-run GLOB] [-rule R12]", "list the cases", list},
		{"explain", "R12 | CASE", "say what a rule says and which cases are about it, or what a case is", explain},
		{"stdin", "[-replies] CASE", "write the requests of a case, to pipe into a port by hand", stdin},
		{"vectors", "DIR", "write all vectors, a file each, and their manifest", writeVectors},
		{"report", "-html|-junit|-json|-text RESULTS", "write the results of a run in another form", report},
		{"matrix", "[-html FILE] RESULTS…", "show the results of several ports beside each other", matrix},
		{"releases", "[-html FILE] CERTIFICATES…", "show what the releases of one port have passed, by suite and by rule", releases},
		{"selftest", "[-run GLOB]", "break the port in Python in many ways: each must be refused", selfTest},
		{"version", "", "say which kit this is, of which specification, and the digest of its vectors", version},
		{"help", "[COMMAND]", "say how to use a command", help},
	}
}

// program is what a subcommand has of the world around it.
type program struct {
	out, log io.Writer
}

// exit is an error with an exit status.
type exit struct {
	status int
	err    error
}

func (e *exit) Error() string { return e.err.Error() }
func (e *exit) Unwrap() error { return e.err }

// wrong is an error of whoever called the command.
func wrong(format string, args ...any) error {
	return &exit{exitUsage, fmt.Errorf(format, args...)}
}

// errSaid says that a status is to be returned, and that all has been said.
var errSaid = errors.New("all has been said")

func main() {
	debug.SetGCPercent(600) // little of what is read from ports is kept: to collect it more rarely saves a tenth of a run
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the second interrupt ends it at once
	os.Exit(run(ctx, &program{plain{os.Stdout}, plain{os.Stderr}}, os.Args[1:]))
}

// run runs a subcommand, and returns the exit status.
func run(ctx context.Context, p *program, args []string) int {
	if len(args) == 0 {
		_ = help(ctx, p, nil)
		return exitUsage
	}
	name := strings.TrimLeft(args[0], "-")
	if name == "h" {
		name = "help"
	}
	all := commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.name == name })
	if i < 0 {
		fmt.Fprintf(p.log, "bullytest: there is no command %q; bullytest help shows which there are\n", args[0])
		return exitUsage
	}
	err := all[i].run(ctx, p, args[1:])
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	status := exitFailed
	var e *exit
	if errors.As(err, &e) {
		status = e.status
	}
	if !errors.Is(err, errSaid) {
		fmt.Fprintf(p.log, "bullytest %s: %v\n", name, err)
	}
	return status
}

// flags returns a set of flags of a subcommand, whose help has its line of the table.
func (p *program) flags(name string) *flag.FlagSet {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(p.log)
	set.Usage = func() {
		for _, c := range commands() {
			if c.name == name {
				fmt.Fprintf(p.log, "bullytest %s %s\n  %s\n", c.name, c.args, c.summary)
			}
		}
		set.PrintDefaults()
	}
	return set
}

// parse reads the flags of a subcommand.
func parse(set *flag.FlagSet, args []string) error {
	if err := set.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return &exit{exitUsage, errSaid} // the set has said it
	}
	return nil
}

// mostWorkers is how many ports run at the same time, at most: each is a program.
const mostWorkers = 64

// positive refuses numbers and times of these flags that are not above 0, and too many workers.
func positive(set *flag.FlagSet, names ...string) error {
	for _, name := range names {
		switch value := set.Lookup(name).Value.(flag.Getter).Get().(type) {
		case int:
			if value < 1 {
				return wrong("-%s %d: give a number above 0", name, value)
			}
			if name == "workers" && value > mostWorkers {
				return wrong("-workers %d: each is a program that runs; give %d at most", value, mostWorkers)
			}
		case time.Duration:
			if value <= 0 {
				return wrong("-%s %s: give a time above 0, such as 5s", name, value)
			}
		}
	}
	return nil
}

// version says which kit this is.
func version(_ context.Context, p *program, args []string) error {
	set := p.flags("version")
	if err := parse(set, args); err != nil {
		return err
	}
	fmt.Fprintf(p.out, "bullytest %s, specification %s, vectors %s\n", kit.Version, kit.Spec, vectors.Digest())
	return nil
}

// help says how to use a command, or which there are.
func help(ctx context.Context, p *program, args []string) error {
	if len(args) > 0 && args[0] != "help" {
		if !slices.ContainsFunc(commands(), func(c command) bool { return c.name == args[0] }) {
			return wrong("there is no command %q", args[0])
		}
		run(ctx, p, []string{args[0], "-h"})
		return nil
	}
	fmt.Fprintf(p.out, "bullytest says whether a program in any language is the protocol: see conformance/CERTIFYING.md.\n\n")
	for _, c := range commands() {
		fmt.Fprintf(p.out, "  bullytest %s %s\n        %s\n", c.name, c.args, c.summary)
	}
	fmt.Fprintf(p.out, "\nThe way of a port: new, check until all is ok, then test, test -level silver, test -level gold. For a failure:\n"+
		"explain RULE, explain CASE, and stdin CASE | your port, under a debugger. The levels are\n\n")
	for _, l := range levels() {
		fmt.Fprintf(p.out, "  %-7s %s (%s)\n", l.name, l.says, l.asks)
	}
	fmt.Fprintf(p.out, "\nIt exits with 0 if all is well, 1 if something has failed, 2 if something stayed undecided,\n"+
		"3 if it was called wrongly or nothing was selected, and 4 if the port did not start.\n")
	return nil
}

// flagsFirst refuses flags of a command that stand behind how the port is started: the port would be given them, and the command not.
// What follows -- is the port's, whatever it is.
func flagsFirst(set *flag.FlagSet, args []string) error {
	rest := set.Args()
	if before := len(args) - len(rest); before > 0 && args[before-1] == "--" {
		return nil
	}
	for _, arg := range rest {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch {
		case arg == "--":
			return nil
		case strings.HasPrefix(arg, "-") && set.Lookup(name) != nil:
			return wrong("%s stands behind the port, which would be given it: put the flags first, and -- before the port: bullytest %s %s … -- %s", arg, set.Name(), arg, rest[0])
		}
	}
	return nil
}

// writable reports which of these files cannot be written, before an hour's work is lost. "" is none.
func writable(names ...string) error {
	for _, name := range names {
		if name == "" {
			continue
		}
		_, err := os.Stat(name)
		isNew := errors.Is(err, fs.ErrNotExist)
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o644)
		if err != nil {
			return wrong("%s cannot be written, and nothing was run: %v", filepath.Base(name), err)
		}
		if err = file.Close(); err == nil && isNew {
			err = os.Remove(name)
		}
		if err != nil {
			return wrong("%v", err)
		}
	}
	return nil
}

// outlive lets a run go on when nobody reads its output any more (… | head), so that the files are written that it was asked for. What it
// starts is not touched by that.
func outlive(names ...string) {
	if strings.Join(names, "") != "" {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	}
}

// choose returns the cases that globs and a rule choose; the error says of a rule that no case is about why that is so.
func choose(cases []kit.Case, globs, rule string) ([]kit.Case, error) {
	rule = strings.ToUpper(rule)
	some, err := kit.Select(cases, globs, rule)
	if err == nil {
		return some, nil
	}
	if parts, why := vectors.Unshown(rule); rule != "" && len(parts) > 0 {
		err = fmt.Errorf("%w\n  no level asks %s: %s", err, parts[0], why[0])
	}
	return nil, &exit{exitUsage, err}
}

// plain is a writer to a terminal: what a port says comes through it, and must not move the cursor, or worse.
type plain struct{ to io.Writer }

// Write writes control characters as \x1b, but for line feeds and tabs.
func (p plain) Write(text []byte) (int, error) {
	var b strings.Builder
	for _, c := range string(text) {
		if unicode.IsControl(c) && c != '\n' && c != '\t' {
			fmt.Fprintf(&b, `\x%02x`, c)
		} else {
			b.WriteRune(c)
		}
	}
	_, err := io.WriteString(p.to, b.String())
	return len(text), err
}
