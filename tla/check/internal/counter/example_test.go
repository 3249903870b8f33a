package counter_test

import (
	"context"
	"fmt"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/tla/check/internal/counter"
)

func Example() {
	m, err := counter.Open(explore.Configuration{Module: "MCCounter", Invariants: []string{"Never4"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := explore.Run(context.Background(), m, explore.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Violation.Property, "after", result.Depth, "states")
	// Output: Never4 after 5 states
}
