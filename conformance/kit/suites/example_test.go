package suites_test

import (
	"context"
	"fmt"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/kit/suites"
)

// The model as a port passes five seeds of the simulator.
func ExampleKind_Sim() {
	report, err := kit.Run(context.Background(), suites.Fixed.Sim(1, 5), kit.Options{Port: serve(nil)})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range report.Verdicts {
		fmt.Println(v.Case, v.Outcome)
	}
	// Output:
	// sim-partition-3-1 pass
	// sim-crash-3-2 pass
	// sim-drift-3-3 pass
	// sim-swarm-3-4 pass
	// sim-lossy-5-5 pass
}
