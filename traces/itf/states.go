package itf

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/seed-fdf591db/bully/spec"
)

// cluster says how a trace is written in the values of module Cluster.
type cluster struct {
	header    spec.Header
	addressed bool // whether any member has an address
}

func (c *cluster) n() int { return len(c.header.Members) }

// place returns the number of a node in the module; 0 of none.
func (c *cluster) place(id spec.NodeID) int { return slices.Index(c.header.Members, id) + 1 }

func (c *cluster) id(id spec.NodeID) Value { return Number(c.place(id)) }

func (c *cluster) ids(ids []spec.NodeID) Value {
	set := Value{Kind: Set}
	for _, id := range ids {
		set.Items = append(set.Items, c.id(id))
	}
	return set
}

// each returns a function of all nodes.
func (c *cluster) each(of func(id spec.NodeID) Value) Value {
	function := Value{Kind: Map}
	for i, id := range c.header.Members {
		function.set(Number(i+1), of(id))
	}
	return function
}

// record returns a record: names and values in turns.
func record(fields ...any) Value {
	r := Value{Kind: Record}
	for k := 0; k < len(fields); k += 2 {
		r.set(Word(fields[k].(string)), fields[k+1].(Value))
	}
	return r
}

// configuration returns who the members are; where they are fixed, all, as module Cluster has it.
func (c *cluster) configuration(conf spec.Configuration) Value {
	kinds := map[spec.MemberKind][]spec.NodeID{}
	epoch, version := conf.Epoch, conf.Version
	if !c.header.Changing {
		kinds[spec.Voter], version = c.header.Members, 1
	}
	for _, m := range conf.Members() {
		kinds[m.Kind] = append(kinds[m.Kind], m.ID)
	}
	r := record("epoch", Number(epoch), "version", Number(version), "voters", c.ids(kinds[spec.Voter]),
		"witnesses", c.ids(kinds[spec.Witness]), "observers", c.ids(kinds[spec.Observer]))
	if c.addressed {
		r.set(Word("addresses"), c.each(func(id spec.NodeID) Value {
			m, _ := conf.Member(id)
			return Word(m.Address)
		}))
	}
	return r
}

// state returns the state of a node.
func (c *cluster) state(s *spec.State) Value {
	return record("role", Word(s.Role), "leader", c.id(s.Leader), "lease", Number(s.Lease), "epoch", Number(s.Epoch), "grantee", c.id(s.Grantee),
		"support", c.ids(s.Support), "asked", Number(s.Asked), "latest", Number(s.Latest), "dated", Number(s.Dated),
		"answered", c.each(func(id spec.NodeID) Value {
			at := slices.IndexFunc(s.Answered, func(a spec.Answered) bool { return a.Node == id })
			if at < 0 {
				return Number(0)
			}
			return Number(s.Answered[at].Question)
		}), "conf", c.configuration(s.Configuration))
}

// blank returns the state of a node that has not started.
func (c *cluster) blank() spec.State {
	s := spec.State{Role: spec.Follower, Latest: 1}
	if c.header.Changing {
		s.Configuration = spec.EmptyConfiguration()
	}
	return s
}

// payload returns a message as it is on its link.
func (c *cluster) payload(m *spec.Message) Value {
	return record("type", Word(m.Type), "epoch", Number(m.Epoch), "question", Number(m.Question), "keeps", c.id(m.Keeps),
		"granted", record("by", c.id(m.Granted.By), "epoch", Number(m.Granted.Epoch), "question", Number(m.Granted.Question)),
		"conf", c.configuration(m.Configuration))
}

func (c *cluster) link(l spec.Link) Value { return Of(Tuple, c.id(l.From), c.id(l.To)) }

// readState reads the state of a node.
func (c *cluster) readState(v Value) (s spec.State, err error) {
	f := fields{of: v, c: c}
	s = spec.State{Role: spec.Role(f.word("role")), Leader: f.id("leader"), Lease: spec.Question(f.number("lease")), Epoch: spec.Epoch(f.number("epoch")),
		Grantee: f.id("grantee"), Support: f.ids("support"), Asked: spec.Question(f.number("asked")), Latest: spec.Question(f.number("latest")),
		Dated: spec.Question(f.number("dated"))}
	answered := fields{of: f.get("answered"), c: c}
	for i, id := range c.header.Members {
		if q := spec.Question(answered.at(i + 1)); q > 0 {
			s.Answered = append(s.Answered, spec.Answered{Node: id, Question: q})
		}
	}
	f.note("answered", answered.err)
	conf := f.get("conf")
	if f.err == nil {
		s.Configuration, err = c.readConfiguration(conf)
		f.note("conf", err)
	}
	return s, f.err
}

// readConfiguration reads who the members are; where they are fixed it can only be all.
func (c *cluster) readConfiguration(v Value) (spec.Configuration, error) {
	if !c.header.Changing {
		all := c.configuration(spec.Configuration{})
		if !v.Equal(all) {
			return spec.Configuration{}, errors.New("members are fixed, and this is not all of them: the header of the trace says which (changing)")
		}
		return spec.Configuration{}, nil
	}
	f := fields{of: v, c: c}
	var members []spec.Member
	for _, of := range []struct {
		name string
		kind spec.MemberKind
	}{{"voters", spec.Voter}, {"witnesses", spec.Witness}, {"observers", spec.Observer}} {
		for _, id := range f.ids(of.name) {
			members = append(members, spec.Member{ID: id, Kind: of.kind})
		}
	}
	if addresses, is := v.Field("addresses"); is {
		for i := range members {
			address, _ := addresses.At(c.place(members[i].ID))
			members[i].Address = address.Text
		}
	}
	epoch, version := f.number("epoch"), f.number("version")
	if f.err != nil {
		return spec.Configuration{}, f.err
	}
	slices.SortFunc(members, func(a, b spec.Member) int { return a.ID.Compare(b.ID) })
	return spec.NewConfiguration(spec.Epoch(epoch), version, members)
}

// fields reads what a record says, and keeps the first thing that is wrong.
type fields struct {
	of  Value
	c   *cluster
	err error
}

func (f *fields) note(name string, err error) {
	if f.err == nil {
		f.err = named(name, err)
	}
}

func (f *fields) get(name string) Value {
	v, is := f.of.Field(name)
	if !is {
		f.note(name, errors.New("it is missing"))
	}
	return v
}

func (f *fields) word(name string) string {
	v := f.get(name)
	if v.Kind != String {
		f.note(name, errors.New("a text is wanted"))
	}
	return v.Text
}

func (f *fields) number(name string) uint64 { return f.natural(name, f.get(name)) }

func (f *fields) natural(name string, v Value) uint64 {
	n, err := strconv.ParseUint(v.Text, 10, 64)
	if v.Kind != Int || err != nil {
		f.note(name, errors.New("a number from 0 is wanted"))
		return 0
	}
	return n
}

// at returns what a function of all nodes is at one.
func (f *fields) at(i int) uint64 {
	v, is := f.of.At(i)
	if !is {
		f.note(strconv.Itoa(i), errors.New("it is missing"))
		return 0
	}
	return f.natural(strconv.Itoa(i), v)
}

func (f *fields) id(name string) spec.NodeID { return f.node(name, f.get(name)) }

func (f *fields) node(name string, v Value) (none spec.NodeID) {
	n := f.natural(name, v)
	if n > uint64(f.c.n()) {
		f.note(name, fmt.Errorf("there is no node %d: the header of the trace has %d members", n, f.c.n()))
		return none
	}
	if n == 0 {
		return none
	}
	return f.c.header.Members[n-1]
}

func (f *fields) ids(name string) (ids []spec.NodeID) {
	v := f.get(name)
	if v.Kind != Set {
		f.note(name, errors.New("a set is wanted"))
	}
	for _, item := range v.Items {
		id := f.node(name, item)
		if id.IsNone() {
			f.note(name, errors.New("0 is no node"))
		}
		ids = append(ids, id)
	}
	slices.SortFunc(ids, spec.NodeID.Compare)
	return slices.Compact(ids)
}
