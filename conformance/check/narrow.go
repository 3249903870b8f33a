package check

import (
	"maps"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

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
