package raft_test

import (
	"fmt"

	"github.com/seed-fdf591db/bully/impl/baselines/raft"
)

// A host does what an Output says from top to bottom. This one has a disk, timers and a network on paper. Node 3 asks first,
// then stands, and leads; later a message tells it of a higher term.
func Example() {
	node, err := raft.New(raft.Config{ID: 3, Nodes: 3, PreVote: true, CheckQuorum: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, in := range []raft.Input{
		raft.Start{},
		raft.Election, // it has heard of no leader
		raft.Message{Type: raft.PreVote, From: 2, To: 3, Term: 1},
		raft.Message{Type: raft.Vote, From: 2, To: 3, Term: 1},
		raft.Message{Type: raft.Vote, From: 9, To: 3, Term: 1},
		raft.Message{Type: raft.NotAppended, From: 1, To: 3, Term: 7},
	} {
		out := node.Step(in)
		fmt.Printf("%T %v\n", in, in)
		if out.Ignored != "" {
			fmt.Println("  count:", out.Ignored)
		}
		if out.Save { // and go on when it is durable; if it fails, never
			fmt.Println("  save: term", out.Saved.Term, "vote", out.Saved.Vote)
		}
		for _, t := range out.Stop {
			fmt.Println("  stop:", t)
		}
		for _, t := range out.Set {
			fmt.Println("  set:", t)
		}
		for _, m := range out.Send {
			fmt.Println("  send:", m.Type, "to", m.To, "term", m.Term)
		}
		if out.Note != "" {
			fmt.Println("  node 3", out.Note)
		}
	}
	fmt.Println(node.Role(), "in term", node.Term(), "of leader", node.Leader())
	// Output:
	// raft.Start {0 0}
	//   set: election
	// raft.Timer election
	//   set: election
	//   send: REQUESTPREVOTE to 1 term 1
	//   send: REQUESTPREVOTE to 2 term 1
	//   node 3 asks who would elect it in term 1
	// raft.Message {PREVOTE 2 3 1}
	//   save: term 1 vote 3
	//   set: election
	//   send: REQUESTVOTE to 1 term 1
	//   send: REQUESTVOTE to 2 term 1
	//   node 3 stands for term 1
	// raft.Message {VOTE 2 3 1}
	//   stop: election
	//   set: quorum
	//   set: heartbeat
	//   send: APPENDENTRIES to 1 term 1
	//   send: APPENDENTRIES to 2 term 1
	//   node 3 is elected for term 1
	// raft.Message {VOTE 9 3 1}
	//   count: not from another node to this one
	// raft.Message {NOTAPPENDED 1 3 7}
	//   save: term 7 vote 0
	//   stop: quorum
	//   stop: heartbeat
	//   set: election
	//   node 3 steps down: there is term 7
	// follower in term 7 of leader 0
}
