package fencing_test

import (
	"context"
	"fmt"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/fencing"
)

// The resource checks first and writes later (flaw B12): a write slips in between.
func Example() {
	m, err := fencing.New(explore.Configuration{
		Module:        "MCFencing",
		Specification: "Spec",
		Constants:     map[string]string{"N": "2", "MaxEpoch": "2", "MaxLog": "2"},
		Replacements:  map[string]string{"Epoch": "UpToMax", "HasRoom": "Within", "Next": "CheckThenAct"},
		Invariants:    []string{"NoStaleWrite"},
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
	for _, v := range last.State {
		if v.Name == "log" {
			fmt.Println("log", v.Value)
		}
	}
	fmt.Println("violates", result.Violation.Property)
	// Output:
	// Lead(2)
	// Send(2)
	// CheckFirst(2)
	// Lead(1)
	// Send(1)
	// CheckFirst(1)
	// ActLater(1)
	// ActLater(2)
	// log <<[epoch |-> 2, leader |-> 1], [epoch |-> 1, leader |-> 2]>>
	// violates NoStaleWrite
}
