package bully

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// benchNode returns node 3 of five.
func benchNode(t testing.TB) (*Node, []spec.NodeID) {
	var members []spec.NodeID
	for i := range uint64(5) {
		members = append(members, spec.IntegerID(i+1))
	}
	node, err := New(members[2], members)
	require.NoError(t, err)
	return node, members
}

// costlyStep is a state of node 3 of five in which a step on an input of this kind does most.
type costlyStep struct {
	name   string
	before state
	in     Input
}

// costly returns one for each kind of input. What the node asks, and what it leads by, is number 9; a lease of another is of number 2.
func costly(members []spec.NodeID) []costlyStep {
	from := func(i int, kind spec.MessageType, e spec.Epoch, q spec.Question) Input {
		m := spec.Message{Type: kind, From: members[i-1], To: members[2], Epoch: e, Question: q}
		if kind == spec.Resign {
			m.Granted = spec.Granted{By: members[3], Epoch: 5, Question: 3}
		}
		return Receive(m)
	}
	follower := state{role: spec.Follower, leader: 4, lease: 2, epoch: 4, grantee: 4, latest: 9}
	free := state{role: spec.Follower, leader: none, epoch: 4, grantee: 4, latest: 9}
	candidate := state{role: spec.Candidate, leader: none, epoch: 4, grantee: 4, support: 0b00011, asked: 9, latest: 9}
	waiting := state{role: spec.Electing, leader: 4, lease: 2, epoch: 4, grantee: 4, support: 0b00011, asked: 9, latest: 9}
	claimant := state{role: spec.Claimant, leader: none, epoch: 4, grantee: 4, support: 0b00001, asked: 9, latest: 9}
	leader := state{role: spec.Leader, leader: 2, epoch: 4, grantee: 2, support: 0b00001, latest: 9, dated: 8}
	return []costlyStep{
		{"ELECTION", free, from(1, spec.Election, 5, 7)},
		{"OK", candidate, from(5, spec.OK, 5, 9)},
		{"ASSENT", candidate, from(2, spec.Assent, 5, 9)},
		{"CLAIM", leader, from(5, spec.Claim, 5, 7)},
		{"GRANT", claimant, from(2, spec.Grant, 5, 9)},
		{"REFUSE", claimant, from(2, spec.Refuse, 6, 9)},
		{"COORDINATOR", claimant, from(5, spec.Coordinator, 5, 7)},
		{"HEARTBEAT", follower, from(5, spec.Heartbeat, 4, 7)},
		{"ACK", leader, from(5, spec.Ack, 4, 9)},
		{"RESIGN of a claimant", claimant, from(5, spec.Resign, 4, 7)},
		{"RESIGN of a follower", follower, from(5, spec.Resign, 4, 7)},
		{"IM_BACK", leader, from(5, spec.ImBack, 4, 7)},
		{"patience", follower, Timeout(spec.PatienceTimer)},
		{"preempt", state{role: spec.Follower, leader: 1, lease: 2, epoch: 4, grantee: 1, latest: 9}, Timeout(spec.PreemptTimer)},
		{"election", candidate, Timeout(spec.ElectionTimer)},
		{"coordinator", waiting, Timeout(spec.CoordinatorTimer)},
		{"claim", claimant, Timeout(spec.ClaimTimer)},
		{"reign", leader, Timeout(spec.ReignTimer)},
		{"heartbeat", leader, Timeout(spec.HeartbeatTimer)},
		{"resign", leader, Resign()},
		{"holder-dead", waiting, HolderDead()},
		{"start", state{}, Start()},
		{"restart", state{}, Restart(spec.Durable{Epoch: 4, Grantee: members[4], Reserved: spec.Block})},
	}
}

// enter puts the node into the state before a step. A leader has been answered by a node that is not the one of the step.
func (c *costlyStep) enter(n *Node) {
	n.state, n.started = c.before, c.before.role != ""
	clear(n.answered)
	if n.role == spec.Leader {
		n.answered[0] = 9
	}
}

// TestStepsDoNotAllocate holds every kind of step to no allocation at all.
func TestStepsDoNotAllocate(t *testing.T) {
	node, members := benchNode(t)
	for _, c := range costly(members) {
		c.enter(node)
		out := node.Step(c.in)
		require.True(t, node.state != c.before || len(out.Send) > 0, "%s does nothing", c.name)
		allocations := testing.AllocsPerRun(100, func() {
			c.enter(node)
			if node.Step(c.in).Action == "" {
				panic(fmt.Sprintf("%s is ignored", c.name))
			}
		})
		require.Zero(t, allocations, c.name)
	}
}

// changing returns the same steps in a configuration, which all hold.
func changing(t testing.TB, members []spec.NodeID) (*Node, []costlyStep) {
	var list []spec.Member
	for _, id := range members {
		list = append(list, spec.Member{ID: id, Kind: spec.Voter, Address: "10.0.0.1:7400"})
	}
	first, err := spec.NewConfiguration(0, 1, list)
	require.NoError(t, err)
	node, err := NewChanging(members[2], first)
	require.NoError(t, err)
	var steps []costlyStep
	for _, c := range costly(members) {
		if c.name == "restart" {
			continue // reads the configuration of the record
		}
		c.before.configuration = first.At(c.before.epoch, 1)
		c.in.message.Configuration = c.before.configuration
		steps = append(steps, c)
	}
	return node, steps
}

// TestStepsInAConfigurationDoNotAllocate holds every kind of step to no allocation that leaves the members as they are: a
// claim that is won, which stamps the configuration, and one of the same members that is adopted, among them.
func TestStepsInAConfigurationDoNotAllocate(t *testing.T) {
	_, members := benchNode(t)
	node, steps := changing(t, members)
	for _, c := range steps {
		adopted := c
		if c.in.kind == receive {
			adopted.name += " with a newer configuration"
			adopted.in.message.Epoch++
			adopted.in.message.Configuration.Epoch++
		}
		for _, c := range []costlyStep{c, adopted} {
			allocations := testing.AllocsPerRun(100, func() {
				c.enter(node)
				if node.Step(c.in).Action == "" {
					panic(fmt.Sprintf("%s is ignored", c.name))
				}
			})
			require.Zero(t, allocations, c.name)
		}
	}
}

// BenchmarkStepInAConfiguration measures a step of each kind where members change.
func BenchmarkStepInAConfiguration(b *testing.B) {
	_, members := benchNode(b)
	node, steps := changing(b, members)
	for _, c := range steps {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.enter(node)
				node.Step(c.in)
			}
		})
	}
}

// BenchmarkStep measures a step of each kind.
func BenchmarkStep(b *testing.B) {
	node, members := benchNode(b)
	for _, c := range costly(members) {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.enter(node)
				node.Step(c.in)
			}
		})
	}
}
