package history

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// stepResource is a fenced resource (R38). An unknown write that comes too late is fenced, or was lost: nobody knows.
func (i item) stepResource(c content) (bool, content) {
	switch op := i.op; i.as {
	case writes:
		return op.Epoch >= c.fence, content{epoch: op.Epoch, value: op.Value, fence: op.Epoch}
	case buries:
		return op.Epoch >= c.fence, content{epoch: op.Epoch, value: op.Value, fence: op.Epoch, buried: true}
	case refused:
		return op.Epoch < c.fence && op.Admitted == c.fence, c
	case reads:
		return op.Epoch == c.epoch && op.Value == c.value, c
	case lost:
		if op.Epoch >= c.fence {
			c = content{epoch: op.Epoch, value: op.Value, fence: op.Epoch, buried: true}
		}
	case raised:
		c.fence = max(c.fence, op.Epoch)
	}
	return true, c
}

// entry is an operation on a resource, and what is known of it from the others.
type entry struct {
	op         *Op
	as         role
	call, back int64 // it takes effect between these moments; back is Never if it may not have at all
}

// epoch returns the epoch that the entry shows to be the highest admitted when it takes effect.
func (e *entry) epoch() spec.Epoch {
	if e.as == refused {
		return e.op.Admitted
	}
	return e.op.Epoch
}

// entries returns the operations on each resource. An unknown write that somebody has read was admitted, before the first
// who read it returned: it is no longer unknown.
func entries(ops []Op) map[string][]entry {
	all := map[string][]entry{}
	type valueOf struct {
		resource string
		value    uint64
	}
	seen := map[valueOf]int64{}
	for i := range ops {
		op := &ops[i]
		if op.Kind == ReadOp {
			key := valueOf{op.Resource, op.Value}
			if at, known := seen[key]; !known || op.Return < at {
				seen[key] = op.Return
			}
		}
	}
	for i := range ops {
		op := &ops[i]
		e := entry{op, reads, op.Call, op.Return}
		if op.Kind == WriteOp {
			at, read := seen[valueOf{op.Resource, op.Value}]
			switch {
			case op.Outcome == Done:
				e.as = writes
			case op.Outcome == Fenced:
				e.as = refused
			case read && at >= op.Call:
				e.as, e.back = writes, at
			default: // also one that was read before it was called, which no order explains
				e.as = lost
			}
		} else if op.Kind != ReadOp {
			continue
		}
		all[op.Resource] = append(all[op.Resource], e)
	}
	return all
}

// fenceParts returns the resources, by name, each with the operations that matter. A search takes time that doubles with
// every write that may have taken effect or not; few of them matter, see useful.
func fenceParts(h Header, ops []Op) []part {
	resources := entries(ops)
	var parts []part
	for _, name := range slices.Sorted(maps.Keys(resources)) {
		p := part{name: name}
		p.explain = func(s *stuck) (string, string) { return p.explainResource(s) }
		all, raises := resources[name], slices.Contains(h.Raises, name)
		narrow(all, raises)
		keep, isRead := useful(all), map[uint64]bool{}
		for _, e := range all {
			isRead[e.op.Value] = isRead[e.op.Value] || e.as == reads
		}
		for _, e := range all {
			switch {
			case e.as == lost && !keep[e.op]:
				continue
			case e.as == lost && raises:
				e.as = raised // To raise the fence alone explains more than to write too: nobody has read it.
			case e.as == writes && !isRead[e.op.Value]:
				e.as = buries
			}
			p.ops = append(p.ops, item{e.as, e.op}.operation(e.call, e.back))
		}
		parts = append(parts, p)
	}
	return parts
}

// useful returns the unknown writes of a resource without which there may be no order where there is one with them. Nobody
// has read any of these. So all that one can explain is that a write of an older epoch was fenced: by its epoch, at a time
// when nothing else of its epoch need have been admitted. Of those of one epoch the first to be called is enough: it can
// take effect whenever another could.
func useful(all []entry) map[*Op]bool {
	shown := map[spec.Epoch]int64{} // by when each epoch is sure to have been admitted
	for i := range all {
		if e := &all[i]; e.as == writes || e.as == reads {
			if at, known := shown[e.op.Epoch]; !known || e.back < at {
				shown[e.op.Epoch] = e.back
			}
		}
	}
	unexplained := map[spec.Epoch]int64{} // the last return of a write that was fenced by each epoch
	for i := range all {
		e := &all[i]
		if e.as != refused {
			continue
		}
		if at, known := shown[e.op.Admitted]; known && at < e.op.Call {
			continue
		}
		unexplained[e.op.Admitted] = max(unexplained[e.op.Admitted], e.op.Return)
	}
	first := map[spec.Epoch]*Op{}
	for i := range all {
		op := all[i].op
		until, wanted := unexplained[op.Epoch]
		if all[i].as != lost || !wanted || op.Call > until {
			continue
		}
		if f := first[op.Epoch]; f == nil || op.Call < f.Call {
			first[op.Epoch] = op
		}
	}
	keep := map[*Op]bool{}
	for _, op := range first {
		keep[op] = true
	}
	return keep
}

// explainResource says how far the search for an order came.
func (p *part) explainResource(s *stuck) (broken, explanation string) {
	if s == nil || s.op == nil {
		return "R38", fmt.Sprintf("no order of the %d operations on %s explains what came of them", len(p.ops), p.name)
	}
	return "R38", fmt.Sprintf("no order of the %d operations on %s explains what came of them: after %d of them it holds %s, and then %s",
		s.total, p.name, s.order, s.after, s.op)
}

// staleWrite returns an error if an operation shows an epoch to be the highest that a resource has admitted, and one
// that had returned before it was called shows a higher: a write that was admitted, a read that returns the value of one,
// a refusal that names it; and how many operations it has looked at. It needs no search.
func staleWrite(ops []Op) (looked int, err error) {
	resources := entries(ops)
	for _, name := range slices.Sorted(maps.Keys(resources)) {
		var called []*entry
		for i := range resources[name] {
			if e := &resources[name][i]; e.as != lost {
				called = append(called, e)
			}
		}
		looked += len(called)
		returned := slices.Clone(called)
		slices.SortStableFunc(called, func(a, b *entry) int { return cmp.Compare(a.op.Call, b.op.Call) })
		slices.SortStableFunc(returned, func(a, b *entry) int { return cmp.Compare(a.back, b.back) })
		var fence, value *entry // those that had returned with the highest epoch: of all, and of all but refusals
		for _, e := range called {
			for ; len(returned) > 0 && returned[0].back < e.op.Call; returned = returned[1:] {
				r := returned[0]
				if fence == nil || r.epoch() > fence.epoch() {
					fence = r
				}
				if r.as != refused && (value == nil || r.epoch() > value.epoch()) {
					value = r
				}
			}
			highest := fence
			if e.as == reads {
				highest = value // The fence may be higher than what was written last, if it was raised alone.
			}
			if err == nil && highest != nil && e.epoch() < highest.epoch() {
				err = fmt.Errorf("%s had admitted epoch %d (%s) when %s", name, highest.epoch(), highest.op, e.op)
			}
		}
	}
	return looked, err
}

// staleFinding is what staleWrite says, as a finding.
func staleFinding(ops []Op) Finding {
	begin := time.Now()
	f := Finding{Check: string(spec.NoStaleWrite), Verdict: Nothing}
	resources := map[string]bool{}
	for i := range ops {
		if ops[i].Resource != "" {
			resources[ops[i].Resource] = true
		}
	}
	looked, err := staleWrite(ops)
	f.Operations, f.Parts = looked, len(resources)
	switch {
	case err != nil:
		f.Verdict, f.Broken, f.Explanation = Refused, string(spec.NoStaleWrite), err.Error()
	case looked > 0:
		f.Verdict = Linearizable
	}
	f.Took = time.Since(begin)
	return f
}

// narrow brings the call and the return of operations on a resource nearer to each other, by what must come before what in
// every order that explains them. No such order is lost, and the search has less to try:
//
//   - a value is written before it is read;
//   - what is of one epoch, or fenced by it, comes before all that is of a higher one.
//
// Where a call would come after its return there is no such order. The operation is left as it is: the search says why.
func narrow(all []entry, raises bool) {
	byRead(all)
	both := boundsOf(all, func(e *entry) bool { return e.as != lost })
	values, fences := both, both
	if raises { // A read may follow a refusal by a higher epoch than it shows.
		values = boundsOf(all, func(e *entry) bool { return e.as == writes || e.as == reads })
		fences = boundsOf(all, func(e *entry) bool { return e.as == writes || e.as == refused })
	}
	for i := range all {
		e := &all[i]
		b := both
		switch e.as {
		case reads:
			b = values
		case refused:
			b = fences
		case lost:
			continue
		}
		at, _ := slices.BinarySearch(b.epochs, e.epoch())
		e.tighten(b.after[at], b.before[at])
	}
}

// byRead narrows writes and reads by each other.
func byRead(all []entry) {
	written, firstRead := map[uint64]int64{}, map[uint64]int64{}
	for i := range all {
		switch e := &all[i]; e.as {
		case writes:
			written[e.op.Value] = e.call
		case reads:
			if back, known := firstRead[e.op.Value]; !known || e.back < back {
				firstRead[e.op.Value] = e.back
			}
		}
	}
	for i := range all {
		switch e := &all[i]; e.as {
		case writes:
			if back, known := firstRead[e.op.Value]; known {
				e.tighten(0, back)
			}
		case reads:
			e.tighten(written[e.op.Value], Never)
		}
	}
}

// tighten moves the call of an entry to a moment, and its return, unless that one would then come first.
func (e *entry) tighten(call, back int64) {
	if call, back = max(call, e.call), min(back, e.back); call <= back {
		e.call, e.back = call, back
	}
}

// bounds says between which moments what is of an epoch takes effect: after the last call of any lower epoch, and before
// the first return of any higher one.
type bounds struct {
	epochs        []spec.Epoch // ascending
	after, before []int64
}

// boundsOf returns the bounds by those entries that count.
func boundsOf(all []entry, counts func(*entry) bool) bounds {
	type times struct{ lastCall, firstBack int64 }
	of := map[spec.Epoch]times{}
	for i := range all {
		if e := &all[i]; counts(e) {
			t, known := of[e.epoch()]
			if !known {
				t.firstBack = Never
			}
			of[e.epoch()] = times{max(t.lastCall, e.call), min(t.firstBack, e.back)}
		}
	}
	b := bounds{epochs: slices.Sorted(maps.Keys(of))}
	n := len(b.epochs)
	b.after, b.before = make([]int64, n), make([]int64, n)
	after, before := int64(0), Never
	for i := range n {
		b.after[i] = after
		after = max(after, of[b.epochs[i]].lastCall)
		b.before[n-1-i] = before
		before = min(before, of[b.epochs[n-1-i]].firstBack)
	}
	return b
}
