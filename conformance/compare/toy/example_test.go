package toy_test

import (
	"fmt"
	"time"

	"github.com/seed-fdf591db/bully/conformance/contest"
	"github.com/seed-fdf591db/bully/conformance/contest/toy"
)

func Example() {
	scenario := &contest.Scenario{Name: "a quiet second", Nodes: 5, Length: time.Second, Timing: contest.LAN()}
	result, err := contest.Run(scenario, toy.New(), 1, contest.Options{})
	fmt.Println(result.Reigns[0].Leader, "leads from", result.Reigns[0].Begin, "on", err)
	// Output: 5 leads from 325ms on <nil>
}
