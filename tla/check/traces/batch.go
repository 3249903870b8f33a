package traces

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/tla"
	"github.com/seed-fdf591db/bully/tla/check/tlc"
)

// batch is one Check.
type batch struct {
	checker *Checker
	report  *Report
	size    int // of a chunk
	events  int
	traces  []*trace // of each file; nil if nothing of it could be read
	jobs    []*job
}

// kind is what traces that share a run of TLC have in common.
type kind struct {
	members  int
	changing bool
}

func (t *trace) kind() kind { return kind{len(t.members), t.changing} }

func (k kind) compare(l kind) int {
	if k.changing != l.changing && l.changing {
		return -1
	} else if k.changing != l.changing {
		return 1
	}
	return cmp.Compare(k.members, l.members)
}

// job is one run of TLC: chunks of traces of the same kind.
type job struct {
	name     string
	chunks   []chunk
	firsts   []int // of each chunk, its first event in module TraceData
	events   int
	verdicts []verdict // of each chunk
	seconds  float64
}

// read reads the trace in a file. What is malformed ends it, and is a verdict.
func (b *batch) read(i int, f File) error {
	opened, err := os.Open(f.Name)
	if err != nil {
		return err
	}
	defer func() { _ = opened.Close() }()
	t, malformed := read(f.Name, opened)
	b.traces = append(b.traces, t)
	v := &b.report.Verdicts[i]
	v.File, v.Expect = f.Name, f.Expect
	if malformed == nil && len(t.events) == 0 {
		malformed = &spec.TraceError{Line: 1, Problem: "no event follows: a trace of nothing shows nothing"}
	}
	if malformed != nil {
		v.Refused = refusedByReader(malformed)
	}
	if t != nil {
		v.Members, v.Events, v.CutShort = len(t.members), len(t.events), t.cutShort
		b.events += len(t.events)
	}
	return nil
}

// prepare makes jobs of all traces.
func (b *batch) prepare() {
	byKind := map[kind][]chunk{}
	for _, t := range b.traces {
		if t != nil && len(t.events) > 0 {
			byKind[t.kind()] = append(byKind[t.kind()], t.chunks(b.size)...)
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(byKind), kind.compare) {
		b.split(k, byKind[k])
	}
}

// replay has TLC do the jobs.
func (b *batch) replay(ctx context.Context) error {
	folder := filepath.Join(b.checker.Runner.Scratch, "modules")
	if err := b.modules(folder); err != nil {
		return err
	}
	var jobs []tlc.Job
	for _, j := range b.jobs {
		if err := b.write(j, folder); err != nil {
			return err
		}
		// An estimate, so that the longest come first. No job is worth the better compiler of Java, which is slower.
		jobs = append(jobs, tlc.Job{Name: j.name, Module: j.name, Seconds: min(3.9, 1+float64(j.events)/8000)})
	}
	var hooks tlc.Hooks
	if b.checker.Watch != nil {
		hooks = b.checker.Watch(len(jobs))
	}
	tell, wrong := hooks.Finished, []error(nil)
	hooks.Finished = func(o tlc.Outcome) {
		wrong = append(wrong, b.finished(o))
		if tell != nil {
			tell(o)
		}
	}
	runner := b.checker.Runner
	runner.Dir = folder
	err := runner.Run(ctx, jobs, hooks)
	return errors.Join(append(wrong, err)...)
}

// split makes jobs of chunks of the same kind.
func (b *batch) split(k kind, chunks []chunk) {
	// Each job costs a second before its first event, and jobs run side by side.
	size := cmp.Or(b.checker.Batch, 25_000)
	size = min(size, max(size/5, b.events/max(1, b.checker.Runner.Lanes)+1))
	first := len(b.jobs)
	for _, c := range chunks {
		if len(b.jobs) == first || b.jobs[len(b.jobs)-1].events >= size {
			folder := "members"
			if k.changing {
				folder = "changing"
			}
			b.jobs = append(b.jobs, &job{name: fmt.Sprintf("%s%d-%d/%s", folder, k.members, len(b.jobs)-first+1, b.root())})
		}
		j := b.jobs[len(b.jobs)-1]
		j.chunks = append(j.chunks, c)
		j.events += c.last - c.first
	}
}

// The modules of traces: what replays them, its data, and what a mutant puts in the place of a rule.
const (
	replayer = "TraceCluster"
	dataFile = "TraceData.tla"
	mutants  = "MCCluster"
)

// root is the name of the root module.
func (b *batch) root() string {
	if b.checker.mutant != "" {
		return replayer + "Mutant"
	}
	return replayer
}

// modules copies the modules to a folder, all but the data.
func (b *batch) modules(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	names, err := fs.Glob(b.checker.Modules, "*.tla")
	if err != nil {
		return err
	}
	for _, name := range names {
		if name == dataFile {
			continue
		}
		text, err := fs.ReadFile(b.checker.Modules, name)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), text, 0o644)
		}
		if err != nil {
			return err
		}
	}
	if b.checker.mutant == "" {
		return nil
	}
	text := fmt.Sprintf("---- MODULE %s ----\nEXTENDS %s, %s\n====\n", b.root(), replayer, mutants)
	return os.WriteFile(filepath.Join(folder, b.root()+".tla"), []byte(text), 0o644)
}

// write writes what is different for each job: the data, and the configuration, which is found beside it.
func (b *batch) write(j *job, folder string) error {
	configuration, err := fs.ReadFile(b.checker.Modules, replayer+".cfg")
	if err != nil {
		return err
	}
	if b.checker.mutant != "" {
		configuration = fmt.Appendf(configuration, "CONSTANTS\n  %s\n", b.checker.mutant)
	}
	if err := os.MkdirAll(filepath.Join(folder, filepath.Dir(j.name)), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, j.name+".cfg"), configuration, 0o644); err != nil {
		return err
	}
	data, err := os.Create(filepath.Join(folder, filepath.Dir(j.name), dataFile))
	if err != nil {
		return err
	}
	j.firsts, err = write(data, j.chunks)
	return errors.Join(err, data.Close())
}

// finished takes what TLC has said in a job: exactly one verdict on each chunk.
func (b *batch) finished(o tlc.Outcome) error {
	j := b.jobs[slices.IndexFunc(b.jobs, func(j *job) bool { return j.name == o.Job.Name })]
	j.seconds = o.Report.Seconds
	switch {
	case o.Err != nil:
		return o.Err
	case o.Report.Verdict != tla.Holds:
		return fmt.Errorf("TLC cannot say what it makes of traces:\n%s", strings.TrimSpace(o.Report.Message+"\n"+string(o.Report.Verdict)+" "+o.Report.Property))
	}
	verdicts, err := parseVerdicts(o.Report.Printed)
	if err != nil {
		return err
	}
	j.verdicts = make([]verdict, len(j.chunks))
	for _, v := range verdicts {
		if v.chunk < 1 || v.chunk > len(j.chunks) || j.verdicts[v.chunk-1].word != "" {
			return fmt.Errorf("TLC gives a second verdict on chunk %d of %d", v.chunk, len(j.chunks))
		}
		j.verdicts[v.chunk-1] = v
	}
	if missing := slices.IndexFunc(j.verdicts, func(v verdict) bool { return v.word == "" }); missing >= 0 {
		return fmt.Errorf("TLC gives no verdict on %s", &j.chunks[missing])
	}
	return nil
}

// conclude makes verdicts on traces of those on their chunks. The first chunk that is not accepted counts: what comes
// after it may begin anywhere.
func (b *batch) conclude() error {
	byTrace := map[*trace]*Verdict{}
	for i, t := range b.traces {
		if t != nil {
			byTrace[t] = &b.report.Verdicts[i]
		}
	}
	groups := map[kind]*Group{}
	for _, j := range b.jobs {
		k := j.chunks[0].trace.kind()
		if groups[k] == nil {
			groups[k] = &Group{Members: k.members, Changing: k.changing}
		}
		g := groups[k]
		g.Seconds += j.seconds
		g.Chunks += len(j.chunks)
		g.Events += j.events
		for k, c := range j.chunks {
			v := byTrace[c.trace]
			if c.first == 0 {
				g.Traces++
			}
			said := &j.verdicts[k]
			if v.byTLC || said.word == accepted {
				continue
			}
			at := c.first + said.at - j.firsts[k]
			if said.word == brokenFrame {
				return fmt.Errorf("%s: TLC comes to another state of the cluster than the trace has, though each event is good: "+
					"this is an error of package traces, not of the trace", &c)
			}
			v.refuse(c.trace, at, said)
			g.Refused++
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(groups), kind.compare) {
		b.report.Groups = append(b.report.Groups, *groups[k])
	}
	return nil
}

// String says which events they are.
func (c *chunk) String() string {
	return fmt.Sprintf("%s, lines %d to %d", c.trace.file, c.first+2, c.last+1)
}
