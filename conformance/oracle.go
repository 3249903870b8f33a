package conformance

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/model/changing"
	"github.com/seed-fdf591db/bully/spec"
)

// Model is the model as a subject, and the oracle of the cases that are not written by hand. It takes up to
// model.MaxNodes members, and panics if it is given more, or a state that names a stranger. A state with a configuration is for
// package model/changing, which takes up to changing.MaxIDs; one without is for package model.
type Model struct {
	rules [model.MaxNodes + 1]*model.Rules // by number of members, made when they are needed
	names *changing.Names                  // of named, made when they are needed
	named []spec.NodeID
}

var _ Subject = (*Model)(nil)

// Step is the step of the model. What is malformed the model never sees: it knows only the messages that there are (R33). Nor
// does it see what is said with a configuration where members are fixed (R34).
func (m *Model) Step(id spec.NodeID, members []spec.NodeID, before spec.State, in Input) Outcome {
	if !before.Configuration.IsNone() {
		return m.stepChanging(id, members, before, in)
	}
	w := words{members}
	i, s := w.rank(id), w.state(before)
	rules := m.of(len(members))
	var step model.Step
	switch {
	case in.Start:
		return Outcome{After: w.specState(model.State{})}
	case in.Restart:
		step = rules.Restart(i, s)
	case in.Timer != "":
		step = rules.Timeout(i, s, model.Timer(slices.Index(timerOrder, in.Timer)))
	case in.Call == spec.ResignCall:
		step = rules.Resign(i, s)
	case in.Call == spec.HolderDeadCall:
		step = rules.HolderDead(i, s)
	case in.Call == spec.ChangeCall, in.Message.Validate() != nil, !in.Message.Configuration.IsNone():
		return Outcome{Ignored: true, After: before}
	default:
		step = rules.Hear(i, s, w.message(in.Message))
	}
	return w.outcome(&step)
}

// of returns the rules for n members.
func (m *Model) of(n int) *model.Rules {
	if m.rules[n] == nil {
		rules, err := model.NewRules(n)
		if err != nil {
			panic(fmt.Sprintf("conformance: %d members: %v", n, err))
		}
		m.rules[n] = rules
	}
	return m.rules[n]
}

// The words of package spec, in the order of the numbers of package model.
var (
	roleOrder = spec.Roles()
	typeOrder = spec.MessageTypes()
)

// words translates between the ids of a membership and the ranks of the model.
type words struct {
	members []spec.NodeID
}

// rank returns the rank of a member, and one above all for a stranger.
func (w words) rank(id spec.NodeID) model.ID {
	if id.IsNone() {
		return model.None
	}
	i := slices.Index(w.members, id)
	if i < 0 {
		i = len(w.members)
	}
	return model.ID(i + 1)
}

func (w words) id(i model.ID) spec.NodeID {
	if i == model.None {
		return spec.NodeID{}
	}
	return w.members[i-1]
}

func (w words) state(s spec.State) model.State {
	t := model.State{
		Role:    model.Role(slices.Index(roleOrder, s.Role)),
		Leader:  w.rank(s.Leader),
		Epoch:   s.Epoch,
		Grantee: w.rank(s.Grantee),
	}
	for _, id := range s.Support {
		t.Support = t.Support.With(w.rank(id))
	}
	return t
}

func (w words) specState(s model.State) spec.State {
	t := spec.State{Role: roleOrder[s.Role], Leader: w.id(s.Leader), Epoch: s.Epoch, Grantee: w.id(s.Grantee)}
	for i, id := range w.members {
		if s.Support.Has(model.ID(i + 1)) {
			t.Support = append(t.Support, id)
		}
	}
	return t
}

func (w words) outcome(step *model.Step) Outcome {
	out := Outcome{Ignored: step.Ignored, After: w.specState(step.State)}
	if sent := step.Sent(); len(sent) > 0 {
		out.Sent = make([]spec.Message, 0, len(sent))
	}
	for _, sent := range step.Sent() {
		out.Sent = append(out.Sent, w.specMessage(sent))
	}
	return out
}

func (w words) message(m spec.Message) model.Message {
	return model.Message{
		Type:  model.MessageType(slices.Index(typeOrder, m.Type)),
		From:  w.rank(m.From),
		To:    w.rank(m.To),
		Epoch: m.Epoch,
	}
}

func (w words) specMessage(m model.Message) spec.Message {
	return spec.Message{Type: typeOrder[m.Type], From: w.id(m.From), To: w.id(m.To), Epoch: m.Epoch}
}
