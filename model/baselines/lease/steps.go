package lease

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
	x.eachNode(x.campaign)
	x.eachSession(x.onHolds)
	x.eachSession(x.deadline)
	x.eachSession(x.resign)
	x.eachNode(x.crash)
	x.eachSession(x.onCreate)
	x.eachSession(x.tell)
	x.eachSession(x.onRelease)
	x.eachSession(x.expire)
	x.storeRestart()
	x.eachSession(x.write)
	if x.checkThenAct {
		x.eachOf(x.now.writes, x.check)
		x.eachOf(x.now.checked, x.act)
	} else {
		x.eachOf(x.now.writes, x.admit)
	}
}

func (x *stepper) eachNode(action func(i node)) {
	for i := node(1); i <= x.n; i++ {
		action(i)
	}
}

func (x *stepper) eachSession(action func(s session)) {
	for s := session(1); s <= x.now.length; s++ {
		action(s)
	}
}

func (x *stepper) eachOf(epochs set, action func(e revision)) {
	for e := revision(1); e <= MaxSessions; e++ {
		if has(epochs, e) {
			action(e)
		}
	}
}

// begin returns the state that is to become the next one.
func (x *stepper) begin() *state {
	x.next = x.now
	return &x.next
}

// end emits the next state. What it is about is a node, a session or an epoch; 0 is nothing.
func (x *stepper) end(action string, about int8) {
	x.packed = x.pack(&x.next, x.packed[:0])
	x.emit(explore.Step{Action: action, Args: [2]int8{about}}, x.packed, x.BrokenBy(x.system, &x.now, &x.next))
}

// endSession ends session s at its node, in the next state.
func (x *stepper) endSession(s session) { x.next.role[s], x.next.holds[s] = over, 0 }

func (x *stepper) campaign(i node) {
	if !has(x.now.up, i) || x.now.length == x.maxSessions || x.now.current(i) != 0 {
		return
	}
	next := x.begin()
	next.length++
	next.node[next.length] = i
	next.creates |= only(next.length)
	x.end("Campaign", int8(i))
}

func (x *stepper) onHolds(s session) {
	x.eachOf(x.now.holds[s], func(e revision) {
		next := x.begin()
		next.role[s], next.epoch[s], next.holds[s] = leader, e, 0
		x.end("OnHolds", int8(s))
	})
}

func (x *stepper) deadline(s session) {
	if x.now.role[s] != over {
		x.begin()
		x.endSession(s)
		x.end("Deadline", int8(s))
	}
}

func (x *stepper) resign(s session) {
	if x.now.leads(s) {
		x.begin().releases |= only(s)
		x.endSession(s)
		x.end("Resign", int8(s))
	}
}

func (x *stepper) crash(i node) {
	if !has(x.now.up&x.mortal, i) {
		return
	}
	x.begin().up &^= only(i)
	if s := x.now.current(i); s != 0 {
		x.endSession(s)
	}
	x.end("Crash", int8(i))
}

func (x *stepper) onCreate(s session) {
	if !has(x.now.creates, s) || !x.mayCreate(&x.now) {
		return
	}
	next := x.begin()
	next.creates &^= only(s)
	next.revision++
	x.put(next, s, next.revision)
	x.end("OnCreate", int8(s))
}

func (x *stepper) tell(s session) {
	if x.now.role[s] != candidate {
		return
	}
	x.eachSession(func(entry session) {
		if x.now.entries[entry] != 0 && x.isMine(&x.now, entry, s) && x.isTurn(&x.now, entry) {
			x.begin().holds[s] |= only(x.now.entries[entry])
			x.end("Tell", int8(s))
		}
	})
}

func (x *stepper) onRelease(s session) {
	if has(x.now.releases, s) {
		next := x.begin()
		next.releases &^= only(s)
		x.released(next, s)
		x.end("OnRelease", int8(s))
	}
}

func (x *stepper) expire(s session) {
	if x.now.entries[s] != 0 && x.deadlineFirst(&x.now, s) && x.expires(&x.now, s) {
		x.begin().entries[s] = 0
		x.end("Expire", int8(s))
	}
}

func (x *stepper) storeRestart() {
	next := x.begin()
	next.revision, next.entries = x.keptRevision(&x.now), x.keptEntries(&x.now)
	x.end("StoreRestart", 0)
}

func (x *stepper) write(s session) {
	if x.mayWrite(&x.now, s) {
		x.begin().writes |= only(x.now.epoch[s])
		x.end("Write", int8(s))
	}
}

func (x *stepper) admit(e revision) {
	if x.admits(&x.now, e) {
		x.begin().wrote = e
		x.end("Admit", int8(e))
	}
}

func (x *stepper) check(e revision) {
	if x.admits(&x.now, e) {
		x.begin().checked |= only(e)
		x.end("Check", int8(e))
	}
}

func (x *stepper) act(e revision) {
	next := x.begin()
	next.wrote = e
	next.checked &^= only(e)
	x.end("Act", int8(e))
}
