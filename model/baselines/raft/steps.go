package raft

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
	x.EachNode(x.electionTimeout)
	x.EachNode(x.quorumTimeout)
	x.EachNode(x.heartbeat)
	x.eachArrival(requestPreVote, "OnRequestPreVote", x.onRequestPreVote)
	x.eachArrival(preVote, "OnPreVote", x.onPreVote)
	x.eachArrival(requestVote, "OnRequestVote", x.onRequestVote)
	x.eachArrival(vote, "OnVote", x.onVote)
	x.eachArrival(appendEntries, "OnAppend", x.onAppend)
	x.eachArrival(refuse, "OnRefuse", x.onRefuse)
	x.EachNode(x.restart)
	for c := range x.Cuts {
		x.changeCut(c)
	}
}

// eachArrival takes the step of each message of type t that is under way: node i has it, of a term, from node j.
func (x *expander) eachArrival(t message, action string, receive func(i, j, term int)) {
	for k, l := range x.Links {
		for under := x.now.net[k] & x.masks[t]; under != 0; under &= under - 1 {
			_, term := under.first()
			x.next = x.now
			if !x.left {
				x.next.net[k] &^= bit(t, term)
			}
			receive(l.To, l.From, term)
			x.end(action, l.From, l.To)
		}
	}
}

// end gives next to the explorer, as the result of the action.
func (x *expander) end(action string, args ...int) {
	x.packed = x.pack(x.packed[:0], &x.next)
	x.emit(frame.StepOf(action, args), x.packed, x.BrokenBy(x.model, &x.now, &x.next))
}

// send puts a message from node i to node j under way, unless the link is cut.
func (x *expander) send(i, j int, t message, term int) {
	if !x.isCut(&x.now, i, j) {
		x.next.net[x.Index[i][j]] |= bit(t, term)
	}
}

// tell sends a message to all but its sender.
func (x *expander) tell(i int, t message, term int) {
	for j := 1; j <= x.N; j++ {
		if j != i {
			x.send(i, j, t, term)
		}
	}
}

// count has node i, as s, count the votes of the nodes in votes for the term of s.
func (x *expander) count(i int, s node, votes set) {
	if x.isQuorum(x.model, votes) {
		s.role, s.votes, s.leader = leader, 0, uint8(i)
		x.tell(i, appendEntries, int(s.term))
	} else {
		s.votes = votes
	}
	x.next.node[i] = s
}

// stand has node i stand in its next term.
func (x *expander) stand(i int) {
	s := started(x.now.node[i].term+1, uint8(i))
	s.role = candidate
	x.tell(i, requestVote, int(s.term))
	x.count(i, s, frame.Only(i))
}

// ask has node i, as s, ask whether it would be voted for; the nodes in votes have said so.
func (x *expander) ask(i int, s node, votes set) {
	if x.isQuorum(x.model, votes) {
		x.stand(i)
		return
	}
	s.votes = votes
	x.next.node[i] = s
}

func (x *expander) electionTimeout(i int) {
	s := x.now.node[i]
	if s.role == leader || int(s.term) == x.maxTerm || !x.onTime(x.model, &x.now, i) {
		return
	}
	x.next = x.now
	if x.asksFirst {
		s.role, s.leader = precandidate, none
		x.tell(i, requestPreVote, int(s.term)+1)
		x.ask(i, s, frame.Only(i))
	} else {
		x.stand(i)
	}
	x.end(string(spec.ElectionTimeout), i)
}

func (x *expander) quorumTimeout(i int) {
	if s := x.now.node[i]; s.role == leader && x.checksQuorum && !x.reachesQuorum(&x.now, i) {
		x.next = x.now
		x.next.node[i] = started(s.term, s.vote)
		x.end("QuorumTimeout", i)
	}
}

// heartbeat has leader i send heartbeats to all who do not follow it.
func (x *expander) heartbeat(i int) {
	if !x.now.leads(i) {
		return
	}
	x.next = x.now
	for j := 1; j <= x.N; j++ {
		if j != i && !x.now.follows(j, i) {
			x.send(i, j, appendEntries, int(x.now.node[i].term))
		}
	}
	if x.next.net != x.now.net {
		x.end("Heartbeat", i)
	}
}

// refuse tells node j, who asks node i in a term that is over, of the present one.
func (x *expander) refuse(i, j int) { x.send(i, j, refuse, int(x.now.node[i].term)) }

func (x *expander) onRequestPreVote(i, j, term int) {
	switch {
	case term <= int(x.now.node[i].term):
		x.refuse(i, j)
	case x.wouldVote(x.model, &x.now, i):
		x.send(i, j, preVote, term)
	}
}

func (x *expander) onPreVote(i, j, term int) {
	if s := x.now.node[i]; s.role == precandidate && term == int(s.term)+1 {
		x.ask(i, s, s.votes|frame.Only(j))
	}
}

func (x *expander) onRequestVote(i, j, term int) {
	s := x.now.node[i].heard(term)
	switch {
	case !x.heeds(x.model, &x.now, i):
		return
	case x.isStale(term, s):
		x.refuse(i, j)
		return
	case x.mayVote(s, j):
		s.vote = uint8(j)
		x.send(i, j, vote, term)
	}
	x.next.node[i] = s
}

func (x *expander) onVote(i, j, term int) {
	s := x.now.node[i].heard(term)
	if s.role == candidate && x.countsVote(term, s) {
		x.count(i, s, s.votes|frame.Only(j))
	} else {
		x.next.node[i] = s
	}
}

func (x *expander) onAppend(i, j, term int) {
	s := x.now.node[i].heard(term)
	if x.isStale(term, s) {
		x.refuse(i, j)
		return
	}
	s = started(uint8(term), s.vote)
	s.leader = uint8(j)
	x.next.node[i] = s
}

func (x *expander) onRefuse(i, _, term int) { x.next.node[i] = x.now.node[i].heard(term) }

// restart is a crash, and the restart after it. A flapping node spends nothing.
func (x *expander) restart(i int) {
	x.next = x.now
	if !x.flapping.Has(i) {
		if x.now.budget[restart] == 0 {
			return
		}
		x.next.budget[restart]--
	}
	x.next.node[i] = x.survives(x.now.node[i], i)
	x.end(string(spec.RestartAction), i)
}

func (x *expander) changeCut(c int) {
	if c == int(x.now.cut) || x.now.budget[cutting] == 0 {
		return
	}
	x.next = x.now
	x.next.budget[cutting]--
	x.next.cut = uint8(c)
	for k := range x.Links {
		if x.Cuts[c]>>k&1 != 0 {
			x.next.net[k] = 0
		}
	}
	x.end(string(spec.CutAction))
}
