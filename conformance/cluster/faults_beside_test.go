package cluster_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/spec"
)

// beside is the seed of a run in which members change, for each fault that fixed members have too, and what the fault breaks there
// after a change was made. Where that is "like", it is another step than the model's.
var beside = map[string]struct {
	seed   uint64
	breaks string
}{
	"grants-twice":                   {61, "R17"},
	"grants-below":                   {61, "R17"},
	"shields-nobody":                 {2, "like"},
	"hands-over-to-anybody":          {7, "like"},
	"hands-over-in-silence":          {0, "like"},
	"wins-with-half":                 {8, "like"},
	"wins-under-a-lease":             {99, "like"},
	"claims-its-own-epoch":           {261, "OneLeaderPerEpoch"},
	"learns-its-own-claim":           {64, "like"},
	"claims-on-after-a-refusal":      {56, "section 6"},
	"forgets-its-promise":            {2, "section 6"},
	"forgets-its-grantee":            {2, "R30"},
	"is-not-silent":                  {2, "like"},
	"returns-unsaid":                 {2, "like"},
	"compares-ids-as-text":           {3, "like"},
	"claims-above-the-bound":         {23, "section 6"},
	"claims-unasked":                 {0, "section 6"},
	"waits-in-vain":                  {3, "like"},
	"supports-everybody":             {6, "like"},
	"pre-empts-without-a-lease":      {0, "like"},
	"follows-the-past":               {99, "EpochMonotonic"},
	"counts-any-grant":               {1677, "like"},
	"promises-to-whom-it-follows":    {2109, "R17"},
	"leads-on-in-a-learned-epoch":    {229, "OneLeaderPerEpoch"},
	"leads-on-without-a-quorum":      {0, "like"},
	"counts-any-ack":                 {110, "like"},
	"keeps-the-lease-of-who-resigns": {2, "like"},
	"resigns-a-claim":                {1110, "R28"},
	"ignores-a-timer":                {2, "section 11"},
	"takes-a-late-timer":             {56, "R35"},
	"panics":                         {2, "panic"},
	"speaks-in-anothers-name":        {2, "section 7"},
	"sends-before-it-saves":          {3, "R4"},
	"keeps-what-it-learns-in-memory": {0, "R4"},
	"cancels-no-timer":               {3, "R36"},
	"waits-from-an-older-grant":      {3, "R36"},
	"claims-for-longer":              {2, "R36"},
}

// handsOver is such a run for the fault that none of 4000 seeds finds: a leader whom a higher node does not hear of, while it asks for
// the very epoch that this one has won since.
const handsOver = `members 1 2 3
first 1 2 3
end 2 patience
deliver 2 3
deliver 2 1
deliver 1 2
deliver 3 2
deliver 3 2
end 2 coordinator
deliver 2 1
deliver 1 2
deliver 2 1
deliver 1 2
change 2 to 1@elsewhere:1 2 3
deliver 2 3
deliver 3 2
`

// TestFaultsAreFoundBesideChanges lets members change while nodes have the faults of fixed members: each is found.
func TestFaultsAreFoundBesideChanges(t *testing.T) {
	for i := range faults {
		f := &faults[i]
		if f.members {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			b, inTable := beside[f.name]
			changed, o := false, cluster.Options{}
			if b.breaks == "like" {
				o.Like = model
			}
			o.Observe = func(c *conformance.Case) {
				changed = changed || c.Input.Call == spec.ChangeCall && !c.Want.Ignored
			}
			var violation *cluster.Violation
			if inTable {
				_, violation = drawn(drawChanging, rand.New(rand.NewPCG(b.seed, 0)).IntN, f, o)
			} else {
				script, err := cluster.ParseScript(handsOver)
				require.NoError(t, err)
				_, err = script.Run(model, o)
				require.NoError(t, err, "it is no run of the model")
				_, violation, err = script.Try(f.node, o)
				require.NoError(t, err)
				b.breaks = "R17"
			}
			require.NotNil(t, violation, "it is found no more: look for another seed")
			require.Equal(t, b.breaks, violation.Property)
			require.True(t, changed)
		})
	}
}
