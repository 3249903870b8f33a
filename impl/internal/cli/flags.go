package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// Flags returns the flags of a subcommand, still empty.
func (p Program) Flags(name string) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // ParseSome says it better.
	return flags
}

// Parse reads the flags of a subcommand that takes no further arguments.
func (p Program) Parse(flags *flag.FlagSet, args []string) error {
	if err := p.ParseSome(flags, args, Manual{}); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return Usage(fmt.Sprintf("unexpected argument %q (%s)", flags.Arg(0), p.lists(flags)))
	}
	return nil
}

// Manual is what help says of a subcommand besides its flags.
type Manual struct {
	Arguments string // what comes after the flags, with a space before
	Text      string // what there is to know; ends with an empty line
}

// ParseSome reads the flags of a subcommand, and leaves further arguments to it.
func (p Program) ParseSome(flags *flag.FlagSet, args []string, manual Manual) error {
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		_, _ = fmt.Fprintf(p.Out, "Usage: %s %s [flags]%s\n%s", p.Name, flags.Name(), manual.Arguments, manual.Text)
		flags.SetOutput(p.Out)
		flags.PrintDefaults()
		return err
	}
	if err != nil {
		text := err.Error()
		if _, name, unknown := strings.Cut(text, "flag provided but not defined: -"); unknown {
			var all []string
			flags.VisitAll(func(f *flag.Flag) { all = append(all, "-"+f.Name) })
			text += Suggest("-"+name, all)
		}
		return Usage(fmt.Sprintf("%s (%s)", text, p.lists(flags)))
	}
	return nil
}

// lists says where the flags of a subcommand are listed.
func (p Program) lists(flags *flag.FlagSet) string {
	return fmt.Sprintf("%q lists the flags", p.Name+" help "+flags.Name())
}

// UnknownChoice says that a flag has a value that is none of its choices.
func UnknownChoice(name, value string, choices []string) error {
	last := len(choices) - 1
	return Usage(fmt.Sprintf("-%s: unknown %q%s (there are %s and %s)", name, value, Suggest(value, choices),
		strings.Join(choices[:last], ", "), choices[last]))
}
