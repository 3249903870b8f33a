package cli

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// all returns the commands of the program, and those that every program has, in the order of help.
func (p *Program) all() []Command {
	all := slices.Concat(p.Commands, []Command{
		{Name: "help", Summary: "say how to use a command", Run: help},
		{Name: "version", Summary: "print the version", Run: version},
	})
	byName := map[string]Command{}
	for _, c := range all {
		byName[c.Name] = c
	}
	for i, name := range slices.Sorted(maps.Keys(byName)) {
		all[i] = byName[name]
	}
	return all
}

// help prints all subcommands, or the flags of one.
func help(ctx context.Context, p Program, args []string) error {
	if len(args) > 0 && args[0] != "help" && !asksForHelp(args[0]) {
		command := p.command(args[0])
		if command == nil {
			return Usage(fmt.Sprintf("unknown command %q%s", args[0], Suggest(args[0], p.names())))
		}
		return command.Run(ctx, p, []string{"-help"})
	}
	_, _ = fmt.Fprintf(p.Out, "%s\n\nUsage: %s COMMAND [flags]\n\n", p.About, p.Name)
	for _, c := range p.all() {
		_, _ = fmt.Fprintf(p.Out, "  %-9s %s\n", c.Name, c.Summary)
	}
	_, err := fmt.Fprintf(p.Out, "\n\"%s help COMMAND\" lists the flags of a command.\n", p.Name)
	return err
}

// version prints what this program was built from.
func version(_ context.Context, p Program, args []string) error {
	if err := p.Parse(p.Flags("version"), args); err != nil {
		return err
	}
	text := p.Name + ", version unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		text = p.Name + " " + versionOf(info) + ", built with " + info.GoVersion
		if commit := Revision(); commit != unknown {
			text += ", from " + commit
		}
	}
	_, err := fmt.Fprintf(p.Out, "%s\nspec %s, wire %d, trace %d\n", text, spec.Version, spec.WireVersion, spec.TraceFormat)
	return err
}
