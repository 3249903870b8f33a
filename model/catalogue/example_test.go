package catalogue_test

import (
	"context"
	"fmt"

	"github.com/seed-fdf591db/bully/model/catalogue"
	"github.com/seed-fdf591db/bully/model/explore"
)

func Example() {
	m, err := catalogue.Open(explore.Configuration{
		Module:        "MCFencing",
		Specification: "Spec",
		Constants:     map[string]string{"N": "2", "MaxEpoch": "1", "MaxLog": "1"},
		Replacements:  map[string]string{"Epoch": "UpToMax", "HasRoom": "Within"},
		Invariants:    []string{"NoStaleWrite"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := explore.Run(context.Background(), m, explore.Options{})
	fmt.Println("violated:", result.Violation != nil, "error:", err)
	// Output: violated: false error: <nil>
}
