package changing

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/spec"
)

// Nodes 1 and 2 are members of the configuration of epoch 1; node 2 leads it, and has made a later version.
func reigning(t *testing.T) (*cluster, clusterState) {
	c := build(t, 3, "TopIsolated Two AnyMembers", "0 1 0 1 1 2")
	now := clusterState{up: upTo(3), budget: c.budget}
	now.node[1] = node(follower, 2, 1, 2, of(1, 1, 1, 2))
	now.node[2] = node(leader, 2, 1, 2, of(1, 2, 1, 2).observer(3))
	now.reigns[1] = model.SetOf(2)
	return c, now
}

// Each invariant holds of a state, and fails of the same state spoiled.
func TestInvariantsSeeEachFault(t *testing.T) {
	for name, spoil := range map[string]func(c *cluster, s *clusterState){
		"TypeOK":               func(_ *cluster, s *clusterState) { s.node[1].Conf.Observers = model.SetOf(4) },
		"OneLeaderPerEpoch":    func(_ *cluster, s *clusterState) { s.reigns[1] = model.SetOf(1, 2) },
		"OneActing":            func(_ *cluster, s *clusterState) { s.node[1].Role = leader },
		"OneConfiguration":     func(_ *cluster, s *clusterState) { s.node[3].Conf = of(1, 1, 1) },
		"LeaderIsElector":      func(_ *cluster, s *clusterState) { s.node[2].Conf = of(1, 2, 1).observer(2) },
		"ConfigurationLearned": func(_ *cluster, s *clusterState) { s.node[3].Conf = of(1, 2, 1, 2).observer(3) },
		"NeverChangedTwice":    func(_ *cluster, s *clusterState) { s.node[2].Conf.Version++ },
		"NeverLearnsRemoval":   func(_ *cluster, s *clusterState) { s.node[1].Conf = of(1, 3, 2) },
		"NeverAddedLeads":      func(_ *cluster, s *clusterState) { s.reigns[2] = model.SetOf(3) },
		"NeverPassedOver":      func(_ *cluster, s *clusterState) { s.node[3].Conf = of(0, 3, 1, 2) },
		"NeverTwoInEpoch":      func(_ *cluster, s *clusterState) { s.node[2].Epoch, s.node[1].Conf = 1, of(1, 1, 1, 3) },
	} {
		c, s := reigning(t)
		if name == "NeverTwoInEpoch" { // which the others let happen
			s.node[1].Conf = s.node[2].Conf
		}
		var holds func(*cluster, *clusterState) bool
		for _, v := range invariants {
			if v.name == name {
				holds = v.holds
			}
		}
		require.NotNil(t, holds, name)
		require.True(t, holds(c, &s), name)
		spoil(c, &s)
		require.False(t, holds(c, &s), name)
	}
	require.Len(t, invariants, 11)
}

// What is under way counts: two versions of one epoch and version, on two links.
func TestOneConfigurationLooksAtMessages(t *testing.T) {
	c, s := reigning(t)
	s.push(c.index[1][2], payload{model.Ack, 1, packConf(of(1, 1, 1, 2))})
	require.True(t, oneConfiguration(c, &s))
	s.push(c.index[3][2], payload{model.Ack, 1, packConf(of(1, 1, 1, 2).observer(3))})
	require.False(t, oneConfiguration(c, &s))
}

// Each property of steps holds of a step that it may see, and fails of another.
func TestStepPropertiesSeeEachFault(t *testing.T) {
	lead := func(s *clusterState, i ID, e uint8) {
		s.node[i].Role, s.node[i].Epoch = leader, spec.Epoch(e)
		s.reigns[e] = s.reigns[e].With(i)
	}
	deposed := func(s *clusterState) { s.node[2] = node(follower, None, 2, None, s.node[2].Conf) }
	for _, test := range []struct {
		name   string
		before func(s *clusterState)
		step   func(s *clusterState)
		holds  bool
	}{
		{"EpochMonotonic", nil, func(s *clusterState) { s.node[3].Epoch = 7 }, true},
		{"EpochMonotonic", nil, func(s *clusterState) { s.node[1].Epoch = 0 }, false},
		{"ConfigurationMonotonic", nil, func(s *clusterState) { s.node[1].Conf = s.node[2].Conf }, true},
		{"ConfigurationMonotonic", nil, func(s *clusterState) { s.node[1].Conf = of(0, 9, 1, 2) }, false},
		{"ConfigurationMonotonic", nil, func(s *clusterState) { s.node[1].Conf = of(1, 1, 2) }, false},
		{"Refines", nil, func(s *clusterState) { lead(s, 1, 2) }, true},
		{"Refines", nil, func(s *clusterState) { lead(s, 1, 1) }, false},
		{"Refines", nil, func(s *clusterState) { lead(s, 1, 2); lead(s, 3, 3) }, false},
		{"Refines", nil, func(s *clusterState) { lead(s, 1, 2); s.node[3].Epoch = 1 }, false},
		{"Refines", nil, func(s *clusterState) { s.reigns[1] = 0 }, false},
		{"OnlyVotersWin", nil, func(s *clusterState) { lead(s, 1, 2) }, true},
		{"OnlyVotersWin", nil, func(s *clusterState) { lead(s, 3, 2) }, false},
		{"NoDisruption", nil, deposed, false},
		{"NoDisruption", nil, func(s *clusterState) { deposed(s); s.budget[resign]-- }, true},
		{"NoDisruption", nil, func(s *clusterState) { deposed(s); s.up = model.SetOf(1) }, true},
		{"NoDisruption", func(s *clusterState) { s.up = model.SetOf(2, 3) }, deposed, true},
		{"NoDisruption", func(s *clusterState) { s.node[1].Role = claimant }, deposed, true},
		{"NoDisruption", nil, func(s *clusterState) { deposed(s); s.node[2].Grantee = 1 }, true},
		{"NoDisruption", func(s *clusterState) { s.node[3].Epoch = 5 }, deposed, false},
		{"NoDisruption", func(s *clusterState) { s.node[2].Conf = of(1, 2, 1).witness(2) }, deposed, true},
		{"NeverDeposed", nil, deposed, false},
		{"NeverDeposed", nil, func(*clusterState) {}, true},
		{"NeverDemotedHandsOver", nil, func(s *clusterState) { s.node[2].Role = electing }, true},
		{"NeverDemotedHandsOver", func(s *clusterState) { s.node[2].Conf = of(1, 2, 1).witness(2) },
			func(s *clusterState) { s.node[2].Role = electing }, false},
	} {
		c, now := reigning(t)
		if test.before != nil {
			test.before(&now)
		}
		next := now
		test.step(&next)
		for _, p := range stepProperties {
			if p.name == test.name {
				require.Equal(t, test.holds, p.holds(c, &now, &next), "%s", test.name)
			}
		}
	}
}

// A node that is no member hears a heartbeat, and may only adopt what comes with it.
func TestOutsidersUnheededSeesWhatIsHeard(t *testing.T) {
	c, now := reigning(t)
	l := c.index[2][3]
	now.push(l, payload{model.Heartbeat, 1, packConf(of(1, 3, 1, 2))})
	next := now
	next.pop(l)
	next.node[3] = adopt(now.node[3], of(1, 3, 1, 2))
	require.True(t, outsidersUnheeded(c, &now, &next))
	next.node[3].Leader = 2
	require.False(t, outsidersUnheeded(c, &now, &next))
	next.budget[loss]-- // it was lost, and node 3 did something else
	require.True(t, outsidersUnheeded(c, &now, &next))
}
