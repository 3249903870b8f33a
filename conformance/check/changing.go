package check

import (
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/model"
	members "github.com/seed-fdf591db/bully/model/changing"
	"github.com/seed-fdf591db/bully/spec"
)

// changing is the rules of package model/changing, for a trace in which every message and state has a configuration.
type changing struct {
	rules  *members.Rules
	names  *members.Names  // of whoever is a member at any time
	states []members.State // by rank; none is 0; of a node that is down, what survives
	taken  members.Outcome // the last one
}

func newChanging(ids []spec.NodeID) (*changing, error) {
	names, err := members.NewNames(ids)
	if err != nil {
		return nil, err
	}
	return &changing{rules: members.NewRules(), names: names, states: make([]members.State, len(ids)+1)}, nil
}

func (c *changing) begin(i model.ID, promise spec.Durable) {
	before := conformance.Survivor(promise)
	c.states[i] = c.names.State(&before)
}

func (c *changing) step(i, from model.ID, e *spec.Event) bool {
	s := c.states[i]
	switch in := &e.Input; {
	case e.Action == spec.CrashAction:
		c.taken = members.Outcome{State: c.rules.Survives(s)}
	case e.Action == spec.StartAction:
		c.taken = members.Outcome{State: members.Blank(s.Conf)}
	case e.Action == spec.RestartAction:
		c.taken = c.rules.Restart(i, s)
	case in.Timer != "":
		c.taken = c.rules.Timeout(i, s, model.Timer(slices.Index(timers, in.Timer)))
	case in.Call == spec.ResignCall:
		c.taken = c.rules.Resign(i, s)
	case in.Call == spec.HolderDeadCall:
		c.taken = c.rules.HolderDead(i, s)
	case in.Call == spec.ChangeCall:
		c.taken = c.rules.Change(i, s, c.names.Configuration(&in.Configuration))
	default:
		m := &in.Message
		c.taken = c.rules.Hear(i, s, members.Message{Type: kindOf(m.Type), From: from, To: i, Epoch: m.Epoch, Conf: c.names.Configuration(&m.Configuration)})
	}
	return !c.taken.Ignored && c.isState(&c.taken.State, &e.State) && c.areSent(e)
}

func (c *changing) state(i model.ID) spec.State { return c.specState(&c.states[i]) }

func (c *changing) keep(i model.ID) { c.states[i] = c.taken.State }

func (c *changing) wanted() spec.Step {
	out := spec.Step{Ignored: c.taken.Ignored, State: c.specState(&c.taken.State)}
	for m := range c.taken.All() {
		out.Sent = append(out.Sent, spec.Message{
			Type: messageTypes[m.Type], From: c.names.SpecID(m.From), To: c.names.SpecID(m.To), Epoch: m.Epoch, Configuration: out.State.Configuration,
		})
	}
	return out
}

// specState returns a state in the words of package spec. There is always one: rules make no configuration that is malformed.
func (c *changing) specState(s *members.State) spec.State {
	t, _ := c.names.SpecState(s)
	return t
}

// isState reports whether two states are the same.
func (c *changing) isState(s *members.State, t *spec.State) bool {
	if roles[s.Role] != t.Role || s.Epoch != t.Epoch || c.names.SpecID(s.Leader) != t.Leader || c.names.SpecID(s.Grantee) != t.Grantee ||
		s.Conf != c.names.Configuration(&t.Configuration) || s.Support.Len() != len(t.Support) {
		return false
	}
	for _, id := range t.Support {
		if !s.Support.Has(c.names.ID(id)) {
			return false
		}
	}
	return true
}

// areSent reports whether an event has the messages that are sent, in the order in which they are. Each carries the
// configuration after the step (R43).
func (c *changing) areSent(e *spec.Event) bool {
	if c.taken.Len() != len(e.Sent) {
		return false
	}
	k := 0
	for m := range c.taken.All() {
		t := &e.Sent[k]
		k++
		if m.Epoch != t.Epoch || c.names.SpecID(m.To) != t.To || c.names.SpecID(m.From) != t.From || messageTypes[m.Type] != t.Type ||
			e.State.Configuration != t.Configuration {
			return false
		}
	}
	return true
}
