// Package cli is what programs of subcommands share: flags that explain themselves, suggestions for what was mistyped, progress, and the exit
// statuses.
//
//	p := cli.Program{Name: "bully", About: "Bully elects …", Commands: commands, Out: os.Stdout, Log: os.Stderr}
//	os.Exit(p.Main(ctx, os.Args[1:]))
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// The exit statuses.
const (
	OK       = 0
	Mismatch = 1 // something is not as it must be
	Misused  = 2 // the program was called wrongly
)

// Command is a subcommand.
type Command struct {
	Name, Summary string
	Run           func(ctx context.Context, p Program, args []string) error
	Foreign       bool // it prints what others have written
}

// Program is a program of subcommands, and what it has of the world around it.
type Program struct {
	Name     string
	About    string // what it is for, in a sentence
	Commands []Command
	Out, Log io.Writer
	Live     bool                // Log is a terminal
	Getenv   func(string) string // the environment; nil is an empty one
}

// UsageError says that the program was called wrongly.
type UsageError struct{ Message string }

// Error implements error.
func (e UsageError) Error() string { return e.Message }

// Usage returns a [UsageError].
func Usage(message string) error { return UsageError{Message: message} }

// ExitError ends the program with a status of its own, and says nothing.
type ExitError struct{ Status int }

// Error implements error.
func (e ExitError) Error() string { return fmt.Sprintf("the command ended with status %d", e.Status) }

// Start runs the program as the process that it is, and ends it. The context of its commands ends with SIGINT and SIGTERM.
func (p Program) Start() {
	ctx := untilSignal()
	info, err := os.Stderr.Stat()
	p.Live = err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("CI") == ""
	p.Out, p.Log, p.Getenv = os.Stdout, os.Stderr, os.Getenv
	os.Exit(p.Main(ctx, os.Args[1:]))
}

// To returns the program with other outputs.
func (p Program) To(out, log io.Writer) Program {
	p.Out, p.Log = out, log
	return p
}

// Main runs the subcommand that args name, and returns the exit status.
func (p Program) Main(ctx context.Context, args []string) int {
	if len(args) == 0 {
		args = []string{"help"}
	}
	name := args[0]
	if asksForHelp(name) {
		name = "help"
	}
	command := p.command(name)
	if command == nil {
		_, _ = fmt.Fprintf(Printable(p.Log), "%s: unknown command %q%s\n", p.Name, name, Suggest(name, p.names()))
		return Misused
	}
	if command.Foreign {
		p.Out, p.Log = Printable(p.Out), Printable(p.Log)
	}
	err := command.Run(ctx, p, args[1:])
	var usage UsageError
	var exit ExitError
	switch {
	case errors.As(err, &exit):
		return exit.Status
	case err == nil, errors.Is(err, flag.ErrHelp):
		return OK
	case ctx.Err() != nil:
		err = errors.New("interrupted")
	}
	p.sayLast(fmt.Sprintf("%s %s: %v\n", p.Name, name, err))
	if errors.As(err, &usage) {
		return Misused
	}
	return Mismatch
}

// asksForHelp reports whether a word is that which asks any program for help.
func asksForHelp(word string) bool { return slices.Contains([]string{"-h", "-help", "--help"}, word) }

// lastPatience is how long a program that ends waits for whoever reads what it says last.
const lastPatience = time.Second

// sayLast says why the program ends, unless nobody reads that.
func (p Program) sayLast(text string) {
	said := make(chan struct{})
	go func() {
		defer close(said)
		_, _ = io.WriteString(Printable(p.Log), text)
	}()
	within(lastPatience, said)
}

// looks is in how many parts a patience is: time in which the machine does not run this program at all costs one of them at most, however long it is. It is no
// reader's fault, and whoever says something needs a moment to do so after it.
const looks = 10

// within waits until something is done, but no longer than patience, and reports whether it is.
func within(patience time.Duration, done <-chan struct{}) bool {
	ticks := time.NewTicker(max(patience/looks, 1))
	defer ticks.Stop()
	return doneBefore(ticks.C, done)
}

// doneBefore waits for what is done, or for so many ticks.
func doneBefore(ticks <-chan time.Time, done <-chan struct{}) bool {
	for range looks {
		select {
		case <-done:
			return true
		case <-ticks:
		}
	}
	return false
}

// command returns the subcommand of a name, or nil. Every program has help and version.
func (p *Program) command(name string) *Command {
	all := p.all()
	if i := slices.IndexFunc(all, func(c Command) bool { return c.Name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// names returns the names of all subcommands.
func (p *Program) names() (names []string) {
	for _, c := range p.all() {
		names = append(names, c.Name)
	}
	return names
}
