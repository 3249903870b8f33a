package resourcelock_test

import (
	"context"
	"fmt"

	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/klog/v2"

	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/resourcelock"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
)

// An operator whose replicas elect among themselves. Here it has one replica, so that the example runs; a real one has three, each with a node of its own, which bully.Open
// makes.
func Example() {
	me := spec.IntegerID(1)
	node, err := host.New(host.Config{
		ID: me, Members: []spec.NodeID{me}, Storage: storage.NewMemory(), Transport: transport.NewNetwork(nil).Join(me), Timing: host.WAN(),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	lock, err := resourcelock.New(node, resourcelock.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(klog.NewContext(context.Background(), klog.Logger{}))
	elector, err := leaderelection.NewLeaderElector(lock.Elector(leaderelection.LeaderCallbacks{
		OnStartedLeading: func(ctx context.Context) {
			fmt.Printf("controllers run, and write with epoch %d\n", lock.Reign().Epoch())
			stop() // a real one would work until its context ends
		},
		OnStoppedLeading: func() { fmt.Println("controllers have stopped") },
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	running, end := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- node.Run(running) }()
	elector.Run(ctx)
	end() // a node without an elector would lead, and nobody act
	fmt.Println(<-ended)
	// Output:
	// controllers run, and write with epoch 1
	// controllers have stopped
	// <nil>
}
