package coverage_test

import (
	"fmt"

	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/conformance/coverage"
)

// An election among three nodes that goes well visits few of the branches. What it has to say about claims is this.
func ExampleCoverage_Observe() {
	seen := coverage.New()
	script, err := cluster.ParseScript("members 1 2 3; end 3 patience; settle")
	if err == nil {
		_, err = script.Run(model, cluster.Options{Observe: seen.Observe})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, branch := range coverage.Branches() {
		if branch.Rule >= "R16" && branch.Rule < "R21" && seen.Branch(i) > 0 {
			fmt.Println(seen.Branch(i), branch)
		}
	}
	fmt.Println(len(seen.Missing()) > 100)
	// Output:
	// 1 R16 CLAIM to all
	// 2 R17 grants a higher epoch
	// 1 R19 a GRANT counts
	// 1 R19 who claims no more learns nothing from a GRANT
	// 1 R20 wins: COORDINATOR to all
	// true
}
