package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/seed-fdf591db/bully/impl/internal/behaviour"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/engine"
	"github.com/seed-fdf591db/bully/traces"
	"github.com/seed-fdf591db/bully/traces/itf"
)

const toITFHelp = `
Writes a trace in the Informal Trace Format (ITF), which Apalache and Quint read and write. State k of the file is the
state of module Cluster (tla/Cluster.tla) after event k of the trace.

`

const fromITFHelp = `
Reads states in the Informal Trace Format (ITF), and writes them as a trace, which can be checked. The states are those
that "workbench itf" has written, or those of another tool. Then the variables must be those of module Cluster, its
members must be fixed, and the first state must be that after the first start of all nodes.

Each state may say by which action it came: as "action" in its "#meta", or as mbt::actionTaken of Quint. If it does not,
the action is found, as long as the rules allow one.

`

// fileToFile reads the flags of a subcommand that makes of one file, or of standard input, another, or standard output. The subcommand may have
// defined flags of its own.
func (p program) fileToFile(flags *flag.FlagSet, args []string, text, wanted string) (name, file string, err error) {
	flags.StringVar(&name, "o", "", "write to this `file`; to standard output if empty")
	if err := p.ParseSome(flags, args, cli.Manual{Arguments: " file", Text: text}); err != nil {
		return "", "", err
	}
	if flags.NArg() != 1 {
		return "", "", cli.Usage(wanted)
	}
	return name, flags.Arg(0), nil
}

// toITF writes a trace in the Informal Trace Format.
func toITF(_ context.Context, p program, args []string) error {
	name, file, err := p.fileToFile(p.Flags("itf"), args, toITFHelp, "one trace is wanted, or - for standard input; bully trace merge makes one of the records of several nodes")
	if err != nil {
		return err
	}
	text, err := readArgument(file)
	if err != nil {
		return err
	}
	header, events, err := traces.Read(text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	out, err := itf.Export(header, events)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return p.writeOut(out, name)
}

// writeOut writes to a file, or to standard output.
func (p program) writeOut(text []byte, name string) error {
	if name == "" {
		_, err := p.Out.Write(text)
		return err
	}
	return os.WriteFile(name, text, 0o644)
}

// fromITF makes a trace of states in the Informal Trace Format: of what toITF has written, or of states of module Cluster.
func fromITF(_ context.Context, p program, args []string) error {
	name, file, err := p.fileToFile(p.Flags("from-itf"), args, fromITFHelp, "one file is wanted, or - for standard input")
	if err != nil {
		return err
	}
	text, err := readArgument(file)
	if err != nil {
		return err
	}
	trace, err := engine.TraceOfITF(text)
	if err == nil {
		return p.writeOut(trace, name)
	}
	if !errors.Is(err, itf.ErrNotOurs) {
		return fmt.Errorf("%s: %w", file, err)
	}
	b, err := behaviour.Read(text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if trace, err = b.Trace(); err != nil {
		return fmt.Errorf("%s: no trace can be made of it: %w. To see it all the same: workbench view %s", file, err, file)
	}
	return p.writeOut(trace, name)
}
