package textbook_test

import (
	"fmt"

	"github.com/seed-fdf591db/bully/impl/baselines/textbook"
)

// A host does what an Output says from top to bottom. This one has timers and a network on paper. Node 3 of five takes its
// leader 5 for dead; node 4 answers, and dies; so node 3 waits for COORDINATOR in vain, and leads in the end.
func Example() {
	node, err := textbook.New(textbook.Config{ID: 3, Nodes: 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, in := range []struct {
		said  string
		input textbook.Input
	}{
		{"start", textbook.Start()},
		{"5→3 COORDINATOR", textbook.Receive(textbook.Message{Type: textbook.Coordinator, From: 5, To: 3})},
		{"patience ends", textbook.Timeout(textbook.Patience)},
		{"4→3 OK", textbook.Receive(textbook.Message{Type: textbook.OK, From: 4, To: 3})},
		{"9→3 OK", textbook.Receive(textbook.Message{Type: textbook.OK, From: 9, To: 3})},
		{"T_coord ends", textbook.Timeout(textbook.Tcoord)},
		{"T_elec ends", textbook.Timeout(textbook.Telec)},
	} {
		out := node.Step(in.input)
		fmt.Println(in.said)
		if out.Ignored != "" {
			fmt.Println("  count:", out.Ignored)
		}
		for _, t := range out.Stop {
			fmt.Println("  stop:", t)
		}
		for _, t := range out.Set {
			fmt.Println("  set:", t)
		}
		for _, m := range out.Send {
			fmt.Printf("  send: %d→%d %s\n", m.From, m.To, m.Type)
		}
		if out.Note != "" {
			fmt.Printf("  because it %s\n", out.Note)
		}
		fmt.Printf("  is now: %s, leader %d\n", node.Role(), node.Leader())
	}
	// Output:
	// start
	//   set: patience
	//   is now: follower, leader 0
	// 5→3 COORDINATOR
	//   set: patience
	//   is now: follower, leader 5
	// patience ends
	//   set: T_elec
	//   send: 3→4 ELECTION
	//   send: 3→5 ELECTION
	//   because it takes 5 for dead
	//   is now: candidate, leader 0
	// 4→3 OK
	//   stop: T_elec
	//   set: T_coord
	//   because it gives way to 4
	//   is now: electing, leader 0
	// 9→3 OK
	//   count: non-member
	//   is now: electing, leader 0
	// T_coord ends
	//   set: T_elec
	//   send: 3→4 ELECTION
	//   send: 3→5 ELECTION
	//   because it waits for COORDINATOR in vain
	//   is now: candidate, leader 0
	// T_elec ends
	//   set: heartbeat
	//   send: 3→1 COORDINATOR
	//   send: 3→2 COORDINATOR
	//   send: 3→4 COORDINATOR
	//   send: 3→5 COORDINATOR
	//   because it is answered by nobody
	//   is now: leader, leader 3
}
