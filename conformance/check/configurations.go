package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// lists are which members an epoch and a version have named: OneConfiguration. They keep at most maxLists, the newest: that
// there is one follows from the rules, by which each step is checked besides.
type lists struct {
	of map[stamp]spec.Configuration
}

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

// hold remembers a configuration that a node has come to hold.
func (l *lists) hold(c *spec.Configuration) {
	if l.of == nil {
		l.of = map[stamp]spec.Configuration{}
	}
	l.of[stampOf(c)] = *c
	if len(l.of) < maxLists {
		return
	}
	stamps := slices.SortedFunc(maps.Keys(l.of), stamp.compare)
	for _, s := range stamps[:maxLists/2] {
		delete(l.of, s)
	}
}

// other returns the configuration that has the epoch and the version of c, and other members, and whether there is one.
func (l *lists) other(c *spec.Configuration) (spec.Configuration, bool) {
	first, held := l.of[stampOf(c)]
	return first, held && first != *c
}

// promisesOfMembers is promises of what is said of members: nothing, where they are fixed.
func (r *replay) promisesOfMembers(n *node, e *spec.Event) *TraceError {
	now := &e.State.Configuration
	if now.IsNone() || n.configuration != nil && *n.configuration == *now {
		return nil
	}
	if was := n.configuration; was != nil && !now.Newer(*was) {
		return &TraceError{
			Rule: string(spec.ConfigurationMonotonic), Problem: fmt.Sprintf("the configuration of node %s becomes %s, which is not newer than %s", e.Node, now, was),
		}
	}
	if other, held := r.lists.other(now); held {
		return &TraceError{
			Rule: string(spec.OneConfiguration), Problem: fmt.Sprintf("node %s has configuration %s, and there has been %s", e.Node, now, other),
		}
	}
	return nil
}

// mayBeFirst says what is wrong with the configuration of a first start (R49): nothing, where members are fixed.
func mayBeFirst(e *spec.Event) *TraceError {
	c := &e.State.Configuration
	_, isMember := c.Member(e.Node)
	if c.IsNone() || c.IsEmpty() || c.Epoch == 0 && c.Version == 1 && isMember {
		return nil
	}
	return &TraceError{
		Rule: "R49", Problem: fmt.Sprintf("Start of node %s with a configuration that it cannot begin with", e.Node),
		Expected: "the empty configuration, or one of version 1 and epoch 0 that the node is in", Got: c.String(),
	}
}
