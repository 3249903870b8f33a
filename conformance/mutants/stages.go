package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// where is tests of one package: all, or those that one pattern names, or those that another does not.
type where struct {
	dir, run, skip string
	apart          bool // built with this mutant alone
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

// stages returns what is run for a mutant until something fails. Of a generated one it does not matter which test is first, and so those
// come last that take the most time.
func (t *trial) stages(m *mutant) (all []where) {
	b := t.combined[m.group()]
	for _, dir := range m.Tests {
		if !m.made || b == nil {
			all = append(all, where{dir: dir})
			continue
		}
		slow := t.slow[dir]
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

// either returns a pattern for what either of two is for, of which each may be none.
func either(a, b string) string { return strings.Trim(a+"|"+b, "|") }

// slowest returns a pattern of the fewest tests that together take more than half of the time of all: none, if these are half of all
// tests, and so to run the others alone saves nothing.
func slowest(took map[string]float64) string {
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
