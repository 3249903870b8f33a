package tla_test

import (
	"fmt"

	"github.com/seed-fdf591db/bully/tla"
)

func ExampleParseConfiguration() {
	c, err := tla.ParseConfiguration("mutants/PromisesB09HalfQuorum.cfg", `\* Is half of the nodes enough? (B09)
SPECIFICATION Spec
CONSTANTS
  N = 4
  IsQuorum <- HalfOrMore
INVARIANTS
  OneLeaderPerEpoch
CHECK_DEADLOCK FALSE
`)
	fmt.Println(c.Question, c.Constants["N"], c.Replacements["IsQuorum"], c.Invariants, err)
	// Output: Is half of the nodes enough? (B09) 4 HalfOrMore [OneLeaderPerEpoch] <nil>
}

func ExampleEntry_Compare() {
	e := tla.Entry{Name: "models/Promises3"}
	e.Result = tla.Result{Verdict: tla.Holds, Distinct: 44966}
	fmt.Println(e.Compare(tla.Result{Verdict: tla.Holds, Distinct: 44967}))
	// Output: [distinct 44967, expected 44966]
}
