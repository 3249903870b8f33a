package sim_test

import (
	"bytes"
	"hash/fnv"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
)

// TestChangingTraces holds the traces of such runs to the validator.
func TestChangingTraces(t *testing.T) {
	changes := 0
	for seed := range 3 * soak() {
		for nodes := 1; nodes <= sim.MaxNodes; nodes++ {
			p, err := sim.Generate(seed, nodes, sim.ChangingProfile)
			require.NoError(t, err)
			var trace bytes.Buffer
			result, err := sim.Run(&p, model, sim.Options{Trace: &trace})
			require.NoError(t, err)
			require.Nil(t, result.Violation)
			report, err := check.Trace(&trace, check.Options{OneActing: result.Timely, Strict: true})
			require.NoError(t, err, "seed %d, %d nodes", seed, nodes)
			require.EqualValues(t, len(result.Reigns), report.Reigns)
			changes += int(report.Actions[spec.ChangeAction])
		}
	}
	require.Positive(t, changes)
}

// TestGenerateChanging draws plans of changing members: everything comes that operators may want, and every kind of member.
func TestGenerateChanging(t *testing.T) {
	changes, kinds, ranks, joins, plans, timely := map[sim.ChangeKind]int{}, map[spec.MemberKind]int{}, map[uint16]int{}, 0, 0, 0
	for nodes := 1; nodes <= sim.MaxNodes; nodes++ {
		for seed := range uint64(12) {
			p, err := sim.Generate(seed, nodes, sim.ChangingProfile)
			require.NoError(t, err)
			for _, c := range p.Changes {
				changes[c.Kind]++
			}
			for _, m := range p.First {
				kinds[m.Kind]++
				ranks[m.Rank]++
			}
			if plans++; len(p.First) < nodes {
				joins++
			}
			if p.Timely() {
				timely++
			}
		}
	}
	t.Logf("%d plans, %d timely, nodes join in %d: %v, %v", plans, timely, joins, changes, kinds)
	require.Len(t, changes, len(sim.ChangeKinds()))
	require.Len(t, kinds, len(spec.MemberKinds()))
	require.Len(t, ranks, 3)
	require.Greater(t, 2*joins, plans/2)
	require.Greater(t, 4*timely, plans)
}

// TestChangingPinned pins what seeds and plans of changing members mean, as TestGeneratePinned and TestPinned do.
func TestChangingPinned(t *testing.T) {
	h, digest := fnv.New64a(), uint64(0)
	for seed := range uint64(10) {
		p, err := sim.Generate(seed, 1+int(seed%sim.MaxNodes), sim.ChangingProfile)
		require.NoError(t, err)
		text, err := p.MarshalJSON()
		require.NoError(t, err)
		_, _ = h.Write(text)
		result := run(t, &p, model)
		require.Nil(t, result.Violation)
		digest = digest*31 + result.Digest
	}
	require.Equal(t, []uint64{0xfa18680c82cc5579, 0x60013d24918ead1a}, []uint64{h.Sum64(), digest})
}

// TestShrinkChanges shrinks a plan whose members change: no change is left that is not needed, and the first members are plain.
func TestShrinkChanges(t *testing.T) {
	f := changingFaults[slices.IndexFunc(changingFaults, func(f fault) bool { return f.name == "keeps-support-over-a-change" })]
	p, broken := find(t, f)
	small, runs := sim.Shrink(p, f.maker, broken.Violation, sim.Shrinking{})
	v := run(t, &small, f.maker).Violation
	require.NotNil(t, v)
	require.Equal(t, f.breaks, v.Property)
	t.Logf("%d faults, %d changes, %d nodes → %d, %d, %d in %d runs: %v", len(p.Faults), len(p.Changes), len(p.Members), len(small.Faults),
		len(small.Changes), len(small.Members), runs, v)
	require.Empty(t, small.Faults)
	require.Len(t, small.Changes, 1)
	require.Zero(t, small.Changes[0].At)
	for _, m := range small.First {
		require.Equal(t, spec.Member{ID: m.ID, Kind: spec.Voter}, m)
	}
}
