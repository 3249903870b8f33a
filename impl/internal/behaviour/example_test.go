package behaviour_test

import (
	"fmt"

	"github.com/seed-fdf591db/bully/impl/internal/behaviour"
)

// What TLC prints of a module that nobody here knows.
func Example() {
	b, err := behaviour.Read([]byte(`Error: Invariant Small is violated.
Error: The behavior up to this point is:
State 1: <Initial predicate>
/\ seen = {}
/\ x = 0

State 2: <Up line 8, col 9 to line 8, col 52 of module Counter>
/\ seen = {0}
/\ x = 1
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := b.Recording()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Title)
	for _, frame := range f.Frames {
		fmt.Println(frame.Text, "|", frame.Note, frame.Indicators)
	}
	_, err = b.Trace()
	fmt.Println(err)
	// Output:
	// Counterexample: against Small
	// begins as state |  []
	// Up | seen: {} → {0}; x: 0 → 1 [{Small this is what it forbids, after 1 steps red false}]
	// it is no behaviour of module Cluster, and only those are traces
}
