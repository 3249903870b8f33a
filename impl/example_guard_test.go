package bully_test

import (
	"context"
	"fmt"
	"os"

	bully "github.com/seed-fdf591db/bully/impl"
	"github.com/seed-fdf591db/bully/impl/host"
)

// A program that embeds a node has it tell its guard that it goes on. It is started by "bully guard -- program".
func ExampleNode_guarded() {
	folder, _ := os.MkdirTemp("", "node")
	defer func() { _ = os.RemoveAll(folder) }()
	guard, err := host.FindGuard() // nil, if nobody watches this process
	if err != nil {
		fmt.Println(err)
		return
	}
	node, err := bully.Open(bully.Config{Folder: folder, ID: "1", Cluster: "jobs", Members: map[string]string{"1": "127.0.0.1:0"}, Guard: guard})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- node.Run(ctx) }()
	for now := range node.Watch(ctx) {
		if now.Leading {
			fmt.Println("leads; guarded:", node.Status().Guard != nil)
			stop()
		}
	}
	fmt.Println(<-ended)
	// Output:
	// leads; guarded: false
	// <nil>
}
