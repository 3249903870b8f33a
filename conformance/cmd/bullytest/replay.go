package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/kit/suites"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/conformance/vectors"
)

// recording is a file that a port can be put through: one of these is there.
type recording struct {
	plan    *sim.Plan
	script  *cluster.Script
	vector  *vectors.Vector
	verbose bool // what is asked, and answered, is shown
}

// readRecording reads a plan of the simulator, a script of package cluster (also within a line that begins with "script"), a
// vector, or requests, one a line, to which the right replies are the model's.
func readRecording(name string) (*recording, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, wrong("%v", err)
	}
	text := strings.TrimSpace(string(data))
	r := &recording{}
	switch {
	case strings.HasPrefix(text, `{"plan"`):
		r.plan = &sim.Plan{}
		err = json.Unmarshal(data, r.plan)
	case strings.HasPrefix(text, `{"case"`):
		r.vector, err = vectors.Parse(data)
	case strings.HasPrefix(text, `{`):
		var requests []string
		for line := range bytes.Lines(data) {
			if line = bytes.TrimSpace(line); len(line) > 0 {
				requests = append(requests, string(line))
			}
		}
		r.verbose = true
		r.vector, err = vectors.Of(name, requests)
	default:
		r.script, err = cluster.ParseScript(strings.TrimPrefix(text, "script "))
	}
	if err != nil {
		return nil, wrong("%s is no plan, no script, no vector, and no requests: %.200v", name, err)
	}
	return r, nil
}

// replay puts a port through a file once more.
func replay(ctx context.Context, p *program, args []string) error {
	set := p.flags("replay")
	verbose := set.Bool("v", false, "show every request and reply")
	answer := set.Duration("answer", 5*time.Second, "how long a port may take for a reply")
	name, command, err := fileAndCommand(set, args, "replay")
	if err != nil {
		return err
	}
	if err := positive(set, "answer"); err != nil {
		return err
	}
	r, err := readRecording(name)
	if err != nil {
		return err
	}
	config := port.Config{Command: command, Answer: *answer, Kit: kit.Version, Spec: kit.Spec}
	if *verbose || r.verbose {
		config.Record = func(request, reply string) { fmt.Fprintf(p.out, "> %s\n< %s\n", request, reply) }
	}
	process, err := port.Start(ctx, config)
	if err != nil {
		return &exit{exitNoPort, err}
	}
	defer process.Close()
	var failure *port.Failure
	switch err := r.put(ctx, process); {
	case errors.As(err, &failure):
		v := kit.Verdict{Case: name, Outcome: kit.Fail, Rule: failure.Rule, Problem: failure.Problem, Request: failure.Request,
			Reply: failure.Reply, Last: failure.Last, Standard: failure.Standard, Written: failure.Written}
		fmt.Fprint(p.out, v.Explain(""))
		return &exit{exitFailed, errSaid}
	case err != nil:
		return &exit{exitUndecided, err}
	}
	fmt.Fprintf(p.out, "%s: the port does what it must, %d requests.\n", name, process.Asked())
	return nil
}

// put puts a port through it.
func (r *recording) put(ctx context.Context, p *port.Process) error {
	switch {
	case r.plan != nil:
		return suites.ReplayPlan(ctx, p, r.plan)
	case r.script != nil:
		return suites.ReplayScript(ctx, p, r.script)
	}
	return r.vector.Run(ctx, p)
}

// fileAndCommand reads flags, then a file, then how the port is started: FILE -- CMD….
func fileAndCommand(set *flag.FlagSet, args []string, name string) (file string, command []string, err error) {
	if err := parse(set, args); err != nil {
		return "", nil, err
	}
	if err := flagsFirst(set, args); err != nil {
		return "", nil, err
	}
	rest := set.Args()
	if len(rest) > 1 && rest[1] == "--" {
		rest = append(rest[:1:1], rest[2:]...)
	}
	if len(rest) < 2 {
		return "", nil, wrong("give a file, and how the port is started: bullytest %s FILE -- python3 port.py", name)
	}
	return rest[0], rest[1:], nil
}

// shrink makes a plan or a script on which a port fails as simple as it can.
func shrink(ctx context.Context, p *program, args []string) error {
	set := p.flags("shrink")
	runs := set.Int("runs", 2000, "the most runs of a plan that are made")
	out := set.String("out", "", "the `file` that the smaller one is written to; the name of the old one with .small if it is empty")
	answer := set.Duration("answer", 5*time.Second, "how long a port may take for a reply")
	name, command, err := fileAndCommand(set, args, "shrink")
	if err != nil {
		return err
	}
	if err := positive(set, "runs", "answer"); err != nil {
		return err
	}
	r, err := readRecording(name)
	if err != nil {
		return err
	}
	if r.plan == nil && r.script == nil {
		return wrong("%s is no plan and no script: a vector is small already", name)
	}
	process, err := port.Start(ctx, port.Config{Command: command, Answer: *answer, Kit: kit.Version, Spec: kit.Spec})
	if err != nil {
		return &exit{exitNoPort, err}
	}
	defer process.Close()
	if *out == "" {
		*out = name + ".small"
	}
	text, tried, err := r.shrink(ctx, process, *runs)
	switch {
	case errors.Is(err, suites.ErrPasses):
		return &exit{exitUndecided, err}
	case err != nil:
		return err
	}
	if err := os.WriteFile(*out, []byte(text), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%s\n%d runs; bullytest replay %s -- %s\n", strings.TrimSpace(text), tried, *out, strings.Join(command, " "))
	return nil
}

// shrink returns the text of the smaller file, and how many runs that took.
func (r *recording) shrink(ctx context.Context, p *port.Process, runs int) (string, int, error) {
	if r.plan != nil {
		small, tried, err := suites.ShrinkPlan(ctx, p, r.plan, runs)
		if err != nil {
			return "", tried, err
		}
		text, err := small.MarshalJSON()
		return string(text) + "\n", tried, err
	}
	small, tried, err := suites.ShrinkScript(ctx, p, r.script)
	if err != nil {
		return "", tried, err
	}
	return small.String(), tried, nil
}
