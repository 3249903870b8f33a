package cluster_test

import (
	"context"
	"fmt"

	"github.com/seed-fdf591db/bully/model/cluster"
	"github.com/seed-fdf591db/bully/model/explore"
)

// If any set is a quorum, a node that is cut off leads in the epoch of another.
func ExampleNew() {
	m, err := cluster.New(explore.Configuration{
		Module:        "MCCluster",
		Specification: "Spec",
		Constants: map[string]string{
			"N": "3", "MaxEarly": "0", "MaxCrash": "0", "MaxLoss": "0", "MaxCut": "0", "MaxResign": "0", "MaxChange": "0",
		},
		Replacements: map[string]string{
			"Cuts": "TopIsolated", "First": "All", "Wanted": "Nothing", "Stamped": "Unstamped", "IsQuorum": "AnySet",
		},
		Invariants: []string{"OneLeaderPerEpoch"},
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
	// PatienceTimeout(2)
	// OnElection(2→1)
	// OnAssent(1→2)
	// PatienceTimeout(3)
	// ElectionTimeout(3)
	// ElectionTimeout(2)
}

// If a leader need not keep itself a member, it goes on in a configuration that has nothing to do with it.
func ExampleNew_changing() {
	m, err := cluster.New(explore.Configuration{
		Module:        "MCCluster",
		Specification: "Spec",
		Constants: map[string]string{
			"N": "3", "MaxEarly": "0", "MaxCrash": "0", "MaxLoss": "0", "MaxCut": "0", "MaxResign": "0", "MaxChange": "1",
		},
		Replacements: map[string]string{"Cuts": "Whole", "First": "Two", "Wanted": "AnyVoters", "KeepsLeader": "LeaderMayLeave"},
		Invariants:   []string{"LeaderIsElector"},
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
	// LeaderIsElector is violated
	// PatienceTimeout(2)
	// OnElection(2→1)
	// OnAssent(1→2)
	// OnClaim(2→1)
	// OnGrant(1→2)
	// OnCoordinator(2→1)
	// OnAck(1→2)
	// Change(2)
}
