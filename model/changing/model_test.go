package changing

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/model"
	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/spec"
)

func TestNewNamesWhatItDoesNotKnow(t *testing.T) {
	for says, spoil := range map[string]func(*explore.Configuration){
		`module "MCCluster" is not MCChangingCluster`:                  func(c *explore.Configuration) { c.Module = "MCCluster" },
		`specification "Init" is neither Spec nor FairSpec`:            func(c *explore.Configuration) { c.Specification = "Init" },
		`constant N = "" is not a number from 1 to 7`:                  func(c *explore.Configuration) { delete(c.Constants, "N") },
		`constant N = "8" is not a number from 1 to 7`:                 func(c *explore.Configuration) { c.Constants["N"] = "8" },
		`constant MaxChange = "16" is not a number from 0 to 15`:       func(c *explore.Configuration) { c.Constants["MaxChange"] = "16" },
		"MaxDup is no constant of module MCChangingCluster":            func(c *explore.Configuration) { c.Constants["MaxDup"] = "1" },
		"constant Cuts has no value":                                   func(c *explore.Configuration) { delete(c.Replacements, "Cuts") },
		"constant Wanted has no value":                                 func(c *explore.Configuration) { delete(c.Replacements, "Wanted") },
		"Ring is no replacement of Cuts":                               func(c *explore.Configuration) { c.Replacements["Cuts"] = "Ring" },
		"Whole is no replacement of First":                             func(c *explore.Configuration) { c.Replacements["First"] = "Whole" },
		"Two is no replacement of Wanted":                              func(c *explore.Configuration) { c.Replacements["Wanted"] = "Two" },
		"First <- Three has nodes above N = 2":                         func(c *explore.Configuration) { c.Replacements["First"] = "Three" },
		"Shields is not a rule that can be replaced":                   func(c *explore.Configuration) { c.Replacements["Shields"] = "ShieldsNobody" },
		"Gone is no replacement of MayProve":                           func(c *explore.Configuration) { c.Replacements["MayProve"] = "Gone" },
		"AnyoneStands is no replacement of Meets":                      func(c *explore.Configuration) { c.Replacements["Meets"] = "AnyoneStands" },
		"Refines is no invariant of module MCChangingCluster":          func(c *explore.Configuration) { c.Invariants = []string{"Refines"} },
		"OneConfiguration is no property of module MCChangingCluster":  func(c *explore.Configuration) { c.Properties = []string{"OneConfiguration"} },
		"SomeLeader is no invariant of module MCChangingCluster":       func(c *explore.Configuration) { c.Invariants = []string{"SomeLeader"} },
		"changing: constant MaxEarly = \"-1\" is not a number from 0 ": func(c *explore.Configuration) { c.Constants["MaxEarly"] = "-1" },
	} {
		c := configuration(2, "Whole Two AnyVoters", "0 0 0 0 0 0")
		spoil(&c)
		_, err := New(c)
		require.ErrorContains(t, err, says)
	}
}

func TestLivenessIsUnchecked(t *testing.T) {
	c := configuration(2, "Whole Two AnyVoters", "0 0 0 0 0 0")
	c.Specification = "FairSpec"
	c.Properties = []string{"SomeLeader", "EpochMonotonic", "RemovedAtRest", "HighestLeads"}
	require.Equal(t, []string{"SomeLeader", "RemovedAtRest", "HighestLeads"}, run(t, c).Unchecked)
}

func build(t require.TestingT, n int, names, budget string) *cluster {
	c, err := newCluster(configuration(n, names, budget))
	require.NoError(t, err)
	return c
}

// A cut that is there by two names, and a wanted configuration, are there once.
func TestConstantsAreSets(t *testing.T) {
	require.Len(t, build(t, 1, "TopIsolated One AnyVoters", "0 0 0 0 0 0").cuts, 1)
	require.Len(t, build(t, 3, "Sides One AnyVoters", "0 0 0 0 0 0").cuts, 4, "a side is cut from the other")
	for names, wanted := range map[string]int{"AnyVoters": 7, "AnyElectors": 27 - 8, "AnyMembers": 64 - 27, "Growing": 3, "Triples": 1} {
		require.Len(t, build(t, 3, "Whole One "+names, "0 0 0 0 0 0").wanted, wanted, names)
	}
}

func drawConf(t *rapid.T, all Set) Configuration {
	set := func(label string) Set { return Set(rapid.Uint16().Draw(t, label)) & all }
	return Configuration{
		Epoch:   spec.Epoch(rapid.IntRange(0, MaxEpoch).Draw(t, "epoch of a configuration")),
		Version: uint64(rapid.IntRange(0, MaxVersion).Draw(t, "version")),
		Voters:  set("voters"), Witnesses: set("witnesses"), Observers: set("observers"),
	}
}

func TestUnpackUndoesPack(t *testing.T) {
	var clusters []*cluster
	for n := 2; n <= model.MaxNodes; n++ {
		clusters = append(clusters, build(t, n, "Sides Two Growing", "15 15 15 15 15 15"))
	}
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(clusters).Draw(t, "cluster")
		n := c.n
		all, node := upTo(n), func(label string) ID { return ID(rapid.IntRange(0, int(n)).Draw(t, label)) }
		s := clusterState{up: Set(rapid.Uint16().Draw(t, "up")) & all, cut: uint8(rapid.IntRange(0, len(c.cuts)-1).Draw(t, "cut"))}
		for i := ID(1); i <= n; i++ {
			s.node[i] = State{
				Role: model.Role(rapid.IntRange(0, int(model.Leader)).Draw(t, "role")), Leader: node("leader"), Grantee: node("grantee"),
				Epoch:   spec.Epoch(rapid.IntRange(0, MaxEpoch).Draw(t, "epoch")),
				Support: Set(rapid.Uint16().Draw(t, "support")) & all, Conf: drawConf(t, all),
			}
		}
		for f := range s.budget {
			s.budget[f] = uint8(rapid.IntRange(0, MaxBudget).Draw(t, "budget"))
		}
		for range rapid.IntRange(0, 3).Draw(t, "reigns") {
			e := rapid.IntRange(0, MaxEpoch).Draw(t, "epoch of a reign")
			s.reigns[e] = s.reigns[e] | all&Set(rapid.Uint16().Draw(t, "leaders"))
		}
		for range rapid.IntRange(0, MaxQueue).Draw(t, "messages") {
			kind := model.MessageType(rapid.IntRange(0, int(model.ImBack)).Draw(t, "type"))
			e := uint8(rapid.IntRange(0, MaxEpoch).Draw(t, "epoch of a message"))
			s.push(rapid.IntRange(0, len(c.links)-1).Draw(t, "link"), payload{kind, e, packConf(drawConf(t, all))})
		}

		packed := c.pack(&s, nil)
		var got clusterState
		c.unpack(packed, &got)
		require.Equal(t, s, got)
		require.True(t, typeOK(c, &s))

		// An unpacker that was used before forgets what it held.
		c.unpack(c.pack(&clusterState{}, nil), &got)
		require.Equal(t, c.render(&clusterState{}), c.render(&got))
	})
}

func TestBoundsOfThePackedStatePanic(t *testing.T) {
	require.PanicsWithValue(t, "changing: epoch 32 is above MaxEpoch = 31", func() { smallEpoch(MaxEpoch + 1) })
	require.PanicsWithValue(t, "changing: version 32 is above MaxVersion = 31", func() { packConf(of(0, MaxVersion+1)) })
	var s clusterState
	for range MaxQueue {
		s.push(0, payload{})
	}
	require.PanicsWithValue(t, "changing: more than MaxQueue = 15 messages on one link", func() { s.push(0, payload{}) })
}

// states returns the reachable states of c.
func states(t testing.TB, c explore.Configuration) (explore.Model, [][]byte) {
	m, err := New(c)
	require.NoError(t, err)
	var all [][]byte
	_, err = explore.Run(context.Background(), m, explore.Options{
		Visit: func(state []byte) { all = append(all, bytes.Clone(state)) },
	})
	require.NoError(t, err)
	return m, all
}

func TestExpandingAllocatesNothing(t *testing.T) {
	c := checked(configuration(2, "Sides Two AnyMembers", "1 0 1 1 0 1"))
	c.Properties = append(c.Properties, "NoDisruption", "NeverDeposed")
	m, all := states(t, c)
	x := m.Expander()
	emit := func(explore.Step, []byte, string) {}
	k := 0
	require.Zero(t, testing.AllocsPerRun(len(all)-1, func() {
		x.Expand(all[k], emit)
		x.Check(all[k])
		k++
	}))
}

// One operation is one state generated: its step, properties and packed form.
func BenchmarkExpand(b *testing.B) {
	m, all := states(b, checked(configuration(3, "Whole Two AnyVoters", "0 1 0 0 0 1")))
	x := m.Expander()
	generated := 0
	emit := func(explore.Step, []byte, string) { generated++ }
	b.ReportAllocs()
	b.ResetTimer()
	for k := 0; generated < b.N; k++ {
		x.Expand(all[k%len(all)], emit)
	}
	b.ReportMetric(float64(generated)/b.Elapsed().Seconds(), "states/s")
}

func TestSnapshot(t *testing.T) {
	c := build(t, 3, "Halves Two AnyVoters", "0 1 0 1 0 1")
	s := clusterState{up: model.SetOf(1, 3), cut: 1}
	s.node[2] = node(follower, None, 4, 3, of(2, 1, 1, 2))
	s.push(c.index[3][1], payload{model.Claim, 5, packConf(of(3, 2, 1, 3))})
	s.push(c.index[3][1], payload{model.Resign, 4, packConf(of(4, 2, 1))})
	s.push(c.index[1][2], payload{model.Ack, 4, 0})
	var got Snapshot
	require.NoError(t, Unpack(c, c.pack(&s, nil), &got))
	require.Equal(t, Snapshot{
		Nodes: []State{{}, node(follower, None, 4, 3, of(2, 1, 1, 2)), {}},
		Up:    model.SetOf(1, 3),
		UnderWay: []Message{{model.Ack, 1, 2, 4, Configuration{}}, {model.Claim, 3, 1, 5, of(3, 2, 1, 3)},
			{model.Resign, 3, 1, 4, of(4, 2, 1)}},
		Cut: [][2]ID{{1, 3}, {2, 3}, {3, 1}, {3, 2}},
	}, got)
	require.EqualError(t, Unpack(nil, nil, &got), "changing: a <nil> is not a model made by New")
}
