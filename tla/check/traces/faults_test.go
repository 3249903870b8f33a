package traces

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// led returns three nodes of which the highest has come to lead epoch 1. Its events are in lines 2 to 14.
func led(t testing.TB) *cluster {
	c := started(t, 3)
	c.end(c.rank(3), spec.PatienceTimer)
	for _, i := range []int{1, 2} { // ELECTION
		c.deliver(c.rank(3), c.rank(i))
	}
	for _, i := range []int{1, 2} { // ASSENT, and a CLAIM after the first of them
		c.deliver(c.rank(i), c.rank(3))
	}
	for _, i := range []int{1, 2} { // CLAIM
		c.deliver(c.rank(3), c.rank(i))
	}
	c.deliver(c.rank(1), c.rank(3)) // GRANT
	for _, i := range []int{1, 2} { // COORDINATOR
		c.deliver(c.rank(3), c.rank(i))
	}
	c.deliver(c.rank(1), c.rank(3)) // ACK
	return c
}

// fault is a change of the events of led, and where it must be refused: line 0 if it must not be, since it is none.
type fault struct {
	name string
	line int
	part Part
	of   func(es []spec.Event) []spec.Event
}

// addFaults adds traces with one fault each. Where it is refused is said here, without asking anybody else.
func (c *corpus) addFaults() {
	good := led(c.t).events
	require.Len(c.t, good, 14)
	c.add("good", ndjson(integers(3), good), 0, "")
	for _, f := range slices.Concat(faultsOfSteps(c.t), faultsOfLinks(c.t)) {
		c.add(f.name, ndjson(integers(3), f.of(cloned(good))), f.line, f.part)
	}
}

func faultsOfSteps(t testing.TB) []fault {
	ids := integers(3)
	return []fault{
		{"support of nobody", 9, StatePart, func(es []spec.Event) []spec.Event { es[7].State.Support = ids[:2]; return es }},
		{"wrong epoch promised", 10, StatePart, func(es []spec.Event) []spec.Event { es[8].State.Epoch = 2; return es }},
		{"nothing sent", 5, sentPart, func(es []spec.Event) []spec.Event { es[3].Sent = nil; return es }},
		{"sent in another order", 5, sentPart, func(es []spec.Event) []spec.Event { slices.Reverse(es[3].Sent); return es }},
		{"sent twice", 8, sentPart, func(es []spec.Event) []spec.Event { es[6].Sent = append(es[6].Sent, es[6].Sent[0]); return es }},
		{"before it starts", 4, downPart, func(es []spec.Event) []spec.Event { es[2], es[3] = es[3], es[2]; return es }},
		{"starts again", 5, startedPart, func(es []spec.Event) []spec.Event { return slices.Insert(es, 3, es[2].Clone()) }},
		{"restarts while up", 5, upPart, func(es []spec.Event) []spec.Event {
			restart := newCluster(t, ids)
			restart.rank(3).promise = &spec.Durable{Reserved: spec.Block}
			restart.start(restart.rank(3))
			return slices.Insert(es, 3, restart.events[0])
		}},
		{"no such timer", 16, unheededPart, func(es []spec.Event) []spec.Event {
			return append(es, spec.Event{Node: ids[2], Action: spec.ClaimTimeout, Input: spec.Input{Timer: spec.ClaimTimer}, State: es[13].State})
		}},
		{"crash promises more", 16, StatePart, func(es []spec.Event) []spec.Event {
			return append(es, spec.Event{Node: ids[2], Action: spec.CrashAction, State: spec.State{Role: spec.Follower, Epoch: 2, Grantee: ids[2], Latest: spec.Block}})
		}},
		{"restart with numbers that it has used", 17, StatePart, func([]spec.Event) []spec.Event { return restarted(t, 0) }},
		{"restart after lives that nobody has recorded", 0, "", func([]spec.Event) []spec.Event { return restarted(t, 5*spec.Block) }},
		{"restart amid a block", 17, StatePart, func([]spec.Event) []spec.Event {
			es := restarted(t, spec.Block)
			es[15].State.Latest += 3
			for i := range es[15].Sent {
				es[15].Sent[i].Question += 3
			}
			return es
		}},
		{"restart forgets", 17, StatePart, func(es []spec.Event) []spec.Event {
			back := led(t)
			back.crash(back.rank(2))
			back.start(back.rank(2))
			back.events[15].State.Grantee = spec.NodeID{}
			return back.events
		}},
	}
}

// restarted returns a run in which node 2 crashes, and restarts with a record that has reserved so many numbers.
func restarted(t testing.TB, reserved spec.Question) []spec.Event {
	c := led(t)
	c.crash(c.rank(2))
	c.rank(2).promise.Reserved = reserved
	c.start(c.rank(2))
	return c.events
}

func faultsOfLinks(t testing.TB) []fault {
	ids := integers(3)
	return []fault{
		{"invented", 6, linkPart, func(es []spec.Event) []spec.Event { es[4].Input.Message.Epoch = 7; return es }},
		{"received twice", 0, "", func(es []spec.Event) []spec.Event { return slices.Insert(es, 5, es[4].Clone()) }},
		{"another number", 6, linkPart, func(es []spec.Event) []spec.Event { es[4].Input.Message.Question++; return es }},
		{"received after it was lost", 0, "", func(es []spec.Event) []spec.Event {
			return slices.Insert(es, 4, spec.Event{Action: spec.LoseAction, Input: es[4].Input})
		}},
		{"lost but not sent", 3, linkPart, func(es []spec.Event) []spec.Event {
			return slices.Insert(es, 1, spec.Event{Action: spec.LoseAction, Input: es[4].Input})
		}},
		{"under way when cut", 0, "", func(es []spec.Event) []spec.Event {
			return slices.Insert(es, 4, spec.Event{Action: spec.CutAction, Input: spec.Input{Cut: []spec.Link{{From: ids[2], To: ids[0]}}}}, es[4].Clone(),
				spec.Event{Action: spec.CutAction})
		}},
		{"sent over a cut", 7, linkPart, func(es []spec.Event) []spec.Event {
			return slices.Insert(es, 3, spec.Event{Action: spec.CutAction, Input: spec.Input{Cut: []spec.Link{{From: ids[2], To: ids[0]}}}})
		}},
		{"sent before it started", 0, "", func(es []spec.Event) []spec.Event {
			start := es[0].Clone()
			return slices.Insert(slices.Delete(es, 0, 1), 3, start)
		}},
		{"no new cut", 3, cutPart, func(es []spec.Event) []spec.Event { return slices.Insert(es, 1, spec.Event{Action: spec.CutAction}) }},
		{"overtaken", 0, "", func([]spec.Event) []spec.Event {
			c := led(t)
			c.end(c.rank(3), spec.HeartbeatTimer)
			heartbeat := c.pop(c.rank(3), c.rank(1))
			c.call(c.rank(3), spec.ResignCall, spec.ResignAction)
			c.deliver(c.rank(3), c.rank(1))
			c.comes(heartbeat)
			return c.events
		}},
		{"from before the sender's crash", 0, "", func([]spec.Event) []spec.Event { return late(t, 3) }},
		{"from before its own restart", 0, "", func([]spec.Event) []spec.Event { return late(t, 1) }},
	}
}

// late returns a run in which node 1 receives a HEARTBEAT that was sent before a node crashed, which restarts if it is node 1.
func late(t testing.TB, crashes int) []spec.Event {
	c := led(t)
	c.end(c.rank(3), spec.HeartbeatTimer)
	heartbeat := c.pop(c.rank(3), c.rank(1))
	c.crash(c.rank(crashes))
	if crashes == 1 {
		c.start(c.rank(1))
	}
	c.comes(heartbeat)
	return c.events
}

// comes has a message come, whatever is under way.
func (c *cluster) comes(m spec.Message) {
	l := spec.Link{From: m.From, To: m.To}
	c.links[l] = append([]spec.Message{m}, c.links[l]...)
	c.deliver(c.nodes[m.From], c.nodes[m.To])
}
