package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
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
