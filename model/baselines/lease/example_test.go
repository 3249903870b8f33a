package lease_test

import (
	"context"
	"fmt"

	"github.com/seed-fdf591db/bully/model/baselines/lease"
	"github.com/seed-fdf591db/bully/model/explore"
)

// RELEASE deletes the lock without looking whose it is: that of an earlier holder comes late, deletes the lock of the next,
// and two take themselves for the leader, though all deadlines hold. All but Campaign are about sessions, not nodes.
func Example() {
	m, err := lease.New(explore.Configuration{
		Module:        "MCLease",
		Specification: "Spec",
		Constants:     map[string]string{"N": "2", "MaxSessions": "3", "Mortal": "{}"},
		Replacements:  map[string]string{"HasRoom": "Within", "MayWrite": "Never", "Released": "AnyEntry"},
		Invariants:    []string{"TypeOK", "OneLeader"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := explore.Run(context.Background(), m, explore.Options{Workers: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, event := range result.Violation.Run[1:] {
		fmt.Println(event.Step)
	}
	last := result.Violation.Run[len(result.Violation.Run)-1]
	fmt.Println("violates", result.Violation.Property)
	fmt.Println(last.State[0].Value)
	// Output:
	// Campaign(2)
	// Campaign(1)
	// OnCreate(2)
	// Tell(2)
	// OnHolds(2)
	// Resign(2)
	// Campaign(1)
	// Expire(2)
	// OnCreate(3)
	// Tell(3)
	// OnRelease(2)
	// OnCreate(1)
	// OnHolds(3)
	// Tell(1)
	// OnHolds(1)
	// violates OneLeader
	// <<[node |-> 2, role |-> "leader", epoch |-> 3], [node |-> 1, role |-> "over", epoch |-> 1], [node |-> 1, role |-> "leader", epoch |-> 2]>>
}
