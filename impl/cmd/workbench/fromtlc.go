package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/seed-fdf591db/bully/impl/internal/behaviour"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/internal/engine"
	"github.com/seed-fdf591db/bully/tla/check/explorer"
)

const fromTLCHelp = `
Reads a counterexample, and writes it as a trace. The counterexample is what TLC, "go run ./tla/check -v" or
"workbench check" has printed; it comes from a file, or from standard input if the file is -. If no trace can be made
of it, a recording is written, which "workbench view" opens.

A counterexample of a mutant has steps that the rules do not allow: "bully trace check" refuses its trace there.

`

// fromTLC writes what TLC has printed as a trace, if it is one, or as a recording.
func fromTLC(_ context.Context, p program, args []string) error {
	flags := p.Flags("from-tlc")
	asRecording := flags.Bool("recording", false, "make a recording even of what can be a trace")
	name, file, err := p.fileToFile(flags, args, fromTLCHelp, "one file is wanted, or - for standard input")
	if err != nil {
		return err
	}
	text, err := readArgument(file)
	if err != nil {
		return err
	}
	if !behaviour.Is(text) {
		return fmt.Errorf("%s: there is no counterexample in it: TLC prints one as State 1, State 2 and so on", file)
	}
	b, err := behaviour.Read(text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return p.writeBehaviour(b, *asRecording, name)
}

// readArgument reads a file, or standard input.
func readArgument(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(name)
}

// writeBehaviour writes a counterexample to a file, or to standard output, as a trace or a recording, and says what it is.
func (p program) writeBehaviour(b *behaviour.Behaviour, asRecording bool, name string) error {
	f, trace, err := engine.RecordingOf(b)
	if err != nil {
		return err
	}
	out, what := bytes.NewBuffer(trace), fmt.Sprintf("a trace of %d events (-recording makes a recording, which opens where it ends)", bytes.Count(trace, []byte("\n"))-1)
	if asRecording || trace == nil {
		out, what = new(bytes.Buffer), fmt.Sprintf("a recording of %d frames, which opens where it ends", len(f.Frames))
		if err := f.Write(out); err != nil {
			return err
		}
	}
	// The title is of a file that others may have written.
	_, _ = fmt.Fprintf(cli.Printable(p.Log), "%s: %s. To see it: workbench view %s\n", f.Title, what, orFile(name))
	return p.writeOut(out.Bytes(), name)
}

// orFile returns the name of a file, or a word for one that has none yet.
func orFile(name string) string {
	if name == "" {
		return "FILE"
	}
	return name
}

// recordingCheck writes the counterexample of the one configuration that was explored as a recording.
func (p program) recordingCheck(o *explorer.Outcome, name string) error {
	if o.Violation == nil {
		why := "it holds"
		if len(o.Unchecked) > 0 {
			why = "only TLC checks " + strings.Join(o.Unchecked, ", ") + "; what it prints becomes a recording with workbench from-tlc"
		}
		return fmt.Errorf("%s has no counterexample to recording: %s", o.Entry.Name, why)
	}
	b, err := behaviour.Of(o.Violation, o.Entry.Name, o.Entry.Question)
	if err != nil {
		return err
	}
	return p.writeBehaviour(b, true, name)
}
