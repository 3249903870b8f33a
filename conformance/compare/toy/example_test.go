package toy_test

import (
	"fmt"
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/compare/toy"
)

func Example() {
	scenario := &compare.Scenario{Name: "a quiet second", Nodes: 5, Length: time.Second, Timing: compare.LAN()}
	result, err := compare.Run(scenario, toy.New(), 1, compare.Options{})
	fmt.Println(result.Reigns[0].Leader, "leads from", result.Reigns[0].Begin, "on", err)
	// Output: 5 leads from 325ms on <nil>
}
