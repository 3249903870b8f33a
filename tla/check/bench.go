package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/seed-fdf591db/bully/tla"
	"github.com/seed-fdf591db/bully/tla/check/tlc"
)

// usage is what a process took.
type usage struct {
	wall  time.Duration
	bytes int64 // the most memory that was resident at one time
}

// benchConfiguration is what -bench measures: the protocol itself, and large enough that starting
// Java is a small part of what TLC takes.
const benchConfiguration = "models/ChangingClusterGrow"

// compareSpeed runs one configuration with TLC, as its authors advise to run it, and with the
// explorer, each in a process of its own with all processors, and compares the time from start
// to end and the peak of the memory. Java takes more memory than it needs if it may; -heap
// shows with how little TLC can do, and how much slower it is then.
func (a *app) compareSpeed(ctx context.Context) error {
	entries, err := tla.Load(os.DirFS(a.dir))
	if err != nil {
		return err
	}
	e, err := named(entries, a.config)
	if err != nil {
		return err
	}
	r, clean, err := a.runner(ctx)
	if err != nil {
		return err
	}
	defer clean()
	_, _ = fmt.Fprintf(a.log, "TLC on %s, about %.0fs …\n", e.Name, e.Seconds)
	byTLC, err := a.benchTLC(ctx, r, e)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(a.log, "The explorer on %s …\n", e.Name)
	byExplorer, err := a.benchExplorer(ctx, r, e)
	if err != nil {
		return err
	}
	return a.judge(e, byTLC, byExplorer)
}

// named returns the entry of that name, which must hold, so that there is a whole graph.
func named(entries []tla.Entry, name string) (tla.Entry, error) {
	for _, e := range entries {
		if e.Name != name {
			continue
		}
		if e.Verdict != tla.Holds || !e.TLC || e.Explorer != tla.Full {
			return e, fmt.Errorf("-config %s: it must hold, with TLC and with the explorer", name)
		}
		return e, nil
	}
	return tla.Entry{}, fmt.Errorf("-config %s: there is no such configuration", name)
}

// benchTLC measures TLC, and sees that it counts what it must.
func (a *app) benchTLC(ctx context.Context, r tlc.Runner, e tla.Entry) (usage, error) {
	args := []string{"-XX:+UseParallelGC", "-Djava.io.tmpdir=" + r.Scratch}
	if a.heap != "" {
		args = append(args, "-Xmx"+a.heap)
	}
	args = append(args, "-cp", r.Jar, "tlc2.TLC", "-tool", "-workers", "auto",
		"-metadir", filepath.Join(r.Scratch, "meta"), "-config", e.Name+".cfg", e.Module+".tla")
	command := exec.CommandContext(ctx, r.Java, args...)
	command.Dir = a.dir
	said, took, err := measure(command)
	if err != nil {
		return took, fmt.Errorf("TLC on %s: %w", e.Name, err)
	}
	report := tlc.Parse(said, 0, e.Configuration.Properties)
	return took, sameGraph("TLC", e, report.Result)
}

// benchExplorer measures the explorer, and sees that it counts what it must.
func (a *app) benchExplorer(ctx context.Context, r tlc.Runner, e tla.Entry) (usage, error) {
	program := filepath.Join(r.Scratch, "workbench")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "./impl/cmd/workbench")
	build.Dir = filepath.Dir(a.dir)
	if said, err := build.CombinedOutput(); err != nil {
		return usage{}, fmt.Errorf("the explorer does not build: %w\n%s", err, said)
	}
	said, took, err := measure(exec.CommandContext(ctx, program, "check", "-json", "-config", e.Name))
	if err != nil {
		return took, fmt.Errorf("the explorer on %s: %w", e.Name, err)
	}
	var report struct {
		Configurations []struct {
			Found tla.Result `json:"found"`
		} `json:"configurations"`
	}
	if err := json.Unmarshal([]byte(said), &report); err != nil || len(report.Configurations) != 1 {
		return took, fmt.Errorf("the explorer on %s says something unexpected (%v): %s", e.Name, err, said)
	}
	return took, sameGraph("the explorer", e, report.Configurations[0].Found)
}

// measure runs command, and returns its standard output and what it took.
func measure(command *exec.Cmd) (string, usage, error) {
	var complaints strings.Builder
	command.Stderr = &complaints
	begin := time.Now()
	said, err := command.Output()
	took := usage{wall: time.Since(begin)}
	if err != nil {
		return string(said), took, fmt.Errorf("%w\n%s", err, complaints.String())
	}
	took.bytes, err = peakBytes(command.ProcessState)
	return string(said), took, err
}

// sameGraph says in what the two benchmarks did not do the same work.
func sameGraph(who string, e tla.Entry, r tla.Result) error {
	if r.Verdict != tla.Holds || r.Distinct != e.Distinct || r.Generated != e.Generated {
		return fmt.Errorf("%s finds on %s: %s, %d distinct states of %d generated; %s says %d of %d",
			who, e.Name, verdictOf(r), r.Distinct, r.Generated, tla.ListFile, e.Distinct, e.Generated)
	}
	return nil
}

// side is what one of the two took, as -json prints it.
type side struct {
	Seconds float64 `json:"seconds"`
	Rate    float64 `json:"states_per_second"`
	Bytes   int64   `json:"bytes"`
}

func sideOf(e tla.Entry, u usage) side {
	return side{u.wall.Seconds(), float64(e.Generated) / u.wall.Seconds(), u.bytes}
}

// judge prints both measurements and their ratios, and compares those with the targets.
func (a *app) judge(e tla.Entry, byTLC, byExplorer usage) error {
	x, y := sideOf(e, byTLC), sideOf(e, byExplorer)
	speed, memory := x.Seconds/y.Seconds, float64(x.Bytes)/float64(y.Bytes)
	if a.json {
		if err := a.printAsJSON(map[string]any{"configuration": e.Name, "tlc": x, "explorer": y}); err != nil {
			return err
		}
	} else {
		w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintf(w, "%s: %d distinct states of %d generated\n", e.Name, e.Distinct, e.Generated)
		_, _ = fmt.Fprintln(w, "\tseconds\tstates/s\tpeak MiB\t")
		for i, s := range []side{x, y} {
			_, _ = fmt.Fprintf(w, "%s\t%.2f\t%.0f\t%.1f\t\n", []string{"TLC", "explorer"}[i], s.Seconds, s.Rate, float64(s.Bytes)/(1<<20))
		}
		_ = w.Flush()
		_, _ = fmt.Fprintf(a.out, "The explorer is %.1f times as fast (target %g), and takes 1/%.1f of the memory (target 1/%g).\n",
			speed, a.speed, memory, a.memory)
	}
	if speed < a.speed || memory < a.memory {
		return errors.New("a target is missed")
	}
	return nil
}
