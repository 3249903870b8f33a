package ring

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/internal/frame"
)

// properties are the items of configure that go under PROPERTIES. The last is unknown to the module.
var properties = []string{"EndsLed", "NeverEndsLed", "SomebodyLeads"}

// mended are the items of what is added where nodes may die.
const mended = "Skips <- Always; Retries <- Always; Drops <- OfTheDead"

// maxBytes bounds each run, because a mistake in the model may make it infinite.
const maxBytes = 64 << 20

// configure returns a configuration of three nodes and no faults, changed by items such as "MaxCut = 1" and
// "PassesOn <- AllIds", as they stand in a .cfg file; other items are properties and invariants.
func configure(items ...string) explore.Configuration {
	c := explore.Configuration{
		Module:        "MCRing",
		Specification: "Spec",
		Constants:     map[string]string{"N": "3", "MaxCrash": "0", "MaxRestart": "0", "MaxCut": "0"},
		Replacements:  map[string]string{"Cuts": "Whole", "Orders": "AllOrders", "Beginnings": "OnlyCold"},
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
		{"EndsLed", "EndsLed", 56, 108, 8},
		{"Four", "N = 4; TypeOK; OneLeader; OnlyTheHighest; HighestAtRest", 497, 1258, 11},
		{"Mended", "MaxCrash = 2; MaxRestart = 2; Beginnings <- LedOrCold; " + mended + "; TypeOK; OneLeader; HighestAtRest", 985, 3094, 12},
		{"MendedEndsLed", "MaxCrash = 2; MaxRestart = 1; Beginnings <- LedOrCold; " + mended + "; EndsLed", 915, 2964, 12},
		{"MendedFive", "N = 5; MaxCrash = 2; Beginnings <- LedOrCold; " + mended + "; TypeOK; OneLeader; HighestAtRest", 210940, 906823, 33},
		{"Six", "N = 6; TypeOK; OneLeader; OnlyTheHighest; HighestAtRest", 91052, 343700, 22},
		{"Three", "TypeOK; OneLeader; OnlyTheHighest; HighestAtRest", 56, 108, 8},
		{"NeverEndsLed", "NeverEndsLed", 56, 108, 8},
		{"Orphan", "MaxCrash = 1; Skips <- Always; Retries <- Always; EndsLed", 611, 1378, 22},
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
		{"NeverLed", "", "NeverLed", 8},
		{"NeverReplaced", "MaxCrash = 1; Beginnings <- OnlyLed; Skips <- Always", "NeverReplaced", 7},
		{"B01Partition", "N = 4; Cuts <- Halves; Orders <- Ascending; Beginnings <- OnlyLed; " + mended, "OneLeader", 4},
		{"B01PartitionHealed", "N = 4; MaxCut = 1; Cuts <- Halves; Orders <- Ascending; Beginnings <- OnlyLed; " + mended, "OneLeaderAtRest", 7},
		{"B04Crossing", "MaxCrash = 1; MaxRestart = 1; Beginnings <- OnlyLed; " + mended + "; SlowReturn <- AnyReturn", "LeaderAtRest", 15},
		{"B04EarlyReturn", "MaxCrash = 1; MaxRestart = 1; Orders <- Ascending; Beginnings <- OnlyLed; " + mended + "; SlowReturn <- AnyReturn", "OneLeader", 9},
		{"DeadNeighbour", "MaxCrash = 1; Beginnings <- OnlyLed", "LeaderAtRest", 4},
		{"HolderDies", "MaxCrash = 1; Skips <- Always", "LeaderAtRest", 3},
		{"LosesCoordinator", "Reliable <- LosesCoordinator", "OneLeaderAtRest", 6},
		{"LosesElection", "Reliable <- LosesElection", "LeaderAtRest", 3},
		{"NeverJoins", "Joins <- Never", "LeaderAtRest", 3},
		{"NoSwallow", "PassesOn <- AllIds", "OneLeader", 9},
		{"TellsNobody", "Tells <- Never", "OneLeaderAtRest", 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			result := run(t, append(strings.Split(test.items, "; "), test.property)...)
			require.NotNil(t, result.Violation)
			require.Equal(t, test.property, result.Violation.Property)
			require.Equal(t, test.depth, result.Depth)
		})
	}
}

func TestNewNamesWhatItDoesNotKnow(t *testing.T) {
	for item, message := range map[string]string{
		"N = 1":              `constant N = "1" is not a number from 2 to 6`,
		"MaxCrash = many":    `constant MaxCrash = "many" is not a number from 0 to 255`,
		"MaxEpoch = 2":       `has no constant "MaxEpoch"`,
		"Cuts <- Star":       "module MCRing has no replacement Cuts <- Star",
		"Orders <- Shuffled": "module MCRing has no replacement Orders <- Shuffled",
		"Orders <- ":         "constant Orders has no value",
		"Beginnings <- ":     "constant Beginnings has no value",
		"PassesOn <- Nobody": "module MCRing has no replacement PassesOn <- Nobody",
		"OnTime <- AnyTime":  "module MCRing has no replacement OnTime <- AnyTime",
		"OneLeaderPerEpoch":  `has no invariant "OneLeaderPerEpoch"`,
		"SomebodyLeads":      `has no property "SomebodyLeads"`,
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
	delete(c.Constants, "MaxCut")
	_, err = New(c)
	require.ErrorContains(t, err, "constant MaxCut")
}

func TestLivenessIsLeftUnchecked(t *testing.T) {
	m, err := New(configure("OneLeader", "EndsLed", "NeverEndsLed"))
	require.NoError(t, err)
	require.Equal(t, []string{"EndsLed", "NeverEndsLed"}, m.Unchecked())
}

// Every state has one packed form, and nothing of it is lost.
func TestPackedStatesAreRebuilt(t *testing.T) {
	m, err := New(configure("MaxCrash = 1", "MaxRestart = 1", "MaxCut = 1", "Cuts <- Halves", "Skips <- Always", "TypeOK"))
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

func TestRenderOfTwoNodes(t *testing.T) {
	m, err := New(configure("N = 2", "Beginnings <- OnlyLed"))
	require.NoError(t, err)
	m.Init(func(state []byte) {
		require.Equal(t, []explore.Variable{
			{Name: "ring", Value: "<<2, 1>>"},
			{Name: "node", Value: `<<[role |-> "follower", leader |-> 2], [role |-> "leader", leader |-> 2]>>`},
			{Name: "up", Value: "{1, 2}"},
			{Name: "net", Value: "(<<1, 2>> :> <<>> @@ <<2, 1>> :> <<>>)"},
			{Name: "cut", Value: "{}"},
			{Name: "budget", Value: "[crash |-> 0, restart |-> 0, cut |-> 0]"},
		}, m.Render(state))
	})
}

// There are (n-1)! orders of a ring, each a single ring of all nodes.
func TestOrders(t *testing.T) {
	for n, want := range map[string]int{"2": 1, "3": 2, "4": 6, "5": 24, "6": 120} {
		m, err := New(configure("N = " + n))
		require.NoError(t, err)
		orders := m.(*model).orders
		require.Len(t, orders, want)
		for k, o := range orders {
			require.NotContains(t, orders[:k], o)
			at, met := 1, set(0)
			for range m.(*model).N {
				at = o[at]
				met |= frame.Only(at)
			}
			require.Equal(t, 1, at)
			require.Equal(t, set(1<<(m.(*model).N+1)-2), met)
		}
	}
	m, err := New(configure("N = 4", "Orders <- Ascending"))
	require.NoError(t, err)
	require.Equal(t, []order{{1: 2, 2: 3, 3: 4, 4: 1}}, m.(*model).orders)
}

func TestQueueIsFirstInFirstOut(t *testing.T) {
	var q queue
	for k := range 16 {
		require.Equal(t, k, q.length())
		q = q.push(election | message(k%6+1))
	}
	require.Panics(t, func() { q.push(coordinator | 1) })
	for k := range 16 {
		require.Equal(t, k%6+1, q.head().id())
		q >>= 4
	}
	require.Zero(t, q)
	require.Equal(t, `[type |-> "COORDINATOR", id |-> 6], [type |-> "ELECTION", id |-> 6]`,
		queue(0).push(coordinator|6).push(election|6).String())
}
