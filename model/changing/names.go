package changing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/spec"
)

// Names translates between the words of package spec and those of this one, in which a node is its rank among all that
// occur. The configurations that were asked for last are remembered: most are asked for many times. It is for one goroutine.
type Names struct {
	ids   []spec.NodeID // ascending; rank 1 first
	known [16]known
	next  int // the index of the one to forget next
	// stranger is an id that was asked for, and is not among the names.
	stranger spec.NodeID
}

// known is a configuration in both words.
type known struct {
	spec spec.Configuration
	here Configuration
}

// NewNames returns names for nodes, which are ascending. It is an error if there are more than MaxIDs.
func NewNames(ids []spec.NodeID) (*Names, error) {
	if len(ids) > MaxIDs {
		return nil, fmt.Errorf("changing: %d ids occur, %v and others: at most %d are wanted", len(ids), ids[0], MaxIDs)
	}
	return &Names{ids: ids}, nil
}

// namesIn returns names for all that occurs in a question. It is an error if there are more ids than ranks.
func namesIn(id spec.NodeID, before spec.State, in spec.Input) (*Names, error) {
	ids := append([]spec.NodeID{id, before.Leader, before.Grantee, in.Message.From}, before.Support...)
	for _, c := range []spec.Configuration{before.Configuration, in.Message.Configuration, in.Configuration} {
		for _, m := range c.Members() {
			ids = append(ids, m.ID)
		}
	}
	slices.SortFunc(ids, spec.NodeID.Compare)
	return NewNames(slices.DeleteFunc(slices.Compact(ids), spec.NodeID.IsNone))
}

// ID returns the rank of a node, and None for none and for one that is not known.
func (n *Names) ID(id spec.NodeID) ID {
	for i := range n.ids {
		if n.ids[i] == id {
			return ID(i + 1)
		}
	}
	if !id.IsNone() {
		n.stranger = id
	}
	return None
}

// SpecID returns the id of the node of a rank.
func (n *Names) SpecID(i ID) spec.NodeID {
	if i == None {
		return spec.NodeID{}
	}
	return n.ids[i-1]
}

// State returns a state in the words of this package.
func (n *Names) State(s *spec.State) State {
	t := State{
		Role:    model.Role(slices.Index(roles, s.Role)),
		Leader:  n.ID(s.Leader),
		Epoch:   s.Epoch,
		Grantee: n.ID(s.Grantee),
		Conf:    n.Configuration(&s.Configuration),
	}
	for _, id := range s.Support {
		t.Support = t.Support.With(n.ID(id))
	}
	return t
}

// Message returns a message in the words of this package.
func (n *Names) Message(m *spec.Message) Message {
	return Message{
		Type:  model.MessageType(slices.Index(messageTypes, m.Type)),
		From:  n.ID(m.From),
		To:    n.ID(m.To),
		Epoch: m.Epoch,
		Conf:  n.Configuration(&m.Configuration),
	}
}

// Configuration returns a configuration in the words of this package.
func (n *Names) Configuration(c *spec.Configuration) Configuration {
	if c.IsNone() {
		return Configuration{}
	}
	for k := range n.known {
		if n.known[k].spec == *c {
			return n.known[k].here
		}
	}
	t := Configuration{Epoch: c.Epoch, Version: c.Version}
	addresses := make([]string, len(n.ids))
	for _, m := range c.Members() {
		i := n.ID(m.ID)
		if i == None {
			return Configuration{}
		}
		of := t.of(m.Kind)
		*of = of.With(i)
		addresses[i-1] = m.Address
	}
	t.Addresses = joined(addresses)
	n.know(*c, t)
	return t
}

// joined returns the addresses of the nodes 1, 2 and so on as those of a Configuration.
func joined(addresses []string) string {
	all := strings.Join(addresses, "\n")
	if len(all) < len(addresses) { // there are line feeds alone
		return ""
	}
	return all
}

func (n *Names) know(c spec.Configuration, t Configuration) {
	n.known[n.next] = known{c, t}
	n.next = (n.next + 1) % len(n.known)
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

// SpecConfiguration returns a configuration in the words of package spec. It is an error if there is none.
func (n *Names) SpecConfiguration(c *Configuration) (spec.Configuration, error) {
	for k := range n.known {
		if of := &n.known[k]; of.here == *c && !of.spec.IsNone() {
			return of.spec, nil
		}
	}
	t, err := n.restamped(c)
	if err == nil {
		n.know(t, *c)
	}
	return t, err
}

// restamped makes a configuration of package spec: of a known one that has the same members, if there is one.
func (n *Names) restamped(c *Configuration) (spec.Configuration, error) {
	for k := range n.known {
		of := &n.known[k]
		if same := of.here; !of.spec.IsNone() {
			if same.Epoch, same.Version = c.Epoch, c.Version; same == *c {
				t := of.spec.At(c.Epoch, c.Version)
				return t, t.Validate()
			}
		}
	}
	var members []spec.Member
	for _, kind := range spec.MemberKinds() {
		for of := *c.of(kind); of != 0; of &= of - 1 {
			i := lowest(of)
			members = append(members, spec.Member{ID: n.SpecID(i), Kind: kind, Address: c.address(i)})
		}
	}
	return spec.NewConfiguration(c.Epoch, c.Version, members)
}

// SpecState returns a state in the words of package spec. It is an error if there is none.
func (n *Names) SpecState(s *State) (spec.State, error) {
	conf, err := n.SpecConfiguration(&s.Conf)
	t := spec.State{
		Role: roles[s.Role], Leader: n.SpecID(s.Leader), Epoch: s.Epoch, Grantee: n.SpecID(s.Grantee), Configuration: conf,
	}
	if s.Support != 0 {
		t.Support = make([]spec.NodeID, 0, s.Support.Len())
	}
	for js := s.Support; js != 0; js &= js - 1 {
		t.Support = append(t.Support, n.SpecID(lowest(js)))
	}
	return t, err
}

// answer returns the answer that a step is.
func (n *Names) answer(action spec.Action, o Outcome) (Answer, error) {
	after, err := n.SpecState(&o.State)
	if err != nil {
		return Answer{}, fmt.Errorf("changing: the step %s: %w", action, err)
	}
	a := Answer{After: after}
	if !o.Ignored {
		a.Action = action
	}
	if count := o.Len(); count > 0 {
		a.Sent = make([]spec.Message, 0, count)
	}
	for m := range o.All() { // which carry the configuration after the step (R43)
		a.Sent = append(a.Sent, spec.Message{
			Type: messageTypes[m.Type], From: n.SpecID(m.From), To: n.SpecID(m.To), Epoch: m.Epoch, Configuration: after.Configuration,
		})
	}
	return a, nil
}

// The words of package spec, by the numbers of package model.
var (
	roles        = spec.Roles()
	messageTypes = spec.MessageTypes()
	timers       = spec.Timers()
)
