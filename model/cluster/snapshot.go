package cluster

import (
	"fmt"

	"github.com/seed-fdf591db/bully/model/rules"

	"github.com/seed-fdf591db/bully/model/explore"
)

// Snapshot is the state of a whole cluster, but for the budget of faults that is left, and the history.
type Snapshot struct {
	Nodes    []rules.State   // Nodes[i-1] is the state of node i; of one that is down, what survives
	Up       rules.Set       // the nodes that run
	UnderWay []rules.Message // link by link, ascending by sender and then by receiver; on each link first sent first
	Cut      [][2]rules.ID   // the links that carry nothing, from and to, in the same order
}

// Unpack sets s to the state that the explorer has packed, in the memory of s. It is an error if m was not made by [New]; the
// state must be one of m's.
func Unpack(m explore.Model, state []byte, s *Snapshot) error {
	c, ok := m.(*cluster)
	if !ok {
		return fmt.Errorf("cluster: a %T is not a model made by New", m)
	}
	var t clusterState
	c.unpack(state, &t)
	s.Nodes = append(s.Nodes[:0], t.node[1:c.n+1]...)
	s.Up, s.UnderWay, s.Cut = t.up, s.UnderWay[:0], s.Cut[:0]
	for l, ends := range c.links {
		for k := range t.net[l].n {
			s.UnderWay = append(s.UnderWay, c.message(&t, l, k))
		}
		if c.cuts[t.cut].has(ends.from, ends.to) {
			s.Cut = append(s.Cut, [2]rules.ID{ends.from, ends.to})
		}
	}
	return nil
}
