package kit_test

import (
	"context"
	"fmt"

	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/spec"
)

// A case is any function that asks a port; here one that looks whether a claim is granted twice.
func Example() {
	twice := kit.Case{
		ID: "mine-twice", Title: "an epoch is promised once", Rules: []string{"R17"}, Suite: "mine", Must: true,
		Run: func(_ context.Context, p *port.Process) error {
			members := []spec.NodeID{spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)}
			var out spec.Step
			node := p.Maker()(members[0], members)
			node.Start(spec.Configuration{}, &out)
			for _, from := range members[1:] {
				claim := spec.Message{Type: spec.Claim, From: from, To: members[0], Epoch: 1, Question: 2}
				node.Step(&spec.Input{Message: claim}, &out)
				if from == members[2] && out.Sent[0].Type == spec.Grant {
					return &port.Failure{Kind: port.Wrong, Rule: "R17", Problem: "epoch 1 is promised to 2 and to 3"}
				}
			}
			return nil
		},
	}
	report, err := kit.Run(context.Background(), []kit.Case{twice}, kit.Options{Port: port.Config{Serve: serveModel}})
	fmt.Println(report.Summary(), err)
	// Output: 1 case: 1 pass <nil>
}
