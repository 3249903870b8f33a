package check

import (
	"slices"

	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/spec"
)

// The words of package spec, by the numbers of package model.
var (
	roles        = spec.Roles()
	messageTypes = spec.MessageTypes()
	timers       = spec.Timers()
)

// fixed is the rules of package model. Members are fixed.
type fixed struct {
	rules   *model.Rules
	members []spec.NodeID
	ids     [model.MaxNodes + 1]spec.NodeID // by rank; none is 0
	states  [model.MaxNodes + 1]model.State // of a node that is down, what survives
	taken   model.Step                      // the last one
}

func newFixed(members []spec.NodeID) (*fixed, error) {
	rules, err := model.NewRules(len(members))
	if err != nil {
		return nil, err
	}
	f := &fixed{rules: rules, members: members}
	copy(f.ids[1:], members)
	return f, nil
}

func (f *fixed) begin(i model.ID, promise spec.Durable) {
	f.states[i] = model.State{Epoch: promise.Epoch, Grantee: rankOf(f.members, promise.Grantee)}
}

func (f *fixed) step(i, from model.ID, e *spec.Event) bool {
	s := f.states[i]
	switch in := &e.Input; {
	case e.Action == spec.CrashAction:
		f.taken = model.Step{State: f.rules.Survives(s)}
	case e.Action == spec.StartAction:
		f.taken = model.Step{}
	case e.Action == spec.RestartAction:
		f.taken = f.rules.Restart(i, s)
	case in.Timer != "":
		f.taken = f.rules.Timeout(i, s, model.Timer(slices.Index(timers, in.Timer)))
	case in.Call == spec.ResignCall:
		f.taken = f.rules.Resign(i, s)
	case in.Call == spec.HolderDeadCall:
		f.taken = f.rules.HolderDead(i, s)
	default:
		m := &in.Message
		f.taken = f.rules.Hear(i, s, model.Message{Type: kindOf(m.Type), From: from, To: i, Epoch: m.Epoch})
	}
	return !f.taken.Ignored && f.isState(&f.taken.State, &e.State) && f.areSent(f.taken.Sent(), e.Sent)
}

func (f *fixed) state(i model.ID) spec.State { return f.specState(&f.states[i]) }

func (f *fixed) keep(i model.ID) { f.states[i] = f.taken.State }

func (f *fixed) wanted() spec.Step {
	out := spec.Step{Ignored: f.taken.Ignored, State: f.specState(&f.taken.State)}
	for _, m := range f.taken.Sent() {
		out.Sent = append(out.Sent, spec.Message{Type: messageTypes[m.Type], From: f.ids[m.From], To: f.ids[m.To], Epoch: m.Epoch})
	}
	return out
}

// kindOf returns the number of a type of message. It is asked for every message, and a search takes long.
func kindOf(t spec.MessageType) model.MessageType {
	switch t {
	case spec.Election:
		return model.Election
	case spec.OK:
		return model.OK
	case spec.Assent:
		return model.Assent
	case spec.Claim:
		return model.Claim
	case spec.Grant:
		return model.Grant
	case spec.Refuse:
		return model.Refuse
	case spec.Coordinator:
		return model.Coordinator
	case spec.Heartbeat:
		return model.Heartbeat
	case spec.Ack:
		return model.Ack
	case spec.Resign:
		return model.Resign
	}
	return model.ImBack // there is no other
}

// isState reports whether two states are the same.
func (f *fixed) isState(s *model.State, t *spec.State) bool {
	if roles[s.Role] != t.Role || s.Epoch != t.Epoch || f.ids[s.Leader] != t.Leader || f.ids[s.Grantee] != t.Grantee {
		return false
	}
	support := t.Support
	for i := range f.members {
		if s.Support.Has(model.ID(i + 1)) {
			if len(support) == 0 || support[0] != f.members[i] {
				return false
			}
			support = support[1:]
		}
	}
	return len(support) == 0
}

// areSent reports whether the same messages are sent in the same order.
func (f *fixed) areSent(want []model.Message, got []spec.Message) bool {
	if len(want) != len(got) {
		return false
	}
	for k := range want {
		m, t := &want[k], &got[k]
		if m.Epoch != t.Epoch || f.ids[m.To] != t.To || f.ids[m.From] != t.From || messageTypes[m.Type] != t.Type {
			return false
		}
	}
	return true
}

// specState returns a state in the words of package spec.
func (f *fixed) specState(s *model.State) spec.State {
	t := spec.State{Role: roles[s.Role], Leader: f.ids[s.Leader], Epoch: s.Epoch, Grantee: f.ids[s.Grantee]}
	for i, id := range f.members {
		if s.Support.Has(model.ID(i + 1)) {
			t.Support = append(t.Support, id)
		}
	}
	return t
}

// rankOf returns the rank of a member, and 0 for none.
func rankOf(members []spec.NodeID, id spec.NodeID) model.ID {
	for i := range members {
		if members[i] == id {
			return model.ID(i + 1)
		}
	}
	return model.None
}
