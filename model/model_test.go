package model

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/spec"
)

func TestNewNamesWhatItDoesNotKnow(t *testing.T) {
	for _, test := range []struct {
		spoil func(*explore.Configuration)
		says  string
	}{
		{func(c *explore.Configuration) { c.Module = "MCPromises" }, "module MCPromises is not MCCluster"},
		{func(c *explore.Configuration) { c.Specification = "Init" }, "specification Init is neither Spec nor FairSpec"},
		{func(c *explore.Configuration) { delete(c.Constants, "N") }, "constant N has no value"},
		{func(c *explore.Configuration) { delete(c.Constants, "MaxLoss") }, "constant MaxLoss has no value"},
		{func(c *explore.Configuration) { c.Constants["MaxDup"] = "1" }, "MaxDup is no constant"},
		{func(c *explore.Configuration) { c.Constants["N"] = "0" }, "N = 0 is not from 1 to 7"},
		{func(c *explore.Configuration) { c.Constants["N"] = "8" }, "N = 8 is not from 0 to 7"},
		{func(c *explore.Configuration) { c.Constants["N"] = "{1, 2}" }, "N = {1, 2} is not"},
		{func(c *explore.Configuration) { c.Constants["MaxCrash"] = "-1" }, "MaxCrash = -1 is not from 0 to 15"},
		{func(c *explore.Configuration) { c.Constants["MaxEarly"] = "16" }, "MaxEarly = 16 is not from 0 to 15"},
		{func(c *explore.Configuration) { delete(c.Replacements, "Cuts") }, "constant Cuts has no value"},
		{func(c *explore.Configuration) { c.Replacements["Cuts"] = "Ring" }, "Ring is no topology"},
		{func(c *explore.Configuration) {
			c.Constants["N"] = "1"
			c.Replacements["Cuts"] = "OneWay"
		}, "topology OneWay needs N of 2 or more"},
		{func(c *explore.Configuration) { c.Replacements["IsMajority"] = "AnySet" }, "IsMajority is not a rule"},
		{func(c *explore.Configuration) { c.Replacements["IsQuorum"] = "NeverStale" }, "NeverStale is no replacement of IsQuorum"},
		{func(c *explore.Configuration) { c.Replacements["Crash"] = "Never" }, "Crash is not a rule"},
		{func(c *explore.Configuration) { c.Replacements["Pending"] = "Never" }, "Never is no replacement of Pending"},
		{func(c *explore.Configuration) { c.Replacements["BeatTimeout"] = "AnySet" }, "AnySet is no replacement of BeatTimeout"},
		{func(c *explore.Configuration) { c.Invariants = []string{"EpochMonotonic"} }, "EpochMonotonic is no invariant"},
		{func(c *explore.Configuration) { c.Properties = []string{"OneActing"} }, "OneActing is no property"},
	} {
		c := configuration(3, "Whole", "0 0 0 0 0")
		test.spoil(&c)
		_, err := New(c)
		require.ErrorContains(t, err, test.says)
	}
}

func TestLivenessIsUnchecked(t *testing.T) {
	c := configuration(3, "Whole", "0 0 0 0 0")
	c.Specification = "FairSpec"
	c.Properties = []string{"SomeLeader", "EpochMonotonic", "HighestLeads"}
	require.Equal(t, []string{"SomeLeader", "HighestLeads"}, run(t, c).Unchecked)
}

// A cut that is a member of its topology twice is there once, as in a set.
func TestTopologiesAreSets(t *testing.T) {
	c := newCluster(t, 2, "OneWay", "0 0 0 0 0")
	require.Len(t, c.cuts, 2, "<<2, 1>>, and all that says that 2 is not heard, are the same")
	require.Len(t, newCluster(t, 1, "TopIsolated", "0 0 0 0 0").cuts, 1)
}

// In LeaderElection.tla nodes promise higher epochs, or one node comes to lead an epoch that nobody has led.
func TestRefinesSeesEachFault(t *testing.T) {
	c := newCluster(t, 3, "Whole", "0 0 0 0 0")
	var now clusterState
	now.node[1].Epoch, now.node[2].Epoch = 1, 1
	now.reigns[1] = SetOf(1)
	lead := func(s *clusterState, i ID, e uint8) {
		s.node[i].Epoch = spec.Epoch(e)
		s.reigns[e] = s.reigns[e].With(i)
	}
	for name, test := range map[string]struct {
		change func(*clusterState)
		holds  bool
	}{
		"nothing":                   {func(*clusterState) {}, true},
		"epochs rise":               {func(s *clusterState) { s.node[1].Epoch, s.node[3].Epoch = 2, 5 }, true},
		"epoch goes back":           {func(s *clusterState) { s.node[1].Epoch = 0 }, false},
		"leads anew":                {func(s *clusterState) { lead(s, 2, 2) }, true},
		"leads its own epoch":       {func(s *clusterState) { lead(s, 3, 0) }, true},
		"leads again":               {func(s *clusterState) { lead(s, 2, 1) }, false},
		"two lead":                  {func(s *clusterState) { lead(s, 2, 2); lead(s, 3, 3) }, false},
		"leads while another rises": {func(s *clusterState) { lead(s, 2, 2); s.node[3].Epoch = 1 }, false},
		"leads above its epoch":     {func(s *clusterState) { lead(s, 2, 3); s.node[2].Epoch = 2 }, false},
		"reign is forgotten":        {func(s *clusterState) { s.reigns[1] = 0 }, false},
	} {
		next := now
		test.change(&next)
		require.Equal(t, test.holds, refines(c, &now, &next), name)
	}
}

// Node 3 leads epoch 1 and steps down for no reason of its own. That is no disruption if another node that reaches a quorum is
// the reason, or if node 3 resigned, crashed or reached no quorum.
func TestNoDisruptionKnowsEachReason(t *testing.T) {
	c := newCluster(t, 3, "TopDeaf", "0 1 0 1 1")
	now := clusterState{up: upTo(3), budget: c.budget}
	for i := range now.node {
		now.node[i] = State{Leader: 3, Epoch: 1, Grantee: 3}
	}
	now.node[3].Role = Leader
	for name, test := range map[string]struct {
		before, after func(s *clusterState)
		holds         bool
	}{
		"no reason":                      {nil, nil, false},
		"it resigns":                     {nil, func(s *clusterState) { s.budget[resign]-- }, true},
		"it crashes":                     {nil, func(s *clusterState) { s.up = SetOf(1, 2) }, true},
		"it reaches no quorum":           {func(s *clusterState) { s.cut = 1 }, nil, true},
		"it hands over":                  {nil, func(s *clusterState) { s.node[3].Grantee = 2 }, true},
		"another has a higher epoch":     {func(s *clusterState) { s.node[1].Epoch = 2 }, nil, true},
		"another claims a higher epoch":  {func(s *clusterState) { s.node[1].Role = Claimant }, nil, true},
		"another claims a lower epoch":   {func(s *clusterState) { s.node[1] = State{Role: Claimant} }, nil, false},
		"one that is down had a higher":  {func(s *clusterState) { s.node[1].Epoch, s.up = 2, SetOf(2, 3) }, nil, false},
		"itself comes to a higher epoch": {nil, func(s *clusterState) { s.node[3].Epoch, s.node[3].Grantee = 2, None }, false},
	} {
		before := now
		if test.before != nil {
			test.before(&before)
		}
		after := before
		after.node[3].Role, after.node[3].Leader = Follower, None
		if test.after != nil {
			test.after(&after)
		}
		require.Equal(t, test.holds, noDisruption(c, &before, &after), name)
	}
}
