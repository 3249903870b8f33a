package groups_test

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"
	"sync"

	"github.com/seed-fdf591db/bully/impl/groups"
	"github.com/seed-fdf591db/bully/impl/resource"
	"github.com/seed-fdf591db/bully/spec"
)

// A service whose shards are each served by one of three machines at a time. Here the three are in one program, so that the example runs; a real one is one of them, and
// leaves Listener out.
func Example() {
	const shards = 100
	addresses, listeners := map[spec.NodeID]string{}, map[spec.NodeID]net.Listener{}
	for i := range 3 {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			log.Fatal(err)
		}
		id := spec.IntegerID(uint64(i + 1))
		addresses[id], listeners[id] = listener.Addr().String(), listener
	}
	dir, err := os.MkdirTemp("", "shards")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	counted := newCounts(shards)
	ctx, stop := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	for id := range addresses {
		node, err := groups.Open(groups.Config{ID: id, Cluster: "orders", Addresses: addresses, Listener: listeners[id], Dir: filepath.Join(dir, id.String())})
		if err != nil {
			log.Fatal(err)
		}
		for i := range shards {
			ended.Go(func() {
				_ = node.Lead(ctx, fmt.Sprintf("orders-%d", i), func(ctx context.Context, reign groups.Reign) error {
					// Serve the shard until the reign is over. Each write carries its epoch, and an older one is refused.
					if err := counted.write(i, reign.Epoch()); err != nil {
						return err
					}
					<-ctx.Done()
					return nil
				})
			})
		}
		ended.Go(func() {
			<-ctx.Done()
			_ = node.Stop(context.Background())
		})
	}
	counted.all.Wait()
	fmt.Println("all shards are served")
	stop()
	ended.Wait()
	// Output: all shards are served
}

// counts is what the shards write to: a fence for each.
type counts struct {
	guards []*resource.Guard
	once   []sync.Once
	all    sync.WaitGroup
}

func newCounts(n int) *counts {
	c := &counts{once: make([]sync.Once, n)}
	for range n {
		guard, err := resource.NewGuard(&resource.MemoryRegister{})
		if err != nil {
			log.Fatal(err)
		}
		c.guards = append(c.guards, guard)
	}
	c.all.Add(n)
	return c
}

func (c *counts) write(shard int, epoch spec.Epoch) error {
	return c.guards[shard].Admit(epoch, func() error {
		c.once[shard].Do(c.all.Done)
		return nil
	})
}

// Who would lead what, and what moves if a machine is lost.
func ExamplePlacement_Plan() {
	members := []spec.NodeID{spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)}
	placement := groups.Placement{Members: members, Pins: map[string]spec.NodeID{"billing": spec.IntegerID(3)}}
	names := []string{"billing", "orders-1", "orders-2", "orders-3", "orders-4"}
	now := placement.Plan(names)
	for _, id := range members {
		fmt.Println(id, now[id])
	}
	for _, move := range groups.Moves(now, placement.Plan(names, spec.IntegerID(3))) {
		fmt.Printf("without 3: %s to %v\n", move.Group, move.To)
	}
	// Output:
	// 1 [orders-1]
	// 2 [orders-2 orders-3 orders-4]
	// 3 [billing]
	// without 3: billing to 1
}
