package conformance

import (
	"math/rand/v2"
	"slices"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

const drawnQuestions = 15_000 // about changing members

// drawnChanges yields questions, drawn from one seed: most are about one configuration and what is nearly the same.
func drawnChanges(yield func(*Case) bool) {
	d := &drawing{Rand: rand.New(rand.NewPCG(18, 42))}
	var model Model
	for n := 0; n < drawnQuestions; {
		if n%500 == 0 {
			d.nodes = d.someNodes()
		}
		c, good := d.question()
		if !good {
			continue
		}
		c.Want = model.Step(c.ID, c.Members, c.Before, c.Input)
		c.Rule = check.RuleOf(&c)
		if n++; !yield(&c) {
			return
		}
	}
}

// drawing draws questions.
type drawing struct {
	*rand.Rand
	nodes []spec.NodeID
}

// someNodes draws of which nodes questions are: the plain ones, or some that are easily compared wrongly (R1).
func (d *drawing) someNodes() (nodes []spec.NodeID) {
	all := [][]string{
		{"1", "2", "3", "4"}, {"1", "2", "3", "4", "5"}, {"3", "20", "100", "255", "256"}, {"1", "2", "3"},
		{"9", "10", "9007199254740993", "18446744073709551615", "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed", "f47ac10b-58cc-4372-a567-0e02b2c3d479"},
	}
	for _, text := range all[d.IntN(len(all))] {
		id, err := spec.ParseNodeID(text)
		if err != nil {
			panic(err) // all of these are ids
		}
		nodes = append(nodes, id)
	}
	return nodes
}

// one says yes once in so many times.
func (d *drawing) one(in int) bool { return d.IntN(in) == 0 }

// node draws a node; seldom none, if that may be.
func (d *drawing) node(mayBeNone bool) spec.NodeID {
	if mayBeNone && d.one(3) {
		return spec.NodeID{}
	}
	return d.nodes[d.IntN(len(d.nodes))]
}

// member draws what a node is in a configuration: a voter most often; no member if the kind is "".
func (d *drawing) member(id spec.NodeID) spec.Member {
	kinds := []spec.MemberKind{spec.Voter, spec.Voter, spec.Voter, spec.Voter, spec.Witness, spec.Witness, spec.Observer, ""}
	m := spec.Member{ID: id, Kind: kinds[d.IntN(len(kinds))]}
	if d.one(6) {
		m.Address = []string{"h:1", "h:2", "10.0.0.1:7400"}[d.IntN(3)]
	}
	return m
}

// configuration draws one, of an epoch that is at most e; the empty one now and then.
func (d *drawing) configuration(e spec.Epoch) spec.Configuration {
	if d.one(12) {
		return spec.EmptyConfiguration()
	}
	for {
		var members []spec.Member
		for _, id := range d.nodes {
			if m := d.member(id); m.Kind != "" {
				members = append(members, m)
			}
		}
		c, err := spec.NewConfiguration(e-min(e, spec.Epoch(d.IntN(3))), uint64(1+d.IntN(4)), members)
		if err == nil && !c.IsEmpty() {
			return c
		}
	}
}

// differing returns c with so many of its members other ones, if that can be.
func (d *drawing) differing(c spec.Configuration, times int) spec.Configuration {
	members := c.Members()
	for range times {
		m := d.member(d.node(false))
		if is, _ := c.Member(m.ID); is.Kind == m.Kind && is.Address == m.Address && m.Kind != "" {
			m.Kind = ""
		}
		members = slices.DeleteFunc(members, func(old spec.Member) bool { return old.ID == m.ID })
		if m.Kind != "" {
			members = append(members, m)
		}
	}
	changed, err := spec.NewConfiguration(c.Epoch, max(1, c.Version), members)
	if err != nil || changed.IsEmpty() {
		return c
	}
	return changed
}

// state draws a state of a node.
func (d *drawing) state(id spec.NodeID) spec.State {
	e := spec.Epoch(1 + d.IntN(4))
	if d.one(25) {
		e = spec.MaxEpoch - spec.Epoch(d.IntN(2))
	}
	s := spec.State{Role: spec.Roles()[d.IntN(5)], Epoch: e, Leader: d.node(true), Grantee: d.node(true), Configuration: d.configuration(e)}
	if s.Role == spec.Leader {
		s.Leader, s.Grantee, s.Configuration = id, id, s.Configuration.At(e, s.Configuration.Version)
	}
	for _, m := range s.Configuration.Members() {
		if s.Role != spec.Follower && m.ID != id && !d.one(3) {
			s.Support = append(s.Support, m.ID)
		}
	}
	return d.numbered(id, s)
}

// numbered returns a state with numbers: all that are not drawn are as Numbered has them.
func (d *drawing) numbered(id spec.NodeID, s spec.State) spec.State {
	s.Lease, s.Asked, s.Dated, s.Answered = 0, 0, 0, nil
	s = Numbered(id, d.nodes, s)
	if s.Lease != 0 {
		s.Lease = spec.Question(1 + d.IntN(6))
	}
	if s.Role == spec.Electing && d.one(2) {
		s.Asked = s.Latest
	}
	for i := range s.Answered {
		if d.one(2) {
			s.Answered[i].Question = spec.Question(1 + d.IntN(int(s.Latest)))
		}
	}
	if d.one(20) { // the block of numbers is used up (R50)
		if s.Asked != 0 {
			s.Asked = spec.Block
		}
		s.Latest = spec.Block
	}
	return s
}

// number draws that of a message that a node in state s hears: most often one that is asked, or the latest, or near the lease.
func (d *drawing) number(s *spec.State) spec.Question {
	some := []spec.Question{s.Asked, s.Asked, s.Asked, s.Latest, s.Latest - 1, s.Lease, s.Lease + 1, s.Lease - 1, s.Latest + 1, s.Dated + 1}
	q := some[d.IntN(len(some))]
	if q == 0 || !q.Valid() {
		return s.Latest
	}
	return q
}

// question draws one; it is not good if the node cannot be in that state.
func (d *drawing) question() (c Case, good bool) {
	c = Case{ID: d.node(false), Members: d.nodes}
	c.Before = d.state(c.ID)
	switch k := d.IntN(40); {
	case k == 0:
		_, is := c.Before.Configuration.Member(c.ID)
		first := c.Before.Configuration
		if c.Input.Call = spec.StartCall; !is {
			first = spec.EmptyConfiguration()
		} else {
			first = first.At(0, 1)
		}
		c.Before = check.Survivor(spec.Durable{Configuration: first})
	case k == 1:
		c.Input.Call = spec.RestartCall
		c.Before = check.Survivor(c.Before.Durable())
	case k == 2:
		c.Input.Call = []spec.Call{spec.ResignCall, spec.HolderDeadCall}[d.IntN(2)]
	case k < 12:
		timers := spec.Timers()
		if running := slices.Collect(Running(c.ID, &c.Before).All()); len(running) > 0 && !d.one(5) {
			timers = running
		}
		c.Input.Timer = timers[d.IntN(len(timers))]
	case k < 16:
		d.change(&c)
	default:
		c.Input.Message = d.message(&c)
	}
	return c, rules.CheckState(c.ID, c.Before) == nil
}

// change draws a call to change: of a leader most often, to what differs in one member, and is of the next version.
func (d *drawing) change(c *Case) {
	if s := &c.Before; !d.one(8) && s.Configuration.Len() > 0 && s.Role != spec.Leader {
		s.Role, s.Leader, s.Grantee, s.Configuration = spec.Leader, c.ID, c.ID, s.Configuration.At(s.Epoch, s.Configuration.Version)
		*s = d.numbered(c.ID, *s)
	}
	own := c.Before.Configuration
	times := []int{1, 1, 1, 1, 1, 2, 0}[d.IntN(7)]
	wanted := d.differing(own, times).At(c.Before.Epoch, own.Version+1)
	switch d.IntN(10) {
	case 0:
		wanted = wanted.At(c.Before.Epoch, own.Version+2*uint64(d.IntN(2)))
	case 1:
		wanted = wanted.At(c.Before.Epoch-1, wanted.Version)
	}
	if wanted.Validate() != nil {
		wanted = spec.EmptyConfiguration()
	}
	c.Input.Call, c.Input.Configuration = spec.ChangeCall, wanted
}

// message draws what a node hears: of its own configuration most often, or of one that is nearly the same, older or newer; seldom
// something else than a message of changing members.
func (d *drawing) message(c *Case) spec.Message {
	own, e := c.Before.Configuration, c.Before.Epoch
	types := spec.MessageTypes()
	from := d.node(false)
	if from == c.ID && !d.one(20) {
		from = d.nodes[(slices.Index(d.nodes, from)+1)%len(d.nodes)]
	}
	m := spec.Message{Type: types[d.IntN(len(types))], From: from, To: c.ID, Epoch: min(spec.MaxEpoch, e+spec.Epoch(d.IntN(4))) - min(e, spec.Epoch(d.IntN(2)))}
	m.Question = d.number(&c.Before)
	switch m.Type {
	case spec.Election:
		if m.Keeps = c.Before.Leader; d.one(3) {
			m.Keeps = d.node(true)
		}
	case spec.Resign:
		if d.one(2) {
			m.Granted = spec.Granted{By: d.node(false), Epoch: min(spec.MaxEpoch, e+spec.Epoch(d.IntN(3))), Question: spec.Question(1 + d.IntN(9))}
		}
	}
	m.Configuration = own
	switch d.IntN(20) {
	case 0, 1, 2, 3: // a change that the node has not heard of
		m.Configuration = d.differing(own, 1).At(own.Epoch, own.Version+1)
	case 4, 5: // a stamp
		m.Configuration = own.At(m.Epoch, max(1, own.Version))
	case 6, 7, 8: // what the node has left behind
		m.Configuration = d.differing(own, d.IntN(2)).At(own.Epoch-min(own.Epoch, spec.Epoch(d.IntN(2))), max(1, own.Version)-1)
	case 9:
		m.Configuration = d.configuration(m.Epoch)
	case 10:
		m.Configuration = spec.EmptyConfiguration()
	case 11:
		m.Configuration = spec.Configuration{}
	}
	if c := m.Configuration; c.Epoch > m.Epoch && !d.one(10) {
		m.Epoch = c.Epoch
	}
	same := m.Configuration.Epoch == own.Epoch && m.Configuration.Version == own.Version
	if !m.Configuration.IsNone() && (m.Configuration.Validate() != nil || same) {
		m.Configuration = own // an epoch and a version name one list of members
	}
	return m
}
