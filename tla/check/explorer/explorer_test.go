package explorer

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/tla"
	"github.com/seed-fdf591db/bully/tla/check/internal/counter"
)

// entry returns an entry for a configuration that checks property.
func entry(property string, expected tla.Result, level tla.Level) tla.Entry {
	e := tla.Entry{Name: "models/Counter", Module: "MCCounter", Result: expected, Explorer: level, TLC: true}
	e.Configuration = tla.Configuration{Module: "MCCounter", Specification: "Spec", Invariants: []string{property}}
	if property == "Grows" || property == "StaysAt3" {
		e.Configuration.Properties, e.Configuration.Invariants = e.Configuration.Invariants, nil
	}
	return e
}

var holds = tla.Result{Verdict: tla.Holds, Distinct: 6, Generated: 7, Depth: 6}

func TestRun(t *testing.T) {
	options := Options{Open: counter.Open, Options: explore.Options{Workers: 1}}
	o := Run(t.Context(), entry("TypeOK", holds, tla.Full), options)
	require.NoError(t, o.Err)
	require.Empty(t, o.Differences())

	o = Run(t.Context(), entry("Never4", tla.Result{Verdict: tla.Violates, Property: "Never4", Depth: 5}, tla.Full), options)
	require.Empty(t, o.Differences())
	require.Equal(t, 12, o.Result.Exit)
	require.Len(t, o.Violation.Run, 5)

	o = Run(t.Context(), entry("Grows", tla.Result{Verdict: tla.Violates, Property: "Grows", Depth: 7}, tla.Full), options)
	require.Empty(t, o.Differences())
	require.Equal(t, 13, o.Result.Exit)

	e := entry("TypeOK", tla.Result{Verdict: tla.Violates, Property: tla.Deadlock, Depth: 6}, tla.Full)
	e.Configuration.CheckDeadlock, e.Configuration.Constants = true, map[string]string{"Last": "5"}
	o = Run(t.Context(), e, options)
	require.Empty(t, o.Differences())
	require.Equal(t, 11, o.Result.Exit)

	live := tla.Result{Verdict: tla.Violates, Property: "StaysAt3", Distinct: 6, Generated: 7, Depth: 99}
	require.Empty(t, Run(t.Context(), entry("StaysAt3", live, tla.Counts), options).Differences())
}

func TestDifferences(t *testing.T) {
	options := Options{Open: counter.Open}
	more := holds
	more.Distinct, more.Generated, more.Depth = 7, 8, 9
	require.Equal(t, []string{"depth 6, expected 9", "distinct 6, expected 7", "generated 7, expected 8"},
		Run(t.Context(), entry("TypeOK", more, tla.Full), options).Differences())
	require.Equal(t, []string{"verdict violates, expected holds", "property Never4, expected none",
		"depth 5, expected 6", "distinct 5, expected 6", "generated 5, expected 7"},
		Run(t.Context(), entry("Never4", holds, tla.Full), options).Differences())
	require.Contains(t, Run(t.Context(), entry("StaysAt3", holds, tla.Full), options).Differences()[0],
		"says nothing about StaysAt3")
	require.Contains(t, Run(t.Context(), entry("TypeOK", holds, tla.Counts), options).Differences()[0],
		"checks every property")
}

func TestRunTakesDigests(t *testing.T) {
	e := entry("TypeOK", holds, tla.Full)
	e.States = "sha256:unknown"
	o := Run(t.Context(), e, Options{Open: counter.Open})
	require.Equal(t, []string{"states " + o.States.Digest() + ", expected sha256:unknown"}, o.Differences())
	require.Equal(t, 6, o.States.Len())

	e.Configuration.Replacements = map[string]string{"Flaw": "states"}
	flawed := Run(t.Context(), e, Options{Open: counter.Open})
	require.NotEqual(t, o.Result.States, flawed.Result.States)
	require.Equal(t, []string{`seen = {}  /\  x = 3`}, flawed.States.Missing(o.States, 9))
}

// garbled is a model that writes states which are no TLA+.
type garbled struct{ explore.Model }

func (garbled) Render([]byte) []explore.Variable { return []explore.Variable{{Name: "x", Value: "{"}} }

func TestRunReportsErrors(t *testing.T) {
	e := entry("TypeOK", holds, tla.Full)
	e.States = "sha256:unknown"
	require.Contains(t, Run(t.Context(), entry("Unknown", holds, tla.Full), Options{Open: counter.Open}).Differences()[0],
		"unknown property Unknown")
	require.Contains(t, Run(t.Context(), e, Options{}).Differences()[0], `module "MCCounter" has no model in Go`)
	open := func(c explore.Configuration) (explore.Model, error) {
		m, err := counter.Open(c)
		return garbled{m}, err
	}
	require.ErrorContains(t, Run(t.Context(), e, Options{Open: open}).Err, "a state that is no TLA+: x: byte 1")
	var limit *explore.LimitError
	require.True(t, errors.As(Run(t.Context(), e, Options{Open: counter.Open, Options: explore.Options{MaxBytes: 1}}).Err, &limit))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, Run(ctx, e, Options{Open: counter.Open}).Err, context.Canceled)
}
