package textbook

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model/explore"
)

// configureStamp returns a configuration of MCTextbookStamp; items are those of configure.
func configureStamp(items ...string) explore.Configuration {
	c := configure(items...)
	c.Module = "MCTextbookStamp"
	for k, name := range c.Invariants {
		if name == stampsRise {
			c.Invariants = append(c.Invariants[:k], c.Invariants[k+1:]...)
			c.Properties = append(c.Properties, name)
			break
		}
	}
	return c
}

// runStamp explores a configuration that NewStamp must accept.
func runStamp(t *testing.T, items ...string) explore.Result {
	t.Helper()
	m, err := NewStamp(configureStamp(items...))
	require.NoError(t, err)
	result, err := explore.Run(context.Background(), m, explore.Options{MaxBytes: maxBytes})
	require.NoError(t, err)
	return result
}

// The counts and depths are those of TLC for the configuration of the same name (tla/models.json).
func TestStamp(t *testing.T) {
	for _, test := range []struct {
		name                       string
		items                      []string
		distinct, generated, depth int
	}{
		{"OneCrash", []string{"N = 4", "MaxCrash = 1", "TypeOK", "OneLeaderPerStamp", "StampsRise"}, 2189, 6342, 25},
		{"Cut", []string{"MaxCrash = 2", "MaxRestart = 1", "MaxCut = 1", "Cuts <- TopIsolated", "TypeOK"}, 20964, 51727, 34},
	} {
		result := runStamp(t, test.items...)
		require.Nil(t, result.Violation, test.name)
		require.Equal(t, []int{test.distinct, test.generated, test.depth},
			[]int{result.Distinct, result.Generated, result.Depth}, test.name)
	}
	for _, test := range []struct {
		name     string
		items    []string
		property string
		depth    int
	}{
		{"Twice", []string{"MaxCrash = 2"}, "OneLeaderPerStamp", 7},
		{"GoesBack", []string{"MaxCrash = 1", "MaxRestart = 1"}, "StampsRise", 3},
		{"Remembered", []string{"MaxCrash = 1", "MaxRestart = 1", "AfterCrash <- Remembers"}, "OneLeaderPerStamp", 6},
	} {
		result := runStamp(t, append(test.items, test.property)...)
		require.NotNil(t, result.Violation, test.name)
		require.Equal(t, test.property, result.Violation.Property, test.name)
		require.Equal(t, test.depth, result.Depth, test.name)
	}
}

// Stamps are read off the steps, and change none: without them the states are those of Textbook.
func TestStampChangesNothing(t *testing.T) {
	items := []string{"MaxCrash = 2", "MaxRestart = 1"}
	plain := map[string]bool{}
	m, err := NewStamp(configureStamp(append(items, "TypeOK")...))
	require.NoError(t, err)
	y := m.(*stamped)
	rendered := map[string]bool{}
	result, err := explore.Run(context.Background(), m, explore.Options{MaxBytes: maxBytes, Visit: func(packed []byte) {
		var s stamps
		rest := y.unpack(packed, &s)
		plain[string(rest)] = true
		require.Equal(t, packed, append(y.pack(nil, &s), rest...))
		rendered[fmt.Sprint(m.Render(packed))] = true
	}})
	require.NoError(t, err)
	require.Nil(t, result.Violation)
	require.Len(t, rendered, result.Distinct)
	require.Greater(t, result.Distinct, len(plain))
	require.Len(t, plain, run(t, append(items, "TypeOK")...).Distinct)
}

func TestNewStampNamesWhatItDoesNotKnow(t *testing.T) {
	for item, message := range map[string]string{
		"N = 6":                   `constant N = "6"`,
		"Cuts <- TopDeaf":         "no replacement Cuts <- TopDeaf in module MCTextbookStamp",
		"Beginnings <- LedOrCold": "no replacement Beginnings <- LedOrCold",
		"Probes <- Never":         "no replacement Probes <- Never",
		"HighestAtRest":           "HighestAtRest is no invariant of module MCTextbookStamp",
		"SomeLeader":              "SomeLeader is no property of module MCTextbookStamp",
	} {
		_, err := NewStamp(configureStamp(item))
		require.ErrorContains(t, err, message)
	}
	c := configureStamp("TypeOK")
	c.Specification = "FairSpec"
	_, err := NewStamp(c)
	require.ErrorContains(t, err, "no specification FairSpec")
	_, err = NewStamp(configure("TypeOK"))
	require.ErrorContains(t, err, "module MCTextbook is not MCTextbookStamp")
	_, err = New(configureStamp("TypeOK"))
	require.ErrorContains(t, err, `module "MCTextbookStamp" is not MCTextbook`)
}

func TestRenderStamps(t *testing.T) {
	for n, want := range map[string][]explore.Variable{
		"1": {{Name: "heard", Value: "<<1>>"}, {Name: "stamps", Value: "<<>>"},
			{Name: "reigns", Value: "{[stamp |-> 1, leader |-> 1]}"}},
		"2": {{Name: "heard", Value: "<<1, 1>>"}, {Name: "stamps", Value: "(<<1, 2>> :> <<>> @@ <<2, 1>> :> <<>>)"},
			{Name: "reigns", Value: "{[stamp |-> 1, leader |-> 2]}"}},
	} {
		m, err := NewStamp(configureStamp("N = " + n))
		require.NoError(t, err)
		m.Init(func(state []byte) { require.Equal(t, want, m.Render(state)[5:]) })
	}
}

func TestTooManyStamps(t *testing.T) {
	x := stamper{}
	x.old.heard[1] = maxStamp
	require.Panics(t, func() { x.pick(1) })
}
