package check

import (
	"maps"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

var oneConfiguration = Promise{
	Name: spec.OneConfiguration, Says: "An epoch and a version name one list of members.", When: Always, Changing: true,
	Proved: "The rules are proved to keep this, for any number of nodes.",
	check:  func() check { return lists{} },
}

// lists are which members an epoch and a version have named. They keep the newest, at most maxLists: who takes so many steps,
// and holds each to the rules, loses nothing by it.
type lists map[spec.Stamp]spec.Configuration

const maxLists = 1 << 12

func (l lists) breaks(m *Monitor, i int, now *View) *Breach {
	c := &now.Configuration
	if *c == m.nodes[i].Configuration {
		return nil
	}
	first, held := l[c.Stamp()]
	if !held || first == *c {
		return nil
	}
	return breach("node %s has configuration %s, and there has been %s", m.name(i), c, first)
}

func (l lists) note(m *Monitor, i int, now *View) {
	c := &now.Configuration
	if c.IsNone() || *c == m.nodes[i].Configuration {
		return
	}
	l[c.Stamp()] = *c
	if len(l) < maxLists {
		return
	}
	stamps := slices.SortedFunc(maps.Keys(l), spec.Stamp.Compare)
	for _, s := range stamps[:maxLists/2] {
		delete(l, s)
	}
}

func (l lists) reset() { clear(l) }
