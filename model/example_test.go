package model_test

import (
	"context"
	"fmt"

	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/model/explore"
)

// Node 1 grants the claim of node 3, and then refuses that of node 2 for the same epoch.
func ExampleRules() {
	rules, err := model.NewRules(3)
	if err != nil {
		fmt.Println(err)
		return
	}
	var s model.State
	for _, claimant := range []model.ID{3, 2} {
		step := rules.Hear(1, s, model.Message{Type: model.Claim, From: claimant, To: 1, Epoch: 1})
		s = step.State
		fmt.Println(s)
		fmt.Println(step.Sent())
	}
	// Output:
	// [role |-> "electing", leader |-> 3, epoch |-> 1, grantee |-> 3, support |-> {}]
	// [1→3 GRANT(1)]
	// [role |-> "electing", leader |-> 3, epoch |-> 1, grantee |-> 3, support |-> {}]
	// [1→2 REFUSE(1)]
}

// If any set is a quorum, a node that is cut off leads in the epoch of another.
func ExampleNew() {
	m, err := model.New(explore.Configuration{
		Module:        "MCCluster",
		Specification: "Spec",
		Constants: map[string]string{
			"N": "3", "MaxEarly": "0", "MaxCrash": "0", "MaxLoss": "0", "MaxCut": "0", "MaxResign": "0",
		},
		Replacements: map[string]string{"Cuts": "TopIsolated", "IsQuorum": "AnySet"},
		Invariants:   []string{"OneLeaderPerEpoch"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := explore.Run(context.Background(), m, explore.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Violation.Property, "is violated")
	for _, event := range result.Violation.Run[1:] {
		fmt.Println(event.Step)
	}
	// Output:
	// OneLeaderPerEpoch is violated
	// HeartbeatTimeout(2)
	// OnElection(2→1)
	// OnAssent(1→2)
	// HeartbeatTimeout(3)
	// ElectionTimeout(3)
	// ElectionTimeout(2)
}
