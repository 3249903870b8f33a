package cluster

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The counts are those of TLC 2.18 with one worker.
func TestCountsOfFixedMembersAreThoseOfTLC(t *testing.T) {
	for _, test := range []struct {
		n                          int
		topology, budget           string
		distinct, generated, depth int
	}{
		{1, "Whole", "1 1 0 0 1", 40, 51, 10},
		{2, "Whole", "0 2 0 0 0", 1394, 2120, 45},
		{2, "OneWay", "1 0 1 1 0", 3336, 6294, 37},
		{3, "Whole", "0 0 0 0 1", 19789, 63903, 59},
		{3, "Whole", "0 1 0 0 0", 20562, 62166, 45},
		{3, "Star", "0 1 0 0 0", 3169, 5540, 41},
		{3, "TopAndNext", "0 0 0 1 0", 8302, 25076, 24},
		{3, "OneWay", "0 0 0 1 0", 13537, 39147, 41},
		{3, "TopDeaf", "0 0 1 0 0", 11180, 37543, 30},
		{3, "TopIsolated", "0 0 1 1 0", 36753, 121797, 45},
		{4, "WithoutTop", "0 1 0 0 0", 30028, 67461, 82},
		{4, "Halves", "0 0 0 0 0", 115, 191, 13},
		{4, "Pendant", "0 0 0 0 0", 2756, 7538, 51},
		{4, "Star", "0 0 1 0 0", 4684, 12078, 43},
		{4, "Chain", "1 0 0 0 0", 13398, 30577, 61},
		{5, "Partial", "0 0 0 0 0", 12020, 40540, 52},
		{5, "Bridge", "0 0 0 0 0", 1289, 3410, 37},
		{7, "Chain", "0 0 0 0 0", 17075, 64908, 29},
	} {
		t.Run(strconv.Itoa(test.n)+" "+test.topology+" "+test.budget, func(t *testing.T) {
			c := fixed(test.n, test.topology, test.budget)
			c.Invariants = []string{"TypeOK", "OneLeaderPerEpoch"}
			c.Properties = []string{"EpochMonotonic", "Refines"}
			got := run(t, c)
			require.Nil(t, got.Violation)
			require.Equal(t, test.distinct, got.Distinct, "distinct")
			require.Equal(t, test.generated, got.Generated, "generated")
			require.Equal(t, test.depth, got.Depth, "depth")
		})
	}
}

// The lengths are those of TLC 2.18: a mutant and a witness each violate the property that they should, after as many states.
func TestMutantsOfFixedMembersFailLikeInTLC(t *testing.T) {
	for _, test := range []struct {
		n                int
		topology, budget string
		replacement      string // or "", for a witness
		violates         string
		length           int
	}{
		{3, "TopIsolated", "0 0 0 0 0", "IsQuorum <- AnySet", "OneLeaderPerEpoch", 7},
		{4, "Halves", "0 0 0 0 0", "IsQuorum <- HalfOrMore", "OneLeaderPerEpoch", 14},
		{3, "Whole", "0 1 0 0 0", "NextEpoch <- SameEpoch", "OneLeaderPerEpoch", 13},
		{3, "Whole", "0 1 0 0 0", "IsStale <- NeverStale", "EpochMonotonic", 22},
		{4, "Pendant", "0 0 0 0 0", "MayClaim <- ClaimsUnasked", "NoDisruption", 24},
		{3, "Whole", "0 0 0 0 0", "OwnClaim <- NoOwnClaim", "Calm", 96},
		{3, "OneWay", "0 0 0 1 0", "AfterGrant <- DoesNotWait", "OneActing", 13},
		{4, "WithoutTop", "0 0 0 0 0", "Pending <- NobodyPending", "Calm", 125},
		{3, "OneWay", "0 0 0 1 0", "Shields <- ShieldsNobody", "OneActing", 14},
		{3, "Whole", "0 1 0 0 0", "WhilePreempting <- DropsLease", "OneActing", 25},
		{3, "Whole", "0 1 0 0 0", "", "NeverTwoReigns", 13},
		{3, "Whole", "0 1 0 0 0", "", "NeverBackWithPromise", 7},
		{3, "Whole", "0 1 0 0 0", "", "NeverReplacedAlive", 14},
		{3, "TopIsolated", "0 0 0 1 0", "", "NeverLeaderless", 8},
		{3, "Whole", "0 1 0 0 0", "", "NeverLowerLeads", 10},
		{3, "Whole", "0 1 0 0 0", "", "NeverDeposed", 17},
		{3, "TopIsolated", "0 0 0 1 0", "MayProve <- SilenceProves", "OneActing", 14},
		{3, "Whole", "0 0 1 0 0", "MayProve <- FaultProves", "OneActing", 21},
		{3, "Whole", "0 1 0 0 0", "MayProve <- FaultProves", "OneActing", 22},
		{3, "Whole", "0 1 0 0 0", "", "NeverSucceeded", 13},
	} {
		t.Run(test.replacement+" "+test.violates, func(t *testing.T) {
			c := fixed(test.n, test.topology, test.budget)
			if operator, name, ok := strings.Cut(test.replacement, " <- "); ok {
				c.Replacements[operator] = name
			}
			if slices.ContainsFunc(invariants, func(v invariant) bool { return v.name == test.violates }) {
				c.Invariants = []string{test.violates}
			} else {
				c.Properties = []string{test.violates}
			}
			got := run(t, c)
			require.True(t, got.Violation != nil)
			require.Equal(t, test.violates, got.Violation.Property)
			require.Equal(t, test.length, got.Depth, "states")
		})
	}
}

// The counts are those of TLC 2.18 with one worker, for configurations with proofs of death.
func TestCountsWithProofsAreThoseOfTLC(t *testing.T) {
	for _, test := range []struct {
		topology, budget           string
		replaced                   []string
		distinct, generated, depth int
	}{
		{"Whole", "0 1 0 0 0", []string{"MayProve <- Proofs"}, 21620, 66736, 45},
		{"Whole", "0 1 0 0 0", []string{"MayProve <- Proofs", "Answered <- HighestAlive"}, 22443, 69531, 45},
		{"Star", "0 1 0 0 0", []string{"MayProve <- Proofs", "Answered <- HighestAlive"}, 3445, 6286, 41},
		{"Star", "0 1 0 0 0", []string{"LeaseOver <- EndsByProofOnly"}, 1496, 2631, 45},
		{"Whole", "0 0 0 0 0", []string{"MayProve <- ProvesAnything"}, 11711, 44059, 25},
	} {
		c := fixed(3, test.topology, test.budget, test.replaced...)
		c.Invariants = []string{"TypeOK", "OneLeaderPerEpoch"}
		c.Properties = []string{"EpochMonotonic", "Refines"}
		got := run(t, c)
		require.Nil(t, got.Violation)
		require.Equal(t, []int{test.distinct, test.generated, test.depth}, []int{got.Distinct, got.Generated, got.Depth}, test)
	}
}
