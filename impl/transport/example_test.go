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
			asks.Send(spec.Message{Type: spec.Election, From: one, To: event.Node, Epoch: 4})
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
	// Output: Received 1→2 ELECTION epoch:4
}

// A network within one program, for tests: node 3 ends, and node 2 has the proof.
func ExampleNetwork() {
	network := transport.NewNetwork(nil)
	three, two := spec.IntegerID(3), spec.IntegerID(2)
	leader, follower := network.Join(three), network.Join(two)
	leader.Send(spec.Message{Type: spec.Heartbeat, From: three, To: two, Epoch: 1})
	network.Kill(three)
	for event, ok := follower.Next(); ok; event, ok = follower.Next() {
		fmt.Println(event)
	}
	// Output:
	// Up 3
	// Received 3→2 HEARTBEAT epoch:1
	// Down 3
	// Dead 3
}
