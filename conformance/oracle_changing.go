package conformance

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/model/changing"
	"github.com/seed-fdf591db/bully/spec"
)

// stepChanging is the step of package model/changing.
func (m *Model) stepChanging(id spec.NodeID, members []spec.NodeID, before spec.State, in Input) Outcome {
	if m.names == nil || !slices.Equal(m.named, members) {
		m.name(members)
	}
	given := spec.Input{Message: in.Message, Timer: in.Timer, Call: in.Call, Configuration: in.Configuration}
	var answer changing.Answer
	var err error
	switch {
	case in.Start:
		answer, err = changing.Start(id, before.Configuration)
	case in.Restart:
		if answer, err = m.names.Restart(id, before.Durable()); err != nil { // a stranger occurs
			answer, err = changing.Restart(id, before.Durable())
		}
	default:
		if answer, err = m.names.Step(id, before, given); err != nil {
			answer, err = changing.Step(id, before, given)
		}
	}
	if err != nil {
		panic(fmt.Sprintf("conformance: %v on %v: %v", id, in, err))
	}
	return Outcome{Ignored: answer.Action == "", After: answer.After, Sent: answer.Sent}
}

// name takes the ids of the questions that come. They are the same ones again and again.
func (m *Model) name(ids []spec.NodeID) {
	m.named = slices.Clone(ids)
	names, err := changing.NewNames(m.named)
	if err != nil {
		panic(fmt.Sprintf("conformance: %v", err))
	}
	m.names = names
}
