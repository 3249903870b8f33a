package check

import (
	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// rulebook takes the steps of nodes again, by the rules of package model/rules. Nodes are known by their rank. Where members are
// fixed, their configuration is one that never changes, and is never said.
type rulebook struct {
	rules  *rules.Rules
	names  *rules.Names  // of whoever is a member at any time
	states []rules.State // by rank; none is 0; of a node that is down, what survives
	taken  rules.Step    // the last one
}

// newRulebook returns the rules for nodes that have not started. It is an error if there are more than MaxNodes.
func newRulebook(h spec.Header) (*rulebook, error) {
	b := &rulebook{rules: rules.New(), states: make([]rules.State, len(h.Members)+1)}
	var err error
	if h.Changing {
		b.names, err = rules.NewNames(h.Members)
	} else {
		b.rules = rules.NewStatic()
		b.names, err = rules.NewStaticNames(h.Members)
	}
	return b, err
}

// begin gives node i what it has on disk before its first start, or before the first that the trace says of it.
func (b *rulebook) begin(i rules.ID, promise spec.Durable) {
	before := Survivor(promise)
	b.states[i] = b.names.State(&before)
}

// reserves lets node i have reserved more numbers than is known of it, up to q, which is the end of a block: a node may save, as each
// start does, and crash before the line of that step is written (section 14).
func (b *rulebook) reserves(i rules.ID, q spec.Question) {
	if s := &b.states[i]; q.Reserved() == q && q > spec.Question(s.Latest).Reserved() {
		s.Latest = rules.Question(q)
	}
}

// step lets node i take the step of an event, a crash too, and reports whether the event says it as it is. From is who has sent
// the message received, if there is one.
func (b *rulebook) step(i, from rules.ID, e *spec.Event) bool {
	s := b.states[i]
	switch in := &e.Input; {
	case e.Action == spec.CrashAction:
		b.taken = rules.Step{State: b.rules.Survives(s)}
	case e.Action == spec.StartAction:
		b.taken = rules.Step{State: rules.Blank(s.Conf)}
	case e.Action == spec.RestartAction:
		b.taken = b.rules.Restart(i, s)
	case in.Timer != "":
		b.taken = b.rules.Timeout(i, s, rules.TimerOf(in.Timer))
	case in.Call == spec.ResignCall:
		b.taken = b.rules.HandOver(i, s, b.names.ID(in.Names), in.Hold)
	case in.Call == spec.HolderDeadCall:
		b.taken = b.rules.HolderDead(i, s)
	case in.Call == spec.ChangeCall:
		b.taken = b.rules.Change(i, s, b.names.Configuration(&in.Configuration))
	default:
		b.taken = b.rules.Hear(i, s, b.names.Message(&in.Message))
	}
	return !b.taken.Ignored && b.isState(&b.taken.State, &e.State) && b.areSent(e)
}

// state returns the state of node i before that step, and wanted what the step is.
func (b *rulebook) state(i rules.ID) spec.State { return b.specState(&b.states[i]) }

func (b *rulebook) wanted() spec.Step {
	after := b.specState(&b.taken.State)
	return spec.Step{Ignored: b.taken.Ignored, State: after, Sent: b.names.SpecSent(&b.taken, after.Configuration)}
}

// keep makes what the step has come to the state of node i.
func (b *rulebook) keep(i rules.ID) { b.states[i] = b.taken.State }

// specState returns a state in the words of package spec. There is always one: rules make no configuration that is malformed.
func (b *rulebook) specState(s *rules.State) spec.State {
	t, _ := b.names.SpecState(s)
	return t
}

// isState reports whether two states are the same.
func (b *rulebook) isState(s *rules.State, t *spec.State) bool {
	if s.Role.Spec() != t.Role || s.Epoch != t.Epoch || b.names.SpecID(s.Leader) != t.Leader || b.names.SpecID(s.Grantee) != t.Grantee ||
		spec.Question(s.Lease) != t.Lease || spec.Question(s.Asked) != t.Asked || spec.Question(s.Latest) != t.Latest || spec.Question(s.Dated) != t.Dated ||
		s.Support.Len() != len(t.Support) || !b.areAnswered(s.Answered, t.Answered) || !s.Conf.Is(b.names.Configuration(&t.Configuration)) {
		return false
	}
	rest := s.Support // the support of an event is ascending (section 14)
	for k := range t.Support {
		if b.names.SpecID(rest.Lowest()) != t.Support[k] {
			return false
		}
		rest &= rest - 1
	}
	return true
}

// areAnswered reports whether two lists of answers are the same.
func (b *rulebook) areAnswered(answers rules.Answers, said []spec.Answered) bool {
	k := 0
	for j := rules.ID(1); j <= answers.Len(); j++ {
		q := answers.Of(j)
		if q == 0 {
			continue
		}
		if k == len(said) || said[k] != (spec.Answered{Node: b.names.SpecID(j), Question: spec.Question(q)}) {
			return false
		}
		k++
	}
	return k == len(said)
}

// areSent reports whether an event has the messages that are sent, in the order in which they are. Each carries the
// configuration after the step (R43).
func (b *rulebook) areSent(e *spec.Event) bool {
	if b.taken.Len() != len(e.Sent) {
		return false
	}
	k := 0
	for _, said := range b.taken.Said() {
		for to := said.To; to != 0; to &= to - 1 {
			t := &e.Sent[k]
			k++
			if said.Epoch != t.Epoch || spec.Question(said.Question) != t.Question || b.names.SpecID(said.Keeps) != t.Keeps ||
				b.names.SpecGranted(said.Granted) != t.Granted || b.names.SpecID(to.Lowest()) != t.To || t.From != e.Node || said.Type.Spec() != t.Type ||
				e.State.Configuration != t.Configuration {
				return false
			}
		}
	}
	return true
}
