package promises

import "github.com/seed-fdf591db/bully/model/explore"

// stepper expands states. now and next are its scratch memory.
type stepper struct {
	*system
	now, next state
	packed    []byte
	emit      func(step explore.Step, next []byte, broken string)
}

var _ explore.Expander = (*stepper)(nil)

// Expand implements explore.Expander, in the order of Next.
func (x *stepper) Expand(packed []byte, emit func(step explore.Step, next []byte, broken string)) {
	x.now, x.emit = x.unpack(packed), emit
	x.each(x.claim)
	x.eachTwo(x.onClaim)
	x.each(x.win)
	x.eachTwo(x.onCoordinator)
	x.each(x.learn)
	x.each(x.restart)
}

func (x *stepper) each(action func(i node)) {
	for i := node(1); i <= x.n; i++ {
		action(i)
	}
}

func (x *stepper) eachTwo(action func(i, c node)) {
	x.each(func(i node) {
		x.each(func(c node) { action(i, c) })
	})
}

// begin returns the state that is to become the next one, where node i has p on disk.
func (x *stepper) begin(i node, p promise) *state {
	x.next = x.now
	x.next.disk[i] = p
	return &x.next
}

// end emits the next state. c is the node that node i has a message from, or none.
func (x *stepper) end(action string, i, c node) {
	step := explore.Step{Action: action, Args: [2]int8{int8(i)}}
	if c != none {
		step.Args = [2]int8{int8(c), int8(i)}
	}
	x.packed = x.pack(&x.next, x.packed[:0])
	x.emit(step, x.packed, x.BrokenBy(x.system, &x.now, &x.next))
}

// claim is within the bounds of MCPromises, as its operator Within says.
func (x *stepper) claim(i node) {
	p := x.now.disk[i]
	if e := x.nextEpoch(p); x.claimants.has(i) && e <= x.maxEpoch {
		x.begin(i, p).claims[e] |= only(i)
		x.end("Claim", i, none)
	}
}

func (x *stepper) onClaim(i, c node) {
	p := x.now.disk[i]
	for e := epoch(1); e <= x.maxEpoch; e++ {
		if i != c && x.now.claims[e].has(c) && x.mayGrant(p, c, e) {
			x.begin(i, x.onGranting(p, c, e)).grants[e][i] |= only(c)
			x.end("OnClaim", i, c)
		}
	}
}

func (x *stepper) win(i node) {
	for e := epoch(1); e <= x.maxEpoch; e++ {
		if x.mayWin(&x.now, i, e) {
			x.begin(i, x.onWinning(x.now.disk[i], i, e)).coordinators[e] |= only(i)
			x.end("Win", i, none)
		}
	}
}

// mayWin reports whether node i can take the step Win for epoch e.
func (y *system) mayWin(s *state, i node, e epoch) bool {
	return s.claims[e].has(i) && y.mayStillWin(&y.rules, s.disk[i], e) &&
		y.isQuorum(y.n, only(i)|y.granters(s, i, e, y.countsGrant))
}

// granters returns who has sent node i a GRANT that counts for epoch e.
func (y *system) granters(s *state, i node, e epoch, counts func(f, e epoch) bool) set {
	var granters set
	for f := epoch(1); f <= y.maxEpoch; f++ {
		for v := node(1); counts(f, e) && v <= y.n; v++ {
			if s.grants[f][v].has(i) {
				granters |= only(v)
			}
		}
	}
	return granters
}

func (x *stepper) onCoordinator(i, c node) {
	p := x.now.disk[i]
	for e := epoch(1); e <= x.maxEpoch; e++ {
		if i != c && x.now.coordinators[e].has(c) && !x.isStale(p, e) {
			x.begin(i, x.onFollowing(&x.rules, p, c, e))
			x.end("OnCoordinator", i, c)
		}
	}
}

func (x *stepper) learn(i node) {
	for e := epoch(1); e <= x.maxEpoch; e++ {
		if x.heard(&x.now, e) && x.isNews(x.now.disk[i], e) {
			x.begin(i, promise{none, e})
			x.end("Learn", i, none)
		}
	}
}

func (x *stepper) restart(i node) {
	x.begin(i, x.survives(x.n, i, x.now.disk[i]))
	x.end("Restart", i, none)
}
