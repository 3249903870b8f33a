package raft

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model/explore"
)

// properties are the items of configure that go under PROPERTIES. The last is unknown to the module.
var properties = []string{"TermMonotonic", "LeaderStays", "NoIdleLeader", "EndsLed", "NeverEndsLed", "SomebodyLeads"}

// timely are the items of a world in which timers are on time.
const timely = "OnTime <- Timely; Left <- Nothing"

// maxBytes bounds each run, because a mistake in the model may make it infinite.
const maxBytes = 64 << 20

// configure returns a configuration of three nodes and no faults, changed by items such as "MaxCut = 1" and
// "IsQuorum <- AnyHalf", as they stand in a .cfg file; other items are properties and invariants.
func configure(items ...string) explore.Configuration {
	c := explore.Configuration{
		Module:        "MCRaftElection",
		Specification: "Spec",
		Constants:     map[string]string{"N": "3", "MaxTerm": "2", "MaxRestart": "0", "MaxCut": "0", "Flapping": "{}"},
		Replacements:  map[string]string{"Cuts": "Whole", "Beginnings": "OnlyCold"},
	}
	for _, item := range items {
		constant, value, isConstant := strings.Cut(item, " = ")
		operator, name, isReplacement := strings.Cut(item, " <- ")
		switch {
		case isConstant:
			c.Constants[constant] = value
		case isReplacement:
			c.Replacements[operator] = name
		case slices.Contains(properties, item):
			c.Properties = append(c.Properties, item)
		case item != "":
			c.Invariants = append(c.Invariants, item)
		}
	}
	return c
}

// run explores a configuration that New must accept.
func run(t *testing.T, items ...string) explore.Result {
	t.Helper()
	m, err := New(configure(items...))
	require.NoError(t, err)
	result, err := explore.Run(context.Background(), m, explore.Options{MaxBytes: maxBytes})
	require.NoError(t, err)
	return result
}

// The counts are those that TLC finds for the configuration of the same name (tla/models.json); of those that are too
// large for TLC, what the explorer found. Where a property is about liveness, only counts are compared.
func TestCountsAreThoseOfTLC(t *testing.T) {
	for _, test := range []struct {
		name                       string
		items                      string
		distinct, generated, depth int
	}{
		{"CheckQuorum", "MaxTerm = 3; MaxCut = 1; Cuts <- LeaderDeaf; Beginnings <- OnlyLed; " + timely + "; AsksFirst <- Always; Heeds <- UnlessLed; ChecksQuorum <- Always; NoIdleLeader; EndsLed", 810, 1889, 14},
		{"Five", "N = 5; MaxTerm = 1; Flapping = {1, 2, 3, 4, 5}; TypeOK; OneLeaderPerTerm; TermMonotonic", 20173, 381011, 13},
		{"OneTerm", "MaxTerm = 1; Flapping = {1, 2, 3}; TypeOK; OneLeaderPerTerm; TermMonotonic", 237, 2071, 8},
		{"PreVote", "MaxTerm = 3; MaxCut = 3; Cuts <- FirstFickle; Beginnings <- OnlyLed; " + timely + "; AsksFirst <- Always; TypeOK; OneLeaderPerTerm; LeaderStays", 294, 3428, 7},
		{"PreVoteCold", "MaxTerm = 3; MaxCut = 2; Cuts <- FirstIsolated; " + timely + "; AsksFirst <- Always; TypeOK; OneLeaderPerTerm; LeaderStays", 5102, 14991, 22},
		{"PreVoteFive", "N = 5; MaxTerm = 3; MaxCut = 2; Cuts <- FirstFickle; Beginnings <- OnlyLed; " + timely + "; AsksFirst <- Always; TypeOK; OneLeaderPerTerm; LeaderStays", 6864, 936376, 6},
		{"TwoAskFirst", "N = 2; Flapping = {1, 2}; AsksFirst <- Always; Heeds <- UnlessLed; TypeOK; OneLeaderPerTerm; TermMonotonic", 14241, 206641, 22},
		{"TwoTerms", "Flapping = {1, 2, 3}; TypeOK; OneLeaderPerTerm; TermMonotonic", 82709, 1330471, 17},
		{"NeverEndsLed", timely + "; AsksFirst <- Always; NeverEndsLed", 493, 1306, 12},
		{"B19OneWayLink", "Cuts <- LeaderDeaf; Beginnings <- OnlyLed; " + timely + "; NoIdleLeader", 2, 2, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			result := run(t, strings.Split(test.items, "; ")...)
			require.Nil(t, result.Violation)
			require.Equal(t, []int{test.distinct, test.generated, test.depth}, []int{result.Distinct, result.Generated, result.Depth})
		})
	}
}

// Depth is that of the shortest counterexample, as TLC finds it for the configuration of the same name.
func TestMustFail(t *testing.T) {
	for _, test := range []struct {
		name     string
		items    string
		property string
		depth    int
	}{
		{"NeverReplaced", "MaxRestart = 1; Beginnings <- OnlyLed; " + timely + "; AsksFirst <- Always", "NeverReplaced", 7},
		{"SplitVote", "N = 4; MaxTerm = 1", "NeverSplit", 5},
		{"TwoAtOnce", "", "OneLeader", 7},
		{"B05StaleAppend", "IsStale <- NeverStale", "TermMonotonic", 6},
		{"B06DoubleVote", "MaxTerm = 1; MaxRestart = 1; Survives <- ForgetsVote", "OneLeaderPerTerm", 8},
		{"B07TermAmnesia", "MaxTerm = 1; MaxRestart = 1; Survives <- ForgetsTerm", "OneLeaderPerTerm", 8},
		{"B07TermGoesBack", "MaxTerm = 1; MaxRestart = 1; Survives <- ForgetsTerm", "TermMonotonic", 3},
		{"B09HalfQuorum", "N = 4; MaxTerm = 1; IsQuorum <- AnyHalf", "OneLeaderPerTerm", 7},
		{"B10VoteNotBoundToTerm", "CountsVote <- AnyTerm", "OneLeaderPerTerm", 8},
		{"B18BlindPreVote", "Cuts <- Chain; Beginnings <- OnlyLed; " + timely + "; AsksFirst <- Always; WouldVote <- WouldAlways", "LeaderStays", 8},
		{"B18DeafNode", "Cuts <- FirstDeaf; Beginnings <- OnlyLed; " + timely, "LeaderStays", 3},
		{"B18NoPreVote", "MaxCut = 1; Cuts <- FirstIsolated; Beginnings <- OnlyLed; " + timely, "LeaderStays", 6},
		{"B18OnlyDeafness", "MaxCut = 1; Cuts <- FirstIsolated; Beginnings <- OnlyLed; " + timely + "; Heeds <- UnlessLed", "LeaderStays", 6},
		{"B22SelfVoteNotPersisted", "MaxTerm = 1; MaxRestart = 1; Survives <- ForgetsOwnVote", "OneLeaderPerTerm", 8},
		{"CrowdedTimers", "OnTime <- Crowded; Left <- Nothing; AsksFirst <- Always", "LeaderStays", 10},
		{"PreVoteLostVotes", "MaxTerm = 3; MaxCut = 2; Cuts <- FirstFickle; " + timely + "; AsksFirst <- Always", "LeaderStays", 16},
		{"RestartForgetsLeader", "MaxRestart = 1; Cuts <- Chain; Beginnings <- OnlyLed; " + timely + "; AsksFirst <- Always; Heeds <- UnlessLed; ChecksQuorum <- Always", "LeaderStays", 9},
		{"VotesTwice", "MaxTerm = 1; MayVote <- Anybody", "OneLeaderPerTerm", 7},
	} {
		t.Run(test.name, func(t *testing.T) {
			result := run(t, append(strings.Split(test.items, "; "), test.property)...)
			require.NotNil(t, result.Violation)
			require.Equal(t, test.property, result.Violation.Property)
			require.Equal(t, test.depth, result.Depth)
		})
	}
}

// The worlds of some mutants, with the rule back in its place: nothing fails.
func TestRulesAreEnough(t *testing.T) {
	for _, items := range []string{
		"MaxTerm = 1; MaxRestart = 1; OneLeaderPerTerm; TermMonotonic",
		"N = 4; MaxTerm = 1; OneLeaderPerTerm",
		"Cuts <- Chain; Beginnings <- OnlyLed; " + timely + "; AsksFirst <- Always; LeaderStays",
		"MaxCut = 1; Cuts <- FirstIsolated; Beginnings <- OnlyLed; " + timely + "; AsksFirst <- Always; LeaderStays",
		"MaxRestart = 1; Beginnings <- OnlyLed; " + timely + "; AsksFirst <- Always; LeaderStays",
	} {
		require.Nil(t, run(t, strings.Split(items, "; ")...).Violation, items)
	}
}

func TestNewNamesWhatItDoesNotKnow(t *testing.T) {
	for item, message := range map[string]string{
		"N = 6":               `constant N = "6" is not a number from 1 to 5`,
		"MaxTerm = 0":         `constant MaxTerm = "0" is not a number from 1 to 5`,
		"MaxRestart = many":   `constant MaxRestart = "many" is not a number from 0 to 255`,
		"MaxEpoch = 2":        `has no constant "MaxEpoch"`,
		"Flapping = 3":        `constant Flapping = "3" is not a set of nodes`,
		"Flapping = {1, 4}":   "constant Flapping has 4 in it, which is no node",
		"Cuts <- Star":        "module MCRaftElection has no replacement Cuts <- Star",
		"Beginnings <- ":      "constant Beginnings has no value",
		"IsQuorum <- AnySet":  "module MCRaftElection has no replacement IsQuorum <- AnySet",
		"AsksFirst <- Timely": "module MCRaftElection has no replacement AsksFirst <- Timely",
		"OneLeaderPerEpoch":   `has no invariant "OneLeaderPerEpoch"`,
		"SomebodyLeads":       `has no property "SomebodyLeads"`,
	} {
		_, err := New(configure(item))
		require.ErrorContains(t, err, message)
	}
	c := configure("OneLeader")
	c.Module = "MCCluster"
	_, err := New(c)
	require.ErrorContains(t, err, `module "MCCluster" is not`)
	c = configure("OneLeader")
	c.Specification = "WeakSpec"
	_, err = New(c)
	require.ErrorContains(t, err, `no specification "WeakSpec"`)
	c = configure("OneLeader")
	delete(c.Constants, "Flapping")
	_, err = New(c)
	require.ErrorContains(t, err, "constant Flapping")
}

func TestLivenessIsLeftUnchecked(t *testing.T) {
	m, err := New(configure("OneLeader", "EndsLed", "LeaderStays", "TermMonotonic", "NoIdleLeader", "NeverEndsLed"))
	require.NoError(t, err)
	require.Equal(t, []string{"EndsLed", "NoIdleLeader", "NeverEndsLed"}, m.Unchecked())
}

// Every state has one packed form, and nothing of it is lost.
func TestPackedStatesAreRebuilt(t *testing.T) {
	m, err := New(configure("MaxRestart = 1", "MaxCut = 1", "Cuts <- FirstDeaf", "AsksFirst <- Always", "Left <- Nothing",
		"OnTime <- Timely", "Beginnings <- OnlyLed", "TypeOK"))
	require.NoError(t, err)
	rendered := map[string]bool{}
	result, err := explore.Run(context.Background(), m, explore.Options{MaxBytes: maxBytes, Visit: func(packed []byte) {
		var s state
		m.(*model).unpack(packed, &s)
		require.Equal(t, packed, m.(*model).pack(nil, &s))
		rendered[fmt.Sprint(m.Render(packed))] = true
	}})
	require.NoError(t, err)
	require.Nil(t, result.Violation)
	require.Len(t, rendered, result.Distinct)
}

func TestRenderOfOneNode(t *testing.T) {
	m, err := New(configure("N = 1", "Cuts <- FirstFickle", "Beginnings <- OnlyLed", "MaxTerm = 1"))
	require.NoError(t, err)
	m.Init(func(state []byte) {
		require.Equal(t, []explore.Variable{
			{Name: "node", Value: `<<[term |-> 1, vote |-> 1, role |-> "leader", votes |-> {}, leader |-> 1]>>`},
			{Name: "net", Value: "{}"},
			{Name: "cut", Value: "{}"},
			{Name: "budget", Value: "[restart |-> 0, cut |-> 0]"},
		}, m.Render(state))
	})
}

func TestTrafficHasOneBitForEachMessage(t *testing.T) {
	seen := traffic(0)
	for term := 1; term <= maxTerm; term++ {
		for of := range message(messages) {
			b := bit(of, term)
			require.Zero(t, seen&b)
			seen |= b
			gotType, gotTerm := b.first()
			require.Equal(t, of, gotType)
			require.Equal(t, term, gotTerm)
			require.Equal(t, b, allOf(of)&b)
		}
	}
}

// One link of node 1 has two directions, so that there are four sets of cut links.
func TestEverySetOfLinksMayBeCut(t *testing.T) {
	m, err := New(configure("N = 2", "Cuts <- FirstFickle"))
	require.NoError(t, err)
	require.Equal(t, []linkSet{0, 1, 2, 3}, m.(*model).Cuts)
}
