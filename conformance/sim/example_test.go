package sim_test

import (
	"fmt"
	"time"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
)

// The leader of three nodes crashes after the first message of its next step, and comes back.
func Example() {
	const ms = time.Millisecond
	members := []spec.NodeID{spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)}
	plan := sim.Plan{
		Seed:    81,
		Members: members,
		Timing: sim.Timing{Delay: 10 * ms, Drift: 0.01, Heartbeat: 20 * ms, Reign: 72 * ms, Patience: 75 * ms, Election: 25 * ms, Coordinator: 150 * ms,
			Claim: 45 * ms, Preempt: 500 * ms, Stagger: 20 * ms},
		Links:  sim.Conditions{Delay: sim.Range{Min: ms, Max: 3 * ms}},
		Disk:   sim.Range{Min: ms, Max: 2 * ms},
		Faults: []sim.Fault{{At: time.Second, For: time.Second, Kind: sim.CrashFault, Node: members[2], Point: sim.AfterSave + 1}},
		Length: 2 * time.Second,
	}
	model := conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} })
	result, err := sim.Run(&plan, model, sim.Options{Notify: func(t sim.Notification) {
		if t.Leading || !t.Up {
			fmt.Printf("%7.3fs  node %s: leads %v in epoch %d, up %v\n", t.At.Seconds(), t.Node, t.Leading, t.Epoch, t.Up)
		}
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Reigns, result.Violation, result.Timely, result.Settled < plan.SettleBound())
	// Output:
	//   0.163s  node 3: leads true in epoch 1, up true
	//   1.017s  node 3: leads false in epoch 0, up false
	//   1.140s  node 2: leads true in epoch 2, up true
	//   2.517s  node 3: leads true in epoch 3, up true
	// [{1 3} {2 2} {3 3}] <nil> true true
}
