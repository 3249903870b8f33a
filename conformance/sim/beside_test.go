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
	"grants-an-epoch-twice":         {29, "R45", false},
	"has-a-quorum-of-half":          {298, spec.OneLeaderPerEpoch, false},
	"takes-no-for-yes":              {84, spec.OneLeaderPerEpoch, false},
	"forgets-its-promise":           {3, "R42", false}, // a record without a promise has no configuration
	"follows-a-past-epoch":          {29, spec.EpochMonotonic, false},
	"has-no-shield":                 {299, spec.OneActing, false},
	"never-checks-its-quorum":       {73, spec.OneActing, false},
	"deposes-a-leader-that-is-well": {3, spec.NoDisruption, false},
	"gives-up-for-good":             {79, spec.SomeLeader, false},
	"never-pre-empts":               {1, spec.HighestLeads, false},
	"sends-before-it-saves":         {0, "R4", true},
	"cancels-no-timer":              {0, "R36", true},
	"does-not-wait-anew":            {0, "R36", true},
	"speaks-in-another-name":        {0, "R34", true},
	"panics":                        {117, "panic", false},
}

// TestFaultsBesideChanges lets members change while nodes have the faults of fixed members: each is found. None of 1500 such runs
// finds the one that is not in the table, and 5 of as many where members are fixed: a node has to run again while a lease lasts that it
// has forgotten, with a cut on either side of it. The plan that is kept for it finds it, though, with a change in the middle.
func TestFaultsBesideChanges(t *testing.T) {
	for i := range faults {
		f := &faults[i]
		want, inTable := beside[f.name]
		var p sim.Plan
		var err error
		if inTable {
			p, err = sim.Generate(want.seed, 5, sim.ChangingProfile)
		} else {
			p, err = read("testdata/regressions/" + f.name + ".json")
			want.breaks = f.breaks
			p.Changes = []sim.Change{{At: 155 * ms, Kind: sim.AddressChange, Node: p.Members[0]}}
			for _, id := range p.Members {
				p.First = append(p.First, spec.Member{ID: id, Kind: spec.Voter})
			}
		}
		require.NoError(t, err)
		result := run(t, &p, f.maker)
		require.NotNil(t, result.Violation, "%s is found no more: look for another seed", f.name)
		require.Equal(t, want.breaks, result.Violation.Property, "%s: %v", f.name, result.Violation)
		require.Equal(t, want.atFirst, result.Stats.Of(spec.ChangeAction) == 0, f.name)
		require.Nil(t, run(t, &p, model).Violation, f.name)
	}
}
