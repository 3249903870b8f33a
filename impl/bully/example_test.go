package bully_test

import (
	"errors"
	"fmt"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

// A host does what an Output says from top to bottom. This one has a disk, timers, a network and a user on paper; three
// nodes hold an election on it, and the highest comes to lead.
func Example() {
	one, two, three := spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)
	node, err := bully.New(three, []spec.NodeID{one, two, three})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, in := range []bully.Input{
		bully.Start(),
		bully.Timeout(spec.PatienceTimer), // it has heard of no leader
		bully.Receive(spec.Message{Type: spec.Assent, From: two, To: three, Epoch: 0, Question: 2}),
		bully.Receive(spec.Message{Type: spec.Grant, From: two, To: three, Epoch: 1, Question: 3}),
		bully.Receive(spec.Message{Type: spec.Grant, From: spec.IntegerID(9), To: three, Epoch: 1, Question: 3}),
		bully.Resign(),
	} {
		out := node.Step(in)
		fmt.Println(in)
		if out.Ignored != "" {
			fmt.Println("  count:", out.Ignored)
		}
		if out.Save { // and go on when it is durable; if it fails, never
			fmt.Println("  save: epoch", out.Promise.Epoch, "for", out.Promise.Grantee, "and numbers up to", out.Promise.Reserved)
		}
		if out.ReignEnded {
			fmt.Println("  tell my user: the reign is over")
		}
		for t := range out.Cancel.All() {
			fmt.Println("  cancel:", t)
		}
		for t := range out.Arm.All() {
			fmt.Println("  arm:", t)
		}
		for _, m := range out.Send {
			fmt.Println("  send:", m)
		}
		if out.LeaderChanged {
			leader, epoch := node.Leader()
			fmt.Println("  tell all users: leader", leader, "epoch", epoch)
		}
	}
	// Output:
	// start
	//   save: epoch 0 for none and numbers up to 1048576
	//   arm: patience
	// patience ended
	//   cancel: patience
	//   arm: election
	//   send: 3→1 ELECTION epoch:0 question:2
	//   send: 3→2 ELECTION epoch:0 question:2
	// 2→3 ASSENT epoch:0 question:2
	//   cancel: election
	//   arm: claim
	//   send: 3→1 CLAIM epoch:1 question:3
	//   send: 3→2 CLAIM epoch:1 question:3
	// 2→3 GRANT epoch:1 question:3
	//   save: epoch 1 for 3 and numbers up to 1048576
	//   cancel: claim
	//   arm: reign
	//   arm: heartbeat
	//   send: 3→1 COORDINATOR epoch:1 question:3
	//   send: 3→2 COORDINATOR epoch:1 question:3
	//   tell all users: leader 3 epoch 1
	// 9→3 GRANT epoch:1 question:3
	//   count: non-member
	// resign
	//   tell my user: the reign is over
	//   cancel: reign
	//   cancel: heartbeat
	//   arm: patience
	//   send: 3→1 RESIGN epoch:1 question:3
	//   send: 3→2 RESIGN epoch:1 question:3
	//   tell all users: leader none epoch 0
}

// A leader is asked to take a node into its cluster, which so far is itself. It becomes an observer first; as soon as it
// has acknowledged, a voter. What comes of the call is told by messages that carry the new configuration.
func Example_change() {
	one, two := spec.IntegerID(1), spec.IntegerID(2)
	first, err := spec.NewConfiguration(0, 1, []spec.Member{{ID: one, Kind: spec.Voter}})
	if err != nil {
		fmt.Println(err)
		return
	}
	leader, err := bully.NewChanging(one, first)
	if err != nil {
		fmt.Println(err)
		return
	}
	joins, err := bully.NewChanging(two, spec.EmptyConfiguration()) // it has not been told anything
	if err != nil {
		fmt.Println(err)
		return
	}
	do := func(node *bully.Node, in bully.Input) (sent []spec.Message) {
		out := node.Step(in)
		if out.Save && out.ConfigurationChanged {
			fmt.Println("save:", out.Promise.Configuration)
		}
		for _, m := range out.Send {
			fmt.Println("send:", m)
		}
		return out.Send
	}
	do(leader, bully.Start())
	do(joins, bully.Start())
	do(leader, bully.Timeout(spec.PatienceTimer))
	do(leader, bully.Timeout(spec.ElectionTimer))
	for _, kind := range []spec.MemberKind{spec.Observer, spec.Voter} {
		now := leader.Configuration()
		wanted, err := spec.NewConfiguration(now.Epoch, now.Version+1, []spec.Member{{ID: one, Kind: spec.Voter}, {ID: two, Kind: kind}})
		if err == nil {
			err = leader.MayChange(wanted)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, m := range do(leader, bully.Change(wanted)) {
			for _, answer := range do(joins, bully.Receive(m)) {
				do(leader, bully.Receive(answer))
			}
		}
		fmt.Println("a quorum holds it:", leader.Settled())
		if err := leader.MayChange(wanted); errors.Is(err, bully.ErrStale) { // what another operator would hear
			fmt.Println("it has been changed already")
		}
	}
	// Output:
	// save: epoch:1 version:1 {1}
	// save: epoch:1 version:2 {1 observer:2}
	// send: 1→2 HEARTBEAT epoch:1 question:4 configuration:epoch:1 version:2 {1 observer:2}
	// save: epoch:1 version:2 {1 observer:2}
	// send: 2→1 ACK epoch:1 question:4 configuration:epoch:1 version:2 {1 observer:2}
	// a quorum holds it: true
	// it has been changed already
	// save: epoch:1 version:3 {1 2}
	// send: 1→2 HEARTBEAT epoch:1 question:5 configuration:epoch:1 version:3 {1 2}
	// save: epoch:1 version:3 {1 2}
	// send: 2→1 ACK epoch:1 question:5 configuration:epoch:1 version:3 {1 2}
	// a quorum holds it: true
	// it has been changed already
}
