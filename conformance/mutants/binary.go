package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed-fdf591db/bully/conformance/mutants/strays"
)

// binaries are the tests of some packages, built once with a combined package.
type binaries struct {
	root    string
	overlay string
	paths   map[string]string       // by package: ./impl/bully
	proofs  map[string]func() error // by package: that its tests pass as long as no mutant is chosen, tried once
	apart   string                  // a pattern of tests that do not pass here, though nothing is broken; "" if all do
}

// leave leaves out a test from now on, and reports whether that is anything new.
func (b *binaries) leave(test string) bool {
	test, _, _ = strings.Cut(test, "/")
	test = "^" + test + "$"
	if test == "^"+noTest+"$" || test == "^"+crowd+"$" || slices.Contains(strings.Split(b.apart, "|"), test) {
		return false
	}
	b.apart = strings.TrimPrefix(b.apart+"|"+test, "|")
	return true
}

// build builds the tests of packages, into a folder.
func (c *combined) build(ctx context.Context, dirs []string, folder string) (*binaries, error) {
	sources, err := c.overlay()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	replace := map[string]string{}
	for file, text := range sources {
		path := filepath.Join(folder, filepath.Base(file))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return nil, err
		}
		replace[filepath.Join(c.root, filepath.FromSlash(file))] = path
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return nil, err
	}
	b := &binaries{root: c.root, overlay: filepath.Join(folder, "overlay.json"), paths: map[string]string{}}
	if err := os.WriteFile(b.overlay, text, 0o600); err != nil {
		return nil, err
	}
	for i, dir := range dirs {
		b.paths[dir] = filepath.Join(folder, fmt.Sprintf("%d.test", i))
		command := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-gcflags=-e", "-ldflags=-s -w", "-overlay="+b.overlay, "-o", b.paths[dir], dir)
		command.Dir = c.root
		if output, err := command.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go test -c %s: %w\n%s", dir, err, output)
		}
		if _, err := os.Stat(b.paths[dir]); err != nil {
			return nil, fmt.Errorf("%s has no tests: nothing there can kill a mutant", dir)
		}
	}
	return b, nil
}

// combine builds the packages with all their mutants, and tries that they pass as long as none is chosen: of the table, what has killed last. Done removes
// what was built.
func (t *trial) combine(ctx context.Context) (done func(), err error) {
	folder, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return func() {}, err
	}
	done = func() { _ = os.RemoveAll(folder) }
	begin, byGroup := time.Now(), map[string][]*mutant{}
	for _, m := range t.mutants {
		byGroup[m.group()] = append(byGroup[m.group()], m)
	}
	groups := slices.Sorted(maps.Keys(byGroup))
	type built struct {
		*binaries
		err error
	}
	t.combined = map[string]*binaries{}
	for i, b := range each(groups, t.jobs, func(group string) built {
		some := byGroup[group]
		b, err := t.combineOne(ctx, some[0].dir(), some, filepath.Join(folder, strings.ReplaceAll(group, "/", "_")))
		return built{b, err}
	}) {
		if t.combined[groups[i]] = b.binaries; b.err != nil {
			return done, b.err
		}
	}
	before := len(t.mutants)
	t.mutants = slices.DeleteFunc(t.mutants, func(m *mutant) bool { return m.broken })
	if n := before - len(t.mutants); n > 0 {
		_, _ = fmt.Fprintf(t.log, "%d generated mutants do not build: they are none\n", n)
	}
	_, err = fmt.Fprintf(t.log, "%d packages are built with all their mutants (%.0f s)\n", len(groups), time.Since(begin).Seconds())
	return done, err
}

// combineOne builds one package with its mutants, and runs the tests for none. It returns nil if they are to be built one
// by one: the package is in another module, or with all of them it does not build.
func (t *trial) combineOne(ctx context.Context, dir string, mutants []*mutant, folder string) (*binaries, error) {
	if module, err := moduleRoot(filepath.Join(t.root, filepath.FromSlash(dir))); err != nil || module != t.root {
		return nil, err
	}
	c, err := combine(t.root, dir, mutants)
	if err != nil || len(c.chosen) == 0 {
		return nil, err
	}
	var tests []string
	for _, m := range mutants {
		tests = append(tests, m.Tests...)
		if smallest := m.smallest(); smallest.dir != "" {
			tests = append(tests, smallest.dir)
		}
	}
	slices.Sort(tests)
	tests = slices.Compact(tests)
	b, err := c.build(ctx, tests, folder)
	for err != nil && c.dropBroken(err.Error()) {
		b, err = c.build(ctx, tests, folder)
	}
	if err != nil && ctx.Err() == nil {
		_, _ = fmt.Fprintf(t.log, "%s does not build with all its mutants, which are built one by one: %s\n", dir, tail(err.Error()))
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if mutants[0].made {
		return t.leaveOut(ctx, b, dir, tests[0])
	}
	b.proofs = map[string]func() error{}
	for _, tests := range tests {
		prove := func(flags ...string) error {
			o, err := b.run(ctx, tests, 0, t.budget(tests), flags...)
			if err == nil && o.failed {
				err = fmt.Errorf("%s fails with copies of the functions of %s that nobody calls\n%s", tests, dir, o.output)
			}
			return err
		}
		b.proofs[tests] = sync.OnceValue(func() error { return prove() })
		err := prove(where{run: killersOf(mutants, tests)}.flags("-test.")...)
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

// killersOf returns a pattern of the tests of a package that are run first for these mutants; "" if there is none, and so for all.
func killersOf(mutants []*mutant, dir string) string {
	var tests []string
	for _, m := range mutants {
		for _, of := range []where{m.last, m.smallest()} {
			if of.dir == dir && of.run != "" {
				tests = append(tests, of.run)
			}
		}
	}
	slices.Sort(tests)
	return strings.Join(slices.Compact(tests), "|")
}

// leaveOut tries that the tests of a package pass with its generated mutants, and leaves out those that do not. It returns nil if that is not to be had.
func (t *trial) leaveOut(ctx context.Context, b *binaries, dir, tests string) (*binaries, error) {
	o, err := b.run(ctx, tests, 0, t.budget(tests))
	for err == nil && o.failed && b.leave(o.test) { // a test may count what a copy costs: allocations, lines
		_, _ = fmt.Fprintf(t.log, "%s of %s does not pass with all the mutants, which it is to try one by one\n", o.test, tests)
		o, err = b.run(ctx, tests, 0, t.budget(tests), where{skip: b.apart}.flags("-test.")...)
	}
	if err != nil {
		return nil, err
	}
	if o.failed {
		_, _ = fmt.Fprintf(t.log, "%s does not pass with all its mutants, which are built one by one\n", dir)
		return nil, nil
	}
	return b, nil
}

// noTest stands for the test that failed where the program ended without a word of it.
const noTest = "(no test: the program ended)"

// run runs tests of a package for the mutant of a number, or for none if it is 0.
func (b *binaries) run(ctx context.Context, dir string, number int, limit time.Duration, which ...string) (*outcome, error) {
	args := append(which, "-test.failfast", "-test.timeout="+limit.String(), "-test.parallel="+parallel)
	folder := filepath.Join(b.root, filepath.FromSlash(dir))
	if usesRapid(folder) {
		args = append(args, rapidFlags...)
	}
	command := exec.CommandContext(ctx, b.paths[dir], args...)
	command.Dir = folder
	command.WaitDelay = time.Second
	command.Env = append(environment(), goflags(b.overlay), choiceVar+"="+strconv.Itoa(number))
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	crowded, failed := strays.Run(command, strays.Most)
	if crowded && ctx.Err() == nil {
		return tooMany(output.String()), nil
	}
	var exit *exec.ExitError
	if failed != nil && !errors.As(failed, &exit) && !errors.Is(failed, exec.ErrWaitDelay) || ctx.Err() != nil {
		return nil, fmt.Errorf("the tests of %s: %w", dir, errors.Join(failed, ctx.Err()))
	}
	o := &outcome{built: true, ran: 1, failed: failed != nil, output: output.String()}
	for line := range strings.Lines(o.output) {
		o.note(line)
		if _, rest, found := strings.Cut(line, "--- FAIL: "); found {
			if name, _, _ := strings.Cut(rest, " "); o.test == "" || strings.HasPrefix(name, o.test+"/") {
				o.test = name
			}
		}
	}
	if o.failed && o.test == "" {
		o.test = noTest
	}
	return o, nil
}
