package agent_test

import (
	"context"
	"fmt"

	"github.com/seed-fdf591db/bully/impl/agent"
)

// A program asks the node beside it to lead. Here there is no node, so it is told what to look for.
func ExampleClient_Lead() {
	client := &agent.Client{Socket: "/nowhere/jobs.sock"}
	err := client.Lead(context.Background(), func(ctx context.Context, reign *agent.Reign) error {
		for reign.Valid() {
			if err := write(ctx, reign.Epoch()); err != nil {
				return err // the node resigns
			}
		}
		return nil
	})
	fmt.Println(err)
	// Output: agent: the node does not answer: does bully run -socket run here? Get "http://bully/lead?hold=true&lease=2s": dial unix /nowhere/jobs.sock: connect: no such file or directory
}

// write gives the epoch to the resource, which refuses older ones.
func write(context.Context, uint64) error { return nil }
