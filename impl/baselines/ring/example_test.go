package ring_test

import (
	"fmt"

	"github.com/seed-fdf591db/bully/impl/baselines/ring"
)

// In a ring of three, node 1 suspects that there is no leader. Its list goes round, and then who leads.
func Example() {
	nodes := map[int]*ring.Node{}
	for _, id := range []int{1, 2, 3} {
		node, err := ring.New(ring.Config{ID: id, Ring: []int{1, 2, 3}, Form: ring.Lists})
		if err != nil {
			fmt.Println(err)
			return
		}
		node.Step(ring.Start())
		nodes[id] = node
	}
	network := nodes[1].Step(ring.Suspect()).Send
	for len(network) > 0 {
		m := network[0]
		if m.Kind != ring.AckKind {
			fmt.Println(m.From, "→", m.To, m.Kind, m.List)
		}
		network = append(network[1:], nodes[m.To].Step(ring.Receive(m)).Send...)
	}
	fmt.Println("3 leads:", nodes[3].Leading(), "and 1 follows", nodes[1].Leader())
	// Output:
	// 1 → 2 ELECTION [1]
	// 2 → 3 ELECTION [1 2]
	// 3 → 1 ELECTION [1 2 3]
	// 1 → 2 COORDINATOR [1 2 3]
	// 2 → 3 COORDINATOR [1 2 3]
	// 3 → 1 COORDINATOR [1 2 3]
	// 3 leads: true and 1 follows 3
}
