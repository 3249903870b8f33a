package textbook_test

import (
	"context"
	"fmt"

	"github.com/seed-fdf591db/bully/model/baselines/textbook"
	"github.com/seed-fdf591db/bully/model/explore"
)

// A node that returns too soon: two COORDINATORs reach node 1 in the wrong order, and it
// follows node 2, which follows node 3 (flaw B04).
func Example() {
	m, err := textbook.New(explore.Configuration{
		Module:        "MCTextbook",
		Specification: "Spec",
		Constants:     map[string]string{"N": "3", "MaxCrash": "1", "MaxRestart": "1", "MaxCut": "0", "Flapping": "{}"},
		Replacements:  map[string]string{"Cuts": "Whole", "Beginnings": "OnlyLed", "SlowReturn": "AnyReturn"},
		Invariants:    []string{"TypeOK", "OneLeaderAtRest"},
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
	// Crash(3)
	// PatienceTimeout(2)
	// ElectionTimeout(2)
	// Restart(3)
	// OnCoordinator(3→1)
	// OnCoordinator(2→1)
	// OnCoordinator(3→2)
	// violates OneLeaderAtRest
	// <<[role |-> "follower", leader |-> 2], [role |-> "follower", leader |-> 3], [role |-> "leader", leader |-> 3]>>
}
