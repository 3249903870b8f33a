package cluster

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// Nodes 1 and 2 are members of the configuration of epoch 1; node 2 leads it, and has made a later version.
func reigning(t *testing.T, replacements ...string) (*cluster, clusterState) {
	c := build(t, 3, "TopIsolated Two AnyMembers", "0 1 0 1 1 2", replacements...)
	now := clusterState{up: rules.UpTo(3), budget: c.budget}
	now.node[1] = node(follower, 2, 1, 2, of(1, 1, 1, 2))
	now.node[2] = node(leader, 2, 1, 2, observer(of(1, 2, 1, 2), 3))
	now.reigns[1] = smallSet(rules.SetOf(2))
	return c, now
}

// Each invariant holds of a state, and fails of the same state spoiled.
func TestInvariantsSeeEachFault(t *testing.T) {
	for name, spoil := range map[string]func(c *cluster, s *clusterState){
		"TypeOK":               func(_ *cluster, s *clusterState) { s.node[1].Conf = observer(s.node[1].Conf, 4) },
		"OneLeaderPerEpoch":    func(_ *cluster, s *clusterState) { s.reigns[1] = smallSet(rules.SetOf(1, 2)) },
		"OneActing":            func(_ *cluster, s *clusterState) { s.node[1].Role = leader },
		"OneConfiguration":     func(_ *cluster, s *clusterState) { s.node[3].Conf = of(1, 1, 1) },
		"LeaderIsElector":      func(_ *cluster, s *clusterState) { s.node[2].Conf = observer(of(1, 2, 1), 2) },
		"ConfigurationLearned": func(_ *cluster, s *clusterState) { s.node[3].Conf = observer(of(1, 2, 1, 2), 3) },
		"LedWhenStill": func(_ *cluster, s *clusterState) {
			s.node[1].Conf = of(1, 1, 1, 2)
			s.node[2].Conf = of(1, 1, 1, 2)
			s.node[3] = node(leader, 3, 1, 3, of(0, 9, 3)) // alone, and backed
		},
		"HighestWhenStill": func(c *cluster, s *clusterState) {
			s.up = rules.SetOf(1, 2)
			s.node[1] = node(leader, 1, 1, 1, of(1, 1, 1, 2))
			s.node[2] = node(follower, 1, 1, 1, of(1, 1, 1, 2))
			c.never[rules.PreemptTimer] = true
		},
		"NamedWhenStill": func(c *cluster, s *clusterState) {
			s.up = rules.SetOf(1, 2)
			s.node[1] = node(follower, 2, 1, 2, of(1, 1, 1, 2))
			s.node[2] = node(leader, 2, 1, 2, of(1, 1, 1, 2))
			s.budget[resign] = 0
			c.never[rules.PreemptTimer] = true
		},
		"NeverNamed": func(c *cluster, s *clusterState) {
			s.push(c.index[1][2], said(rules.Resign, 1, of(1, 1, 1, 2))|2<<59)
		},
		"NeverChangedTwice":  func(_ *cluster, s *clusterState) { s.node[2].Conf.Version++ },
		"NeverLearnsRemoval": func(_ *cluster, s *clusterState) { s.node[1].Conf = of(1, 3, 2) },
		"NeverAddedLeads":    func(_ *cluster, s *clusterState) { s.reigns[2] = smallSet(rules.SetOf(3)) },
		"NeverPassedOver":    func(_ *cluster, s *clusterState) { s.node[3].Conf = of(0, 3, 1, 2) },
		"NeverTwoInEpoch":    func(_ *cluster, s *clusterState) { s.node[2].Epoch, s.node[1].Conf = 1, of(1, 1, 1, 3) },
	} {
		c, s := reigning(t)
		if name == "NeverTwoInEpoch" { // which the others let happen
			s.node[1].Conf = s.node[2].Conf
		}
		holds := module.Invariants[name]
		require.NotNil(t, holds, name)
		require.True(t, holds(c, &s), name)
		spoil(c, &s)
		require.False(t, holds(c, &s), name)
	}
	require.Len(t, module.Invariants, 23) // of eight more see below
}

// What is under way counts: two versions of one epoch and version, on two links.
func TestOneConfigurationLooksAtMessages(t *testing.T) {
	c, s := reigning(t)
	s.push(c.index[1][2], said(rules.Ack, 1, of(1, 1, 1, 2)))
	require.True(t, oneConfiguration(c, &s))
	s.push(c.index[3][2], said(rules.Ack, 1, observer(of(1, 1, 1, 2), 3)))
	require.False(t, oneConfiguration(c, &s))
}

// Each property of steps holds of a step that it may see, and fails of another.
func TestStepPropertiesSeeEachFault(t *testing.T) {
	lead := func(s *clusterState, i rules.ID, e uint8) {
		s.node[i].Role, s.node[i].Epoch = leader, spec.Epoch(e)
		s.reigns[e] |= smallSet(rules.SetOf(i))
	}
	deposed := func(s *clusterState) { s.node[2] = node(follower, rules.None, 2, rules.None, s.node[2].Conf) }
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
		{"NoDisruption", nil, func(s *clusterState) { deposed(s); s.up = rules.SetOf(1) }, true},
		{"NoDisruption", func(s *clusterState) { s.up = rules.SetOf(2, 3) }, deposed, true},
		{"NoDisruption", func(s *clusterState) { s.node[1].Epoch, s.node[1].Grantee = 2, 1 }, deposed, true},
		{"NoDisruption", func(s *clusterState) {
			s.node[1].Epoch, s.node[1].Grantee = 2, 1
			s.node[2].Conf = witness(of(1, 2, 2), 1) // it may have claimed before
		}, deposed, true},
		{"NoDisruption", func(s *clusterState) { s.node[1].Role = claimant }, deposed, false},
		{"NoDisruption", nil, func(s *clusterState) { deposed(s); s.node[2].Grantee = 1 }, true},
		{"NoDisruption", func(s *clusterState) { s.node[3].Epoch = 5 }, deposed, false},
		{"NoDisruption", func(s *clusterState) { s.node[2].Conf = witness(of(1, 2, 1), 2) }, deposed, false},
		{"NeverDeposed", nil, deposed, false},
		{"NeverDeposed", nil, func(*clusterState) {}, true},
		{"NeverDemotedHandsOver", nil, func(s *clusterState) { s.node[2].Role = electing }, true},
		{"NeverDemotedHandsOver", func(s *clusterState) { s.node[2].Conf = witness(of(1, 2, 1), 2) },
			func(s *clusterState) { s.node[2].Role = electing }, false},
	} {
		c, now := reigning(t)
		if test.before != nil {
			test.before(&now)
		}
		next := now
		test.step(&next)
		require.Contains(t, module.Steps, test.name)
		require.Equal(t, test.holds, module.Steps[test.name](c, &now, &next), "%s", test.name)
	}
}

// A node that is no member hears a heartbeat, and may only adopt what comes with it.
func TestOutsidersUnheededSeesWhatIsHeard(t *testing.T) {
	for _, replacements := range [][]string{nil, {"Meets <- MeetsAnyone"}} {
		c, s := reigning(t, replacements...)
		s.push(c.index[2][3], said(rules.Heartbeat, 1, of(1, 3, 1, 2)))
		require.Equal(t, replacements == nil, outsidersUnheeded(c, &s))
		s.up = rules.SetOf(1, 2) // nobody hears it
		require.True(t, outsidersUnheeded(c, &s))
	}
}

// A state is not still while a timer is due: each of these is one step from the one in which node 2 leads, and all follow.
func TestStillSeesEachTimer(t *testing.T) {
	for says, spoil := range map[string]func(c *cluster, s *clusterState){
		"something is under way":    func(c *cluster, s *clusterState) { s.push(c.index[1][2], said(rules.Ack, 1, rules.Configuration{})) },
		"somebody stands":           func(_ *cluster, s *clusterState) { s.node[1].Role = candidate },
		"somebody claims":           func(_ *cluster, s *clusterState) { s.node[1].Role = claimant },
		"a voter has no leader":     func(_ *cluster, s *clusterState) { s.node[2] = node(follower, rules.None, 1, 2, s.node[2].Conf) },
		"a leader is not backed":    func(_ *cluster, s *clusterState) { s.up = rules.SetOf(2) },
		"a leader owes a heartbeat": func(_ *cluster, s *clusterState) { s.node[1].Leader = rules.None },
		"a leader owes a member":    func(_ *cluster, s *clusterState) { s.node[3].Conf.Version-- },
		"a lease is over":           func(_ *cluster, s *clusterState) { s.up = rules.SetOf(1); s.node[1].Role = electing },
		"a higher one pre-empts": func(_ *cluster, s *clusterState) {
			s.node[1], s.node[2], s.node[3].Leader = node(leader, 1, 1, 1, s.node[1].Conf), node(follower, 1, 1, 1, s.node[1].Conf), 1
		},
		"a member knows of a newer configuration": func(_ *cluster, s *clusterState) { s.watchers(2, 3) },
	} {
		c, s := reigning(t)
		s.node[1].Conf = s.node[2].Conf
		s.node[3] = s.node[1]
		require.True(t, c.still(&s), says)
		spoil(c, &s)
		require.False(t, c.still(&s), says)
	}
}

// watchers has node 2 down, and the observers 1 and 3 left over, with a version each.
func (s *clusterState) watchers(first, third uint64) {
	s.up = rules.SetOf(1, 3)
	s.node[1] = node(follower, rules.None, 1, 2, observer(of(1, first, 2), 1, 3))
	s.node[3] = node(follower, rules.None, 1, 2, observer(of(1, third, 2), 1, 3))
}

// What a member that may not stand says is left out where it changes nobody: who knows as much, or cannot hear.
func TestWhatChangesNobodyIsNotSaid(t *testing.T) {
	for says, test := range map[string]struct {
		spoil  func(s *clusterState)
		spoken bool
	}{
		"the other knows as much":            {func(*clusterState) {}, false},
		"the other has an older version":     {func(s *clusterState) { s.watchers(2, 3) }, true},
		"the other knows more":               {func(s *clusterState) { s.watchers(3, 2) }, false},
		"it knows more, and removed 3":       {func(s *clusterState) { s.node[1].Conf = observer(of(1, 3, 2), 1) }, true},
		"the other has promised less":        {func(s *clusterState) { s.node[3].Epoch = 2 }, true},
		"the other keeps its lease":          {func(s *clusterState) { s.node[1].Leader = 3 }, true},
		"the other cannot hear":              {func(s *clusterState) { s.watchers(2, 3); s.cut = 1 }, false},
		"it keeps a lease, which is over":    {func(s *clusterState) { s.node[3].Leader = 2 }, true},
		"and nobody hears that":              {func(s *clusterState) { s.node[3].Leader, s.up = 2, rules.SetOf(3) }, true},
		"somebody else is wrong, and not it": {func(s *clusterState) { s.node[1].Epoch = 2 }, false},
	} {
		c, s := reigning(t)
		s.watchers(2, 2)
		test.spoil(&s)
		spoken := false
		p := stepper{cluster: c, now: s, emit: func(explore.Step, []byte, string) { spoken = true }}
		p.patienceTimeout(3)
		require.Equal(t, test.spoken, spoken, says)
	}
}

// TestEligibleGoesByReach has node 3, which holds the newest configuration, within reach of some, all or none.
func TestEligibleGoesByReach(t *testing.T) {
	c := build(t, 3, "HighParted Three AnyMembers", "0 0 0 0 0 1")
	c.cuts, c.near = append(c.cuts, cut{}), append(c.near, (&cut{}).near())
	for says, test := range map[string]struct {
		cut      uint8
		newest   rules.Configuration // of node 3; the others hold that of the voters 1 to 3
		up       rules.Set
		eligible rules.Set
	}{
		"all hold the same":                    {1, of(1, 1, 1, 2, 3), rules.UpTo(3), rules.SetOf(1, 2, 3)},
		"two are a quorum":                     {1, of(1, 1, 1, 2, 3), rules.SetOf(1, 3), rules.SetOf(1, 3)},
		"one is none":                          {1, of(1, 1, 1, 2, 3), rules.SetOf(2), 0},
		"the newest has 2 as a witness":        {1, witness(of(1, 2, 1, 3), 2), rules.UpTo(3), rules.SetOf(1, 3)},
		"who holds the newest is not up":       {1, witness(of(1, 2, 1, 3), 2), rules.SetOf(1, 2), rules.SetOf(1, 2)},
		"2 does not reach 3":                   {0, witness(of(1, 2, 1, 3), 2), rules.UpTo(3), rules.SetOf(1, 2, 3)},
		"2 reaches neither 3 nor a quorum":     {0, witness(of(1, 2, 1, 3), 2), rules.SetOf(2, 3), 0},
		"the newest asks for who is not there": {1, observer(of(1, 2, 1, 2, 3), 4), rules.SetOf(3), 0},
	} {
		s := clusterState{up: test.up, cut: test.cut}
		s.node[1], s.node[2], s.node[3] = rules.Blank(of(1, 1, 1, 2, 3)), rules.Blank(of(1, 1, 1, 2, 3)), rules.Blank(test.newest)
		require.Equal(t, test.eligible, c.eligible(&s), says)
	}
}

// TestLeadsSeesEachFault spoils, one thing at a time, the state in which node 2 leads all.
func TestLeadsSeesEachFault(t *testing.T) {
	for says, test := range map[string]struct {
		spoil func(s *clusterState)
		leads bool
	}{
		"as it is":                  {func(*clusterState) {}, true},
		"it does not lead":          {func(s *clusterState) { s.node[2].Role = claimant }, false},
		"another lease":             {func(s *clusterState) { s.node[1].Leader = 3 }, false},
		"another epoch":             {func(s *clusterState) { s.node[3].Epoch = 2 }, false},
		"an older configuration":    {func(s *clusterState) { s.node[3].Conf.Version-- }, false},
		"who does so is cut off":    {func(s *clusterState) { s.node[3].Conf.Version--; s.cut = 1 }, true},
		"no quorum":                 {func(s *clusterState) { s.up = rules.SetOf(2, 3) }, false},
		"it was made a witness":     {func(s *clusterState) { s.conf(observer(witness(of(1, 2, 1), 2), 3)) }, true},
		"it was made an observer":   {func(s *clusterState) { s.conf(observer(of(1, 2, 1), 2)) }, false},
		"it was removed":            {func(s *clusterState) { s.conf(of(1, 2, 1)) }, false},
		"only a newer one keeps it": {func(s *clusterState) { s.node[3].Conf = of(1, 3, 1) }, false},
		"an observer is the quorum": {func(s *clusterState) { s.conf(observer(witness(of(1, 2, 2), 1), 3)); s.up = rules.SetOf(2, 3) }, false},
	} {
		c, s := reigning(t)
		s.conf(s.node[2].Conf)
		s.node[3].Role, s.node[3].Leader, s.node[3].Epoch = follower, 2, 1
		test.spoil(&s)
		require.Equal(t, test.leads, c.leads(&s, 2), says)
	}
}

// conf gives all three nodes a configuration.
func (s *clusterState) conf(c rules.Configuration) {
	for i := range rules.ID(3) {
		s.node[i+1].Conf = c
	}
}
