package fencing

import "github.com/seed-fdf591db/bully/model/explore"

// stepper expands states. now and next are its scratch memory.
type stepper struct {
	*system
	now, next state
	packed    []byte
	emit      func(step explore.Step, next []byte, broken string)
}

var _ explore.Expander = (*stepper)(nil)

// Expand implements explore.Expander, in the order of Next or of CheckThenAct.
func (x *stepper) Expand(packed []byte, emit func(step explore.Step, next []byte, broken string)) {
	x.now, x.emit = x.unpack(packed), emit
	x.each(x.lead)
	x.each(x.send)
	if x.checkThenAct {
		x.each(x.checkFirst)
		x.each(x.actLater)
	} else {
		x.each(x.admit)
	}
	x.each(x.refuse)
	x.restart()
}

func (x *stepper) each(action func(i node)) {
	for i := node(1); i <= x.n; i++ {
		action(i)
	}
}

// begin returns the state that is to become the next one.
func (x *stepper) begin() *state {
	x.next = x.now
	return &x.next
}

// end emits the next state. i is the node that the step is about, or 0.
func (x *stepper) end(action string, i node) {
	x.packed = x.pack(&x.next, x.packed[:0])
	x.emit(explore.Step{Action: action, Args: [2]int8{int8(i)}}, x.packed, x.BrokenBy(x.system, &x.now, &x.next))
}

// write puts r into the log of the next state.
func (x *stepper) write(r reign) {
	s := x.begin()
	s.admitted = r.epoch
	s.log[s.length] = r
	s.length++
}

func (x *stepper) lead(i node) {
	for e := epoch(1); e <= x.maxEpoch; e++ {
		if x.mayLead(&x.now, i, e) {
			x.begin().reigns[e] |= only(i)
			x.end("Lead", i)
		}
	}
}

func (x *stepper) send(i node) {
	for e := epoch(1); e <= x.maxEpoch; e++ {
		if x.now.reigns[e].has(i) && x.maySend(&x.now, reign{e, i}) {
			x.begin().writes[e] |= only(i)
			x.end("Send", i)
		}
	}
}

func (x *stepper) admit(i node) {
	for e := epoch(1); e <= x.maxEpoch && x.now.length < x.maxLog; e++ {
		if x.now.writes[e].has(i) && x.admits(&x.now, e) {
			x.write(reign{e, i})
			x.end("Admit", i)
		}
	}
}

func (x *stepper) refuse(i node) {
	for e := epoch(1); e <= x.maxEpoch; e++ {
		if x.now.writes[e].has(i) && !x.admits(&x.now, e) {
			x.begin().answers[x.now.admitted][e] |= only(i)
			x.end("Refuse", i)
		}
	}
}

func (x *stepper) restart() {
	x.begin().admitted = x.survives(&x.now)
	x.end("Restart", 0)
}

func (x *stepper) checkFirst(i node) {
	for e := epoch(1); e <= x.maxEpoch; e++ {
		if x.now.writes[e].has(i) && x.admits(&x.now, e) {
			x.begin().answers[x.now.admitted][e] |= only(i)
			x.end("CheckFirst", i)
		}
	}
}

func (x *stepper) actLater(i node) {
	for a := epoch(0); a <= x.maxEpoch && x.now.length < x.maxLog; a++ {
		for e := max(a, 1); e <= x.maxEpoch; e++ {
			if x.now.answers[a][e].has(i) {
				x.write(reign{e, i})
				x.end("ActLater", i)
			}
		}
	}
}
