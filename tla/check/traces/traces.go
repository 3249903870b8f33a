// Package traces has TLC say of recorded traces (spec/README.md, section 14) whether they are runs that the protocol
// allows. Traces become literals of a module, which module TraceCluster replays, many of them in one run of TLC; what TLC
// says of each comes back as a verdict that names the line of the trace.
//
// This is the loop that its user writes:
//
//	checker := traces.Checker{Runner: tlc.Runner{Java: java, Jar: jar, Classes: classes, Scratch: scratch, Lanes: 2}, Modules: tla.FS()}
//	files, err := traces.Find("traces/valid", "traces/invalid")
//	if err != nil {
//		return err
//	}
//	report, err := checker.Check(ctx, files)
//	if err != nil {
//		return err
//	}
//	for _, v := range report.Verdicts {
//		fmt.Println(v)
//	}
//
// TLC is the second to judge. Package conformance/check does the same in Go, a hundred times as fast; the two share no
// rule, and must agree on every trace, and on the line.
package traces

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/seed-fdf591db/bully/tla/check/tlc"
)

// Checker has traces checked.
type Checker struct {
	// Runner runs TLC. Its Dir is not looked at; all that is written goes to its Scratch.
	Runner tlc.Runner
	// Modules has the module TraceCluster, and all that it extends.
	Modules fs.FS
	// Chunk is how many events are replayed in one go, the next beginning where they end: at most MaxChunk; 0 means 1,000.
	Chunk int
	// Batch is about how many events one run of TLC gets; 0 means 25,000.
	Batch int
	// Watch is called once it is known how many runs of TLC there are to be, and says who is told of them. It may be nil.
	Watch func(runs int) tlc.Hooks

	mutant string // a line of TLC's configuration, such as "Shields <- ShieldsNobody"; of module MCCluster
}

// MaxChunk is how many events can be replayed in one go: TLC counts the states of a behaviour in 16 bits.
const MaxChunk = 32_000

// Group is what became of all traces with the same number of members, which share a run of TLC; or, where members change, of
// nodes that are members at any time.
type Group struct {
	Members  int     `json:"members"`
	Changing bool    `json:"changing,omitempty"`
	Traces   int     `json:"traces"`
	Refused  int     `json:"refused"` // by TLC
	Events   int     `json:"events"`  // that TLC was given
	Chunks   int     `json:"chunks"`
	Seconds  float64 `json:"seconds"` // that TLC took, over all its runs, which may have been at the same time
}

// Report is what became of all traces.
type Report struct {
	Verdicts []Verdict // in the order of the files
	Groups   []Group   // by Members; those where they change come last
}

// Check reads all files and has TLC check them. An error is not about a trace: TLC could not be run, or did not say what
// it should, or there is no trace at all.
func (c *Checker) Check(ctx context.Context, files []File) (*Report, error) {
	if len(files) == 0 {
		return nil, errors.New("no trace is given to check")
	}
	b := batch{checker: c, report: &Report{Verdicts: make([]Verdict, len(files))}, size: cmp.Or(c.Chunk, 1000)}
	if b.size < 1 || b.size > MaxChunk {
		return nil, fmt.Errorf("chunks of %d events: they must have from 1 to %d", b.size, MaxChunk)
	}
	for i, f := range files {
		if err := b.read(i, f); err != nil {
			return nil, err
		}
	}
	b.prepare()
	if len(b.jobs) > 0 {
		if err := b.replay(ctx); err != nil {
			return nil, err
		}
	}
	return b.report, b.conclude()
}
