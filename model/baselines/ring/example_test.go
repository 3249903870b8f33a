package ring_test

import (
	"context"
	"fmt"

	"github.com/seed-fdf591db/bully/model/baselines/ring"
	"github.com/seed-fdf591db/bully/model/explore"
)

// The ring 1, 2, 3, 4 is cut between 2 and 3, and between 4 and 1. Each half closes itself by skipping those whom it
// does not reach: 2 leads beside 4 (flaw B01).
func Example() {
	m, err := ring.New(explore.Configuration{
		Module:        "MCRing",
		Specification: "Spec",
		Constants:     map[string]string{"N": "4", "MaxCrash": "0", "MaxRestart": "0", "MaxCut": "0"},
		Replacements: map[string]string{"Cuts": "Halves", "Orders": "Ascending", "Beginnings": "OnlyLed",
			"Skips": "Always"},
		Invariants: []string{"OneLeader"},
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
	fmt.Println("violates", result.Violation.Property)
	// Output:
	// Start(2)
	// OnElection(2→1)
	// OnElection(1→2)
	// violates OneLeader
}
