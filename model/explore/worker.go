package explore

import "sync/atomic"

// worker expands states, one after the other, on one goroutine.
type worker struct {
	run      *run
	expander Expander
	emit     func(step Step, next []byte, broken string) // its method successor

	level      int      // of the states it finds
	source     uint64   // fingerprint of the state that it expands; 0 for initial states
	successors int      // emitted for that state so far
	fresh      [][]byte // the states among them that nobody had seen
	out        chunk    // where it puts them
	finding    finding  // the first violation of this level, in the order of findings

	counters
	_ [64]byte // keeps the next worker's fields out of our cache line
}

// counters are what a worker did so far. Others may read them while it works.
type counters struct {
	generated, distinct, expanded atomic.Int64
}

// newWorker returns a worker of r.
func newWorker(r *run) *worker {
	w := &worker{run: r, expander: r.model.Expander()}
	w.emit = w.successor
	return w
}

// expandAll expands the states of c.
func (w *worker) expandAll(c chunk) {
	for len(c) > 0 && !w.run.halted.Load() {
		var state []byte
		state, c = c.first()
		w.expand(state)
	}
}

// expand computes the successors of state, and checks those that are new.
func (w *worker) expand(state []byte) {
	w.source, w.successors = fingerprint(state), 0
	w.expander.Expand(state, w.emit)
	if w.successors == 0 && w.run.options.CheckDeadlock {
		w.note(finding{Deadlock, "Deadlock", w.level - 1, w.source, 0})
	}
	w.settle()
	w.expanded.Add(1)
}

// initial takes an initial state.
func (w *worker) initial(state []byte) {
	w.source, w.successors = 0, 1
	w.insert(state)
	w.settle()
}

// successor takes a successor of the state that w expands.
func (w *worker) successor(_ Step, next []byte, broken string) {
	w.successors++
	if broken != "" {
		w.note(finding{StepProperty, broken, w.level, w.source, w.successors})
	}
	w.insert(next)
}

// insert puts state in the next frontier unless it was seen before.
func (w *worker) insert(state []byte) {
	r := w.run
	if r.halted.Load() {
		return
	}
	fresh, ok := r.table.insert(fingerprint(state), newLink(w.level, w.source))
	if !ok {
		r.halt(errMemory)
	}
	if !fresh {
		return
	}
	if !w.out.fits(state) {
		r.next.add(w.out)
		if w.out = r.pool.get(state); w.out == nil {
			r.halt(errMemory)
			return
		}
	}
	var kept []byte
	w.out, kept = w.out.add(state)
	w.fresh = append(w.fresh, kept)
}

// settle counts what came of one state, and checks the invariants of the new ones. It
// waits until Expand is done, so that Expand and Check may share scratch memory.
func (w *worker) settle() {
	for _, state := range w.fresh {
		if property := w.expander.Check(state); property != "" {
			w.note(finding{Invariant, property, w.level, fingerprint(state), 0})
		}
	}
	w.generated.Add(int64(w.successors))
	w.distinct.Add(int64(len(w.fresh)))
	w.fresh = w.fresh[:0]
}

// note keeps f if it comes before what w found in this level.
func (w *worker) note(f finding) {
	if f.before(w.finding) {
		w.finding = f
	}
}

// flush hands over the states that w still holds to the next frontier.
func (w *worker) flush() {
	w.run.next.add(w.out)
	w.out = nil
}
