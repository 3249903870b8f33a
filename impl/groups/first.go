package groups

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// Where members change a group begins with the same first members at every node (R49). Nodes tell each other with whom, so that two that name others see it before two lead.

// newChangingGroup returns a group with the first members that it is to have. Their ranks follow from the names alone: weights and pins may not be the same at all nodes, and this has to be.
func (g *Groups) newChangingGroup(name string, key uint64) (*group, error) {
	first := idsOf(g.own.founded)
	if g.config.First != nil {
		if named := g.config.First(name); len(named) > 0 {
			first = named
		}
	}
	one := &group{name: name, key: key, told: Leadership{Group: name}, leader: none, best: none, gone: make(chan struct{}), founding: spec.EmptyConfiguration()}
	if len(first) == 0 {
		return one, nil // it waits to be added
	}
	if err := (Placement{Members: first}).Validate(); err != nil {
		return nil, wrongFirst(name, err)
	}
	one.first = digestOf(first)
	c := firstOf(first, func(id spec.NodeID) uint16 { return new(Placement).rank(name, id) })
	if c.IsEmpty() {
		return nil, wrongFirst(name, errTooMany)
	}
	if slices.Contains(first, g.config.ID) {
		one.founding = c
	}
	return one, nil
}

var errTooMany = fmt.Errorf("groups: there are more members than a configuration has room for, which is %d", spec.MaxChangingMembers)

func wrongFirst(name string, err error) error {
	return fmt.Errorf("groups: First: group %q: %s", name, strings.TrimPrefix(err.Error(), "groups: "))
}

func idsOf(c spec.Configuration) (ids []spec.NodeID) {
	for _, m := range c.Members() {
		ids = append(ids, m.ID)
	}
	return ids
}

// namesOf returns a first configuration of the members of another: voters, without addresses and ranks.
func namesOf(c spec.Configuration) spec.Configuration { return firstOf(idsOf(c), nil) }

// firstOf returns a first configuration of members, each of which has such a rank.
func firstOf(ids []spec.NodeID, rank func(spec.NodeID) uint16) spec.Configuration {
	members := make([]spec.Member, len(ids))
	for i, id := range ids {
		if members[i] = (spec.Member{ID: id, Kind: spec.Voter}); rank != nil {
			members[i].Rank = rank(id)
		}
	}
	c, err := spec.NewConfiguration(0, 1, members)
	if err != nil {
		return spec.EmptyConfiguration()
	}
	return c
}

// digestOf tells the first members of a group from others. It is not 0.
func digestOf(ids []spec.NodeID) uint64 {
	var all []byte
	for _, id := range slices.SortedFunc(slices.Values(ids), spec.NodeID.Compare) {
		all = append(all, id[:]...)
	}
	return number(all)
}

// introduce tells a node that has been connected what groups have begun with, and by which weights and pins this one goes.
func (l *loop) introduce(p *peer) {
	if !l.changing {
		return
	}
	p.firsts, p.placing = p.firsts[:0], l.placed
	for _, g := range l.list {
		if g.first != 0 {
			p.firsts = append(p.firsts, first{g.key, g.first})
		}
	}
}

// hearFirsts takes what a node says that groups have begun with.
func (l *loop) hearFirsts(p *peer, firsts []first) {
	for _, f := range firsts {
		switch g := l.byKey[f.group]; {
		case g == nil || g.first == 0 || f.first == 0:
		case g.first == f.first:
			l.reconciles(g, p.place)
		default:
			l.quarrel(g, p)
		}
	}
}

// quarrel takes note that a node has begun a group of the same name with other members. Neither takes what the other says of it. A group in which nobody has led yet, as far as this node knows,
// takes no part any more: what is wrong is then seen before two lead.
func (l *loop) quarrel(g *group, p *peer) {
	if g.quarrels.Has(p.place) {
		return
	}
	g.quarrels |= policy.One(p.place)
	var with []string
	for place, id := range l.members {
		if g.quarrels.Has(place) {
			with = append(with, id.String())
		}
	}
	l.problem(g, "node "+strings.Join(with, ", ")+" has begun it with other first members: name the same at all nodes; where it was never led, remove the group, and add it anew with those")
	p.firsts = append(p.firsts, first{g.key, g.first})
	l.withdraw(g)
}

// withdraw has a group in which nobody has led yet take no part any more while there is a quarrel.
func (l *loop) withdraw(g *group) {
	if g.quarrels != 0 && g.held == nil && g.configuration.Epoch == 0 && (g.node != nil || g.starts != 0) {
		l.rest(g)
	}
}

// reconciles takes note that a node with which there was a quarrel names the same now, or is gone.
func (l *loop) reconciles(g *group, place int) {
	if !g.quarrels.Has(place) {
		return
	}
	if g.quarrels &^= policy.One(place); g.quarrels != 0 {
		return
	}
	if g.problem = ""; g.node == nil && g.hung == nil && !g.removing && l.begun {
		l.start(g)
	}
}
