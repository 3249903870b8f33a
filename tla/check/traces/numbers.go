package traces

import (
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
