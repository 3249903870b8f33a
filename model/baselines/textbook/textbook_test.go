package textbook

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
var properties = []string{"SomeLeader", "HighestLeads", "NeverSettled", "NeverHandsOver", "SomebodyLeads"}

// maxBytes bounds each run, because a mistake in the model may make it infinite.
const maxBytes = 8 << 20

// configure returns a configuration of three nodes and no faults, changed by items such as "MaxCrash = 1" and
// "OnTime <- AnyTime", as they stand in a .cfg file; other items are properties and invariants.
func configure(items ...string) explore.Configuration {
	c := explore.Configuration{
		Module:        "MCTextbook",
		Specification: "Spec",
		Constants:     map[string]string{"N": "3", "MaxCrash": "0", "MaxRestart": "0", "MaxCut": "0", "Flapping": "{}"},
		Replacements:  map[string]string{"Cuts": "Whole", "Beginnings": "OnlyLed"},
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
		default:
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

// The counts are those that TLC finds for the configuration of the same name (tla/models.json). Where a property is
// about liveness, only they are compared.
func TestCountsAreThoseOfTLC(t *testing.T) {
	for _, test := range []struct {
		name                       string
		items                      string
		distinct, generated, depth int
	}{
		{"CrashStop", "MaxCrash = 2; Beginnings <- LedOrCold; TypeOK; OneLeader; HighestAtRest", 2492, 15309, 17},
		{"CrashStopFour", "N = 4; MaxCrash = 3; TypeOK; OneLeader; HighestAtRest", 4526, 29297, 22},
		{"Recovery", "MaxCrash = 2; MaxRestart = 2; Beginnings <- LedOrCold; TypeOK; HighestAtRest; TwoOnlyOnReturn", 5594, 28974, 20},
		{"RecoveryFour", "N = 4; MaxCrash = 1; MaxRestart = 1; TypeOK; HighestAtRest; TwoOnlyOnReturn", 58485, 265948, 26},
		{"HighestLeadsFour", "N = 4; MaxCrash = 2; HighestLeads", 4114, 22117, 22},
		{"PatientReturn", "MaxCrash = 1; MaxRestart = 1; Flapping = {3}; Beginnings <- LedOrCold; TakesOver <- OnlyIfNeeded", 4488, 23054, 18},
		{"ShortTcoord", "MaxCrash = 2; MaxRestart = 2; Beginnings <- LedOrCold; Owed <- NobodyOwes; HighestAtRest", 5594, 29010, 20},
		{"NeverSettled", "MaxCrash = 1; MaxRestart = 1; NeverSettled", 135, 287, 12},
		{"B02NervousDetector", "N = 2; Alive <- FindsAllDead; SomeLeader", 4, 5, 4},
		{"B13AnswerThenDie", "MaxCrash = 2; Retries <- Never; SomeLeader", 43, 105, 10},
		{"B14DeadOnArrivalCoordinator", "MaxCrash = 1; Probes <- Never; SomeLeader", 4, 4, 2},
		{"B17TopFlap", "Flapping = {3}; SomeLeader", 52, 110, 10},
		{"B19OneWayLink", "Cuts <- TopDeaf; SomeLeader", 19, 28, 8},
		{"NoTelec", "MaxCrash = 1; Declares <- Never; SomeLeader", 9, 11, 5},
		{"AnswersOnly", "MaxCrash = 1; MaxRestart = 1; Stands <- Never; SomeLeader", 38, 56, 7},
		{"TellsNobody", "MaxCrash = 1; Told <- NobodyElse; SomeLeader", 13, 19, 6},
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
		{"NeverReplaced", "MaxCrash = 1", "NeverReplaced", 5},
		{"Five", "N = 5; MaxCrash = 1", "NeverReplaced", 7},
		{"NeverHandsOver", "MaxCrash = 1; MaxRestart = 1", "NeverHandsOver", 7},
		{"ReturnOverlap", "MaxCrash = 1; MaxRestart = 1", "OneLeader", 6},
		{"B01Partition", "Cuts <- TopIsolated", "OneLeader", 3},
		{"B01PartitionHealed", "Cuts <- TopIsolated; MaxCut = 1", "OneLeaderAtRest", 5},
		{"B02FalseSuspicion", "OnTime <- AnyTime", "OneLeader", 3},
		{"B02LateMessages", "MaxCrash = 1; Landed <- AnyTime", "OneLeader", 6},
		{"B03LostAnswer", "MaxCrash = 1; Reliable <- LosesOk", "OneLeader", 7},
		{"B04RestartRace", "MaxCrash = 1; MaxRestart = 1; SlowReturn <- AnyReturn", "OneLeaderAtRest", 8},
		{"B04OwnLanded", "MaxCrash = 1; MaxRestart = 1; SlowReturn <- OwnLanded", "OneLeaderAtRest", 8},
		{"B04AllLanded", "MaxCrash = 2; MaxRestart = 1; SlowReturn <- AllLanded", "HighestAtRest", 7},
		{"B15FastRevive", "MaxCrash = 2; MaxRestart = 2; TakesOver <- OnlyIfNobodyLeads", "OneLeaderAtRest", 9},
		{"LostCoordinator", "MaxCrash = 1; MaxRestart = 1; Reliable <- LosesCoordinator", "OneLeaderAtRest", 8},
		{"NoAnswer", "MaxCrash = 1; Answers <- Never", "OneLeader", 6},
		{"DoesNotGiveWay", "MaxCrash = 1; GivesWay <- Never", "OneLeader", 7},
		{"AsksOnlyNext", "MaxCrash = 2; MaxRestart = 1; Asked <- OnlyNext", "OneLeaderAtRest", 9},
		{"LeaderIgnoresCoordinator", "MaxCrash = 1; MaxRestart = 1; Accepts <- LeadersDoNot", "OneLeaderAtRest", 8},
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
		"N = 6":              `constant N = "6" is not a number from 1 to 5`,
		"MaxCrash = many":    `constant MaxCrash = "many" is not a number from 0 to 255`,
		"MaxEpoch = 2":       `has no constant "MaxEpoch"`,
		"Flapping = 3":       `constant Flapping = "3" is not a set of nodes`,
		"Flapping = {1, 4}":  "constant Flapping has 4 in it, which is no node",
		"Cuts <- Star":       "module MCTextbook has no replacement Cuts <- Star",
		"Beginnings <- ":     "constant Beginnings has no value",
		"IsQuorum <- AnySet": "module MCTextbook has no replacement IsQuorum <- AnySet",
		"OnTime <- Never":    "module MCTextbook has no replacement OnTime <- Never",
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
	delete(c.Constants, "Flapping")
	_, err = New(c)
	require.ErrorContains(t, err, "constant Flapping")
}

func TestLivenessIsLeftUnchecked(t *testing.T) {
	m, err := New(configure("OneLeader", "SomeLeader", "NeverHandsOver", "HighestLeads"))
	require.NoError(t, err)
	require.Equal(t, []string{"SomeLeader", "HighestLeads"}, m.Unchecked())
}

// Every state has one packed form, and nothing of it is lost.
func TestPackedStatesAreRebuilt(t *testing.T) {
	m, err := New(configure("MaxCrash = 1", "MaxRestart = 1", "MaxCut = 1", "Cuts <- TopDeaf", "TypeOK"))
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
	m, err := New(configure("N = 1", "Cuts <- TopDeaf"))
	require.NoError(t, err)
	m.Init(func(state []byte) {
		require.Equal(t, []explore.Variable{
			{Name: "node", Value: `<<[role |-> "leader", leader |-> 1]>>`},
			{Name: "up", Value: "{1}"},
			{Name: "net", Value: "<<>>"},
			{Name: "cut", Value: "{}"},
			{Name: "budget", Value: "[crash |-> 0, restart |-> 0, cut |-> 0]"},
		}, m.Render(state))
	})
}

func TestQueueIsFirstInFirstOut(t *testing.T) {
	var q queue
	for k := range 32 {
		require.Equal(t, k, q.length())
		q = q.push(message(k%3 + 1))
	}
	require.Panics(t, func() { q.push(ok) })
	for k := range 32 {
		require.Equal(t, message(k%3+1), q.head())
		require.Equal(t, k <= 30, q.has(ok) && q.has(election))
		q >>= 2
	}
	require.Zero(t, q)
	require.Equal(t, `"COORDINATOR", "OK"`, queue(0).push(coordinator).push(ok).String())
}
