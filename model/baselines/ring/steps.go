package ring

import (
	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/internal/frame"
	"github.com/seed-fdf591db/bully/spec"
)

// expander computes steps. now is the state that it expands, and next the one that it is making.
type expander struct {
	*model
	now, next state
	packed    []byte
	emit      func(step explore.Step, next []byte, broken string)
}

// Check implements explore.Expander.
func (x *expander) Check(packed []byte) string {
	x.unpack(packed, &x.now)
	return x.Broken(x.model, &x.now)
}

// Expand implements explore.Expander: the actions in the order of Next.
func (x *expander) Expand(packed []byte, emit func(step explore.Step, next []byte, broken string)) {
	x.unpack(packed, &x.now)
	x.emit = emit
	x.EachNode(x.start)
	x.EachNode(x.retry)
	x.eachArrival(election, x.onElection)
	x.eachArrival(coordinator, x.onCoordinator)
	x.EachNode(x.crash)
	x.EachNode(x.restart)
	for k := range x.Links {
		x.lose(k)
	}
	for c := range x.Cuts {
		x.changeCut(c)
	}
}

// eachArrival takes the first message of each link where it is of a type; node i has it, about node id.
func (x *expander) eachArrival(t message, receive func(i, id int)) {
	for k, l := range x.Links {
		if q := x.now.net[k]; q != 0 && q.head().kind() == t {
			x.next = x.now
			x.next.net[k] >>= 4
			receive(l.To, q.head().id())
			action := spec.OnElection
			if t == coordinator {
				action = spec.OnCoordinator
			}
			x.end(string(action), l.From, l.To)
		}
	}
}

// end gives next to the explorer, as the result of the action.
func (x *expander) end(action string, args ...int) {
	x.packed = x.pack(x.packed[:0], &x.next)
	x.emit(frame.StepOf(action, args), x.packed, "")
}

// send puts a message about node id from node i on its way round.
func (x *expander) send(i int, t message, id int) {
	if j := x.after(&x.now, i); j != i && x.now.up.Has(j) && !x.isCut(&x.now, i, j) {
		k := x.Index[i][j]
		x.next.net[k] = x.next.net[k].push(t | message(id))
	}
}

// lead makes node i the leader.
func (x *expander) lead(i int) {
	x.next.become(i, leader, i)
	if x.tells {
		x.send(i, coordinator, i)
	}
}

// stand has node i take part with its own id. Who is alone leads.
func (x *expander) stand(i int) {
	if x.after(&x.now, i) == i {
		x.lead(i)
		return
	}
	x.next.become(i, candidate, none)
	x.send(i, election, i)
}

func (x *expander) start(i int) {
	if x.now.up.Has(i) && x.now.role[i] == follower && !x.alive(&x.now, i, int(x.now.leader[i])) {
		x.next = x.now
		x.stand(i)
		x.end("Start", i)
	}
}

func (x *expander) retry(i int) {
	if x.now.up.Has(i) && x.now.role[i] == candidate && x.retries && x.onTime(&x.now) {
		x.next = x.now
		x.stand(i)
		x.end("Retry", i)
	}
}

func (x *expander) onElection(i, id int) {
	switch {
	case id == i:
		x.lead(i)
	case x.drops(x.model, &x.now, i, id):
	case x.passesOn(i, id):
		x.next.become(i, candidate, none)
		x.send(i, election, id)
	case x.joins(&x.now, i):
		x.stand(i)
	}
}

// onCoordinator passes on what a leader says, until it has come back.
func (x *expander) onCoordinator(i, id int) {
	if id != i && !x.drops(x.model, &x.now, i, id) {
		x.next.become(i, follower, id)
		x.send(i, coordinator, id)
	}
}

// spend takes one of a budget, or reports that there is none left.
func (x *expander) spend(fault int) bool {
	x.next = x.now
	x.next.budget[fault]--
	return x.now.budget[fault] > 0
}

// crash takes one step for each set of nodes to which what node i sent has not left.
func (x *expander) crash(i int) {
	if !x.now.up.Has(i) || !x.spend(crash) {
		return
	}
	x.next.up &^= frame.Only(i)
	x.next.become(i, follower, none)
	var unsent set
	for j := 1; j <= x.N; j++ {
		if j != i {
			x.next.net[x.Index[j][i]] = 0
			if x.now.net[x.Index[i][j]] != 0 {
				unsent |= frame.Only(j)
			}
		}
	}
	unsent.Subsets(func(lost set) {
		for j := 1; j <= x.N; j++ {
			if unsent.Has(j) {
				x.next.net[x.Index[i][j]] = x.now.net[x.Index[i][j]]
			}
			if lost.Has(j) {
				x.next.net[x.Index[i][j]] = 0
			}
		}
		x.end(string(spec.CrashAction), i)
	})
}

func (x *expander) restart(i int) {
	if !x.now.up.Has(i) && x.slowReturn(x.model, &x.now) && x.spend(restart) {
		x.next.up |= frame.Only(i)
		x.stand(i)
		x.end(string(spec.RestartAction), i)
	}
}

func (x *expander) lose(k int) {
	if q := x.now.net[k]; q != 0 && !x.reliable(q.head()) {
		x.next = x.now
		x.next.net[k] >>= 4
		x.end(string(spec.LoseAction), x.Links[k].From, x.Links[k].To)
	}
}

func (x *expander) changeCut(c int) {
	if c == int(x.now.cut) || !x.spend(cutting) {
		return
	}
	x.next.cut = uint8(c)
	for k := range x.Links {
		if x.Cuts[c]>>k&1 != 0 {
			x.next.net[k] = 0
		}
	}
	x.end(string(spec.CutAction))
}
