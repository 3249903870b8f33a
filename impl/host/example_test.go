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
		node, err := host.New(host.Config{ID: me, Members: members, Storage: storage.NewMemory(), Transport: network.Join(me), Timing: host.Busy()})
		if err != nil {
			fmt.Println(err)
			return
		}
		go func() { ended <- node.Run(ctx) }()
		go node.Lead(ctx, func(ctx context.Context, reign host.Reign) error {
			fmt.Println("one node works, and has a fencing token:", reign.Epoch() > 0)
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
	// Output: one node works, and has a fencing token: true
}

// Another part of the program may want to know who leads.
func ExampleHost_Watch() {
	me := spec.IntegerID(1)
	node, err := host.New(host.Config{
		ID: me, Members: []spec.NodeID{me}, Storage: storage.NewMemory(), Transport: transport.NewNetwork(nil).Join(me), Timing: host.WAN(),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
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
	timing.Patience = 100 * time.Millisecond
	fmt.Println(timing.Validate())
	// Output: policy: Timing.Patience is 100ms, but must be at least 153.031ms: the lease of a follower must outlast the reign that it backs (R37 d)
}

// A cluster of one node, whose members come and go, is made one of two. A real node has storage.OpenChanging and
// transport.NewTCP.
func ExampleHost_AddMember() {
	one := spec.Member{ID: spec.IntegerID(1), Kind: spec.Voter, Address: "10.0.0.1:7000"}
	two := spec.Member{ID: spec.IntegerID(2), Kind: spec.Voter, Address: "10.0.0.2:7000"}
	first, err := spec.NewConfiguration(0, 1, []spec.Member{one})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	network := transport.NewNetwork(nil)
	ended := make(chan error, 2)
	start := func(id spec.NodeID, knows spec.Configuration) *host.Host {
		store, err := storage.NewChangingMemory(storage.Identity{ID: id, Cluster: "jobs", Incarnation: storage.NewIncarnation()}, knows)
		if err != nil {
			panic(err)
		}
		node, err := host.New(host.Config{ID: id, Storage: store, Transport: network.JoinChanging(id, store.Identity().Incarnation),
			Timing: host.WAN()})
		if err != nil {
			panic(err)
		}
		go func() { ended <- node.Run(ctx) }()
		return node
	}
	leader := start(one.ID, first)
	start(two.ID, spec.EmptyConfiguration()) // it waits to be added
	for m := range leader.WatchMembers(ctx) {
		if m.Settled {
			fmt.Println(m.Configuration)
			break
		}
	}
	now, err := leader.AddMember(ctx, two, leader.Members().Version)
	fmt.Println(now, err)
	_, err = leader.RemoveMember(ctx, two.ID, 1) // somebody who has not looked since
	fmt.Println(err)
	stop()
	fmt.Println(<-ended, <-ended)
	// Output:
	// epoch:1 version:1 {1}
	// epoch:1 version:3 {1 2} <nil>
	// host: the members are not of the version that is expected: version 1 is expected, and they are at epoch:1 version:3 {1 2}
	// <nil> <nil>
}
