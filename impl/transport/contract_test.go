package transport

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// A ground is where the contract is tested: it starts the members 1, 2 and 3, and ends them as a crash does.
type ground interface {
	begin(id spec.NodeID) node
	kill(id spec.NodeID)
}

type memoryGround struct{ *Network }

func (g memoryGround) begin(id spec.NodeID) node { return g.Join(id) }
func (g memoryGround) kill(id spec.NodeID)       { g.Kill(id) }
func (g *tcpGround) begin(id spec.NodeID) node   { g.running[id] = g.start(id); return g.running[id] }
func (g *tcpGround) kill(id spec.NodeID)         { require.NoError(g.t, g.running[id].Close()) }
func laterBy(d time.Duration) func(_, _ spec.NodeID) time.Duration {
	return func(_, _ spec.NodeID) time.Duration { return d }
}

type tcpGround struct {
	*tcpNet
	running map[spec.NodeID]*TCP
}

// Both transports keep the same contract.
func TestContract(t *testing.T) {
	grounds := map[string]func(*testing.T) ground{
		"TCP": func(t *testing.T) ground {
			return &tcpGround{newTCPNet(t, nil, one, two, three), make(map[spec.NodeID]*TCP)}
		},
		"memory":         func(*testing.T) ground { return memoryGround{NewNetwork(nil)} },
		"memory, slower": func(*testing.T) ground { return memoryGround{NewNetwork(laterBy(time.Millisecond))} },
	}
	for name, newGround := range grounds {
		for _, c := range contract {
			t.Run(name+"/"+c.name, func(t *testing.T) { c.test(t, newGround(t)) })
		}
	}
}

var contract = []struct {
	name string
	test func(*testing.T, ground)
}{
	{"messages arrive in order, in both directions", contractOrder},
	{"what is not to be sent is lost", contractUnsendable},
	{"a node that ends is told once, and it may return", contractRestart},
	{"Dead comes after all that the node has said", contractLastWords},
	{"messages of a connection that was replaced are dropped", contractReplaced},
	{"Wake has a value while Next has an event", contractWake},
	{"who does not call Next keeps the newest", contractPaused},
	{"after Close nothing happens", contractClose},
}

// pair starts two nodes, and waits until each may send to the other.
func pair(t *testing.T, g ground) (first, second node) {
	first, second = g.begin(one), g.begin(two)
	until(t, first, Up, two)
	until(t, second, Up, one)
	return first, second
}

func contractOrder(t *testing.T, g ground) {
	nodes := map[spec.NodeID]node{one: g.begin(one), two: g.begin(two), three: g.begin(three)}
	others := map[spec.NodeID][]spec.NodeID{one: {two, three}, two: {one, three}, three: {one, two}}
	for id, n := range nodes {
		up := make(map[spec.NodeID]bool)
		take(t, n, func(e Event) bool {
			up[e.Node] = up[e.Node] || e.Kind == Up
			return up[others[id][0]] && up[others[id][1]]
		})
	}
	const rounds, batch = 20, 100
	for round := range rounds {
		for i := range batch {
			for id, n := range nodes {
				for _, other := range others[id] {
					n.Send(claim(id, other, round*batch+i))
				}
			}
		}
		for id, n := range nodes {
			got := make(map[spec.NodeID][]int)
			take(t, n, func(e Event) bool {
				require.Equal(t, Received, e.Kind)
				require.Equal(t, claim(e.Node, id, int(e.Message.Epoch)), e.Message)
				got[e.Node] = append(got[e.Node], int(e.Message.Epoch)-round*batch)
				return len(got[others[id][0]])+len(got[others[id][1]]) == 2*batch
			})
			for _, other := range others[id] {
				require.True(t, slices.IsSorted(got[other]), "node %v must receive the messages of node %v in the order in which they were sent", id, other)
				require.Len(t, got[other], batch)
			}
		}
	}
}

func contractUnsendable(t *testing.T, g ground) {
	first, second := pair(t, g)
	first.Send(claim(one, nine, 1))  // no member
	first.Send(claim(one, three, 1)) // a member that does not run
	first.Send(claim(one, one, 1))   // itself
	first.Send(claim(three, two, 1)) // in another's name
	first.Send(spec.Message{From: one, To: two})
	first.Send(claim(one, two, int(spec.MaxEpoch)+1))
	first.Send(spec.Message{})
	first.Send(claim(one, two, 7))
	require.Equal(t, []int{7}, epochs(untilEpoch(t, second, 7), one))
}

func contractRestart(t *testing.T, g ground) {
	first, _ := pair(t, g)
	for life := range 3 {
		g.kill(two)
		events := until(t, first, Dead, two)
		require.Equal(t, []Kind{Down, Dead}, kinds(events, two))
		for i := range 100 {
			first.Send(claim(one, two, i))
		}
		second := g.begin(two)
		require.Equal(t, []Kind{Up}, kinds(until(t, first, Up, two), two))
		until(t, second, Up, one)
		first.Send(claim(one, two, 1000+life))
		require.Equal(t, []int{1000 + life}, epochs(untilEpoch(t, second, 1000+life), one), "nothing that was sent before it started arrives")
		second.Send(claim(two, one, 2000+life))
		require.Empty(t, kinds(untilEpoch(t, first, 2000+life), two))
	}
}

func contractLastWords(t *testing.T, g ground) {
	first, second := pair(t, g)
	for i := range 100 {
		second.Send(claim(two, one, i))
	}
	require.NoError(t, second.Close())
	require.Len(t, epochs(until(t, first, Dead, two), two), 100)
}

func contractReplaced(t *testing.T, g ground) {
	first, second := pair(t, g)
	for i := range 100 {
		second.Send(claim(two, one, i))
	}
	<-first.Wake()
	g.kill(two)
	second = g.begin(two)
	until(t, second, Up, one)
	second.Send(claim(two, one, 1000))
	require.Equal(t, []int{1000}, epochs(untilEpoch(t, first, 1000), two))
}

func contractWake(t *testing.T, g ground) {
	g.begin(three) // nobody is to be told that it is dead
	first, second := g.begin(one), g.begin(two)
	up := 0
	take(t, first, func(e Event) bool {
		if e.Kind == Up {
			up++
		}
		return up == 2
	})
	until(t, second, Up, one)
	_, ok := first.Next()
	require.False(t, ok, "a queue that was read to its end is empty")
	select {
	case <-first.Wake():
		require.Fail(t, "there is nothing to wake for")
	default:
	}
	for i := range 10 {
		second.Send(claim(two, one, i))
	}
	for i := range 10 {
		<-first.Wake()
		event, ok := first.Next()
		require.True(t, ok, "a wake-up comes with an event (round %d)", i)
		require.Equal(t, claim(two, one, i), event.Message)
	}
	select {
	case <-first.Wake():
		require.Fail(t, "all has been taken")
	default:
	}
}

func contractPaused(t *testing.T, g ground) {
	first, second := pair(t, g)
	third := g.begin(three)
	until(t, third, Up, one)
	third.Send(claim(three, one, 5000))
	const sent = 20 * defaultInbox
	for i := range sent {
		second.Send(claim(two, one, i))
		if i%100 == 0 {
			// The queue of the sender is not what is tested.
			time.Sleep(100 * time.Microsecond)
		}
	}
	events := untilEpoch(t, first, sent-1)
	got := epochs(events, two)
	require.True(t, slices.IsSorted(got), "messages must arrive in the order in which they were sent")
	require.Less(t, len(got), sent)
	require.Equal(t, []int{5000}, epochs(events, three), "no other node's messages are dropped for it")
}

func contractClose(t *testing.T, g ground) {
	first, second := pair(t, g)
	second.Send(claim(two, one, 1))
	<-first.Wake()
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() { require.NoError(t, first.Close()) })
		calls.Go(func() { first.Send(claim(one, two, 1)); first.Next(); first.Wake() })
	}
	calls.Wait()
	require.NoError(t, first.Close())
	first.Send(claim(one, two, 2))
	event, ok := first.Next()
	require.False(t, ok, fmt.Sprint(event))
}
