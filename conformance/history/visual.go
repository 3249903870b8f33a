package history

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// maxDrawn is how many operations a page has at most: browsers draw them all.
const maxDrawn = 20_000

// Visualise writes an HTML page with the operations of a history that the searches look at, by client and time, and the
// order that was found; or the longest ones where there is none, and what does not fit into them. A box is where an
// operation can have taken effect, by all the others; who points at it sees when it was called, and when it returned. The
// page needs no network. The error says what is not well formed, or that there is too much to draw, or nothing.
func Visualise(w io.Writer, h Header, ops []Op, o Options) error {
	if err := validate(h, ops); err != nil {
		return err
	}
	parts := append(registerParts(ops), fenceParts(h, ops)...)
	total := 0
	for _, p := range parts {
		total += len(p.ops)
	}
	switch {
	case total == 0:
		return fmt.Errorf("history: the history has no operations: there is nothing to draw")
	case total > maxDrawn:
		return fmt.Errorf("history: the history has %d operations to draw, and more than %d are too many for a page: record less", total, maxDrawn)
	}
	rows := rowsOf(parts)
	var all []porcupine.Operation
	owner := map[item]int{}
	for n, p := range parts {
		for _, op := range p.ops {
			op.ClientId, op.Metadata = rows[op.Input.(item)], op.Input.(item).op.String()
			owner[op.Input.(item)] = n
			all = append(all, op)
		}
	}
	model := historyModel
	model.DescribeOperationMetadata = func(text any) string { return text.(string) }
	model.Partition = func(all []porcupine.Operation) [][]porcupine.Operation {
		split := make([][]porcupine.Operation, len(parts))
		for _, op := range all {
			n := owner[op.Input.(item)]
			split[n] = append(split[n], op)
		}
		return split
	}
	_, info := porcupine.CheckOperationsVerbose(model, all, cmp.Or(o.Timeout, DefaultTimeout))
	info.AddAnnotations(annotations(h, ops, owner))
	if err := porcupine.Visualize(model, info, w); err != nil {
		return fmt.Errorf("history: cannot draw the history: %w", err)
	}
	return nil
}

// String returns the item as it is written into a box.
func (i item) String() string {
	switch o := i.op; {
	case o.Kind == FollowedOp:
		return fmt.Sprintf("%s is told: %s leads %d", o.Client, o.Leader, o.Epoch)
	case i.as == leads:
		return fmt.Sprintf("%s leads %d", o.Client, o.Epoch)
	case o.Kind == ReadOp:
		return fmt.Sprintf("%s: read %s → %d of %d", o.Client, o.Resource, o.Value, o.Epoch)
	case o.Outcome == Fenced:
		return fmt.Sprintf("%s: write %s %d of %d → fenced by %d", o.Client, o.Resource, o.Value, o.Epoch, o.Admitted)
	default:
		return fmt.Sprintf("%s: write %s %d of %d → %s", o.Client, o.Resource, o.Value, o.Epoch, o.Outcome)
	}
}

// rowsOf says in which row of a page each item is: those of a client are together, and none is on top of another.
func rowsOf(parts []part) map[item]int {
	rows := map[item]int{}
	clients := map[string][]porcupine.Operation{}
	for _, p := range parts {
		for _, op := range p.ops {
			i := op.Input.(item)
			clients[i.op.Client] = append(clients[i.op.Client], op)
		}
	}
	first := 0
	for _, client := range slices.Sorted(maps.Keys(clients)) {
		ops := clients[client]
		slices.SortStableFunc(ops, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
		var free []int64 // when the last item of each row of the client has returned
		for _, op := range ops {
			row := slices.IndexFunc(free, func(back int64) bool { return back < op.Call })
			if row < 0 {
				row, free = len(free), append(free, 0)
			}
			free[row] = op.Return
			rows[op.Input.(item)] = first + row
		}
		first += len(free)
	}
	return rows
}

// annotations says what the page is of, and shows the unknown writes that are not in the search.
func annotations(h Header, ops []Op, drawn map[item]int) []porcupine.Annotation {
	all := []porcupine.Annotation{{Tag: "about", Description: h.Source, Details: "commit " + h.Commit}}
	for i := range ops {
		op := &ops[i]
		_, isLost := drawn[item{lost, op}]
		_, isRaised := drawn[item{raised, op}]
		_, isRead := drawn[item{writes, op}] // an unknown one is admitted only because it was read
		if op.Outcome == Unknown && !isLost && !isRaised && !isRead {
			all = append(all, porcupine.Annotation{Tag: "no answer", Start: op.Call, Description: item{lost, op}.String(),
				Details: fmt.Sprintf("called at %s; nobody has read it, and nothing depends on it", time.Duration(op.Call))})
		}
	}
	return all
}
