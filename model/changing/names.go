package changing

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/spec"
)

// names translates between ids and addresses and the small numbers that stand for them.
type names struct {
	ids       []spec.NodeID // ascending; rank 1 first
	addresses []string      // the first is ""
}

// namesIn returns names for all that occurs in a question. It is an error if there are more ids than ranks.
func namesIn(id spec.NodeID, before spec.State, in spec.Input) (*names, error) {
	n := &names{addresses: []string{""}}
	ids := append([]spec.NodeID{id, before.Leader, before.Grantee, in.Message.From}, before.Support...)
	for _, c := range []spec.Configuration{before.Configuration, in.Message.Configuration, in.Configuration} {
		for _, m := range c.Members() {
			ids = append(ids, m.ID)
			if !slices.Contains(n.addresses, m.Address) {
				n.addresses = append(n.addresses, m.Address)
			}
		}
	}
	slices.SortFunc(ids, spec.NodeID.Compare)
	n.ids = slices.DeleteFunc(slices.Compact(ids), spec.NodeID.IsNone)
	if len(n.ids) > model.MaxNodes {
		return nil, fmt.Errorf("changing: %d ids occur, %v and others: at most %d are wanted", len(n.ids), n.ids[0], model.MaxNodes)
	}
	return n, nil
}

// rank returns the rank of an id, and None for none and for one that is not known.
func (n *names) rank(id spec.NodeID) ID {
	return ID(slices.Index(n.ids, id) + 1)
}

func (n *names) id(i ID) spec.NodeID {
	if i == None {
		return spec.NodeID{}
	}
	return n.ids[i-1]
}

func (n *names) state(s spec.State) State {
	t := State{
		Role:    model.Role(slices.Index(spec.Roles(), s.Role)),
		Leader:  n.rank(s.Leader),
		Epoch:   s.Epoch,
		Grantee: n.rank(s.Grantee),
		Conf:    n.configuration(s.Configuration),
	}
	for _, id := range s.Support {
		t.Support = t.Support.With(n.rank(id))
	}
	return t
}

func (n *names) message(m spec.Message) Message {
	return Message{
		Type:  model.MessageType(slices.Index(spec.MessageTypes(), m.Type)),
		From:  n.rank(m.From),
		To:    n.rank(m.To),
		Epoch: m.Epoch,
		Conf:  n.configuration(m.Configuration),
	}
}

func (n *names) configuration(c spec.Configuration) Configuration {
	t := Configuration{Epoch: c.Epoch, Version: c.Version}
	for _, m := range c.Members() {
		i := n.rank(m.ID)
		of := t.of(m.Kind)
		*of = of.With(i)
		t.Addresses[i] = uint8(slices.Index(n.addresses, m.Address))
	}
	return t
}

// of returns the set of the members of a kind.
func (c *Configuration) of(kind spec.MemberKind) *Set {
	switch kind {
	case spec.Voter:
		return &c.Voters
	case spec.Witness:
		return &c.Witnesses
	}
	return &c.Observers
}

func (n *names) specConfiguration(c Configuration) (spec.Configuration, error) {
	var members []spec.Member
	for _, kind := range spec.MemberKinds() {
		for of := *c.of(kind); of != 0; of &= of - 1 {
			i := lowest(of)
			members = append(members, spec.Member{ID: n.id(i), Kind: kind, Address: n.addresses[c.Addresses[i]]})
		}
	}
	return spec.NewConfiguration(c.Epoch, c.Version, members)
}

func (n *names) specState(s State) (spec.State, error) {
	conf, err := n.specConfiguration(s.Conf)
	t := spec.State{
		Role: spec.Role(s.Role.String()), Leader: n.id(s.Leader), Epoch: s.Epoch, Grantee: n.id(s.Grantee), Configuration: conf,
	}
	for js := s.Support; js != 0; js &= js - 1 {
		t.Support = append(t.Support, n.id(lowest(js)))
	}
	return t, err
}

// answer returns the answer that a step is.
func (n *names) answer(action spec.Action, o Outcome) (Answer, error) {
	after, err := n.specState(o.State)
	if err != nil {
		return Answer{}, fmt.Errorf("changing: the step %s: %w", action, err)
	}
	a := Answer{After: after}
	if !o.Ignored {
		a.Action = action
	}
	for _, m := range o.Sent() { // which carry the configuration after the step (R43)
		a.Sent = append(a.Sent, spec.Message{
			Type: spec.MessageType(m.Type.String()), From: n.id(m.From), To: n.id(m.To), Epoch: m.Epoch, Configuration: after.Configuration,
		})
	}
	return a, nil
}
