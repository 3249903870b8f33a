package itf

import (
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// cluster says how a trace is written in the values of module Cluster.
type cluster struct {
	header    spec.Header
	addressed bool // whether any member has an address
}

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
		"witnesses", c.ids(kinds[spec.Witness]), "observers", c.ids(kinds[spec.Observer]), "ranks", c.ranks(conf))
	if c.addressed {
		r.set(Word("addresses"), c.each(func(id spec.NodeID) Value {
			m, _ := conf.Member(id)
			return Word(m.Address)
		}))
	}
	return r
}

// ranks returns the members that have a rank, each with it.
func (c *cluster) ranks(conf spec.Configuration) Value {
	set := Value{Kind: Set}
	for _, m := range conf.Members() {
		if m.Rank != 0 {
			set.Items = append(set.Items, Value{Kind: Tuple, Items: []Value{c.id(m.ID), Number(int(m.Rank))}})
		}
	}
	return set
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
