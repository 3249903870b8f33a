package rules_test

import (
	"fmt"

	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// Node 4, which is to join, hears of its leader and of the members; then the leader removes it again.
func ExampleNames_Answer() {
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
	names, err := rules.NewNames([]spec.NodeID{spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3), observer.ID})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := names.Start(observer.ID, spec.EmptyConfiguration())
	for _, c := range []spec.Configuration{with, without} {
		if err != nil {
			fmt.Println(err)
			return
		}
		heartbeat := spec.Message{Type: spec.Heartbeat, From: spec.IntegerID(3), To: observer.ID, Epoch: 1, Question: 7, Configuration: c}
		answer, err = names.Answer(observer.ID, &answer.State, &spec.Input{Message: heartbeat})
		fmt.Println(answer.State)
		fmt.Println(answer.Sent)
	}
	// Output:
	// follower leader:3 lease:7 epoch:1 grantee:3 support:{} latest:1 configuration:epoch:1 version:2 {1 2 3 observer:4}
	// [4→3 ACK epoch:1 question:7 configuration:epoch:1 version:2 {1 2 3 observer:4}]
	// follower leader:3 lease:7 epoch:1 grantee:3 support:{} latest:1 configuration:epoch:1 version:3 {1 2 3}
	// []
}

// Node 1 grants the claim of node 3, and then refuses that of node 2 for the same epoch.
func ExampleRules() {
	r := rules.New()
	three := rules.Configuration{Version: 1, Of: &rules.Members{Voters: rules.UpTo(3)}}
	s := rules.Blank(three)
	for _, claimant := range []rules.ID{3, 2} {
		step := r.Hear(1, s, rules.Message{Type: rules.Claim, From: claimant, To: 1, Epoch: 1, Question: 2, Conf: three})
		s = step.State
		fmt.Println(s.Role, s.Leader, s.Epoch, s.Grantee)
		fmt.Println(step.Sent())
	}
	// Output:
	// electing 3 1 3
	// [1→3 GRANT(1)]
	// electing 3 1 3
	// [1→2 REFUSE(1)]
}
