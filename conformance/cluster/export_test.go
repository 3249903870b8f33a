package cluster

import (
	"strings"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

// IsScenario reports whether a script says what each node must have come to; the others are regressions.
func (k *KnownScript) IsScenario() bool { return strings.HasPrefix(k.File, "testdata/scenarios/") }

// DrawRanks draws ranks of the first members, if there are any. It returns the script.
func (s *Script) DrawRanks(choose func(n int) int) *Script {
	ranks := map[spec.NodeID]uint16{}
	for _, id := range s.Members {
		ranks[id] = uint16(choose(3))
	}
	s.rewrite(func(m spec.Member) (spec.Member, bool) {
		m.Rank = ranks[m.ID]
		return m, true
	})
	return s
}

// Vary returns an op that was drawn as it is, or another one like it that Draw leaves out: a leader that resigns names a node, which may be
// one that is not named (R51); and a leader changes the rank of any member. So it changes nothing of what a seed of Draw means.
func (c *Cluster) Vary(op Op, choose func(n int) int) Op {
	switch op.Kind {
	case Resign:
		if choose(3) > 0 {
			op.Names = c.members[choose(len(c.members))]
		}
	case Change:
		h := c.hosts[c.index(op.Node)]
		if members := h.state.Configuration.Members(); len(members) > 0 && choose(3) == 0 {
			varied := op
			members[choose(len(members))].Rank = uint16(choose(4))
			var err error
			if varied.Configuration, err = spec.NewConfiguration(0, 1, members); err == nil && check.MayChange(h.id, &h.state, varied.Wanted(&h.state)) {
				return varied
			}
		}
	}
	return op
}
