package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/kit/suites"
	"github.com/seed-fdf591db/bully/conformance/port"
)

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
