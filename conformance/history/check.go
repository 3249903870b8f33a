package history

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/seed-fdf591db/bully/spec"
)

// Header says where a history comes from.
type Header struct {
	Source string // what was run, in words: 1 to 255 printable ASCII characters other than " and \
	Commit string // of the program that was run, of the same form
	// Raises names the resources of which a write that is cut short may have raised the fence and written nothing, as of a
	// guard whose epoch is kept apart from what it guards. Of all others a write is done whole or not at all (R38.1).
	Raises []string
}

// Verdict is what came of a check.
type Verdict string

const (
	// Linearizable says that there is an order of all operations that explains what came of each.
	Linearizable Verdict = "linearizable"
	// Refused says that there is none.
	Refused Verdict = "refused"
	// Inconclusive says that the time was up before it was known. It says nothing, and least of all that all is well.
	Inconclusive Verdict = "inconclusive"
	// Nothing says that the history has no operations of this kind.
	Nothing Verdict = "nothing to check"
)

// Finding is what one check has found.
type Finding struct {
	Check       string // registers, NoStaleWrite or fence
	Operations  int    // that it has looked at
	Parts       int    // that were checked each by itself: epochs, or resources
	Verdict     Verdict
	Broken      string // the promise or the rule that a refused history breaks, such as OneLeaderPerEpoch or R38
	Explanation string // what is refused, in words; or which part was not finished
	Took        time.Duration
}

// Report is what all checks have found.
type Report struct {
	Findings []Finding // registers, NoStaleWrite, fence
}

// Verdict is that of all checks together: Refused if one has refused, else Inconclusive if one is, and Nothing only if
// all had nothing to check.
func (r *Report) Verdict() Verdict {
	for _, v := range []Verdict{Refused, Inconclusive, Linearizable} {
		if slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Verdict == v }) {
			return v
		}
	}
	return Nothing
}

// Err returns nil if the Verdict is Linearizable, and else an error that says what was refused, or was not finished, or
// that there was nothing.
func (r *Report) Err() error {
	verdict := r.Verdict()
	if verdict == Nothing {
		return errors.New("the history has no operations: it shows nothing")
	}
	var text []string
	for _, f := range r.Findings {
		switch {
		case f.Verdict == verdict && verdict == Refused:
			text = append(text, fmt.Sprintf("%s: %s", f.Broken, f.Explanation))
		case f.Verdict == verdict && verdict == Inconclusive:
			text = append(text, fmt.Sprintf("%s: inconclusive: %s", f.Check, f.Explanation))
		}
	}
	if text == nil {
		return nil
	}
	return errors.New(strings.Join(text, "\n"))
}

// Options say how much a check may cost.
type Options struct {
	Timeout time.Duration // the most time for each check; 0 means a minute
}

// DefaultTimeout is how long a check may take if Options do not say.
const DefaultTimeout = time.Minute

// Check checks the operations of a history, in three ways:
//
//	registers     each epoch is a register that is written once, by the node that leads it, and read by those that are
//	              told of it. Who writes to a resource for an epoch says that it leads it, too (OneLeaderPerEpoch)
//	NoStaleWrite  no operation shows an epoch below one that had been admitted before it was called
//	fence         each resource is a register that refuses a write of an epoch below the highest admitted, and whose reads
//	              return what was admitted last (R38)
//
// The first and the last search for an order of all operations (porcupine): each takes effect at one moment between its
// call and its return. The error says which operation is not well formed, as Op says it must be. What was found is in the
// report; a caller looks at its Err.
func Check(h Header, ops []Op, o Options) (Report, error) {
	if err := validate(h, ops); err != nil {
		return Report{}, err
	}
	var report Report
	report.Findings = append(report.Findings, linearize("registers", registerParts(ops), o), staleFinding(ops),
		linearize("fence", fenceParts(h, ops), o))
	return report, nil
}

// part is what is checked by itself: the register of an epoch, or a resource.
type part struct {
	name    string
	ops     []porcupine.Operation                            // whose Input is an item
	explain func(result *stuck) (broken, explanation string) // what is refused
}

// item is an operation as it is checked: the part that it has in a register.
type item struct {
	as role
	op *Op
}

// role is what an item does to a register.
type role int

const (
	leads   role = iota // sets the leader of an epoch
	follows             // reads it
	writes              // is admitted, and somebody reads its value
	buries              // is admitted, and nobody does
	refused             // is fenced
	reads               // reads value and epoch
	lost                // may have been admitted, or not
	raised              // may have raised the fence, or not
)

// content is the state of a register: of an epoch, whose leader it keeps, or of a resource.
type content struct {
	leader spec.NodeID
	epoch  spec.Epoch // of the value
	value  uint64
	fence  spec.Epoch // the highest epoch admitted
	buried bool       // nobody reads the value
}

// key returns the content without what makes no difference: which value it is that nobody reads.
func (c content) key() content {
	if c.buried {
		c.value = 0
	}
	return c
}

// String returns the content as a person would say it.
func (c content) String() string {
	switch {
	case !c.leader.IsNone():
		return "led by " + c.leader.String()
	case c.fence > c.epoch:
		return fmt.Sprintf("value %d of epoch %d, fence at %d", c.value, c.epoch, c.fence)
	case c.epoch > 0:
		return fmt.Sprintf("value %d of epoch %d", c.value, c.epoch)
	}
	return "nothing"
}

// historyModel is the register, for porcupine.
var historyModel = porcupine.Model{
	Init: func() any { return content{} },
	Step: func(state, input, _ any) (bool, any) {
		before := state.(content)
		ok, after := input.(item).step(before)
		return ok, after
	},
	Equal: func(a, b any) bool { return a.(content).key() == b.(content).key() },
	Hash: func(state any) uint64 {
		c := state.(content).key()
		return c.value*0x9e3779b97f4a7c15 ^ uint64(c.fence)<<32 ^ uint64(c.epoch)
	},
	DescribeOperation: func(input, _ any) string { return input.(item).String() },
	DescribeState:     func(state any) string { return state.(content).String() },
}

// step takes the step of the item, or says that it cannot be.
func (i item) step(c content) (bool, content) {
	if i.as <= follows {
		return i.stepEpoch(c)
	}
	return i.stepResource(c)
}

// stuck is how far the search for an order came that found none.
type stuck struct {
	order int     // how many operations the longest order has
	after content // what the register holds after it
	op    *Op     // the first operation that returned and is not in it
	total int
}

// linearize checks all parts, and returns what was found.
func linearize(check string, parts []part, o Options) Finding {
	begin := time.Now()
	f := Finding{Check: check, Parts: len(parts), Verdict: Nothing}
	limit := cmp.Or(o.Timeout, DefaultTimeout)
	for _, p := range parts {
		f.Operations += len(p.ops)
	}
	for i, p := range parts {
		left := max(limit-time.Since(begin), 1)
		result := porcupine.CheckOperationsTimeout(historyModel, p.ops, left)
		switch {
		case result == porcupine.Illegal:
			f.Verdict = Refused
			f.Broken, f.Explanation = p.explain(p.stuck(limit))
		case result != porcupine.Ok:
			f.Verdict = Inconclusive
			f.Explanation = fmt.Sprintf("the time of %s was up at %s, part %d of %d with %d operations: give it more time, or record less",
				limit, p.name, i+1, len(parts), len(p.ops))
			continue // Another part may be refused all the same.
		case f.Verdict == Nothing:
			f.Verdict = Linearizable
		}
		if f.Verdict == Refused {
			break
		}
	}
	f.Took = time.Since(begin)
	return f
}

// maxExplained is how many operations a part has at most whose refusal is looked into: that takes memory with the square.
const maxExplained = 10_000

// stuck looks into a part that was refused. It returns nil if that would cost too much.
func (p *part) stuck(limit time.Duration) *stuck {
	if len(p.ops) > maxExplained {
		return nil
	}
	_, info := porcupine.CheckOperationsVerbose(historyModel, p.ops, limit)
	var longest []int
	for _, orders := range info.PartialLinearizations() {
		for _, order := range orders {
			if len(order) > len(longest) {
				longest = order
			}
		}
	}
	s := &stuck{order: len(longest), total: len(p.ops)}
	in := make([]bool, len(p.ops))
	for _, id := range longest {
		in[id] = true
		_, s.after = p.ops[id].Input.(item).step(s.after)
	}
	var first *porcupine.Operation
	for i := range p.ops {
		if op := &p.ops[i]; !in[i] && (first == nil || op.Return < first.Return) {
			first, s.op = op, op.Input.(item).op
		}
	}
	return s
}

// operation returns an item for porcupine. Its client is set where it is drawn.
func (i item) operation(call, back int64) porcupine.Operation {
	return porcupine.Operation{Input: i, Call: call, Return: back}
}
