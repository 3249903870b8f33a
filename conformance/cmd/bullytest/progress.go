package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/conformance/kit"
)

// maxTold is how many failures are shown in full.
const maxTold = 25

// telling says what comes of cases while they run.
type telling struct {
	program  *program
	again    *kit.Report // for the commands that run a case once more
	verbose  bool
	shown    int
	others   []string // that have failed too
	progress progress
}

// tell says what came of a case.
func (t *telling) tell(v kit.Verdict) {
	bad := v.Failed() || v.Outcome == kit.Undecided
	t.progress.step(v.Failed())
	switch {
	case !bad && t.verbose:
		fmt.Fprintf(t.program.out, "%s %s\n", v.Outcome, v.Case)
	case !bad:
	case t.shown < maxTold || t.verbose:
		t.shown++
		fmt.Fprintf(t.program.out, "%s\n", v.Explain(t.again.Again(&v)))
	default:
		t.others = append(t.others, fmt.Sprintf("%s %s", v.Outcome, v.Case))
	}
}

// rest names the failures that were not shown.
func (t *telling) rest() {
	if len(t.others) > 0 {
		fmt.Fprintf(t.program.out, "… and %d more, by name:\n%s\n", len(t.others), strings.Join(t.others, "\n"))
	}
}

const (
	firstNews = 3 * time.Second // a run that takes no longer says nothing of its progress
	news      = 5 * time.Second // how often a longer one does
)

// progress says now and then how far a run has come.
type progress struct {
	log          io.Writer
	of           int
	now          func() time.Time
	done, failed int
	due          time.Time
}

// step counts a case, and says so if it is time.
func (p *progress) step(failed bool) {
	p.done++
	if failed {
		p.failed++
	}
	now := p.now()
	switch {
	case p.due.IsZero():
		p.due = now.Add(firstNews)
	case now.Before(p.due) || p.done == p.of:
	default:
		fmt.Fprintf(p.log, "%d of %d, %d fail\n", p.done, p.of, p.failed)
		p.due = now.Add(news)
	}
}
