package raft_test

import (
	"context"
	"fmt"

	"github.com/seed-fdf591db/bully/model/baselines/raft"
	"github.com/seed-fdf591db/bully/model/explore"
)

// Node 1 was cut off, and stood in vain in term 2. When it is back, it refuses the heartbeat of a leader that a quorum
// follows, and the leader steps down (flaw B18). With AsksFirst <- Always, pre-vote, there is no such run.
func Example() {
	m, err := raft.New(explore.Configuration{
		Module:        "MCRaftElection",
		Specification: "Spec",
		Constants:     map[string]string{"N": "3", "MaxTerm": "2", "MaxRestart": "0", "MaxCut": "1", "Flapping": "{}"},
		Replacements: map[string]string{"Cuts": "FirstIsolated", "Beginnings": "OnlyLed",
			"OnTime": "Timely", "Left": "Nothing"},
		Properties: []string{"LeaderStays"},
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
	// ElectionTimeout(1)
	// Cut
	// Heartbeat(3)
	// OnAppend(3→1)
	// OnRefuse(1→3)
	// violates LeaderStays
}
