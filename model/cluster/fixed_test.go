package cluster

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// The counts are those of TLC 2.18 with one worker.
func TestCountsOfFixedMembersAreThoseOfTLC(t *testing.T) {
	for _, test := range []struct {
		n                          int
		topology, budget           string
		distinct, generated, depth int
	}{
		{1, "Whole", "1 1 0 0 1", 48, 61, 12},
		{2, "Whole", "0 2 0 0 0", 539, 971, 24},
		{2, "OneWay", "1 0 1 1 0", 3234, 6052, 39},
		{3, "Star", "0 0 0 0 1", 1077, 2158, 25},
		{3, "Whole", "0 0 0 0 0", 2800, 8166, 24},
		{3, "Star", "0 1 0 0 0", 4055, 8414, 26},
		{3, "TopAndNext", "0 0 0 0 0", 3014, 8553, 24},
		{3, "OneWay", "0 0 0 0 0", 3532, 9774, 24},
		{3, "TopDeaf", "0 0 0 0 0", 3120, 8855, 26},
		{3, "TopIsolated", "0 0 0 0 0", 2838, 8241, 24},
		{4, "WithoutTop", "0 0 0 0 0", 1928, 6429, 24},
		{4, "Halves", "0 0 0 0 0", 144, 361, 13},
		{4, "Chain", "0 0 0 0 0", 4425, 10884, 38},
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
		{4, "Halves", "0 0 0 0 0", "IsQuorum <- HalfOrMore", "OneLeaderPerEpoch", 12},
		{3, "Whole", "0 1 0 0 0", "NextEpoch <- SameEpoch", "OneLeaderPerEpoch", 13},
		{3, "Whole", "0 1 0 0 0", "IsStale <- NeverStale", "EpochMonotonic", 22},
		{4, "Pendant", "0 0 0 0 0", "MayClaim <- ClaimsUnasked", "NoDisruption", 18},
		{3, "Whole", "0 0 0 0 0", "OwnClaim <- NoOwnClaim", "Calm", 96},
		{3, "OneWay", "0 0 0 1 0", "AfterGrant <- DoesNotWait", "OneActing", 12},
		{4, "WithoutTop", "0 0 0 0 0", "Pending <- NobodyPending", "Calm", 127},
		{3, "OneWay", "0 0 0 1 0", "Shields <- ShieldsNobody", "OneActing", 14},
		{3, "Whole", "0 1 0 0 0", "WhilePreempting <- DropsLease", "OneActing", 23},
		{3, "Whole", "0 1 0 0 0", "", "NeverTwoReigns", 13},
		{3, "Whole", "0 1 0 0 0", "", "NeverBackWithPromise", 7},
		{3, "Whole", "0 1 0 0 0", "", "NeverReplacedAlive", 14},
		{3, "TopIsolated", "0 0 0 1 0", "", "NeverLeaderless", 8},
		{3, "Whole", "0 1 0 0 0", "", "NeverLowerLeads", 10},
		{3, "Whole", "0 1 0 0 0", "", "NeverDeposed", 17},
		{3, "TopIsolated", "0 0 0 1 0", "MayProve <- SilenceProves", "OneActing", 14},
		{3, "Whole", "0 0 1 0 0", "MayProve <- FaultProves", "OneActing", 16},
		{3, "Whole", "0 1 0 0 0", "MayProve <- FaultProves", "OneActing", 20},
		{3, "Whole", "0 1 0 0 0", "", "NeverSucceeded", 13},
	} {
		t.Run(test.replacement+" "+test.violates, func(t *testing.T) {
			if test.length > 90 {
				slowtest.Only(t, "it has many states; make check explores it too")
			}
			c := fixed(test.n, test.topology, test.budget)
			if operator, name, ok := strings.Cut(test.replacement, " <- "); ok {
				c.Replacements[operator] = name
			}
			if module.Invariants[test.violates] != nil {
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
		{"Whole", "0 0 0 0 0", []string{"MayProve <- Proofs"}, 2800, 8166, 24},
		{"Star", "0 1 0 0 0", []string{"MayProve <- Proofs"}, 4237, 9102, 26},
		{"Whole", "1 1 0 0 0", []string{
			"MayProve <- Proofs", "Answered <- HigherDead", "MayBeEarly <- IdleOnly", "MaxAsk <- Twice", "MaxHeartbeat <- Once",
		}, 4796, 11956, 20},
		{"Star", "0 1 0 0 0", []string{"LeaseOver <- EndsByProofOnly"}, 2398, 5119, 22},
		{"Whole", "0 0 0 0 0", []string{"MayProve <- ProvesAnything"}, 15868, 58044, 34},
	} {
		c := fixed(3, test.topology, test.budget, test.replaced...)
		c.Invariants = []string{"TypeOK", "OneLeaderPerEpoch"}
		c.Properties = []string{"EpochMonotonic", "Refines"}
		got := run(t, c)
		require.Nil(t, got.Violation)
		require.Equal(t, []int{test.distinct, test.generated, test.depth}, []int{got.Distinct, got.Generated, got.Depth}, test)
	}
}
