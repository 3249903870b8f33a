package members

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
	x.unpackInto(&x.now, packed)
	x.emit = emit
	x.eachTwo(x.onClaim)
	x.each(x.win)
	x.eachTwo(x.onAck)
	x.each(x.change)
	x.each(x.adopt)
	x.each(x.learn)
	x.each(x.crash)
}

func (x *stepper) each(action func(i node)) {
	for i := node(1); i <= x.n; i++ {
		action(i)
	}
}

func (x *stepper) eachTwo(action func(i, j node)) {
	x.each(func(i node) {
		x.each(func(j node) {
			if i != j {
				action(i, j)
			}
		})
	})
}

// begin returns the state that is to become the next one.
func (x *stepper) begin() *state {
	x.next = x.now
	return &x.next
}

// end emits the next state, which node i has come to; by a message from node j, unless that is none.
func (x *stepper) end(action string, i, j node) {
	step := explore.Step{Action: action, Args: [2]int8{int8(i)}}
	if j != none {
		step.Args = [2]int8{int8(j), int8(i)}
	}
	x.packed = x.pack(&x.next, x.packed[:0])
	x.emit(step, x.packed, x.BrokenBy(x.system, &x.now, &x.next))
}

// rest gives node i an epoch and a configuration, as one who does not lead, and leaves it the support.
func (s *state) rest(i node, e epoch, c configuration, support set) {
	s.epoch[i], s.conf[i], s.support[i] = e, c, support
	s.leads &^= only(i)
}

// claims reports whether node i may claim the epoch after its own.
func (x *stepper) claims(i node) bool {
	return !x.now.leads.has(i) && x.mayStand(x.now.conf[i], i) && x.now.epoch[i] < x.maxEpoch
}

func (x *stepper) onClaim(i, c node) {
	e := x.now.epoch[c] + 1
	if !x.claims(c) || e <= x.now.epoch[i] || !x.mayGrant(x.now.conf[i], x.now.conf[c]) {
		return
	}
	s := x.begin()
	s.rest(i, e, s.conf[i], 0)
	s.support[c] |= only(i)
	x.end("OnClaim", i, c)
}

func (x *stepper) win(i node) {
	if !x.claims(i) || !x.isQuorum(x.now.support[i]|only(i), x.now.conf[i]) {
		return
	}
	s := x.begin()
	e := s.epoch[i] + 1
	s.rest(i, e, x.stamped(s.conf[i], e), 0)
	s.leads |= only(i)
	s.reigns[e] |= only(i)
	s.made = with(s.made, s.conf[i])
	x.end("Win", i, none)
}

func (x *stepper) onAck(l, i node) {
	if x.now.leads.has(l) && x.countsAck(&x.now, l, i) {
		x.begin().support[l] |= only(i)
		x.end("OnAck", l, i)
	}
}

// change takes one step for every other list of members that the leader may propose.
func (x *stepper) change(l node) {
	mine := x.now.conf[l]
	d := configuration{version: x.nextVersion(mine), epoch: x.now.epoch[l]}
	if !x.now.leads.has(l) || !x.isSettled(&x.rules, &x.now, l) || d.version > x.maxVersion {
		return
	}
	for d.voters = only(1); d.voters != 0; d.voters = (d.voters - x.all) & x.all {
		may := x.witnesses &^ d.voters
		for d.witnesses = may; ; d.witnesses = (d.witnesses - 1) & may {
			if x.differsByOne(mine, d) && x.staysElector(l, d) {
				s := x.begin()
				s.conf[l], s.support[l] = d, x.supportOnChanging(s.support[l])
				s.made = with(s.made, d)
				x.end("Change", l, none)
			}
			if d.witnesses == 0 {
				break
			}
		}
	}
}

func (x *stepper) adopt(i node) {
	for _, c := range x.now.made {
		if x.adopts(x.now.conf[i], c) {
			s := x.begin()
			s.rest(i, x.epochOnAdopting(s.epoch[i], c), c, x.supportOnAdopting(s.support[i]))
			x.end("Adopt", i, none)
		}
	}
}

func (x *stepper) learn(i node) {
	for e := x.now.epoch[i] + 1; e <= x.maxEpoch; e++ {
		s := x.begin()
		s.rest(i, e, s.conf[i], 0)
		x.end("Learn", i, none)
	}
}

func (x *stepper) crash(i node) {
	s := x.begin()
	c, support := x.survives(x.system, &x.now, i), s.support[i]
	if s.leads.has(i) || c != s.conf[i] {
		support = 0
	}
	s.rest(i, s.epoch[i], c, support)
	x.end("Crash", i, none)
}
