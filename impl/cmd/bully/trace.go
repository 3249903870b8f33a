package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	tracecheck "github.com/seed-fdf591db/bully/conformance/check"
	core "github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/internal/cli"
	"github.com/seed-fdf591db/bully/impl/trace"
	"github.com/seed-fdf591db/bully/spec"
)

const traceHelp = `
merge makes one trace of the records that nodes have written with -trace, and writes it to standard output or -o. In it nothing is
received before it is sent. If that cannot be, the error says which step does not fit, and why.

show prints a trace for people: what the nodes did, and who led.

check replays traces by the rules of the specification. If the rules do not allow one, it says in which line, by which rule, what was
expected there and what came, and exits with 1.

An argument is a file, or a folder. show and check merge the records of a folder first: together they are one trace. For check, each
other .ndjson file in a folder is a trace of its own.

If the record of a node just ends, show and check say after which line the node is heard no more: it was killed, or it still runs.
The record of a node that was told to stop says so.

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
		flags.BoolVar(&merging.Partial, "partial", false, "accept records whose oldest files are gone: the result can be shown, but not checked")
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
		if err != nil && !strings.ContainsAny(argument, `./\`) {
			return nil, fmt.Errorf("%w; of golden traces, \"workbench view %s\" shows one by its name, and the file is traces/valid/%s.ndjson of the source", err, argument, argument)
		}
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

// traceChecking says how traces are checked, and how that is told.
type traceChecking struct {
	options   tracecheck.Options
	twoActing bool
	json      bool
}

func (g *traceChecking) flags(flags *flag.FlagSet) {
	flags.BoolVar(&g.json, "json", false, "check: print JSON")
	flags.BoolVar(&g.options.Strict, "strict", false, "check: refuse a trace that was cut short, for example by a crash of its writer")
	flags.BoolVar(&g.twoActing, "two-acting", false, "check: do not check OneActing; for runs in which a node was paused, a clock ran too fast, or a living node was reported dead")
}

// evidence is one trace to be checked: a file, or the records of a folder.
type evidence struct {
	name    string
	records []string // of one folder; none: name is a file
}

// traceVerdict is what comes of one trace.
type traceVerdict struct {
	File     string               `json:"file"`
	Members  []spec.NodeID        `json:"members"`
	Events   uint64               `json:"events"`
	Reigns   uint64               `json:"reigns"`
	CutShort bool                 `json:"cut_short"`
	Unheard  []tracecheck.Unheard `json:"heard_no_more,omitempty"` // nodes whose record just ends
	Refused  *traceFault          `json:"refused,omitempty"`

	took time.Duration
	err  error
}

// traceFault is why a trace is refused. Line is 0 if the records could not be merged.
type traceFault struct {
	Line     int    `json:"line"`
	Rule     string `json:"rule"`
	Problem  string `json:"problem"`
	Before   string `json:"before,omitempty"`
	Expected string `json:"expected,omitempty"`
	Got      string `json:"got,omitempty"`
}

// checkTraces checks all traces that the arguments name.
func (p program) checkTraces(ctx context.Context, g traceChecking, arguments []string) error {
	all, err := gather(arguments)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fmt.Errorf("there is no trace in %s: the name of a trace ends in .ndjson", strings.Join(arguments, ", "))
	}
	g.options.OneActing = !g.twoActing
	var verdicts []traceVerdict
	for _, e := range all {
		verdicts = append(verdicts, e.check(ctx, g.options))
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return p.tellTraces(g, verdicts)
}

// gather finds all traces. Records of one folder are one trace, wherever they are given.
func gather(arguments []string) (all []evidence, err error) {
	merged := map[string]int{} // by folder, which of all its records are
	add := func(folder string, records ...string) {
		if _, known := merged[folder]; !known {
			merged[folder] = len(all)
			all = append(all, evidence{name: folder})
		}
		e := &all[merged[folder]]
		e.records = append(e.records, records...)
	}
	for _, argument := range arguments {
		info, err := os.Stat(argument)
		if err != nil {
			return nil, err
		}
		folder, pattern := filepath.Dir(argument), filepath.Clean(argument)
		if info.IsDir() {
			folder, pattern = argument, ""
		}
		records, err := trace.Files(folder)
		if err != nil {
			return nil, err
		}
		switch {
		case !info.IsDir() && slices.Contains(records, pattern):
			add(folder, pattern)
			continue
		case !info.IsDir():
			all = append(all, evidence{name: argument})
			continue
		case len(records) > 0:
			add(folder, records...)
		}
		files, err := os.ReadDir(folder)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if path := filepath.Join(folder, f.Name()); filepath.Ext(path) == ".ndjson" && !f.IsDir() && !slices.Contains(records, path) {
				all = append(all, evidence{name: path})
			}
		}
	}
	return all, nil
}

// untilDone is a reader that ends with its context.
type untilDone struct {
	ctx context.Context
	in  io.Reader
}

func (r untilDone) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.Read(b)
}

// check checks one trace.
func (e *evidence) check(ctx context.Context, o tracecheck.Options) (v traceVerdict) {
	v.File = e.name
	var in io.Reader
	if len(e.records) > 0 {
		merged := new(bytes.Buffer)
		_, v.err = trace.Merging{Step: core.Replay}.Merge(merged, e.records...)
		in = merged
	} else {
		file, err := os.Open(e.name)
		if err == nil {
			defer func() { _ = file.Close() }()
		}
		v.err, in = err, file
	}
	if v.err != nil {
		v.Refused = &traceFault{Problem: v.err.Error()}
		return v
	}
	begin := time.Now()
	report, err := tracecheck.Trace(untilDone{ctx, in}, o)
	v.took, v.err = time.Since(begin), err
	v.Members, v.Events, v.Reigns, v.CutShort, v.Unheard = report.Members, report.Events, report.Reigns, report.CutShort, report.Unheard
	var fault *tracecheck.TraceError
	if errors.As(err, &fault) {
		v.Refused = &traceFault{fault.Line, fault.Rule, fault.Problem, fault.Before, fault.Expected, fault.Got}
	}
	return v
}

// word is the verdict in short.
func (v *traceVerdict) word() string {
	switch {
	case v.Refused == nil && v.CutShort:
		return "ok, cut short"
	case v.Refused == nil:
		return "ok"
	case v.Refused.Line == 0:
		return "REFUSED"
	}
	return fmt.Sprintf("REFUSED in line %d, %s", v.Refused.Line, v.Refused.Rule)
}

// tellTraces prints all verdicts, and what they come to. It is an error if a trace is refused.
func (p program) tellTraces(g traceChecking, verdicts []traceVerdict) error {
	var total struct {
		Traces    []traceVerdict `json:"traces"`
		Events    uint64         `json:"events"`
		Refused   int            `json:"refused"`
		Seconds   float64        `json:"seconds"`
		PerSecond float64        `json:"events_per_second"`
		OneActing bool           `json:"one_acting_asked"`
	}
	total.Traces, total.OneActing = verdicts, g.options.OneActing
	for i := range verdicts {
		total.Events += verdicts[i].Events
		total.Seconds += verdicts[i].took.Seconds()
		if verdicts[i].Refused != nil {
			total.Refused++
		}
	}
	if total.Seconds > 0 {
		total.PerSecond = float64(total.Events) / total.Seconds
	}
	if g.json {
		if err := p.JSON(total); err != nil {
			return err
		}
	} else {
		p.printVerdicts(verdicts)
		_, _ = fmt.Fprintf(p.Out, "traces: %d, events: %d, refused: %d, events/s: %.0f\n", len(verdicts), total.Events, total.Refused, total.PerSecond)
		_, _ = fmt.Fprintln(p.Out, g.asked())
	}
	if total.Refused > 0 {
		return fmt.Errorf("%d of %d traces are refused", total.Refused, len(verdicts))
	}
	return nil
}

// asked says what was asked of each trace.
func (g *traceChecking) asked() string {
	const always = "asked: each step by the rules, each message sent before it came, OneLeaderPerEpoch, EpochMonotonic, OneConfiguration, ConfigurationMonotonic"
	if g.options.OneActing {
		return always + ", OneActing"
	}
	return always + "; OneActing was not, as -two-acting says"
}

// printVerdicts prints a table of all traces, and why those that are refused are.
func (p program) printVerdicts(verdicts []traceVerdict) {
	w := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "file\tmembers\tevents\treigns\tverdict")
	for i := range verdicts {
		v := &verdicts[i]
		_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%s\n", v.File, len(v.Members), v.Events, v.Reigns, v.word())
	}
	_ = w.Flush()
	_, _ = fmt.Fprintln(p.Out)
	for i := range verdicts {
		for _, u := range verdicts[i].Unheard {
			_, _ = fmt.Fprintf(p.Out, "%s: %v\n", verdicts[i].File, u)
		}
		if v := &verdicts[i]; v.Refused != nil {
			_, _ = fmt.Fprintf(p.Out, "%s: %v\n", v.File, v.err)
			if v.Refused.Rule == string(spec.OneActing) {
				_, _ = fmt.Fprintln(p.Out, "  if a node was held up (its log says so), a clock went too fast, or a death was told that was none, that can be: -two-acting leaves it out")
			}
			_, _ = fmt.Fprintln(p.Out)
		}
	}
}
