package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/conformance/vectors"
)

// smoke is the first cases that a port should pass, in the order in which they are best written, and what to read when one fails.
var smoke = []struct{ id, read string }{
	{"R32-first-start", "spec/README.md, R32, and the table of effects in conformance/CERTIFYING.md, Replies: save is first"},
	{"R8-patience-ends-without-a-leader", "spec/README.md, R8; R36 for the timers: one is cancelled, one is armed; R39 for tell"},
	{"R17-grants-a-higher-epoch", "conformance/CERTIFYING.md, Requests, load; spec/README.md, R17 and R4; section 10 for the order of effects"},
	{"R23-follows-a-higher-epoch", "spec/README.md, R23; R39 for over and tell"},
	{"R33-epoch-string", "spec/README.md, R33: what is no message is ignored, and answered with ignored and the state as it is"},
}

// handshake is what a port that does not start should read.
const handshake = `A port reads a line of JSON from its standard input, and writes one to its standard output for each, with the same id,
and flushes it. The first one is
  > {"id":1,"op":"hello","protocol":1,"kit":"%s","spec":"%s"}
and the answer to it is such as
  < {"id":1,"port":{"name":"mine","version":"0.1","language":"Python"},"protocol":1,"features":[]}
Nothing else may be written there: what is for people goes to standard error. See conformance/CERTIFYING.md, The loop.
`

// check asks a port who it is, and the first few cases.
func check(ctx context.Context, p *program, args []string) error {
	set := p.flags("check")
	if err := parse(set, args); err != nil {
		return err
	}
	if set.NArg() == 0 {
		return wrong("say how the port is started: bullytest check -- python3 port.py")
	}
	if err := flagsFirst(set, args); err != nil {
		return err
	}
	var cases []kit.Case
	for _, s := range smoke {
		some, err := kit.Select(vectors.Cases(), s.id, "")
		if err != nil {
			return err
		}
		cases = append(cases, some...)
	}
	passed, failed := 0, 0
	r, err := kit.Run(ctx, cases, kit.Options{Port: port.Config{Command: set.Args()}, Workers: 1, Each: func(v kit.Verdict) {
		if v.Outcome == kit.Pass {
			passed++
			fmt.Fprintf(p.out, "ok   %s\n", v.Case)
			return
		}
		if failed++; failed > 1 && v.Outcome == kit.Unsupported {
			fmt.Fprintf(p.out, "     %s: not yet: %s\n", v.Case, strings.SplitN(v.Problem, "\n", 2)[0])
			return
		}
		teach(p, &v)
	}})
	var not *kit.NotStarted
	if errors.As(err, &not) {
		fmt.Fprintf(p.log, handshake, kit.Version, kit.Spec)
		return &exit{exitNoPort, err}
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%s %s (%s) speaks the protocol; %d of %d first cases pass.\n", r.Port.Name, r.Port.Version, r.Port.Language, passed, len(cases))
	if passed < len(cases) {
		fmt.Fprintf(p.out, "The first that fails is the next to write.\n")
		return &exit{exitFailed, errSaid}
	}
	fmt.Fprintf(p.out, "Next: bullytest test -- %s\n", strings.Join(set.Args(), " "))
	return nil
}

// teach says why a case failed: what was asked, what came, what would be right, and where that is written.
func teach(p *program, v *kit.Verdict) {
	fmt.Fprintf(p.out, "FAIL %s\n     %s\n", v.Case, vectors.Named(v.Case).Title)
	problem, more, _ := strings.Cut(v.Problem, "\n")
	fmt.Fprintf(p.out, "     what was wrong    %s\n", problem)
	if len(v.Last) > 0 {
		fmt.Fprintf(p.out, "     before it         %s\n", strings.Join(v.Last, "\n                       "))
	}
	came := v.Reply
	if came == "" {
		came = "nothing"
	}
	fmt.Fprintf(p.out, "     what was asked    %s\n     what came         %s\n", v.Request, came)
	for line := range strings.SplitSeq(more, "\n") {
		name, text, _ := strings.Cut(line, " ")
		if name == "expected" {
			name = "what is right"
		}
		if text != "" {
			fmt.Fprintf(p.out, "     %-18s%s\n", name, strings.TrimSpace(text))
		}
	}
	if v.Standard != "" {
		fmt.Fprintf(p.out, "     standard error    %s\n", strings.ReplaceAll(v.Standard, "\n", "\n                       "))
	}
	for _, s := range smoke {
		if s.id == v.Case {
			fmt.Fprintf(p.out, "     read              %s\n", s.read)
		}
	}
	fmt.Fprintf(p.out, "     by hand           bullytest stdin %s | your port\n\n", v.Case)
}
