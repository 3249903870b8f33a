package diagram_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/conformance/contest"
	"github.com/seed-fdf591db/bully/conformance/contest/diagram"
)

func Example() {
	scenario := contest.Scenario{Nodes: 3, Length: time.Second, Timing: contest.LAN(), Faults: []contest.Fault{
		{Kind: contest.Suspect, Node: 1},
		{Kind: contest.Crash, Node: contest.Leader, At: 300 * time.Millisecond},
		{Kind: contest.Suspect, Node: 3, At: 500 * time.Millisecond},
	}}
	algorithm := loud(0)
	result, err := contest.Run(&scenario, algorithm, 1, contest.Options{Timeline: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	drawing, err := diagram.Diagram{Title: "1 leads, and 3 after it", Scenario: &scenario, Result: &result, Leave: algorithm.Upkeep}.SVG(360)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, rest, _ := strings.Cut(string(drawing), "<desc>")
	description, _, _ := strings.Cut(rest, "</desc>")
	fmt.Println(description)
	// Output:
	// 3 nodes from 0 to 1,000 ms. At 0 ms: 1 leads (epoch 1). At 300 ms: 1 crashes. At 500 ms: 3 leads (epoch 2).
}
