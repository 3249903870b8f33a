package host_test

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// A program that does its work on one of three machines at a time. Here the three are in one program, so that the
// example runs; a real one makes one node, with storage.Open and transport.NewTCP.
func Example() {
	network := transport.NewNetwork(nil)
	members := []spec.NodeID{spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error, len(members))
	for _, me := range members {
		node, err := host.New(host.Config{ID: me, Members: members, Storage: storage.NewMemory(), Transport: network.Join(me)})
		if err != nil {
			fmt.Println(err)
			return
		}
		go func() { ended <- node.Run(ctx) }()
		go node.Lead(ctx, func(ctx context.Context, reign host.Reign) error {
			fmt.Printf("node %v works in epoch %d\n", me, reign.Epoch())
			stop() // a real one would work until its context ends
			<-ctx.Done()
			return nil
		})
	}
	for range members {
		if err := <-ended; err != nil {
			fmt.Println(err)
		}
	}
	// Output: node 3 works in epoch 1
}

// Another part of the program may want to know who leads.
func ExampleHost_Watch() {
	me := spec.IntegerID(1)
	node, err := host.New(host.Config{
		ID: me, Members: []spec.NodeID{me}, Storage: storage.NewMemory(), Transport: transport.NewNetwork(nil).Join(me),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	leaders := node.Watch(ctx)
	fmt.Println("at first:", (<-leaders).Leader)
	go node.Run(ctx)
	for l := range leaders { // until the host stops
		fmt.Printf("leader %v, epoch %d\n", l.Leader, l.Epoch)
		if l.Leading {
			go node.Close()
		}
	}
	// Output:
	// at first: none
	// leader 1, epoch 1
	// leader none, epoch 0
}

// Timing is refused if it breaks a bound, with the value that is needed.
func ExampleTiming_Validate() {
	timing := host.LAN()
	timing.Heartbeat = 100 * time.Millisecond
	fmt.Println(timing.Validate())
	// Output: host: Timing.Heartbeat is 100ms, but must be above 322.017ms: an ACK supports its leader for two checks (R37 d)
}
