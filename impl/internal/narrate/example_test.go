package narrate_test

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/seed-fdf591db/bully/impl/internal/narrate"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces"
)

// A node is granted an epoch, and comes to lead.
func Example() {
	text, err := fs.ReadFile(traces.Valid, "cold-start.ndjson")
	if err != nil {
		fmt.Println(err)
		return
	}
	in, err := spec.NewTraceReader(strings.NewReader(string(text)))
	if err != nil {
		fmt.Println(err)
		return
	}
	narrator, err := narrate.New(in.Header().Members, narrate.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	nodes := narrator.Header().Nodes
	for {
		var e spec.Event
		if in.Read(&e) != nil {
			return
		}
		for _, f := range narrator.Tell(&e) {
			if f.Rule == "R17" || f.Rule == "R20" || f.Rule == "R23" && !f.Upkeep {
				fmt.Printf("%s %s\n  %s (%s)\n", nodes[f.Node], f.Text, f.Note, f.Rule)
			}
		}
	}
	// Output:
	// 1 takes CLAIM of epoch 1 from 3 (question 3)
	//   grants epoch 1 to 3: nobody was promised it. The promise is on disk before it says so (R17)
	// 2 takes CLAIM of epoch 1 from 3 (question 3)
	//   grants epoch 1 to 3: nobody was promised it. The promise is on disk before it says so (R17)
	// 3 takes GRANT of epoch 1 from 1 (question 3)
	//   has the promises of 2 of 3, itself included: leads epoch 1, and tells all (R20)
	// 1 takes COORDINATOR of epoch 1 from 3 (question 3)
	//   follows 3 in epoch 1 (R23)
	// 2 takes COORDINATOR of epoch 1 from 3 (question 3)
	//   follows 3 in epoch 1 (R23)
}
