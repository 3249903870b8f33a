package compare_test

import (
	"fmt"
	"os"
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/compare/toy"
)

// The leader of three nodes dies. The toy algorithm of these tests lets whoever has waited long enough lead.
func Example() {
	scenario := &compare.Scenario{Name: "the leader dies", Nodes: 3, Length: 700 * time.Millisecond, Timing: compare.LAN(), Work: 10 * time.Millisecond,
		Faults: []compare.Fault{{Kind: compare.Crash, Node: compare.Leader, At: 400 * time.Millisecond}}}
	result, err := compare.Run(scenario, toy.New(), 1, compare.Options{Timeline: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := compare.WriteTimeline(os.Stdout, scenario, &result); err != nil {
		fmt.Println(err)
	}
	// Output:
	//      0.0 ms  1 stands for election
	//               2 stands for election
	//               3 stands for election
	//     325.0 ms  3 has waited long enough
	//               3 sends LEAD to 1 and 2
	//               3 LEADS (epoch 1)
	//     326.0 ms  1 follows 3 (epoch 1)
	//               2 follows 3 (epoch 1)
	//     400.0 ms  3 crashes
	//     661.0 ms  2 has waited long enough
	//               2 sends LEAD to 1
	//               2 sends LEAD to 3: lost
	//               2 LEADS (epoch 1)
	//     662.0 ms  1 follows 2 (epoch 1)
	//     700.0 ms  the end
	//
	// messages of elections  4, and 0 of upkeep
	// elections, reigns      3, 2
	// nobody led for         261.0 ms
	// more than one led for  0.0 ms, at most 1 at once
	// leaders of one epoch   at most 2
	// writes                 10 accepted, 0 refused; 0 of those accepted were stale
	// at the end             all that run follow one leader
}

// A run is played until somebody leads, who is crashed before anybody has heard of it, and then until somebody else does.
func ExamplePlay() {
	timing := compare.Timing{Delay: 2 * ms, Heartbeat: 20 * ms, Patience: 110 * ms, TTL: 110 * ms}
	scenario := &compare.Scenario{Nodes: 3, Length: time.Minute, Timing: timing}
	var leader int
	var play *compare.Play
	watch := func(m *compare.Moment) {
		if m.Node > 0 && m.Node != leader && play.View(m.Node).Acts {
			leader = m.Node
			fmt.Println(m.At, leader, "leads")
		}
	}
	play, err := compare.Begin(scenario, toy.New(), 81, compare.Options{Watch: watch})
	if err != nil {
		panic(err)
	}
	for leader == 0 && play.Next(scenario.Length) {
	}
	if err := play.Crash(leader); err != nil {
		panic(err)
	}
	for leader == 3 && play.Next(scenario.Length) {
	}
	// Output:
	// 110ms 3 leads
	// 120ms 2 leads
}
