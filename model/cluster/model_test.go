package cluster

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

func TestNewNamesWhatItDoesNotKnow(t *testing.T) {
	for says, spoil := range map[string]func(*explore.Configuration){
		`module "MCPromises" is neither MCCluster nor MCUsers`: func(c *explore.Configuration) { c.Module = "MCPromises" },
		"topology OneWay needs N of 2 or more": func(c *explore.Configuration) {
			c.Constants["N"] = "1"
			c.Replacements["Cuts"], c.Replacements["First"] = "OneWay", "One"
		},
		"Crash is not a rule that can be replaced":                    func(c *explore.Configuration) { c.Replacements["Crash"] = "Never" },
		"Never is no replacement of Pending":                          func(c *explore.Configuration) { c.Replacements["Pending"] = "Never" },
		"AnySet is no replacement of HeartbeatTimeout":                func(c *explore.Configuration) { c.Replacements["HeartbeatTimeout"] = "AnySet" },
		`constant N = "{1, 2}" is not a number`:                       func(c *explore.Configuration) { c.Constants["N"] = "{1, 2}" },
		`module MCCluster has no invariant "EpochMonotonic"`:          func(c *explore.Configuration) { c.Invariants = []string{"EpochMonotonic"} },
		`specification "Init" is neither Spec nor FairSpec`:           func(c *explore.Configuration) { c.Specification = "Init" },
		`constant N = "" is not a number from 1 to 7`:                 func(c *explore.Configuration) { delete(c.Constants, "N") },
		`constant N = "8" is not a number from 1 to 7`:                func(c *explore.Configuration) { c.Constants["N"] = "8" },
		`constant MaxChange = "16" is not a number from 0 to 15`:      func(c *explore.Configuration) { c.Constants["MaxChange"] = "16" },
		"MaxDup is no constant of module MCCluster":                   func(c *explore.Configuration) { c.Constants["MaxDup"] = "1" },
		"constant Cuts has no value":                                  func(c *explore.Configuration) { delete(c.Replacements, "Cuts") },
		"constant Wanted has no value":                                func(c *explore.Configuration) { delete(c.Replacements, "Wanted") },
		"Ring is no replacement of Cuts":                              func(c *explore.Configuration) { c.Replacements["Cuts"] = "Ring" },
		"Whole is no replacement of First":                            func(c *explore.Configuration) { c.Replacements["First"] = "Whole" },
		"Two is no replacement of Wanted":                             func(c *explore.Configuration) { c.Replacements["Wanted"] = "Two" },
		"First <- Three has nodes above N = 2":                        func(c *explore.Configuration) { c.Replacements["First"] = "Three" },
		"ShieldsAll is no replacement of Shields":                     func(c *explore.Configuration) { c.Replacements["Shields"] = "ShieldsAll" },
		"Gone is no replacement of MayProve":                          func(c *explore.Configuration) { c.Replacements["MayProve"] = "Gone" },
		"AnyoneStands is no replacement of Meets":                     func(c *explore.Configuration) { c.Replacements["Meets"] = "AnyoneStands" },
		`module MCCluster has no invariant "Refines"`:                 func(c *explore.Configuration) { c.Invariants = []string{"Refines"} },
		`module MCCluster has no property "OneConfiguration"`:         func(c *explore.Configuration) { c.Properties = []string{"OneConfiguration"} },
		`module MCCluster has no invariant "SomeLeader"`:              func(c *explore.Configuration) { c.Invariants = []string{"SomeLeader"} },
		"cluster: constant MaxEarly = \"-1\" is not a number from 0 ": func(c *explore.Configuration) { c.Constants["MaxEarly"] = "-1" },
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

func build(t require.TestingT, n int, names, budget string, replacements ...string) *cluster {
	c, err := newCluster(configuration(n, names, budget, replacements...))
	require.NoError(t, err)
	return c
}

// A cut that is there by two names, and a wanted configuration, are there once.
func TestConstantsAreSets(t *testing.T) {
	require.Len(t, build(t, 1, "TopIsolated One AnyVoters", "0 0 0 0 0 0").cuts, 1)
	require.Len(t, build(t, 2, "OneWay One AnyVoters", "0 0 0 0 0 0").cuts, 2, "<<2, 1>>, and all that says that 2 is not heard, are the same")
	require.Len(t, build(t, 3, "Sides One AnyVoters", "0 0 0 0 0 0").cuts, 4, "a side is cut from the other")
	for names, wanted := range map[string]int{"AnyVoters": 7, "AnyElectors": 27 - 8, "AnyMembers": 64 - 27, "Growing": 3, "Triples": 1} {
		require.Len(t, build(t, 3, "Whole One "+names, "0 0 0 0 0 0").wanted, wanted, names)
	}
}

// drawConf returns a configuration that the cluster has a place for.
func (c *cluster) drawConf(t *rapid.T) rules.Configuration {
	if c.static {
		return c.first
	}
	of := rapid.SampledFrom(c.lists).Draw(t, "members")
	e, version := rapid.IntRange(0, MaxEpoch).Draw(t, "epoch of a configuration"), rapid.IntRange(0, MaxVersion).Draw(t, "version")
	return rules.Configuration{Epoch: spec.Epoch(e), Version: uint64(version), Of: of}
}

func TestUnpackUndoesPack(t *testing.T) {
	var clusters []*cluster
	for n := 2; n <= MaxNodes; n++ {
		fixed, err := newCluster(fixed(n, "Sides", "15 15 15 15 15"))
		require.NoError(t, err)
		require.True(t, fixed.static)
		clusters = append(clusters, build(t, n, "Sides Two Growing", "15 15 15 15 15 15"), fixed)
	}
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(clusters).Draw(t, "cluster")
		n := c.n
		all, node := rules.UpTo(n), func(label string) rules.ID { return rules.ID(rapid.IntRange(0, int(n)).Draw(t, label)) }
		s := clusterState{up: rules.Set(rapid.Uint16().Draw(t, "up")) & all, cut: uint8(rapid.IntRange(0, len(c.cuts)-1).Draw(t, "cut"))}
		for i := rules.ID(1); i <= n; i++ {
			s.node[i] = rules.State{
				Role: rules.Role(rapid.IntRange(0, int(rules.Leader)).Draw(t, "role")), Leader: node("leader"), Grantee: node("grantee"),
				Epoch:   spec.Epoch(rapid.IntRange(0, MaxEpoch).Draw(t, "epoch")),
				Support: rules.Set(rapid.Uint16().Draw(t, "support")) & all, Conf: c.drawConf(t),
			}
		}
		for f := range s.budget {
			s.budget[f] = uint8(rapid.IntRange(0, MaxBudget).Draw(t, "budget"))
		}
		for range rapid.IntRange(0, 3).Draw(t, "reigns") {
			e := rapid.IntRange(0, MaxEpoch).Draw(t, "epoch of a reign")
			s.reigns[e] |= smallSet(all & rules.Set(rapid.Uint16().Draw(t, "leaders")))
		}
		for range rapid.IntRange(0, MaxQueue).Draw(t, "messages") {
			kind := rules.MessageType(rapid.IntRange(0, int(rules.ImBack)).Draw(t, "type"))
			e := spec.Epoch(rapid.IntRange(0, MaxEpoch).Draw(t, "epoch of a message"))
			s.push(rapid.IntRange(0, len(c.links)-1).Draw(t, "link"), c.payload(&rules.Said{Type: kind, Epoch: e, Question: rules.Question(rapid.IntRange(0, 60).Draw(t, "question"))}, c.drawConf(t)))
		}

		packed := c.pack(&s, nil)
		var got clusterState
		c.unpack(packed, &got)
		require.Equal(t, s, got)
		require.True(t, typeOK(c, &s))

		// An unpacker that was used before forgets what it held.
		blank := clusterState{}
		for i := rules.ID(1); c.static && i <= n; i++ {
			blank.node[i].Conf = c.first
		}
		c.unpack(c.pack(&blank, nil), &got)
		require.Equal(t, c.render(&blank), c.render(&got))
	})
}

func TestBoundsOfThePackedStatePanic(t *testing.T) {
	require.PanicsWithValue(t, "cluster: epoch 32 is above MaxEpoch = 31", func() { smallEpoch(MaxEpoch + 1) })
	require.PanicsWithValue(t, "cluster: version 32 is above MaxVersion = 31", func() { packConf(rules.Configuration{Version: MaxVersion + 1}) })
	var s clusterState
	for range MaxQueue {
		s.push(0, payload(0))
	}
	require.PanicsWithValue(t, "cluster: more than MaxQueue = 60 messages on one link", func() { s.push(0, payload(0)) })
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
	changing := checked(configuration(2, "Sides Two AnyMembers", "1 0 1 1 0 1"))
	changing.Properties = append(changing.Properties, "NoDisruption", "NeverDeposed")
	for _, c := range []explore.Configuration{changing, checkedFixed(fixed(3, "TopIsolated", "0 0 1 0 0"))} {
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
}

// One operation is one state generated: its step, properties and packed form.
func BenchmarkExpand(b *testing.B) {
	for name, c := range map[string]explore.Configuration{
		"changing": checked(configuration(3, "Whole Two AnyVoters", "0 1 0 0 0 1")),
		"3 nodes":  checkedFixed(fixed(3, "Whole", "0 1 0 0 0")),
		"4 nodes":  checkedFixed(fixed(4, "Chain", "0 0 0 0 0")),
	} {
		b.Run(name, func(b *testing.B) {
			m, all := states(b, c)
			x := m.Expander()
			generated := 0
			emit := func(explore.Step, []byte, string) { generated++ }
			b.ReportAllocs()
			b.ResetTimer()
			for k := 0; generated < b.N; k++ {
				x.Expand(all[k%len(all)], emit)
			}
			b.ReportMetric(float64(generated)/b.Elapsed().Seconds(), "states/s")
		})
	}
}

func TestSnapshot(t *testing.T) {
	c := build(t, 3, "LowTwoIsolated Two AnyMembers", "0 1 0 1 0 1")
	s := clusterState{up: rules.SetOf(1, 3), cut: 1}
	s.node[2] = node(follower, rules.None, 4, 3, of(2, 1, 1, 2))
	s.push(c.index[3][1], said(rules.Claim, 5, of(3, 2, 1, 3)))
	s.push(c.index[3][1], said(rules.Resign, 4, of(4, 2, 1)))
	s.push(c.index[1][2], said(rules.Ack, 4, rules.Configuration{}))
	var got Snapshot
	require.NoError(t, Unpack(c, c.pack(&s, nil), &got))
	require.Equal(t, Snapshot{
		Nodes: []rules.State{{}, node(follower, rules.None, 4, 3, of(2, 1, 1, 2)), {}},
		Up:    rules.SetOf(1, 3),
		UnderWay: []rules.Message{
			{Type: rules.Ack, From: 1, To: 2, Epoch: 4, Question: 1},
			{Type: rules.Claim, From: 3, To: 1, Epoch: 5, Question: 1, Conf: of(3, 2, 1, 3)},
			{Type: rules.Resign, From: 3, To: 1, Epoch: 4, Question: 1, Conf: of(4, 2, 1)},
		},
		Cut: [][2]rules.ID{{1, 3}, {2, 3}, {3, 1}, {3, 2}},
	}, got)
	require.EqualError(t, Unpack(nil, nil, &got), "cluster: a <nil> is not a model made by New")
}
