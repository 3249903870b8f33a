package explorer_test

import (
	"context"
	"fmt"

	"github.com/seed-fdf591db/bully/tla"
	"github.com/seed-fdf591db/bully/tla/check/explorer"
	"github.com/seed-fdf591db/bully/tla/check/internal/counter"
)

func Example() {
	e := tla.Entry{Name: "models/Counter", Explorer: tla.Full, TLC: true}
	e.Configuration = tla.Configuration{Module: "MCCounter", Specification: "Spec", Invariants: []string{"TypeOK"}}
	e.Result = tla.Result{Verdict: tla.Holds, Distinct: 6, Generated: 8, Depth: 6}
	found := explorer.Run(context.Background(), e, explorer.Options{Open: counter.Open})
	for _, d := range found.Differences() {
		fmt.Println(e.Name+":", d)
	}
	// Output: models/Counter: generated 7, expected 8
}
