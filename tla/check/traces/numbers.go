package traces

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// numbers are the numbers of questions in a trace (R50), which end far beyond TLC's. Within a block they are what they are: the rules
// compare them, and add one. A rule that rounds a number up to the end of its block, and adds one to that, comes to the next block; so
// blocks are treated as epochs are, and see shrink for what that keeps.
type numbers struct {
	blocks      []uint64 // in the order in which they come, the first, which is 0, before all
	smallBlocks []int    // what each is in TLC
}

// maxBlocks is how many blocks there may be, given small numbers, before numbers are too large for TLC.
const maxBlocks = 2000

// note takes notice of a number.
func (n *numbers) note(q spec.Question) spec.Question {
	if b := blockOf(q); !slices.Contains(n.blocks, b) {
		n.blocks = append(n.blocks, b)
	}
	return q
}

// shrinkBlocks gives blocks small numbers, or says that there are too many.
func (n *numbers) shrinkBlocks() error {
	if len(n.blocks) == 0 {
		n.blocks = []uint64{0}
	}
	n.smallBlocks = shrunk(n.blocks)
	if most := slices.Max(n.smallBlocks); most > maxBlocks {
		return &spec.TraceError{Line: 1, Problem: fmt.Sprintf("the numbers of questions are of %d lives, and TLC can be given those of about %d", len(n.blocks), maxBlocks/2)}
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
	return n.smallBlocks[slices.Index(n.blocks, blockOf(q))]*int(spec.Block) + int((q-1)%spec.Block) + 1
}

// question returns the number that is small in TLC.
func (n *numbers) question(small int) spec.Question {
	if small == 0 {
		return 0
	}
	block := grown(n.blocks, n.smallBlocks, (small-1)/int(spec.Block))
	return spec.Question(block)*spec.Block + spec.Question((small-1)%int(spec.Block)) + 1
}

// answers returns the question that each node has answered, by its rank.
func (t *trace) answers(s *state) []int {
	answers := make([]int, len(t.members))
	for i := range answers {
		answers[i] = t.number(s.answer(rank(i + 1)))
	}
	return answers
}

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
