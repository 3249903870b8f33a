package changing_test

import (
	"context"
	"fmt"

	"github.com/seed-fdf591db/bully/model/changing"
	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/spec"
)

// Node 4, which is to join, hears of its leader and of the members; then the leader removes it again.
func ExampleStep() {
	voter := func(i uint64) spec.Member { return spec.Member{ID: spec.IntegerID(i), Kind: spec.Voter} }
	observer := spec.Member{ID: spec.IntegerID(4), Kind: spec.Observer}
	with, err := spec.NewConfiguration(1, 2, []spec.Member{voter(1), voter(2), voter(3), observer})
	if err != nil {
		fmt.Println(err)
		return
	}
	without, err := spec.NewConfiguration(1, 3, []spec.Member{voter(1), voter(2), voter(3)})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := changing.Start(observer.ID, spec.EmptyConfiguration())
	for _, c := range []spec.Configuration{with, without} {
		if err != nil {
			fmt.Println(err)
			return
		}
		heartbeat := spec.Message{Type: spec.Heartbeat, From: spec.IntegerID(3), To: observer.ID, Epoch: 1, Configuration: c}
		answer, err = changing.Step(observer.ID, answer.After, spec.Input{Message: heartbeat})
		fmt.Println(answer.Action, answer.After)
		fmt.Println(answer.Sent)
	}
	// Output:
	// OnHeartbeat follower leader:3 epoch:1 grantee:3 support:{} configuration:epoch:1 version:2 {1 2 3 observer:4}
	// [4→3 ACK epoch:1 configuration:epoch:1 version:2 {1 2 3 observer:4}]
	// OnHeartbeat follower leader:3 epoch:1 grantee:3 support:{} configuration:epoch:1 version:3 {1 2 3}
	// []
}

// If a leader need not keep itself a member, it goes on in a configuration that has nothing to do with it.
func ExampleNew() {
	m, err := changing.New(explore.Configuration{
		Module:        "MCChangingCluster",
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
	// HeartbeatTimeout(2)
	// OnElection(2→1)
	// OnAssent(1→2)
	// OnClaim(2→1)
	// OnGrant(1→2)
	// OnCoordinator(2→1)
	// OnAck(1→2)
	// Change(2)
}
