package traces

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/spec"
)

// cluster is nodes of the model, and the events that come of what is done with them.
type cluster struct {
	t       testing.TB
	members []spec.NodeID
	nodes   map[spec.NodeID]*member
	links   map[spec.Link][]spec.Message
	cut     []spec.Link
	events  []spec.Event
}

// member is one node.
type member struct {
	id      spec.NodeID
	node    conformance.Node // nil while it is down
	out     spec.Step
	promise *spec.Durable // nil before its first start
	timers  spec.TimerSet
}

// integers returns the ids 10, 20 and so on.
func integers(n int) (ids []spec.NodeID) {
	for i := range n {
		ids = append(ids, spec.IntegerID(uint64(10*(i+1))))
	}
	return ids
}

func newCluster(t testing.TB, members []spec.NodeID) *cluster {
	c := &cluster{t: t, members: members, nodes: map[spec.NodeID]*member{}, links: map[spec.Link][]spec.Message{}}
	for _, id := range members {
		c.nodes[id] = &member{id: id}
	}
	return c
}

// started returns a cluster of n nodes that have all started.
func started(t testing.TB, n int) *cluster {
	c := newCluster(t, integers(n))
	for _, id := range c.members {
		c.start(c.nodes[id])
	}
	return c
}

// rank returns the node of a rank.
func (c *cluster) rank(r int) *member { return c.nodes[c.members[r-1]] }

func (c *cluster) start(m *member) {
	m.node = conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} })(m.id, c.members)
	if m.promise == nil {
		m.node.Start(spec.Configuration{}, &m.out)
		c.did(m, spec.Event{Action: spec.StartAction})
		return
	}
	m.node.Restart(*m.promise, &m.out)
	c.did(m, spec.Event{Action: spec.RestartAction})
}

func (c *cluster) crash(m *member) {
	m.node, m.timers = nil, 0
	c.events = append(c.events, spec.Event{Node: m.id, Action: spec.CrashAction,
		State: spec.State{Role: spec.Follower, Epoch: m.promise.Epoch, Grantee: m.promise.Grantee, Latest: m.promise.Reserved}})
}

func (c *cluster) end(m *member, timer spec.Timer) {
	m.timers &^= spec.TimersOf(timer)
	in := spec.Input{Timer: timer}
	m.node.Step(&in, &m.out)
	c.did(m, spec.Event{Action: timer.Action(), Input: in})
}

func (c *cluster) call(m *member, call spec.Call, action spec.Action) {
	in := spec.Input{Call: call}
	if m.node.Step(&in, &m.out); !m.out.Ignored {
		c.did(m, spec.Event{Action: action, Input: in})
	}
}

// deliver delivers the first message on a link.
func (c *cluster) deliver(from, to *member) {
	in := spec.Input{Message: c.pop(from, to)}
	to.node.Step(&in, &to.out)
	for _, a := range spec.Actions() {
		if a.Receipt() == in.Message.Type {
			c.did(to, spec.Event{Action: a, Input: in})
		}
	}
}

// lose loses the first message on a link.
func (c *cluster) lose(from, to *member) {
	c.events = append(c.events, spec.Event{Action: spec.LoseAction, Input: spec.Input{Message: c.pop(from, to)}})
}

func (c *cluster) pop(from, to *member) spec.Message {
	l := spec.Link{From: from.id, To: to.id}
	require.NotEmpty(c.t, c.links[l])
	m := c.links[l][0]
	c.links[l] = c.links[l][1:]
	return m
}

func (c *cluster) setCut(cut []spec.Link) {
	if slices.Equal(cut, c.cut) {
		return
	}
	c.cut = cut
	c.events = append(c.events, spec.Event{Action: spec.CutAction, Input: spec.Input{Cut: cut}})
}

// did records what a node did, and sends what it sent.
func (c *cluster) did(m *member, e spec.Event) {
	require.False(c.t, m.out.Ignored, "%s", e)
	if m.out.Save {
		promise := m.out.State.Durable()
		m.promise = &promise
	}
	m.timers = m.timers&^m.out.Cancel | m.out.Arm
	e.Node, e.Sent, e.State = m.id, m.out.Sent, m.out.State
	e = e.Clone()
	c.events = append(c.events, e)
	for _, message := range e.Sent {
		l := spec.Link{From: message.From, To: message.To}
		if !slices.Contains(c.cut, l) {
			c.links[l] = append(c.links[l], message)
		}
	}
}

// run does so many things at random. Faults come about once in so many.
func (c *cluster) run(random *rand.Rand, events, faults int) *cluster {
	for events += len(c.events); len(c.events) < events; {
		m := c.rank(1 + random.IntN(len(c.members)))
		from, waits := c.waits(random, m)
		switch {
		case m.node == nil && (m.promise == nil || random.IntN(5) == 0):
			c.start(m)
		case m.node == nil:
		case random.IntN(faults) == 0:
			c.crash(m)
		case random.IntN(faults) == 0:
			c.randomCut(random)
		case random.IntN(10*faults) == 0:
			c.call(m, spec.ResignCall, spec.ResignAction)
		case random.IntN(faults) == 0:
			c.call(m, spec.HolderDeadCall, spec.HolderDeadAction)
		case waits && random.IntN(faults) == 0:
			c.lose(from, m)
		case waits && random.IntN(faults) == 0:
			c.pop(from, m) // Lost without a word.
		case waits:
			c.disturb(random, from, m)
			c.deliver(from, m)
		default:
			timers := slices.Collect(m.timers.All())
			if timer := timers[random.IntN(len(timers))]; timer == spec.HeartbeatTimer || random.IntN(10) == 0 {
				c.end(m, timer)
			}
		}
	}
	return c
}

// disturb has the network repeat or overtake what is on a link, now and then.
func (c *cluster) disturb(random *rand.Rand, from, to *member) {
	queue := c.links[spec.Link{From: from.id, To: to.id}]
	switch i := random.IntN(len(queue)); random.IntN(10) {
	case 0:
		c.links[spec.Link{From: from.id, To: to.id}] = append(queue[:len(queue):len(queue)], queue[i])
	case 1:
		queue[0], queue[i] = queue[i], queue[0]
	}
}

// waits returns a node that has said something that m has not heard yet.
func (c *cluster) waits(random *rand.Rand, m *member) (from *member, waits bool) {
	for _, i := range random.Perm(len(c.members)) {
		from = c.rank(1 + i)
		if len(c.links[spec.Link{From: from.id, To: m.id}]) > 0 {
			return from, true
		}
	}
	return nil, false
}

func (c *cluster) randomCut(random *rand.Rand) {
	var cut []spec.Link
	for _, from := range c.members {
		for _, to := range c.members {
			if from != to && random.IntN(8) == 0 {
				cut = append(cut, spec.Link{From: from, To: to})
			}
		}
	}
	c.setCut(cut)
}

// ndjson writes events as a trace. It returns nil if they are not well formed.
func ndjson(members []spec.NodeID, events []spec.Event) []byte {
	return ndjsonOf(spec.Header{Members: members, Seed: 1, Commit: "test"}, events)
}

func ndjsonOf(h spec.Header, events []spec.Event) []byte {
	var b bytes.Buffer
	w := spec.NewTraceWriter(&b, h)
	for i, e := range events {
		e.Seq = uint64(i + 1)
		if w.Write(&e) != nil {
			return nil
		}
	}
	if w.Flush() != nil {
		return nil
	}
	return b.Bytes()
}
