package conformance

import (
	"fmt"

	"github.com/seed-fdf591db/bully/model/changing"
	"github.com/seed-fdf591db/bully/spec"
)

// stepChanging is the step of package model/changing.
func stepChanging(id spec.NodeID, before spec.State, in Input) Outcome {
	var answer changing.Answer
	var err error
	switch {
	case in.Start:
		answer, err = changing.Start(id, before.Configuration)
	case in.Restart:
		answer, err = changing.Restart(id, before.Durable())
	default:
		answer, err = changing.Step(id, before, spec.Input{Message: in.Message, Timer: in.Timer, Call: in.Call, Configuration: in.Configuration})
	}
	if err != nil {
		panic(fmt.Sprintf("conformance: %v on %v: %v", id, in, err))
	}
	return Outcome{Ignored: answer.Action == "", After: answer.After, Sent: answer.Sent}
}
