package changing

import (
	"fmt"
	"math/bits"

	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/spec"
)

// The bounds of a packed state. A run that passes one of them panics, with its name: it is never cut short in silence.
const (
	// MaxEpoch is the highest epoch that a cluster may reach.
	MaxEpoch = 31
	// MaxVersion is the highest version that a configuration of a cluster may reach.
	MaxVersion = 31
	// MaxQueue is how many messages one link may hold.
	MaxQueue = 15
	// MaxBudget is how many faults of one kind there may be.
	MaxBudget = 15

	maxLinks = model.MaxNodes * (model.MaxNodes - 1)
)

// A fault is a kind of fault, of which the configuration has a budget.
type fault uint8

const (
	early fault = iota
	crash
	loss
	cutChange
	resign
	change
	faults // how many kinds there are
)

var faultWords = [faults]string{"early", "crash", "loss", "cut", "resign", "change"}

// clusterState has the variables of tla/ChangingCluster.tla.
type clusterState struct {
	node     [model.MaxNodes + 1]State // node[i]: the state of node i; of a node that is down, what survives
	up       Set                       // the nodes that run
	net      [maxLinks]queue           // what is under way on each link, first sent first
	cut      uint8                     // which of the topology's cuts is on
	budget   [faults]uint8             // the faults that may still happen
	reigns   [MaxEpoch + 1]Set         // reigns[e]: who came to lead in epoch e so far (history)
	underWay int                       // how many messages there are in net
}

// A payload is a message on a link; the link says from whom, to whom.
type payload struct {
	kind  model.MessageType
	epoch uint8
	conf  packedConf
}

// A queue is the payloads on one link.
type queue struct {
	n  uint8
	at [MaxQueue]payload
}

// A link leads from one node to another.
type link struct{ from, to ID }

// linksAmong returns the links among nodes 1 to n, in the order in which clusterState.net and all actions take them.
func linksAmong(n ID) []link {
	var links []link
	for i := ID(1); i <= n; i++ {
		for j := ID(1); j <= n; j++ {
			if i != j {
				links = append(links, link{i, j})
			}
		}
	}
	return links
}

// copyFrom makes s equal to t, of which it copies what a cluster with as many links can have set.
func (s *clusterState) copyFrom(t *clusterState, links int) {
	s.node, s.up, s.cut, s.budget, s.reigns, s.underWay = t.node, t.up, t.cut, t.budget, t.reigns, t.underWay
	copy(s.net[:links], t.net[:links])
}

// quiet reports whether nothing is under way.
func (s *clusterState) quiet() bool { return s.underWay == 0 }

// push sends p on link l.
func (s *clusterState) push(l int, p payload) {
	q := &s.net[l]
	if q.n == MaxQueue {
		panic(fmt.Sprintf("changing: more than MaxQueue = %d messages on one link", MaxQueue))
	}
	q.at[q.n] = p
	q.n++
	s.underWay++
}

// pop takes the first message off link l.
func (s *clusterState) pop(l int) {
	q := &s.net[l]
	copy(q.at[:], q.at[1:q.n])
	q.n--
	s.underWay--
}

// clear loses all that is under way on link l.
func (s *clusterState) clear(l int) {
	s.underWay -= int(s.net[l].n)
	s.net[l].n = 0
}

// init emits the initial states, one for each of the cuts: every node runs and has heard nothing yet. The first members know
// of each other, and no other node of any (R49).
func (c *cluster) init(emit func(*clusterState)) {
	for k := range c.cuts {
		s := clusterState{up: upTo(c.n), cut: uint8(k), budget: c.budget}
		for i := ID(1); i <= c.n; i++ {
			if c.first.Members().Has(i) {
				s.node[i] = Blank(c.first)
			}
		}
		emit(&s)
	}
}

// A stepper computes the successors of one state. The actions, in timers.go and below and in faults.go, are methods named
// like those of tla/ChangingCluster.tla: each looks at now and, if it is enabled, makes next and emits it.
type stepper struct {
	*cluster
	now, next clusterState
	packed    [maxPacked]byte
	emit      func(step explore.Step, next []byte, broken string)
}

// begin makes next equal to now.
func (p *stepper) begin() { p.next.copyFrom(&p.now, len(p.links)) }

// end emits next as the outcome of an action.
func (p *stepper) end(action spec.Action, args ...ID) {
	step := explore.Step{Action: string(action)}
	for k, a := range args {
		step.Args[k] = int8(a)
	}
	p.emit(step, p.pack(&p.next, p.packed[:0]), p.broken(&p.now, &p.next))
}

// send puts what a step sends on its way. What is sent over a cut or to a node that is down is lost.
func (p *stepper) send(o *Outcome) {
	for m := range o.All() {
		if p.carries(&p.next, m.From, m.To) {
			p.next.push(p.index[m.From][m.To], payload{m.Type, smallEpoch(m.Epoch), packConf(m.Conf)})
		}
	}
}

// take has node i take a step.
func (p *stepper) take(i ID, o *Outcome) {
	p.next.node[i] = o.State
	p.send(o)
	if o.State.Role == model.Leader {
		e := smallEpoch(o.State.Epoch)
		p.next.reigns[e] = p.next.reigns[e].With(i)
	}
}

// receipts are the actions OnElection to OnImBack of tla/ChangingCluster.tla, by the type of the message.
var receipts = [...]spec.Action{
	model.Election: spec.OnElection, model.OK: spec.OnOk, model.Assent: spec.OnAssent, model.Claim: spec.OnClaim,
	model.Grant: spec.OnGrant, model.Refuse: spec.OnRefuse, model.Coordinator: spec.OnCoordinator,
	model.Heartbeat: spec.OnHeartbeat, model.Ack: spec.OnAck, model.Resign: spec.OnResign, model.ImBack: spec.OnImBack,
}

// message returns the message that is at place k on link l.
func (c *cluster) message(s *clusterState, l int, k uint8) Message {
	ends, p := c.links[l], s.net[l].at[k]
	return Message{p.kind, ends.from, ends.to, spec.Epoch(p.epoch), p.conf.unpack()}
}

// receive takes the first message off link l, and has the node at its end hear it: the action OnElection(l), or one like it.
func (p *stepper) receive(l int) {
	m := p.message(&p.now, l, 0)
	p.begin()
	p.next.pop(l)
	o := p.rules.Hear(m.To, p.now.node[m.To], m)
	p.take(m.To, &o)
	p.end(receipts[m.Type], m.From, m.To)
}

// receiveAll takes all receipts: for each type of message, in the order of Next, those on the links where one comes first.
func (p *stepper) receiveAll() {
	var heads [len(receipts)]uint64 // heads[t]: the links on which a message of type t comes first, as bits
	for l := range p.links {
		if q := &p.now.net[l]; q.n > 0 {
			heads[q.at[0].kind] |= 1 << l
		}
	}
	for _, ls := range heads {
		for ; ls != 0; ls &= ls - 1 {
			p.receive(bits.TrailingZeros64(ls))
		}
	}
}
