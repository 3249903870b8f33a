package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	core "github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/trace"
)

const traceHelp = `
merge puts the records that nodes have written with -trace together, into one trace in which nothing is received before
it is sent, and writes it to standard output or -o. An error says which step does not fit, and why.

show prints a trace for people: what the nodes did, and who led. Records are merged first, if they are given.

check replays traces by the rules of the specification, and says of each whether it is a run that they allow, and if not, in
which line, by which rule, what was expected there and what came. The records of a folder are merged first, and are one trace;
each other .ndjson file in it is one of its own. It exits with 1 if one is refused.

An argument is a file, or a folder.

`

// traceVerbs are what can be done with traces.
var traceVerbs = []string{"check", "merge", "show"}

// traces merges, shows or checks traces.
func traces(ctx context.Context, p program, args []string) error {
	var merging trace.Merging
	var showing trace.Showing
	var checking traceChecking
	var out string
	verb := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		verb, args = args[0], args[1:]
	}
	flags := p.Flags("trace " + verb)
	if verb == "" {
		flags = p.Flags("trace " + strings.Join(traceVerbs, "|"))
	}
	of := func(wanted string) bool { return verb == wanted || !slices.Contains(traceVerbs, verb) } // Help without a verb says all.
	if of("merge") || of("show") {
		flags.BoolVar(&merging.Partial, "partial", false, "take records whose oldest files are gone: what comes out can be read, and not be checked")
	}
	if of("merge") {
		flags.StringVar(&out, "o", "", "merge: write the trace to this `file`")
	}
	if of("show") {
		flags.BoolVar(&showing.All, "all", false, "show: every step, not only those that change a role, a leader or an epoch")
	}
	if of("check") {
		checking.flags(flags)
	}
	if err := p.ParseSome(flags, args, cli.Manual{Arguments: " file|folder…", Text: traceHelp}); err != nil {
		return err
	}
	switch {
	case verb == "":
		return cli.Usage("do what? There are check, merge and show")
	case !slices.Contains(traceVerbs, verb):
		return cli.Usage(fmt.Sprintf("unknown %q%s (there are check, merge and show)", verb, cli.Suggest(verb, traceVerbs)))
	case flags.NArg() == 0:
		return cli.Usage("no file or folder is given")
	}
	merging.Step = core.Replay
	switch verb {
	case "check":
		return p.checkTraces(ctx, checking, flags.Args())
	case "merge":
		return p.mergeTraces(merging, out, flags.Args())
	}
	return p.showTraces(merging, showing, flags.Args())
}

// mergeTraces writes one trace of all records to a file, or to standard output.
func (p program) mergeTraces(merging trace.Merging, name string, arguments []string) error {
	merged, summary, err := mergeAll(merging, arguments)
	if err != nil {
		return err
	}
	if name == "" {
		_, err = io.Copy(p.Out, merged)
	} else {
		err = os.WriteFile(name, merged.Bytes(), 0o644)
	}
	if err == nil {
		_, _ = fmt.Fprintln(p.Log, summary)
	}
	return err
}

// showTraces shows a trace, or records once they are merged.
func (p program) showTraces(merging trace.Merging, showing trace.Showing, arguments []string) error {
	if len(arguments) == 1 {
		if info, err := os.Stat(arguments[0]); err == nil && !info.IsDir() {
			file, err := os.Open(arguments[0])
			if err != nil {
				return err
			}
			return errors.Join(showing.Show(p.Out, file), file.Close())
		}
	}
	merged, summary, err := mergeAll(merging, arguments)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(p.Out, summary)
	return showing.Show(p.Out, merged)
}

// mergeAll merges the records that the arguments name.
func mergeAll(merging trace.Merging, arguments []string) (*bytes.Buffer, trace.Summary, error) {
	files, err := expand(arguments)
	if err != nil {
		return nil, trace.Summary{}, err
	}
	merged := new(bytes.Buffer)
	summary, err := merging.Merge(merged, files...)
	return merged, summary, err
}

// expand returns the files, and the records in the folders.
func expand(arguments []string) (files []string, err error) {
	for _, argument := range arguments {
		info, err := os.Stat(argument)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, argument)
			continue
		}
		there, err := trace.Files(argument)
		if err != nil {
			return nil, err
		}
		if len(there) == 0 {
			return nil, fmt.Errorf("there is no record in %s: files are named as %s is", argument, filepath.Join(argument, "3-000001.ndjson"))
		}
		files = append(files, there...)
	}
	return files, nil
}
