// Package cluster is a cluster of nodes of package rules under faults and changes of its members: the mirror of tla/Cluster.tla and
// tla/MCCluster.tla, action for action.
//
// [New] builds the model of a configuration: so many nodes, one FIFO queue per directed link, a topology, first members and wanted
// ones, and a budget of faults. Package explore visits all its states:
//
//	m, err := cluster.New(configuration)
//	if err != nil {
//		return err
//	}
//	result, err := explore.Run(ctx, m, explore.Options{})
//
// States, steps and counts are those of TLC for the same configuration. [Transitions] explores a configuration for the steps that
// single nodes take there, and [Unpack] says what a packed state is.
//
// Members never change if all nodes are the first members, nobody wants others (Wanted <- Nothing), and who wins leaves the
// configuration as it is (Stamped <- Unstamped). Then it is the same in all nodes and messages for ever, and no state has it.
//
// # Beside the TLA+
//
// The replacements of a configuration take the names of tla/MCCluster.tla. The variables, the network and the receipts are in
// cluster.go, when a timer is on time, and what is asked of states that last, in ontime.go, the other actions in actions.go, the
// properties in properties.go, and the constants in constants.go. What a cluster comes to in the end the explorer asks of the states
// that last; liveness is TLC's. A configuration of module MCUsers has the users of leaders besides: users.go.
package cluster

import (
	"fmt"
	"math/bits"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// The bounds of a packed state. A run that passes one of them panics, with its name: it is never cut short in silence.
const (
	// MaxNodes is the greatest number of nodes that a cluster can have.
	MaxNodes = 7
	// MaxEpoch is the highest epoch that a cluster may reach.
	MaxEpoch = 31
	// MaxVersion is the highest version that a configuration of a cluster may reach.
	MaxVersion = 31
	// MaxQueue is how many messages one link may hold.
	MaxQueue = 60
	// MaxBudget is how many faults of one kind there may be.
	MaxBudget = 15

	maxLinks = MaxNodes * (MaxNodes - 1)
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
	ask
	heartbeat
	faults // how many kinds there are
)

var faultWords = [faults]string{"early", "crash", "loss", "cut", "resign", "change", "ask", "heartbeat"}

// unlimited is a budget that is never spent.
const unlimited = 15

// clusterState has the variables of tla/Cluster.tla.
type clusterState struct {
	node     [MaxNodes + 1]rules.State // node[i]: the state of node i; of a node that is down, what survives
	up       rules.Set                 // the nodes that run
	net      [maxLinks]queue           // what is under way on each link, first sent first
	cut      uint8                     // which of the topology's cuts is on
	budget   [faults]uint8             // the faults that may still happen
	reigns   [MaxEpoch + 1]smallSet    // reigns[e]: who came to lead in epoch e so far (history)
	underWay int                       // how many messages there are in net

	// since[i][k] is, where node i keeps a lease and does not lead, the latest question of node k when i's patience began.
	since [MaxNodes + 1][MaxNodes + 1]rules.Question
	// acts[i] is empty if the user of node i does not act; else i, and whose patience began after the question was asked by which it acts.
	// Only a cluster with users has any; see users.
	acts [MaxNodes + 1]rules.Set
}

// A smallSet is a rules.Set of nodes that a cluster can have.
type smallSet uint8

// A queue is the messages on one link, which says from whom, to whom.
type queue struct {
	n  uint8
	at [MaxQueue]payload
}

// A link leads from one node to another.
type link struct{ from, to rules.ID }

// linksAmong returns the links among nodes 1 to n, in the order in which clusterState.net and all actions take them.
func linksAmong(n rules.ID) []link {
	var links []link
	for i := range rules.UpTo(n).All() {
		for j := range rules.UpTo(n).Without(i).All() {
			links = append(links, link{i, j})
		}
	}
	return links
}

// copyFrom makes s equal to t, of which it copies what a cluster with as many links can have set.
func (s *clusterState) copyFrom(t *clusterState, links int) {
	s.node, s.up, s.cut, s.budget, s.reigns, s.underWay, s.since, s.acts = t.node, t.up, t.cut, t.budget, t.reigns, t.underWay, t.since, t.acts
	copy(s.net[:links], t.net[:links])
}

// quiet reports whether nothing is under way.
func (s *clusterState) quiet() bool { return s.underWay == 0 }

// push sends p on link l.
func (s *clusterState) push(l int, p payload) {
	q := &s.net[l]
	if q.n == MaxQueue {
		panic(fmt.Sprintf("cluster: more than MaxQueue = %d messages on one link", MaxQueue))
	}
	q.at[q.n] = p
	q.n++
	s.underWay++
}

// pop takes the message at place k off link l.
func (s *clusterState) pop(l int, k uint8) {
	q := &s.net[l]
	copy(q.at[k:], q.at[k+1:q.n])
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
		s := clusterState{up: rules.UpTo(c.n), cut: uint8(k), budget: c.budget}
		for i := range rules.UpTo(c.n).All() {
			s.node[i] = rules.Blank(rules.Configuration{})
		}
		for i := range c.first.All().All() {
			s.node[i] = rules.Blank(c.first)
		}
		emit(&s)
	}
}

// A stepper computes the successors of one state. The actions, below and in actions.go, are methods named
// like those of tla/Cluster.tla: each looks at now and, if it is enabled, makes next and emits it.
type stepper struct {
	*cluster
	now, next clusterState
	packed    [maxPacked]byte
	emit      func(step explore.Step, next []byte, broken string)
}

// begin makes next equal to now.
func (p *stepper) begin() { p.next.copyFrom(&p.now, len(p.links)) }

// end emits next as the outcome of an action, if users allow it.
func (p *stepper) end(action spec.Action, args ...rules.ID) {
	if p.users != nil {
		if !p.allowed() {
			return
		}
		p.actOn()
	}
	p.emitNext(action, args...)
}

// emitNext emits next as it is.
func (p *stepper) emitNext(action spec.Action, args ...rules.ID) {
	step := explore.Step{Action: string(action)}
	for k, a := range args {
		step.Args[k] = int8(a)
	}
	broken := p.BrokenBy(p.cluster, &p.now, &p.next)
	p.rename(&p.next)
	p.emit(step, p.pack(&p.next, p.packed[:0]), broken)
}

// send puts what node i says in a step on its way. What is sent over a cut or to a node that is down is lost.
func (p *stepper) send(i rules.ID, step *rules.Step) {
	heard := p.heard(&p.next, i)
	for _, said := range step.Said() {
		for to := said.To & heard; to != 0; to &= to - 1 {
			p.next.push(p.index[i][to.Lowest()], p.payload(&said, step.State.Conf))
		}
	}
}

// take has node i take a step.
func (p *stepper) take(i rules.ID, step *rules.Step) {
	p.next.node[i] = step.State
	p.patience(i, step)
	p.send(i, step)
	if step.State.Role == rules.Leader {
		p.next.reigns[smallEpoch(step.State.Epoch)] |= smallSet(rules.SetOf(i))
	}
}

// receipts are the actions OnElection to OnImBack of tla/Cluster.tla, by the type of the message.
var receipts = [...]spec.Action{
	rules.Election: spec.OnElection, rules.OK: spec.OnOk, rules.Assent: spec.OnAssent, rules.Claim: spec.OnClaim,
	rules.Grant: spec.OnGrant, rules.Refuse: spec.OnRefuse, rules.Coordinator: spec.OnCoordinator,
	rules.Heartbeat: spec.OnHeartbeat, rules.Ack: spec.OnAck, rules.Resign: spec.OnResign, rules.ImBack: spec.OnImBack,
}

// message returns the message that is at place k on link l.
func (c *cluster) message(s *clusterState, l int, k uint8) rules.Message {
	ends, p := c.links[l], s.net[l].at[k]
	return rules.Message{
		Type: p.kind(), From: ends.from, To: ends.to, Epoch: p.epoch(), Question: p.question(), Keeps: p.keeps(), Granted: p.granted(),
		Names: p.names(), Conf: c.unpackConf(p.conf()),
	}
}

// receive takes the first message off link l, and has the node at its end hear it: the action OnElection(l), or one like it.
// Where messages are kept it is any message, and stays.
func (p *stepper) receive(l int, k uint8) {
	m := p.message(&p.now, l, k)
	if !p.now.up.Has(m.To) {
		return
	}
	p.begin()
	if !p.kept {
		p.next.pop(l, k)
	}
	step := p.rules.Hear(m.To, p.now.node[m.To], m)
	if !p.affords(m.To, &step) {
		return
	}
	p.take(m.To, &step)
	p.end(receipts[m.Type], m.From, m.To)
}

// receiveAll takes all receipts: for each type of message, in the order of Next, those on the links where one comes first.
func (p *stepper) receiveAll() {
	if p.kept {
		for l := range p.links {
			for k := range p.now.net[l].n {
				if !p.waits(&p.now, l, k) {
					p.receive(l, k)
				}
			}
		}
		return
	}
	var heads [len(receipts)]uint64 // heads[t]: the links on which a message of type t comes first, as bits
	for l := range p.links {
		if q := &p.now.net[l]; q.n > p.arriving(&p.now, l) {
			heads[q.at[p.arriving(&p.now, l)].kind()] |= 1 << l
		}
	}
	for _, ls := range heads {
		for ; ls != 0; ls &= ls - 1 {
			l := bits.TrailingZeros64(ls)
			p.receive(l, p.arriving(&p.now, l))
		}
	}
}
