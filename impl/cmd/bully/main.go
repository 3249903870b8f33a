// Command bully is the tool of this project. Each of its subcommands does one thing:
//
//	bully check                      # explore the configurations of the specification
//	bully check -config ClusterStar  # one of them, with its counterexample if it has one
//	bully help check
//
// It exits with 0 if all is well, 1 if something is not as it must be, and 2 if it was called
// wrongly.
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
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/seed-fdf591db/bully/tla"
)

// The exit statuses.
const (
	exitOK       = 0
	exitMismatch = 1
	exitUsage    = 2
)

// command is a subcommand. Each has a file of its own.
type command struct {
	name    string
	summary string
	run     func(ctx context.Context, p program, args []string) error
}

// commands returns all subcommands, in the order of help.
func commands() []command {
	return []command{
		{"check", "explore the configurations of the specification, and compare with its list", check},
		{"help", "say how to use a command", help},
		{"version", "print the version", version},
	}
}

// program is what a subcommand has of the world around it.
type program struct {
	out, log io.Writer
	live     bool  // log is a terminal
	files    fs.FS // the configurations, and models.json; see tla.FS
}

// usageError says that the program was called wrongly.
type usageError struct{ message string }

// Error implements error.
func (e usageError) Error() string { return e.message }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	info, err := os.Stderr.Stat()
	live := err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("CI") == ""
	status := program{out: os.Stdout, log: os.Stderr, live: live, files: tla.FS()}.main(ctx, os.Args[1:])
	stop()
	os.Exit(status)
}

// main runs the subcommand that args name.
func (p program) main(ctx context.Context, args []string) int {
	if len(args) == 0 {
		args = []string{"help"}
	}
	if slices.Contains([]string{"-h", "-help", "--help"}, args[0]) {
		args[0] = "help"
	}
	i := slices.IndexFunc(commands(), func(c command) bool { return c.name == args[0] })
	if i < 0 {
		_, _ = fmt.Fprintf(p.log, "bully: unknown command %q%s\n", args[0], suggest(args[0], names()))
		return exitUsage
	}
	err := commands()[i].run(ctx, p, args[1:])
	var usage usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitOK
	case ctx.Err() != nil:
		err = errors.New("interrupted")
	}
	_, _ = fmt.Fprintf(p.log, "bully %s: %v\n", args[0], err)
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitMismatch
}

// names returns the names of all subcommands.
func names() []string {
	var all []string
	for _, c := range commands() {
		all = append(all, c.name)
	}
	return all
}

// flagSet returns the flags of a subcommand, still empty.
func (p program) flagSet(name string) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // parse says it better.
	return flags
}

// parse reads the flags of a subcommand that takes no further arguments.
func (p program) parse(flags *flag.FlagSet, args []string) error {
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		_, _ = fmt.Fprintf(p.out, "Usage: bully %s [flags]\n", flags.Name())
		flags.SetOutput(p.out)
		flags.PrintDefaults()
		return err
	case err == nil && flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if err != nil {
		return usageError{fmt.Sprintf("%v (\"bully help %s\" lists the flags)", err, flags.Name())}
	}
	return nil
}

// help prints all subcommands, or the flags of one.
func help(ctx context.Context, p program, args []string) error {
	if len(args) > 0 && args[0] != "help" {
		i := slices.IndexFunc(commands(), func(c command) bool { return c.name == args[0] })
		if i < 0 {
			return usageError{fmt.Sprintf("unknown command %q%s", args[0], suggest(args[0], names()))}
		}
		return commands()[i].run(ctx, p, []string{"-help"})
	}
	_, _ = fmt.Fprint(p.out, "Bully elects a leader among a fixed set of nodes, with epochs that fence off old leaders.\n\n"+
		"Usage: bully COMMAND [flags]\n\n")
	for _, c := range commands() {
		_, _ = fmt.Fprintf(p.out, "  %-9s %s\n", c.name, c.summary)
	}
	_, err := fmt.Fprint(p.out, "\n\"bully help COMMAND\" lists the flags of a command.\n")
	return err
}

// version prints what this program was built from.
func version(_ context.Context, p program, args []string) error {
	flags := p.flagSet("version")
	if err := p.parse(flags, args); err != nil {
		return err
	}
	text := "bully, version unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		text = "bully " + strings.Trim(info.Main.Version, "()") + ", built with " + info.GoVersion
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				text += ", from " + s.Value
			}
		}
	}
	_, err := fmt.Fprintln(p.out, text)
	return err
}
