package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// status is what became of a mutant.
type status string

const (
	killed   status = "killed"
	hung     status = "hung" // and so killed, by the time limit
	survived status = "survived"
	unbuilt  status = "does not build"
	failed   status = "could not be tried"
)

// result is one mutant tried.
type result struct {
	*mutant
	Status   status  `json:"status"`
	By       string  `json:"killed_by,omitempty"` // package and test
	Smallest string  `json:"smallest_run,omitempty"`
	Seconds  float64 `json:"seconds"`
	Problem  string  `json:"problem,omitempty"`
	output   string
}

// trial tries mutants.
type trial struct {
	root     string
	mutants  []*mutant
	jobs     int
	limit    time.Duration
	log      io.Writer
	verbose  bool
	combined map[string]*binaries     // by the group of a mutant
	took     map[string]time.Duration // the tests of each package, without mutants
	tests    map[string]times         // each of them
	slow     map[string]string        // those of them that take the most time, as a pattern

	mu    sync.Mutex // guards done, took, tests, slow, kills and log
	done  int
	kills map[string]map[string]int // of each package, how many generated mutants each test has killed
}

func (a *app) trial(some []*mutant) *trial {
	return &trial{root: a.root, mutants: some, jobs: a.jobs, limit: a.limit, log: a.log, verbose: a.verbose}
}

// everything tries every mutant, once it is known that the tests pass without.
func (t *trial) everything(ctx context.Context) ([]*result, error) {
	if err := t.baseline(ctx); err != nil {
		return nil, err
	}
	done, err := t.combine(ctx)
	defer done()
	if err != nil {
		return nil, err
	}
	results := t.all(ctx)
	return results, ctx.Err()
}

// baseline runs the tests of all packages on the tree as it is: only a test that passes there can kill.
func (t *trial) baseline(ctx context.Context) error {
	var dirs []string
	for _, m := range t.mutants {
		for _, dir := range m.Tests {
			if !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	begin := time.Now()
	t.took, t.tests, t.slow = map[string]time.Duration{}, map[string]times{}, map[string]string{}
	problems := each(dirs, t.jobs, func(dir string) error {
		begin := time.Now()
		o, err := (&goTest{root: t.root, dir: dir, limit: baselineLimit}).do(ctx)
		t.mu.Lock()
		t.took[dir] = time.Since(begin)
		if err == nil {
			t.tests[dir], t.slow[dir] = o.took, slowest(o.took)
		}
		t.mu.Unlock()
		switch {
		case err != nil:
			return err
		case o.failed:
			return fmt.Errorf("%s fails without any mutant: mend that first\n%s", dir, o.output)
		case o.ran == 0:
			return fmt.Errorf("%s has no tests: nothing there can kill a mutant", dir)
		}
		return nil
	})
	for _, err := range problems {
		if err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(t.log, "without mutants %d packages pass (%.0f s)\n", len(dirs), time.Since(begin).Seconds())
	return err
}

// baselineLimit is how long the tests of one package may take without mutants, whatever else the machine does.
const baselineLimit = 30 * time.Minute

// budget returns how long the tests of a package may take for a mutant: a multiple of what they take without, as the machine is now.
func (t *trial) budget(dir string) time.Duration { return max(t.limit, 10*t.took[dir]) }

// each calls f with each element, at most jobs at a time, and returns what it returned, in the order of the elements.
func each[E, R any](elements []E, jobs int, f func(E) R) []R {
	results := make([]R, len(elements))
	places := make(chan int)
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			for i := range places {
				results[i] = f(elements[i])
			}
		})
	}
	for i := range elements {
		places <- i
	}
	close(places)
	workers.Wait()
	return results
}

// all tries every mutant, and returns what became of them in the same order.
func (t *trial) all(ctx context.Context) []*result {
	return each(t.mutants, t.jobs, func(m *mutant) *result {
		begin := time.Now()
		r := &result{mutant: m}
		if err := t.try(ctx, r); err != nil {
			r.Status, r.Problem = failed, err.Error()
		}
		r.Seconds = float64(time.Since(begin).Milliseconds()) / 1000
		t.tell(r)
		return r
	})
}

// try tries one mutant.
func (t *trial) try(ctx context.Context, r *result) error {
	overlay, done, err := r.overlay(t.root)
	if err != nil {
		return err
	}
	defer done()
	r.Status = survived
	for _, tests := range t.stages(r.mutant) {
		o, err := t.run(ctx, r.mutant, overlay, tests)
		if err != nil {
			return err
		}
		r.output = o.output
		if !o.built {
			r.Status, r.Problem = unbuilt, tail(o.output)
			return nil
		}
		if !o.failed {
			continue
		}
		if o.hung && !r.Hangs {
			return fmt.Errorf("the tests of %s took more than %v, which is no verdict: if only time tells of it, let the table say hangs yes", tests.dir, t.budget(tests.dir))
		}
		if r.Status = killed; o.hung {
			r.Status = hung
		}
		r.By, r.Smallest = strings.TrimPrefix(tests.dir, "./")+" "+o.test, o.smallest
		t.count(r.mutant, tests.dir, o.test)
		break
	}
	smallest := r.smallest()
	if r.Status != killed || r.Smallest != "" || smallest.dir == "" {
		return nil
	}
	// Another test was first: ask the one that shrinks. It need not find the mutant.
	o, err := t.run(ctx, r.mutant, overlay, smallest)
	if err == nil && o.failed {
		r.Smallest = o.smallest
	}
	return err
}

// run runs tests of one package for a mutant.
func (t *trial) run(ctx context.Context, m *mutant, overlay string, tests where) (*outcome, error) {
	limit := t.budget(tests.dir)
	if m.Hangs { // and what is waited for is not to be waited for long
		limit = max(t.limit/12, 3*t.tests[tests.dir].of(tests))
	}
	if b := t.combined[m.group()]; b != nil && m.number > 0 && !tests.apart && b.paths[tests.dir] != "" {
		if tests.run == "" && !m.made { // it was tried of those only that the table names
			if err := b.proofs[tests.dir](); err != nil {
				return nil, err
			}
		}
		return b.run(ctx, tests.dir, m.number, limit, tests.flags("-test.")...)
	}
	return (&goTest{root: t.root, overlay: overlay, dir: tests.dir, which: tests.flags("-"), limit: limit}).do(ctx)
}

// smallest returns the tests that shrink what they find, if there are any.
func (m *mutant) smallest() (tests where) {
	tests.dir, tests.run, _ = strings.Cut(m.Smallest, " ")
	return tests
}

// dir returns the package that a mutant is in.
func (m *mutant) dir() string { return "./" + path.Dir(m.File) }

// group is what a mutant is built with: those of the table and those that are generated apart, as only the latter may fail to build.
func (m *mutant) group() string {
	if m.made {
		return m.dir() + "/generated"
	}
	return m.dir()
}

// tell prints that a mutant has been tried.
func (t *trial) tell(r *result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done++
	line := fmt.Sprintf("[%*d of %d] %s: %s", len(fmt.Sprint(len(t.mutants))), t.done, len(t.mutants), r.Name, r.Status)
	if r.By != "" {
		line += " by " + r.By
	}
	_, _ = fmt.Fprintf(t.log, "%s (%.1f s)\n", line, r.Seconds)
	if r.Problem != "" {
		_, _ = fmt.Fprintln(t.log, r.Problem)
	}
	if t.verbose {
		_, _ = fmt.Fprintf(t.log, "%s%s\n", r.text(), tail(r.output))
	}
}

// maxTail is how many lines of what tests print are shown.
const maxTail = 40

// tail returns the last lines of a text.
func tail(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-maxTail):], "\n")
}

// where is tests of one package: all, or those that one pattern names, or those that another does not.
type where struct {
	dir, run, skip string
	apart          bool // built with this mutant alone
}

// names reports whether a test is one of them.
func (w where) names(test string) bool {
	run, _, _ := strings.Cut(w.run, "/")
	return regexp.MustCompile(run).MatchString(test) && (w.skip == "" || !regexp.MustCompile(w.skip).MatchString(test))
}

// flags returns the flags that choose the tests, for go test or, with another prefix, for its binary.
func (w where) flags(prefix string) (flags []string) {
	if w.run != "" {
		flags = append(flags, prefix+"run="+w.run)
	}
	if w.skip != "" {
		flags = append(flags, prefix+"skip="+w.skip)
	}
	return flags
}

// stages returns what is run for a mutant until something fails. It begins with the test that killed the mutant last: where that
// fails still, nothing else need be run. Of a generated one it does not matter which test is first: those that have killed the most
// so far begin, and those come last that take the most time.
func (t *trial) stages(m *mutant) (all []where) {
	b := t.combined[m.group()]
	if slices.Contains(m.Tests, m.last.dir) {
		all = append(all, m.last)
	}
	for _, dir := range m.Tests {
		if !m.made || b == nil {
			all = append(all, where{dir: dir})
			continue
		}
		slow := t.slow[dir]
		if often := t.often(dir); often != "" {
			all = append(all, where{dir: dir, run: often, skip: either(slow, b.apart)})
		}
		all = append(all, where{dir: dir, skip: either(slow, b.apart)})
		if slow != "" {
			all = append(all, where{dir: dir, run: slow, skip: b.apart})
		}
		if b.apart != "" {
			all = append(all, where{dir: dir, run: b.apart, apart: true})
		}
	}
	return all
}

// count counts that a test has killed a generated mutant.
func (t *trial) count(m *mutant, dir, test string) {
	test, _, _ = strings.Cut(test, "/")
	if !m.made || strings.ContainsAny(test, " (") {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kills == nil {
		t.kills = map[string]map[string]int{}
	}
	if t.kills[dir] == nil {
		t.kills[dir] = map[string]int{}
	}
	t.kills[dir][test]++
}

// often returns a pattern of the tests of a package that have killed the most generated mutants so far, or "" if none has yet.
func (t *trial) often(dir string) string {
	const most = 4
	t.mu.Lock()
	defer t.mu.Unlock()
	kills := t.kills[dir]
	tests := slices.SortedFunc(maps.Keys(kills), func(a, b string) int { return cmp.Or(cmp.Compare(kills[b], kills[a]), cmp.Compare(a, b)) })
	if len(tests) == 0 {
		return ""
	}
	return "^(" + strings.Join(tests[:min(most, len(tests))], "|") + ")$"
}

// times is how many seconds tests take, by their names.
type times map[string]float64

// of returns how long those take that are chosen.
func (t times) of(tests where) (all time.Duration) {
	for name, seconds := range t {
		if tests.names(name) {
			all += time.Duration(seconds * float64(time.Second))
		}
	}
	return all
}

// either returns a pattern for what either of two is for, of which each may be none.
func either(a, b string) string { return strings.Trim(a+"|"+b, "|") }

// slowest returns a pattern of the fewest tests that together take more than half of the time of all: none, if these are half of all
// tests, and so to run the others alone saves nothing.
func slowest(took times) string {
	total := 0.0
	for _, seconds := range took {
		total += seconds
	}
	byTime := slices.SortedFunc(maps.Keys(took), func(a, b string) int { return cmp.Or(cmp.Compare(took[b], took[a]), cmp.Compare(a, b)) })
	var slow []string
	for part := 0.0; part <= total/2 && len(slow) < len(byTime); {
		slow = append(slow, byTime[len(slow)])
		part += took[slow[len(slow)-1]]
	}
	if 2*len(slow) >= len(byTime) {
		return ""
	}
	return "^(" + strings.Join(slow, "|") + ")$"
}
