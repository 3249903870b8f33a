package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// Names translates between the words of package spec and those of this one, in which a node is its place, from 1, among all that
// occur. The configurations that were asked for last are remembered: most are asked for many times. It is for one goroutine.
type Names struct {
	rules  *Rules
	ids    []spec.NodeID // ascending; node 1 first
	static Configuration // the one that never changes, and that has no words in package spec; Empty if members change
	known  []known
	last   int // the index of the one that was found last
	oldest int // the index of the one to forget next, if there are as many as may be
	// nonMember is an id that was asked for, and is not among the names.
	nonMember spec.NodeID
}

// known is a configuration in both words.
type known struct {
	spec spec.Configuration
	here Configuration
}

// maxKnown is how many configurations are remembered.
const maxKnown = 16

// NewNames returns names for nodes, which are ascending, of a cluster whose members change: each of them may be a member at some
// time, or none. It is an error if there are more than MaxIDs.
func NewNames(ids []spec.NodeID) (*Names, error) {
	if len(ids) > MaxIDs {
		return nil, fmt.Errorf("rules: %d ids occur, %v and others: at most %d are wanted", len(ids), ids[0], MaxIDs)
	}
	return &Names{rules: standard, ids: ids}, nil
}

// NewStaticNames returns names for the members, ascending, of a cluster whose members never change. It is an error if there are
// none, or more than MaxIDs.
func NewStaticNames(members []spec.NodeID) (*Names, error) {
	if len(members) == 0 {
		return nil, fmt.Errorf("rules: a cluster without members")
	}
	n, err := NewNames(members)
	if err == nil {
		n.rules = static
		n.static = Configuration{Version: 1, Of: &Members{Voters: UpTo(ID(len(members)))}}
	}
	return n, err
}

// NamesIn returns names for all that occurs in a question about a cluster whose members change. It is an error if there are more
// than MaxIDs.
func NamesIn(id spec.NodeID, before *spec.State, in *spec.Input) (*Names, error) {
	m := &in.Message
	ids := append([]spec.NodeID{id, before.Leader, before.Grantee, m.From, m.Keeps, m.Granted.By, m.Names, in.Names}, before.Support...)
	for _, a := range before.Answered {
		ids = append(ids, a.Node)
	}
	for _, c := range []spec.Configuration{before.Configuration, in.Message.Configuration, in.Configuration} {
		for _, m := range c.Members() {
			ids = append(ids, m.ID)
		}
	}
	slices.SortFunc(ids, spec.NodeID.Compare)
	return NewNames(slices.DeleteFunc(slices.Compact(ids), spec.NodeID.IsNone))
}

// Are reports whether the names are those of these nodes.
func (n *Names) Are(ids []spec.NodeID) bool { return slices.Equal(n.ids, ids) }

// isStatic reports whether members never change.
func (n *Names) isStatic() bool { return n.static.Of != nil }

// ID returns what a node is called here, and None for none and for one that is not known.
func (n *Names) ID(id spec.NodeID) ID {
	if id.IsNone() {
		return None
	}
	i := n.place(id)
	if i == None {
		n.nonMember = id
	}
	return i
}

// place returns the place of a node, from 1, and None if it is not known.
func (n *Names) place(id spec.NodeID) ID {
	for i := range n.ids {
		if n.ids[i] == id {
			return ID(i + 1)
		}
	}
	return None
}

// SpecID returns the id of a node.
func (n *Names) SpecID(i ID) spec.NodeID {
	if i == None {
		return spec.NodeID{}
	}
	return n.ids[i-1]
}

// State returns a state in the words of this package.
func (n *Names) State(s *spec.State) State {
	t := State{
		Role:    RoleOf(s.Role),
		Leader:  n.ID(s.Leader),
		Epoch:   s.Epoch,
		Grantee: n.ID(s.Grantee),
		Conf:    n.Configuration(&s.Configuration),
		Lease:   Question(s.Lease),
		Asked:   Question(s.Asked),
		Latest:  Question(s.Latest),
		Dated:   Question(s.Dated),
	}
	for _, a := range s.Answered {
		if j := n.ID(a.Node); j != None {
			t.Answered = t.Answered.With(j, Question(a.Question))
		}
	}
	for _, id := range s.Support {
		t.Support = t.Support.With(n.ID(id))
	}
	return t
}

// Message returns a message in the words of this package.
func (n *Names) Message(m *spec.Message) Message {
	return Message{
		Type: MessageTypeOf(m.Type), From: n.sender(m), To: n.ID(m.To), Epoch: m.Epoch, Question: Question(m.Question), Keeps: n.ID(m.Keeps),
		Granted: Granted{n.ID(m.Granted.By), m.Granted.Epoch, Question(m.Granted.Question)}, Names: n.ID(m.Names), Hold: m.Hold, Conf: n.Configuration(&m.Configuration),
	}
}

// SpecGranted returns a claim that was granted in the words of package spec.
func (n *Names) SpecGranted(g Granted) spec.Granted {
	return spec.Granted{By: n.SpecID(g.By), Epoch: g.Epoch, Question: spec.Question(g.Question)}
}

// Configuration returns a configuration in the words of this package.
func (n *Names) Configuration(c *spec.Configuration) Configuration {
	if n.isStatic() {
		return n.static
	}
	if c.IsNone() {
		return Configuration{}
	}
	if n.last < len(n.known) && n.known[n.last].spec == *c {
		return n.known[n.last].here
	}
	for k := range n.known {
		if n.known[k].spec == *c {
			n.last = k
			return n.known[k].here
		}
	}
	of, ok := n.members(c)
	if !ok {
		return Configuration{}
	}
	t := Configuration{Epoch: c.Epoch, Version: c.Version, Of: of}
	n.know(*c, t)
	return t
}

// members returns the members of a configuration, in one place of the memory with those that are remembered. It is not ok if one
// has no name.
func (n *Names) members(c *spec.Configuration) (of *Members, ok bool) {
	list := c.Members()
	if len(list) == 0 {
		return nil, true
	}
	of = &Members{}
	ranks, addresses := make([]uint16, len(n.ids)), make([]string, len(n.ids))
	for _, m := range list {
		i := n.ID(m.ID)
		if i == None {
			return nil, false
		}
		kind := of.of(m.Kind)
		*kind = kind.With(i)
		ranks[i-1], addresses[i-1] = m.Rank, m.Address
	}
	of.Ranks = RanksOf(ranks...)
	of.Addresses = joined(addresses)
	for k := range n.known {
		if same := n.known[k].here.Of; same != nil && *same == *of {
			return same, true
		}
	}
	return of, true
}

// joined returns the addresses of the nodes 1, 2 and so on as those of Members.
func joined(addresses []string) string {
	all := strings.Join(addresses, "\n")
	if len(all) < len(addresses) { // there are line feeds alone
		return ""
	}
	return all
}

func (n *Names) know(c spec.Configuration, t Configuration) {
	if len(n.known) < maxKnown {
		n.last = len(n.known)
		n.known = append(n.known, known{c, t})
		return
	}
	n.last, n.known[n.oldest] = n.oldest, known{c, t}
	n.oldest = (n.oldest + 1) % maxKnown
}

// of returns the set of the members of a kind.
func (m *Members) of(kind spec.MemberKind) *Set {
	switch kind {
	case spec.Voter:
		return &m.Voters
	case spec.Witness:
		return &m.Witnesses
	}
	return &m.Observers
}

// SpecConfiguration returns a configuration in the words of package spec: none, if members never change. It is an error if there
// is none.
func (n *Names) SpecConfiguration(c *Configuration) (spec.Configuration, error) {
	if n.isStatic() {
		return spec.Configuration{}, nil
	}
	for k := range n.known {
		if of := &n.known[k]; of.here.Is(*c) {
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
		if of := &n.known[k]; of.here.Of == c.Of {
			t := of.spec.At(c.Epoch, c.Version)
			return t, t.Validate()
		}
	}
	var members []spec.Member
	for _, kind := range spec.MemberKinds() {
		for i := range c.Members().of(kind).All() {
			members = append(members, spec.Member{ID: n.SpecID(i), Kind: kind, Rank: c.Of.rank(i), Address: c.Of.address(i)})
		}
	}
	return spec.NewConfiguration(c.Epoch, c.Version, members)
}

// SpecState returns a state in the words of package spec. It is an error if there is none.
func (n *Names) SpecState(s *State) (spec.State, error) {
	conf, err := n.SpecConfiguration(&s.Conf)
	t := spec.State{
		Role: roles[s.Role], Leader: n.SpecID(s.Leader), Epoch: s.Epoch, Grantee: n.SpecID(s.Grantee), Configuration: conf,
		Lease: spec.Question(s.Lease), Asked: spec.Question(s.Asked), Latest: spec.Question(s.Latest), Dated: spec.Question(s.Dated),
	}
	for j := ID(1); j <= s.Answered.Len(); j++ {
		if q := s.Answered.Of(j); q != 0 {
			t.Answered = append(t.Answered, spec.Answered{Node: n.SpecID(j), Question: spec.Question(q)})
		}
	}
	if s.Support != 0 {
		t.Support = make([]spec.NodeID, 0, s.Support.Len())
	}
	for j := range s.Support.All() {
		t.Support = append(t.Support, n.SpecID(j))
	}
	return t, err
}

// SpecSent returns what a step sends in the words of package spec; c is the configuration of the state after it.
func (n *Names) SpecSent(step *Step, c spec.Configuration) []spec.Message {
	if step.n == 0 {
		return nil
	}
	sent := make([]spec.Message, 0, step.Len())
	for m := range step.All() {
		sent = append(sent, spec.Message{
			Type: messageTypes[m.Type], From: n.SpecID(m.From), To: n.SpecID(m.To), Epoch: m.Epoch, Configuration: c,
			Question: spec.Question(m.Question), Keeps: n.SpecID(m.Keeps),
			Granted: n.SpecGranted(m.Granted), Names: n.SpecID(m.Names), Hold: m.Hold,
		})
	}
	return sent
}
