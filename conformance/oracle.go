package conformance

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// Model is the model as a subject, and the oracle of the cases that are not written by hand. It takes up to rules.MaxIDs members,
// and panics if it is given more, or a state that names a stranger where members are fixed, or one that no node can be in where
// they change. Members are fixed if the state before has no configuration.
type Model struct {
	static, changing *rules.Names // of the members that were asked about last
}

var _ Subject = (*Model)(nil)

// Step is the step of the model.
func (m *Model) Step(id spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) (answer spec.Step) {
	answer, err := m.names(members, &before).Answer(id, &before, &in)
	if err != nil && !before.Configuration.IsNone() { // who is not among the members may occur
		var names *rules.Names
		if names, err = rules.NamesIn(id, &before, &spec.Input{Message: in.Message, Configuration: in.Configuration}); err == nil {
			answer, err = names.Answer(id, &before, &in)
		}
	}
	if err != nil {
		panic(fmt.Sprintf("conformance: %v on %v: %v", id, in, err))
	}
	return answer
}

// names returns the names of the members in a question. They are the same ones again and again.
func (m *Model) names(members []spec.NodeID, before *spec.State) *rules.Names {
	known, newNames := &m.changing, rules.NewNames
	if before.Configuration.IsNone() {
		known, newNames = &m.static, rules.NewStaticNames
	}
	if *known == nil || !(*known).Are(members) {
		names, err := newNames(slices.Clone(members))
		if err != nil {
			panic(fmt.Sprintf("conformance: %v", err))
		}
		*known = names
	}
	return *known
}
