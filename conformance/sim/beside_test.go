package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
)

// beside is the seed of a run of five nodes in which members change, for each fault that fixed members have too, and what the fault
// breaks there: after a change was made, but where the first election shows it.
var beside = map[string]struct {
	seed    uint64
	breaks  spec.Property
	atFirst bool
}{
	"grants-an-epoch-twice":         {13, "R45", false},
	"has-a-quorum-of-half":          {110, spec.OneLeaderPerEpoch, false},
	"takes-no-for-yes":              {314, spec.OneLeaderPerEpoch, false},
	"forgets-its-promise":           {4, "R42", false}, // a record without a promise has no configuration
	"follows-a-past-epoch":          {75, spec.EpochMonotonic, false},
	"has-no-shield":                 {75, "R45", false}, // it grants across configurations first
	"is-not-silent-after-a-restart": {1909, spec.OneActing, false},
	"never-checks-its-quorum":       {14, spec.OneActing, false},
	"deposes-a-leader-that-is-well": {0, spec.NoDisruption, false},
	"gives-up-for-good":             {58, spec.SomeLeader, false},
	"never-pre-empts":               {0, spec.HighestLeads, false},
	"sends-before-it-saves":         {0, "R4", true},
	"cancels-no-timer":              {0, "R36", true},
	"does-not-wait-anew":            {0, "R36", true},
	"speaks-in-another-name":        {0, "R34", true},
	"panics":                        {0, "panic", false},
}

// TestFaultsBesideChanges lets members change while nodes have the faults of fixed members: each is found.
func TestFaultsBesideChanges(t *testing.T) {
	for i := range faults {
		f := &faults[i]
		want, inTable := beside[f.name]
		require.True(t, inTable, f.name)
		p, err := sim.Generate(want.seed, 5, sim.ChangingProfile)
		require.NoError(t, err)
		result := run(t, &p, f.maker)
		require.NotNil(t, result.Violation, "%s is found no more: look for another seed", f.name)
		require.Equal(t, want.breaks, result.Violation.Property, "%s: %v", f.name, result.Violation)
		require.Equal(t, want.atFirst, result.Stats.Of(spec.ChangeAction) == 0, f.name)
		require.Nil(t, run(t, &p, model).Violation, f.name)
	}
}
