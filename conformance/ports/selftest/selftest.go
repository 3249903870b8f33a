// Package selftest shows that the kit has teeth: it breaks the port in Python in one line, in many ways, and each such mutant must be
// refused, for a rule that it breaks.
//
//	kills, err := selftest.Run(ctx, selftest.Mutants(), selftest.Options{Cases: cases})
//	if err != nil {
//		return err // a mutant could not be made or started
//	}
//	for _, k := range kills {
//		if problem := k.Problem(); problem != "" {
//			return errors.New(problem) // it survives, or dies of something else
//		}
//	}
//
// The mutants are edits of conformance/ports/python, in the files of table: package conformance/mutants/table says how they are
// written. One that no longer fits is an error, and is mended there when the port changes.
package selftest

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/mutants/table"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/conformance/ports"
)

//go:embed table/*.txt
var written embed.FS

// noRule is what stands for a rule where no rule says it.
const noRule = "the protocol"

// Mutant is the port in Python with one bug. Its rules are those for which it may be refused: one of them.
type Mutant struct{ table.Mutant }

// Mutants returns all mutants, in the order of what they are about. It panics if the table, which is part of the program, is none.
func Mutants() (all []Mutant) {
	folder, err := fs.Sub(written, "table")
	if err != nil {
		panic(err)
	}
	read, err := table.Read(folder)
	if err != nil {
		panic(err)
	}
	for _, m := range read {
		all = append(all, Mutant{m})
	}
	return all
}

// may reports whether it may be refused for a rule: "" is what no rule says, but the protocol.
func (m *Mutant) may(rule string) bool {
	return slices.Contains(m.Rules, cmp.Or(rule, "protocol"))
}

// Kill is what came of a mutant.
type Kill struct {
	Mutant
	Case     string // that refused it first; "" if none did
	Rule     string // that it says
	Outcome  kit.Outcome
	Says     string // how the port differed: a line
	Requests uint64 // until then
}

// Problem says what is wrong with the kit: a mutant survives, or is refused for a rule that is not its own; or "".
func (k *Kill) Problem() string {
	switch {
	case k.Case == "":
		return fmt.Sprintf("%s survives %d requests: %s", k.Name, k.Requests, k.Breaks)
	case !k.may(k.Rule):
		return fmt.Sprintf("%s is refused by %s for %q, and breaks one of %q: %s", k.Name, k.Case, k.Rule, k.Rules, k.Says)
	}
	return ""
}

// String says what came of the mutant in a line.
func (k *Kill) String() string {
	if k.Case == "" {
		return fmt.Sprintf("%-34s SURVIVES %d requests", k.Name, k.Requests)
	}
	return fmt.Sprintf("%-34s %-12s %-40s %d requests", k.Name, cmp.Or(k.Rule, noRule), k.Case, k.Requests)
}

// Options say how mutants are run.
type Options struct {
	Python  []string   // how Python is started; python3 if nil
	Cases   []kit.Case // in the order in which they are tried
	Workers int        // how many mutants at a time; 2 if 0
	Each    func(Kill) // is told what came of each, in the order of the mutants; nil: nobody
}

// Files writes the port, with the mutant's bug, to a directory. The error says so if its text is not there once.
func (m *Mutant) Files(dir string) error {
	python, err := fs.Sub(ports.Python, "python")
	if err != nil {
		return fmt.Errorf("selftest: %w", err)
	}
	if err := os.CopyFS(dir, python); err != nil {
		return fmt.Errorf("selftest: %w", err)
	}
	name := filepath.Join(dir, m.File)
	text, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("selftest: %s: %w", m.Name, err)
	}
	broken, err := m.Apply(string(text))
	if err != nil {
		return fmt.Errorf("selftest: %s: %w", m.Name, err)
	}
	return os.WriteFile(name, []byte(broken), 0o644)
}

// Run puts each mutant through the cases, until one refuses it. The error is that one could not be made, or that there is nothing
// to do.
func Run(ctx context.Context, mutants []Mutant, o Options) ([]Kill, error) {
	if len(mutants) == 0 || len(o.Cases) == 0 {
		return nil, errors.New("selftest: there are no mutants, or no cases")
	}
	if len(o.Python) == 0 {
		o.Python = []string{"python3"}
	}
	root, err := os.MkdirTemp("", "bullytest-selftest-")
	if err != nil {
		return nil, fmt.Errorf("selftest: %w", err)
	}
	defer func() { _ = os.RemoveAll(root) }()
	for i := range mutants {
		if err := mutants[i].Files(filepath.Join(root, mutants[i].Name)); err != nil {
			return nil, err
		}
	}
	r := &runner{ctx: ctx, options: o, root: root, mutants: mutants, kills: make([]*Kill, len(mutants))}
	var workers sync.WaitGroup
	for range cmp.Or(o.Workers, 2) {
		workers.Go(r.work)
	}
	workers.Wait()
	if r.failed == nil {
		r.failed = ctx.Err()
	}
	var kills []Kill
	for _, k := range r.kills {
		if k != nil {
			kills = append(kills, *k)
		}
	}
	return kills, r.failed
}

// runner is what workers share.
type runner struct {
	ctx     context.Context
	options Options
	root    string
	mutants []Mutant

	mu         sync.Mutex
	next, told int
	kills      []*Kill
	failed     error
}

// work tries mutants until there are no more.
func (r *runner) work() {
	for {
		r.mu.Lock()
		i := r.next
		r.next++
		over := i >= len(r.mutants) || r.failed != nil || r.ctx.Err() != nil
		r.mu.Unlock()
		if over {
			return
		}
		kill, err := r.try(&r.mutants[i])
		r.mu.Lock()
		if err != nil && r.failed == nil {
			r.failed = err
		}
		r.kills[i] = kill
		for ; r.told < len(r.kills) && r.kills[r.told] != nil; r.told++ {
			if r.options.Each != nil {
				r.options.Each(*r.kills[r.told])
			}
		}
		r.mu.Unlock()
	}
}

// patience is how long a mutant may take for an answer, if it is not one that hangs: on a busy machine a right answer takes its
// time, and a verdict must not depend on that.
const patience = 2 * time.Minute

// try puts one mutant through the cases.
func (r *runner) try(m *Mutant) (*Kill, error) {
	ctx, stop := context.WithCancel(r.ctx)
	defer stop()
	k := &Kill{Mutant: *m}
	config := port.Config{
		Command: append(slices.Clone(r.options.Python), filepath.Join(r.root, m.Name, "port.py")),
		Answer:  patience, Start: patience,
	}
	if m.Hangs {
		config.Answer, config.Start = 2*time.Second, 10*time.Second
	}
	_, err := kit.Run(ctx, r.options.Cases, kit.Options{Port: config, Workers: 1, Each: func(v kit.Verdict) {
		if k.Case != "" {
			return
		}
		k.Requests += v.Requests
		if v.Failed() {
			line, _, _ := strings.Cut(v.Problem, "\n")
			k.Case, k.Rule, k.Outcome, k.Says = v.Case, v.Rule, v.Outcome, line
			stop()
		}
	}})
	var not *kit.NotStarted
	switch {
	case k.Case != "":
		return k, nil
	case errors.As(err, &not):
		k.Case, k.Outcome, k.Says, k.Requests = "start", kit.Broken, "the port does not start", 1
		return k, nil
	case err != nil:
		return nil, fmt.Errorf("selftest: %s: %w", m.Name, err)
	}
	return k, nil
}

// Table returns what came of the mutants as a table in Markdown.
func Table(kills []Kill) string {
	var b strings.Builder
	b.WriteString("| mutant | what it does | refused by | for | requests |\n|---|---|---|---|---|\n")
	for i := range kills {
		k := &kills[i]
		by, rule := "**nobody**", cmp.Or(k.Rule, noRule)
		if k.Case != "" {
			by = "`" + k.Case + "`"
		} else {
			rule = "–"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %d |\n", k.Name, strings.ReplaceAll(k.Breaks, "|", "\\|"), by, rule, k.Requests)
	}
	return b.String()
}
