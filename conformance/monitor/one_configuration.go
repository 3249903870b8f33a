package monitor

import (
	"cmp"
	"maps"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

var oneConfiguration = Promise{
	Name: spec.OneConfiguration, Says: "An epoch and a version name one list of members.", When: Always, Changing: true,
	check: func() check { return lists{} },
}

// lists are which members an epoch and a version have named. They keep the newest, at most maxLists: who takes so many steps,
// and holds each to the rules, loses nothing by it.
type lists map[stamp]spec.Configuration

// stamp is what a configuration is compared by (R42).
type stamp struct {
	epoch   spec.Epoch
	version uint64
}

const maxLists = 1 << 12

func stampOf(c *spec.Configuration) stamp { return stamp{c.Epoch, c.Version} }

func (s stamp) compare(t stamp) int {
	return cmp.Or(cmp.Compare(s.epoch, t.epoch), cmp.Compare(s.version, t.version))
}

func (l lists) breaks(m *Monitor, i int, now *View) *Breach {
	c := &now.Configuration
	if *c == m.nodes[i].Configuration {
		return nil
	}
	first, held := l[stampOf(c)]
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
	l[stampOf(c)] = *c
	if len(l) < maxLists {
		return
	}
	stamps := slices.SortedFunc(maps.Keys(l), stamp.compare)
	for _, s := range stamps[:maxLists/2] {
		delete(l, s)
	}
}

func (l lists) reset() { clear(l) }
