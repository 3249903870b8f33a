package sim_test

import (
	"hash/fnv"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
)

// TestGenerate draws plans of every profile and number of nodes: all are valid, faults are over in time, and those of all
// profiles but swarm and changing, which has the same faults, are timely.
func TestGenerate(t *testing.T) {
	for _, profile := range sim.Profiles() {
		kinds, untimely, plans, faults := map[sim.FaultKind]int{}, 0, 0, 0
		for nodes := 1; nodes <= sim.MaxNodes; nodes++ {
			for seed := range uint64(20) {
				p, err := sim.Generate(seed, nodes, profile)
				require.NoError(t, err)
				require.NoError(t, p.Validate(), "%s, seed %d, %d nodes\n%s", profile, seed, nodes, &p)
				require.Equal(t, seed, p.Seed)
				require.Len(t, p.Members, nodes)
				plans, faults = plans+1, faults+len(p.Faults)
				for _, f := range p.Faults {
					kinds[f.Kind]++
				}
				if !p.Timely() {
					untimely++
					require.Contains(t, []sim.Profile{sim.SwarmProfile, sim.ChangingProfile}, profile, "seed %d, %d nodes\n%s", seed, nodes, &p)
				}
			}
		}
		t.Logf("%s: %d plans, %.1f faults each, %d untimely: %v", profile, plans, float64(faults)/float64(plans), untimely, kinds)
		if profile == sim.SwarmProfile || profile.Changing() {
			require.Len(t, kinds, len(sim.FaultKinds()), "every kind of fault comes")
			require.Greater(t, 4*untimely, plans)
			require.Less(t, 4*untimely, 3*plans)
		}
	}
}

// TestGeneratePinned pins what seeds mean: a failure that was reported with a seed must come again with every version
// and on every machine. Whoever changes the generator changes this number, and knows what it costs.
func TestGeneratePinned(t *testing.T) {
	h := fnv.New64a()
	for _, profile := range slices.DeleteFunc(sim.Profiles(), sim.Profile.Changing) { // see TestChangingPinned
		for seed := range uint64(50) {
			p, err := sim.Generate(seed, 1+int(seed%sim.MaxNodes), profile)
			require.NoError(t, err)
			text, err := p.MarshalJSON()
			require.NoError(t, err)
			_, _ = h.Write(text)
		}
	}
	require.Equal(t, uint64(0xc3d1fe2ff6f60684), h.Sum64())
}

func TestGenerateRefuses(t *testing.T) {
	for want, args := range map[string]struct {
		seed    uint64
		nodes   int
		profile sim.Profile
	}{
		"sim: the seed 9007199254740992 is above 9007199254740991":  {sim.MaxSeed + 1, 3, sim.CrashProfile},
		"sim: 0 nodes: there can be 1 to 7":                         {1, 0, sim.CrashProfile},
		"sim: 8 nodes: there can be 1 to 7":                         {1, 8, sim.CrashProfile},
		`sim: unknown profile "rain": there are [lossy partition c`: {1, 3, "rain"},
	} {
		_, err := sim.Generate(args.seed, args.nodes, args.profile)
		require.ErrorContains(t, err, want)
	}
}

// TestGenerateAims sees that faults are not spread blindly: of the crashes of five nodes, more than one in four hits
// the highest.
func TestGenerateAims(t *testing.T) {
	crashes, highest := 0, 0
	for seed := range uint64(200) {
		p, err := sim.Generate(seed, 5, sim.CrashProfile)
		require.NoError(t, err)
		for _, f := range p.Faults {
			if f.Kind == sim.CrashFault {
				crashes++
				if f.Node == spec.IntegerID(5) {
					highest++
				}
			}
		}
	}
	require.Greater(t, crashes, 1000)
	require.Greater(t, 4*highest, crashes, "%d of %d", highest, crashes)
}
