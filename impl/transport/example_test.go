package transport_test

import (
	"fmt"
	"net"

	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// Two nodes over TCP: one asks, the other hears it. (Elsewhere each runs in a program of its own, and listens on its
// address without being told how.)
func Example() {
	one, two := spec.IntegerID(1), spec.IntegerID(2)
	listeners, members := make(map[spec.NodeID]net.Listener), make(map[spec.NodeID]string)
	for _, id := range []spec.NodeID{one, two} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			fmt.Println(err)
			return
		}
		listeners[id], members[id] = listener, listener.Addr().String()
	}
	start := func(id spec.NodeID) *transport.TCP {
		links, err := transport.NewTCP(transport.Config{ID: id, Cluster: "example", Members: members, Listener: listeners[id]})
		if err != nil {
			panic(err)
		}
		return links
	}
	asks, hears := start(one), start(two)
	defer asks.Close()
	defer hears.Close()

	for range asks.Wake() {
		event, ok := asks.Next()
		if ok && event.Kind == transport.Up {
			asks.Send(spec.Message{Type: spec.Election, From: one, To: event.Node, Epoch: 4, Question: 1})
			break
		}
	}
	for range hears.Wake() {
		event, ok := hears.Next()
		if ok && event.Kind == transport.Received {
			fmt.Println(event)
			break
		}
	}
	// Output: Received 1→2 ELECTION epoch:4 question:1
}

// A network within one program, for tests: node 3 ends, and node 2 has the proof.
func ExampleNetwork() {
	network := transport.NewNetwork(nil)
	three, two := spec.IntegerID(3), spec.IntegerID(2)
	leader, follower := network.Join(three), network.Join(two)
	leader.Send(spec.Message{Type: spec.Heartbeat, From: three, To: two, Epoch: 1, Question: 1})
	network.Kill(three)
	for event, ok := follower.Next(); ok; event, ok = follower.Next() {
		fmt.Println(event)
	}
	// Output:
	// Up 3
	// Received 3→2 HEARTBEAT epoch:1 question:1
	// Down 3
	// Dead 3
}

// Members change: node 4 knows node 1 only, which does not know it yet, hears it, and then makes it a member.
func ExampleEndpoint_SetMembers() {
	network := transport.NewNetwork(nil)
	one, four := spec.IntegerID(1), spec.IntegerID(4)
	member, nonMember := network.JoinChanging(one, 0xd15c0001), network.JoinChanging(four, 0xd15c0004)
	show := func(links *transport.Endpoint) {
		for event, ok := links.Next(); ok; event, ok = links.Next() {
			fmt.Println(event)
		}
	}
	nonMember.SetMembers(map[spec.NodeID]string{one: "10.0.0.1:7400#00000000d15c0001"})
	nonMember.Send(spec.Message{Type: spec.ImBack, From: four, To: one, Epoch: 1, Question: 1})
	show(member)
	member.Send(spec.Message{Type: spec.Refuse, From: one, To: four, Epoch: 2, Question: 1})
	show(nonMember)
	member.SetMembers(map[spec.NodeID]string{four: "10.0.0.4:7400#00000000d15c0004"})
	network.Kill(four)
	show(member)
	// Output:
	// Received 4→1 IM_BACK epoch:1 question:1
	// Up 1
	// Received 1→4 REFUSE epoch:2 question:1
	// Up 4
	// Down 4
	// Dead 4
}
