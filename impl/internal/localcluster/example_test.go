package localcluster

import (
	"context"
	"fmt"
	"time"
)

// Five real nodes: the leader is killed, and another leads. It is the highest that runs, as soon as that has started.
func Example() {
	bully, err := program()
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := New(Config{Nodes: 5, Command: []string{bully, "run", "-cluster", "example", "-profile", "busy"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = c.Close() }()
	if err := c.Start(); err != nil {
		fmt.Println(err)
		return
	}
	first, err := c.Agree(ctx, 0, 1, 2, 3, 4, 5)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("one leads, and all say so:", first.Leader > 0)
	if _, err := c.Kill(first.Leader); err != nil {
		fmt.Println(err)
		return
	}
	next, err := c.Agree(ctx, first.Epoch, c.IDs(first.Leader)...)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("another leads a later epoch:", next.Leader != first.Leader && next.Epoch > first.Epoch)
	// Output:
	// one leads, and all say so: true
	// another leads a later epoch: true
}
