package bully_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/spec"
)

// setFirst makes nodes of changing members: the first ones, and those that are to join.
func (s *stage) setFirst(text string) ([]string, error) {
	text, joining, _ := strings.Cut(text, " and ")
	first, err := configuration(text)
	if err != nil {
		return nil, err
	}
	s.members, s.nodes, s.changing = nil, nil, true
	for _, m := range first.Members() {
		s.members = append(s.members, m.ID)
	}
	for _, word := range strings.Fields(joining) {
		id, err := spec.ParseNodeID(word)
		if err != nil {
			return nil, err
		}
		s.members = append(s.members, id)
	}
	for i, id := range s.members {
		given := first
		if i >= first.Len() {
			given = spec.EmptyConfiguration()
		}
		node, err := bully.NewChanging(id, given)
		if err != nil {
			return nil, err
		}
		s.nodes = append(s.nodes, node)
	}
	return []string{fmt.Sprintf("nodes: %d", len(s.nodes))}, nil
}

// configured cuts the configuration that a text ends with from it.
func configured(text string) (string, spec.Configuration, error) {
	rest, written, has := strings.Cut(text, " configuration:")
	if !has {
		return text, spec.Configuration{}, nil
	}
	c, err := configuration(written)
	return rest, c, err
}

// suffix is what configured cuts off.
func suffix(c spec.Configuration) string {
	if c.IsNone() {
		return ""
	}
	return " configuration:" + c.String()
}

// wanted returns the configuration of a command to change, and none of any other.
func wanted(command string) spec.Configuration {
	text, _ := strings.CutPrefix(command, "change ")
	c, _ := configuration(text)
	return c
}

// configuration reads what a configuration prints as: epoch:4 version:2 {1 2^7 witness:3 observer:4}.
func configuration(text string) (spec.Configuration, error) {
	var epoch spec.Epoch
	var version uint64
	stamp, listed, _ := strings.Cut(strings.TrimSuffix(text, "}"), " {")
	if _, err := fmt.Sscanf(stamp, "epoch:%d version:%d", &epoch, &version); err != nil {
		return spec.Configuration{}, fmt.Errorf("configuration %q: %w", text, err)
	}
	var members []spec.Member
	for _, word := range strings.Fields(listed) {
		m := spec.Member{Kind: spec.Voter}
		if kind, id, has := strings.Cut(word, ":"); has {
			m.Kind, word = spec.MemberKind(kind), id
		}
		word, rank, ranked := strings.Cut(word, "^")
		if ranked {
			if _, err := fmt.Sscanf(rank, "%d", &m.Rank); err != nil {
				return spec.Configuration{}, fmt.Errorf("rank %q: %w", rank, err)
			}
		}
		var err error
		if m.ID, err = spec.ParseNodeID(word); err != nil {
			return spec.Configuration{}, err
		}
		members = append(members, m)
	}
	return spec.NewConfiguration(epoch, version, members)
}

// conf is configuration, of a text that is one. A * after the members gives each an address.
func conf(text string) spec.Configuration {
	c, err := configuration(strings.TrimSuffix(text, "*"))
	if err != nil {
		panic(err)
	}
	if !strings.HasSuffix(text, "*") {
		return c
	}
	members := c.Members()
	for i := range members {
		members[i].Address = "10.0.0." + members[i].ID.String() + ":7400"
	}
	c, err = spec.NewConfiguration(c.Epoch, c.Version, members)
	if err != nil {
		panic(err)
	}
	return c
}

// with returns c in the next version, with these members in it, added or instead of what they were.
func with(c spec.Configuration, epoch spec.Epoch, members ...spec.Member) spec.Configuration {
	all := c.Members()
	for _, m := range members {
		all = slices.DeleteFunc(all, func(was spec.Member) bool { return was.ID == m.ID })
		all = append(all, m)
	}
	next, err := spec.NewConfiguration(epoch, c.Version+1, all)
	if err != nil {
		panic(err)
	}
	return next
}
