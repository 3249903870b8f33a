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
	"grants-twice":                   {41, "R17"},
	"grants-below":                   {41, "R17"},
	"shields-nobody":                 {2, "like"},
	"hands-over-to-anybody":          {8, "like"},
	"hands-over-in-silence":          {10, "like"},
	"wins-with-half":                 {8, "like"},
	"wins-under-a-lease":             {71, "like"},
	"claims-its-own-epoch":           {21, "OneLeaderPerEpoch"},
	"learns-its-own-claim":           {8, "like"},
	"claims-on-after-a-refusal":      {2, "like"},
	"forgets-its-promise":            {2, "section 6"},
	"forgets-its-grantee":            {2, "R30"},
	"is-not-silent":                  {2, "like"},
	"returns-unsaid":                 {2, "like"},
	"compares-ids-as-text":           {3, "like"},
	"claims-above-the-bound":         {23, "section 6"},
	"claims-unasked":                 {11, "section 6"},
	"waits-in-vain":                  {3, "like"},
	"supports-everybody":             {2, "like"},
	"pre-empts-without-a-lease":      {10, "like"},
	"leads-on-without-a-quorum":      {2, "like"},
	"counts-any-ack":                 {118, "like"},
	"keeps-the-lease-of-who-resigns": {5, "like"},
	"resigns-a-claim":                {674, "R28"},
	"ignores-a-timer":                {2, "section 11"},
	"takes-a-late-timer":             {95, "R35"},
	"panics":                         {2, "panic"},
	"speaks-in-anothers-name":        {2, "section 7"},
	"sends-before-it-saves":          {3, "R4"},
	"keeps-what-it-learns-in-memory": {2, "R4"},
	"cancels-no-timer":               {3, "R36"},
	"waits-from-an-older-grant":      {3, "R36"},
	"claims-for-longer":              {53, "R36"},
	"waits-for-the-claim":            {10, "like"},
	"names-no-successor":             {10, "like"},
	"learns-while-bound":             {14, "like"},
	"grants-its-rival":               {2, "like"},
	"gives-way-as-a-claimant":        {2, "like"},
	"supports-who-keeps-nothing":     {7, "like"},
	"begins-its-numbers-again":       {2, "R50"},
	"names-no-lease":                 {10, "like"},
	"asks-twice-under-one-number":    {24, "like"},
	"keeps-an-older-lease":           {2, "like"},
	"ends-a-later-lease":             {71, "like"},
	"dates-from-the-arrival":         {5, "like"},
	"counts-late-answers":            {2, "like"},
}

// besideLast is what the faults break that no seed soon finds: their scripts find them, once members have changed.
var besideLast = map[string]string{
	"hands-over-its-own-epoch": "R17", "follows-the-past": "EpochMonotonic", "promises-to-whom-it-follows": "R17",
	"leads-on-in-a-learned-epoch": "OneLeaderPerEpoch", "counts-any-grant": "like", "counts-earlier-grants": "like", "heeds-late-refusals": "like",
}

// afterChange returns the script of a fault, for members that may change, and which begins with a reign and a change.
func afterChange(t *testing.T, f *fault) *cluster.Script {
	s := *knownByName(t)[f.name].Script
	voters := ""
	for _, id := range s.Members {
		voters += " " + id.String()
	}
	last := s.Members[len(s.Members)-1].String()
	begin, err := cluster.ParseScript("members" + voters + "\nfirst" + voters + "\nend " + last + " patience\nsettle\nchange " + last +
		" to" + voters + "@elsewhere:1\nsettle\nresign " + last + "\nsettle\n")
	require.NoError(t, err)
	s.First, s.Records, s.Ops = begin.First, nil, append(begin.Ops, s.Ops...)
	return &s
}

// TestFaultsAreFoundBesideChanges lets members change while nodes have the faults of fixed members: each is found.
func TestFaultsAreFoundBesideChanges(t *testing.T) {
	for i := range faults {
		f := &faults[i]
		if f.members {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			b, inTable := beside[f.name]
			if !inTable {
				b.breaks = besideLast[f.name]
			}
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
				var err error
				_, violation, err = afterChange(t, f).Try(f.node, o)
				require.NoError(t, err)
			}
			require.NotNil(t, violation, "it is found no more: look for another seed")
			require.Equal(t, b.breaks, violation.Property)
			require.True(t, changed)
		})
	}
}
