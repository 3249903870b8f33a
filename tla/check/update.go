package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/tla"
	"github.com/seed-fdf591db/bully/tla/check/explorer"
)

// quickSeconds is how long a new configuration may take and still be a quick one.
const quickSeconds = 20

// rewrite measures the selected configurations, and writes the counts to models.json. What a
// configuration must come to is said by people: by the folder, for models/ must hold and the
// others must fail; by the property in models.json, or by -expect. A configuration that comes
// to something else is not written.
func (a *app) rewrite(ctx context.Context) error {
	listed, err := tla.ReadList(os.DirFS(a.dir))
	if err != nil {
		return err
	}
	configurations, err := tla.ReadConfigurations(os.DirFS(a.dir))
	if err != nil {
		return err
	}
	entries, err := a.extend(listed, configurations)
	if err != nil {
		return err
	}
	all, err := a.selected(entries)
	if err != nil {
		return err
	}
	for i := range all {
		if e := &all[i].entry; a.digest && e.States == "" && e.Verdict == tla.Holds {
			e.States = "to be taken"
		}
	}
	// What was measured before an interruption is written too.
	_, interrupted := a.runBoth(ctx, all)
	if err := errors.Join(interrupted, a.write(all)); err != nil {
		return err
	}
	if n := len(configurations); n > 0 {
		_, _ = fmt.Fprintf(a.out, "%d more are not listed yet.\n", n)
		return nil
	}
	_, err = tla.Load(os.DirFS(a.dir))
	return err
}

// write puts what was measured into models.json as it is by now. The error joins what was not
// written, and why.
func (a *app) write(all []comparison) error {
	listed, err := tla.ReadList(os.DirFS(a.dir))
	if err != nil {
		return err
	}
	var wrong []error
	measured := 0
	for _, c := range all {
		if c.tlc == nil && c.entry.TLC || c.explorer == nil && c.entry.Explorer != tla.None {
			continue
		}
		if err := put(&listed, c); err != nil {
			wrong = append(wrong, err)
			continue
		}
		measured++
	}
	text, err := tla.Encode(listed)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(a.out, "%d of %d configurations measured; %s lists %d.\n", measured, len(all), tla.ListFile, len(listed))
	return errors.Join(append(wrong, os.WriteFile(filepath.Join(a.dir, tla.ListFile), text, 0o644))...)
}

// extend returns the listed entries, each with its configuration, and one for each
// configuration that is not listed and is asked for. The others stay in configurations.
func (a *app) extend(listed []tla.Entry, configurations map[string]tla.Configuration) ([]tla.Entry, error) {
	var entries []tla.Entry
	var wrong []error
	for _, e := range listed {
		c, ok := configurations[e.Name]
		if !ok {
			wrong = append(wrong, fmt.Errorf("%s: there is no %s.cfg: take the entry out by hand", tla.ListFile, e.Name))
			continue
		}
		e.Configuration = c
		entries = append(entries, e)
		delete(configurations, e.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(configurations)) {
		if !a.filter.MatchString(name) {
			continue
		}
		c := configurations[name]
		delete(configurations, name)
		e := tla.Entry{Name: name, Module: c.Module, Question: c.Question, Configuration: c}
		e.Effort, e.Explorer, e.TLC, e.Why = tla.Quick, tla.Full, a.noTLC == "", a.noTLC
		e.Verdict = tla.Holds
		if path.Dir(name) != tla.Models {
			e.Verdict = tla.Violates
			var err error
			if e.Property, err = a.expected(c); err != nil {
				wrong = append(wrong, fmt.Errorf("%s.cfg: %w", name, err))
			}
		}
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(x, y tla.Entry) int { return strings.Compare(x.Name, y.Name) })
	return entries, errors.Join(wrong...)
}

// expected returns the property that a new configuration must violate. There is nothing to
// say if it checks but one, the types aside.
func (a *app) expected(c tla.Configuration) (string, error) {
	var candidates []string
	for _, name := range slices.Concat(c.Invariants, c.Properties) {
		if name != "TypeOK" {
			candidates = append(candidates, name)
		}
	}
	if c.CheckDeadlock {
		candidates = append(candidates, tla.Deadlock)
	}
	switch {
	case a.expect != "" && c.Checks(a.expect):
		return a.expect, nil
	case a.expect == "" && len(candidates) == 1:
		return candidates[0], nil
	}
	return "", fmt.Errorf("it must fail, but in which of %s? Say so with -expect", strings.Join(candidates, ", "))
}

// put puts what was measured of one configuration into the list.
func put(listed *[]tla.Entry, c comparison) error {
	e, found, err := c.entry, tla.Result{}, error(nil)
	switch {
	case c.tlc != nil && c.tlc.Err != nil:
		err = c.tlc.Err
	case c.tlc != nil && c.tlc.Report.Verdict == tla.Failed:
		err = errors.New(c.tlc.Report.Message)
	case c.tlc != nil:
		found = c.tlc.Report.Result
	case c.explorer.Err != nil:
		err = c.explorer.Err
	default:
		found = c.explorer.Result
	}
	if err == nil && (found.Verdict != e.Verdict || found.Property != e.Property) {
		err = fmt.Errorf("it %s, but must be: %s", verdictOf(found), verdictOf(e.Result))
	}
	if err != nil {
		return fmt.Errorf("%s is not written: %w", e.Name, err)
	}
	i := slices.IndexFunc(*listed, func(x tla.Entry) bool { return x.Name == e.Name })
	if i < 0 {
		if found.Seconds > quickSeconds {
			e.Effort = tla.Deep
		}
		if e.TLC {
			e.Explorer, e.Why = levelOf(c.explorer)
		}
		*listed = append(*listed, e)
		i = len(*listed) - 1
	}
	found.Seconds = steady((*listed)[i].Seconds, found.Seconds)
	(*listed)[i].Result = found
	return nil
}

// levelOf returns how much of a new configuration the explorer can confirm.
func levelOf(o *explorer.Outcome) (tla.Level, string) {
	if o != nil && o.Err == nil && o.Violation == nil && len(o.Unchecked) > 0 {
		return tla.Counts, "The explorer does not check liveness: " + strings.Join(o.Unchecked, ", ") + "."
	}
	return tla.Full, ""
}

// steady returns the seconds to write: the old ones, unless the new ones are quite different.
// They say what to begin with and how long the rest takes, and need not change with every run.
func steady(old, measured float64) float64 {
	measured = math.Round(measured*10) / 10
	if old > 0 && math.Abs(measured-old) < 0.5+old/4 {
		return old
	}
	return max(0.1, measured)
}
