package traces

import (
	"cmp"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// shrink gives the epochs of the trace small numbers, since TLC's end at 2^31-1, and finds who led them.
//
// The rules do two things with epochs: they compare two of them, and they add one to that of a state. So a trace is as
// good after its epochs are renamed as before, if for all epochs d and e in it
//
//	d < e      if and only if  small(d) < small(e)
//	d + 1 = e  if and only if  small(d) + 1 = small(e)
//
// From e to e+1 is one then, and from e to anything higher is two. An epoch that a rule makes by adding one, and that is
// not in the trace, falls in the gap between two: it compares with all others as it should, and equals none. The least
// epoch of all is that of Blank, which is 0 and stays 0, so that every trace is said to have it.
//
// One bound is said in numbers: who has promised 2^53-1 may not claim (R2). What that is among the small ones, the data
// says; see MayClaimBelow.
//
// The versions of configurations are treated the same.
func (t *trace) shrink() {
	t.small, t.highest = shrunk(t.epochs), none
	for place, e := range t.epochs {
		if e == uint64(spec.MaxEpoch) {
			t.highest = t.small[place]
		}
	}
	t.leaders = make([]rank, slices.Max(t.small)+1)
	for _, e := range t.events {
		if s := &t.states[e.state]; s.role == spec.Leader && t.leaders[t.small[s.epoch]] == 0 {
			t.leaders[t.small[s.epoch]] = e.node
		}
	}
	t.shrinkVersions(t)
}

// shrunk returns small numbers for numbers, of which 0 is one, each there once.
func shrunk(numbers []uint64) []int {
	order := make([]int, len(numbers))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(numbers[a], numbers[b]) })
	small, next := make([]int, len(numbers)), 0
	for k, place := range order {
		switch {
		case k == 0: // 0, which every trace has.
		case numbers[place] == numbers[order[k-1]]+1:
			next++
		default:
			next += 2
		}
		small[place] = next
	}
	return small
}

// grown returns which of numbers is small in TLC. One that is not among them is one above one that is; see shrink.
func grown(numbers []uint64, small []int, s int) uint64 {
	if i := slices.Index(small, s); i >= 0 {
		return numbers[i]
	}
	if i := slices.Index(small, s-1); i >= 0 {
		return numbers[i] + 1
	}
	return 0
}

// none is no number of an epoch.
const none = -1
