package traces

import (
	"fmt"
	"maps"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// scale gives numbers small ones, since TLC's end at 2^31-1.
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
type scale struct {
	smalls map[uint64]int
	larges map[int]uint64
}

// note takes notice of a number.
func (s *scale) note(n uint64) {
	if s.smalls == nil {
		s.smalls = map[uint64]int{}
	}
	s.smalls[n] = 0
}

// shrink gives all that were noted, and 0, their small numbers.
func (s *scale) shrink() {
	s.note(0)
	s.larges = map[int]uint64{}
	next, last := 0, uint64(0)
	for _, n := range slices.Sorted(maps.Keys(s.smalls)) {
		next += int(min(2, n-last))
		s.smalls[n], s.larges[next] = next, n
		last = n
	}
}

// small returns what a number that was noted is in TLC.
func (s *scale) small(n uint64) int { return s.smalls[n] }

// large returns which number is small in TLC. One that was not noted is one above one that was.
func (s *scale) large(small int) uint64 {
	if n, ok := s.larges[small]; ok {
		return n
	}
	if n, ok := s.larges[small-1]; ok {
		return n + 1
	}
	return 0
}

// most returns the greatest of the small numbers.
func (s *scale) most() int { return slices.Max(slices.Collect(maps.Keys(s.larges))) }

// none is no number of an epoch.
const none = -1

// shrink gives epochs and versions small numbers, and finds who led the epochs.
func (t *trace) shrink() {
	t.epochs.shrink()
	t.highest = none
	if small, ok := t.epochs.smalls[uint64(spec.MaxEpoch)]; ok {
		t.highest = small
	}
	t.leaders = make([]rank, t.epochs.most()+1)
	for _, e := range t.events {
		s := &t.states.all[e.state]
		if small := t.epochs.small(uint64(s.Epoch)); s.Role == spec.Leader && t.leaders[small] == 0 {
			t.leaders[small] = e.node
		}
	}
	t.nameVersions()
}

// large returns the epoch that is small in TLC.
func (t *trace) large(small int) spec.Epoch { return spec.Epoch(t.epochs.large(small)) }

// numbers are the numbers of questions in a trace (R50), which end far beyond TLC's. Within a block they are what they are: the rules
// compare them, and add one. A rule that rounds a number up to the end of its block, and adds one to that, comes to the next block; so
// blocks are treated as epochs are, and see scale for what that keeps.
type numbers struct{ blocks scale }

// maxBlocks is how many blocks there may be, given small numbers, before numbers are too large for TLC.
const maxBlocks = 2000

// note takes notice of a number.
func (n *numbers) note(q spec.Question) { n.blocks.note(blockOf(q)) }

// shrinkBlocks gives blocks small numbers, or says that there are too many.
func (n *numbers) shrinkBlocks() error {
	if n.blocks.shrink(); n.blocks.most() > maxBlocks {
		return &spec.TraceError{Line: 1, Problem: fmt.Sprintf("the numbers of questions are of %d lives, and TLC can be given those of about %d", len(n.blocks.smalls), maxBlocks/2)}
	}
	return nil
}

// blockOf returns the block of a number: a block ends with a multiple of its size.
func blockOf(q spec.Question) uint64 {
	if q == 0 {
		return 0
	}
	return uint64((q - 1) / spec.Block)
}

// number returns what a number is in TLC.
func (n *numbers) number(q spec.Question) int {
	if q == 0 {
		return 0
	}
	return n.blocks.small(blockOf(q))*int(spec.Block) + int((q-1)%spec.Block) + 1
}

// question returns the number that is small in TLC.
func (n *numbers) question(small int) spec.Question {
	if small == 0 {
		return 0
	}
	block := n.blocks.large((small - 1) / int(spec.Block))
	return spec.Question(block)*spec.Block + spec.Question((small-1)%int(spec.Block)) + 1
}
