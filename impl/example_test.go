package bully_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	bully "github.com/seed-fdf591db/bully/impl"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/resource"
)

// A node that writes while it leads, to something that refuses leaders of old. Whoever is fenced has been overtaken: Lead then gives up the
// reign, returns, and is called again, to stand for the next.
func Example() {
	dir, err := os.MkdirTemp("", "bully")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	guard, err := resource.NewGuard(&resource.MemoryRegister{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = guard.Admit(2, func() error { return nil }) // somebody has led in epoch 2, and this node does not know

	members := map[string]string{"1": "127.0.0.1:0"} // a real cluster has three, or five: ParseMembers reads a list, FindMembers asks DNS
	node, err := bully.Open(bully.Config{ID: "1", Cluster: "jobs", Folder: dir, Members: members, Timing: host.WAN()})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- node.Run(ctx) }() // when ctx ends it waits for the work, resigns, and stops
	work := func(ctx context.Context, reign bully.Reign) error {
		return guard.Admit(reign.Epoch(), func() error {
			fmt.Println("written in epoch", reign.Epoch())
			return nil
		})
	}
	for {
		err := node.Lead(ctx, work)
		if !errors.Is(err, resource.ErrFenced) {
			fmt.Println("done:", err)
			break
		}
		fmt.Println(err)
	}
	stop()
	fmt.Println("stopped:", <-ended)
	// Output:
	// resource: the write of epoch 1 is fenced: epoch 2 has been admitted; stop acting as leader
	// written in epoch 2
	// done: <nil>
	// stopped: <nil>
}
