package textbook

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
	x.EachNode(x.patienceTimeout)
	x.EachNode(x.electionTimeout)
	x.EachNode(x.coordinatorTimeout)
	x.eachArrival(election, x.onElection)
	x.eachArrival(ok, x.onOk)
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

// eachArrival takes the first message of each link where it is t; node i has it from node j.
func (x *expander) eachArrival(t message, receive func(i, j int)) {
	for k, l := range x.Links {
		if x.now.net[k].head() == t {
			x.begin()
			x.next.net[k] >>= 2
			receive(l.To, l.From)
		}
	}
}

// begin makes next what now is.
func (x *expander) begin() { x.next = x.now }

// end gives next to the explorer, as the result of the action.
func (x *expander) end(action spec.Action, args ...int) {
	x.packed = x.pack(x.packed[:0], &x.next)
	x.emit(frame.StepOf(string(action), args), x.packed, x.BrokenBy(x.model, &x.now, &x.next))
}

// send puts a message from node i on its way to those of the nodes in to that run and that it reaches.
func (x *expander) send(i int, to set, t message) {
	for j := 1; j <= x.N; j++ {
		if k := x.Index[i][j]; (to & x.now.up).Has(j) && !x.isCut(&x.now, k) {
			x.next.net[k] = x.next.net[k].push(t)
		}
	}
}

// lead makes node i the leader.
func (x *expander) lead(i int) {
	x.next.become(i, leader, i)
	x.send(i, x.told(x.model, i), coordinator)
}

// stand has node i hold an election. The highest has nobody to ask.
func (x *expander) stand(i int) {
	if i == x.N {
		x.lead(i)
		return
	}
	x.next.become(i, candidate, none)
	x.send(i, x.asked(x.model, i), election)
}

// ends reports whether the timer of node i, which belongs to role r, may end.
func (x *expander) ends(i int, r role) bool {
	return x.now.up.Has(i) && x.now.role[i] == r && x.onTime(x.model, &x.now, i)
}

func (x *expander) patienceTimeout(i int) {
	if x.ends(i, follower) && x.probes(x.model, &x.now, i) {
		x.begin()
		x.stand(i)
		x.end(spec.PatienceTimeout, i)
	}
}

func (x *expander) electionTimeout(i int) {
	if x.ends(i, candidate) && x.declares(x.model, &x.now, i) {
		x.begin()
		x.lead(i)
		x.end(spec.ElectionTimeout, i)
	}
}

func (x *expander) coordinatorTimeout(i int) {
	if x.ends(i, electing) && x.retries(x.model, &x.now, i) {
		x.begin()
		x.stand(i)
		x.end(spec.CoordinatorTimeout, i)
	}
}

func (x *expander) onElection(i, j int) {
	if x.answers(x.model, &x.now, i) {
		x.send(i, frame.Only(j), ok)
	}
	if x.stands(x.model, &x.now, i) {
		x.stand(i)
	}
	x.end(spec.OnElection, j, i)
}

// onOk changes nothing if the OK comes too late.
func (x *expander) onOk(i, j int) {
	if x.now.role[i] == candidate && x.givesWay(x.model, &x.now, i) {
		x.next.become(i, electing, none)
	}
	x.end(spec.OnOk, j, i)
}

func (x *expander) onCoordinator(i, j int) {
	if x.accepts(&x.now, i) {
		x.next.become(i, follower, j)
	}
	x.end(spec.OnCoordinator, j, i)
}

// spend takes one of a budget, or reports that there is none left. A flapping node spends nothing.
func (x *expander) spend(fault, i int) bool {
	if x.flapping.Has(i) {
		return true
	}
	x.next.budget[fault]--
	return x.now.budget[fault] > 0
}

// crash takes one step for each set of nodes to which what node i sent has not left.
func (x *expander) crash(i int) {
	x.begin()
	if !x.now.up.Has(i) || !x.spend(crash, i) {
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
		x.end(spec.CrashAction, i)
	})
}

func (x *expander) restart(i int) {
	x.begin()
	if x.now.up.Has(i) || !x.slowReturn(x.model, &x.now, i) || !x.spend(restart, i) {
		return
	}
	x.next.up |= frame.Only(i)
	if x.takesOver(x.model, &x.now, i) {
		x.stand(i)
	} else {
		x.next.become(i, follower, x.highestLeader())
	}
	x.end(spec.RestartAction, i)
}

// highestLeader returns the highest of the nodes that lead.
func (x *expander) highestLeader() int {
	highest := none
	for i := 1; i <= x.N; i++ {
		if x.now.leads(i) {
			highest = i
		}
	}
	return highest
}

func (x *expander) lose(k int) {
	if x.now.net[k] != 0 && !x.reliable(x.now.net[k]) {
		x.begin()
		x.next.net[k] >>= 2
		x.end(spec.LoseAction, x.Links[k].From, x.Links[k].To)
	}
}

func (x *expander) changeCut(c int) {
	x.begin()
	if c == int(x.now.cut) || !x.spend(cutting, none) {
		return
	}
	x.next.cut = uint8(c)
	for k := range x.Links {
		if x.isCut(&x.next, k) {
			x.next.net[k] = 0
		}
	}
	x.end(spec.CutAction)
}
