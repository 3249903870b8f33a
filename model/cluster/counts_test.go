package cluster

import (
	"context"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model/explore"
)

// configuration returns n nodes with "Cuts First Wanted", a budget of "early crash loss cut resign change", and replacements
// such as "IsQuorum <- HalfOrMore".
func configuration(n int, names, budget string, replaced ...string) explore.Configuration {
	c := explore.Configuration{
		Module:        "MCCluster",
		Specification: "Spec",
		Constants:     map[string]string{"N": strconv.Itoa(n)},
		Replacements:  map[string]string{},
	}
	for k, name := range strings.Fields(names) {
		c.Replacements[constants[k]] = name
	}
	for f, left := range strings.Fields(budget) {
		c.Constants[budgets[f]] = left
	}
	for _, r := range replaced {
		operator, name, _ := strings.Cut(r, " <- ")
		c.Replacements[operator] = name
	}
	return c
}

// checked returns c with every property that is safe without early timers.
func checked(c explore.Configuration) explore.Configuration {
	c.Invariants = []string{"TypeOK", "OneLeaderPerEpoch", "OneConfiguration", "LeaderIsElector", "ConfigurationLearned",
		"LedWhenStill", "HighestWhenStill"}
	if c.Constants["MaxEarly"] == "0" {
		c.Invariants = append(c.Invariants, "OneActing")
	}
	c.Properties = []string{"EpochMonotonic", "ConfigurationMonotonic", "Refines", "OnlyVotersWin"}
	return c
}

// checkedFixed does the same where members never change: the configuration of a leader is not of its epoch.
func checkedFixed(c explore.Configuration) explore.Configuration {
	c.Invariants = []string{"TypeOK", "OneLeaderPerEpoch", "OneActing"}
	c.Properties = []string{"EpochMonotonic", "NoDisruption", "Refines"}
	return c
}

// replacementsOf returns the one replacement of a mutant, or none.
func replacementsOf(replacement string) []string {
	if replacement == "" {
		return nil
	}
	return []string{replacement}
}

func run(t *testing.T, c explore.Configuration) explore.Result {
	t.Helper()
	m, err := New(c)
	require.NoError(t, err)
	result, err := explore.Run(context.Background(), m, explore.Options{})
	require.NoError(t, err)
	return result
}

// The counts are those of TLC 2.18 with one worker.
func TestCountsAreThoseOfTLC(t *testing.T) {
	for _, test := range []struct {
		n                          int
		names, budget              string
		distinct, generated, depth int
		proofs                     string // or "", if nobody is told of a death
	}{
		{1, "Whole One AnyMembers", "1 1 0 0 1 1", 48, 61, 12, ""},
		{2, "Whole One AnyMembers", "0 1 0 0 0 2", 1648, 2467, 32, ""},
		{2, "Sides Two AnyMembers", "1 0 1 1 0 1", 10138, 19629, 41, ""},
		{2, "LowIsolated Two AnyElectors", "0 0 0 1 1 1", 558, 961, 31, ""},
		{3, "Whole Two AnyVoters", "0 0 0 0 0 1", 832, 2536, 28, ""},
		{3, "Whole Two AnyVoters", "0 1 0 0 0 1", 27489, 82043, 65, ""},
		{3, "Whole Two ThirdIsWitness", "1 0 0 0 0 1", 2508, 6819, 30, ""},
		{3, "Whole Two AnyElectors", "0 0 0 0 0 1", 856, 2565, 28, ""},
		{3, "Whole Two ThirdIsWitness", "0 0 0 0 1 1", 1160, 3153, 32, ""},
		{3, "Whole TwoAndWitness AnyMembers", "0 0 0 0 0 1", 37808, 132389, 35, ""},
		{3, "Whole TwoAndWatchers ThirdIsWitness", "0 0 0 0 1 1", 2054, 5785, 34, ""},
		{3, "Across Three AnyMembers", "0 0 0 0 1 2", 4954, 12555, 43, ""},
		{3, "TopIsolated Two AnyVoters", "0 0 0 1 0 1", 2369, 7406, 35, ""},
		{3, "Whole OneOverWitnesses ThirdIsVoter", "0 0 0 0 0 1", 10784, 38749, 33, ""},
		{4, "LowTwoIsolated Two Triples", "0 0 0 1 0 1", 4662, 14696, 35, ""},
		{3, "Whole Two ThirdIsWitness", "0 1 0 0 0 1", 1952, 5023, 39, "MayProve <- Down"},
	} {
		t.Run(strconv.Itoa(test.n)+" "+test.names+" "+test.budget, func(t *testing.T) {
			got := run(t, checked(configuration(test.n, test.names, test.budget, replacementsOf(test.proofs)...)))
			require.Nil(t, got.Violation)
			require.Equal(t, []int{test.distinct, test.generated, test.depth}, []int{got.Distinct, got.Generated, got.Depth}, "distinct, generated, depth")
		})
	}
}

// The lengths are those of TLC 2.18: a mutant and a witness each violate the property that they should, after as many states.
func TestMutantsAndWitnessesFailLikeInTLC(t *testing.T) {
	for _, test := range []struct {
		n             int
		names, budget string
		replacement   string // or "", for a witness
		violates      string
		length        int
	}{
		{3, "Whole Two AnyVoters", "0 1 0 0 0 1", "IsQuorum <- HalfOrMore", "OneLeaderPerEpoch", 6},
		{3, "Whole Two AnyVoters", "0 1 0 0 0 1", "IsQuorum <- EveryoneCounts", "NoDisruption", 8},
		{3, "Whole Two AnyVoters", "0 1 0 0 0 1", "Survives <- ForgetsChanges", "ConfigurationMonotonic", 7},
		{3, "Whole OneOverWitnesses ThirdIsVoter", "0 1 0 0 0 1", "AskOrSay <- AsksOrRests", "LedWhenStill", 12},
		{3, "Whole OneOverWitnesses ThirdIsVoter", "0 1 1 0 0 1", "Watches <- WatchesHolder", "LedWhenStill", 13},
		{4, "Whole OneOfEach ThirdIsVoter", "0 1 0 0 0 1", "AskOrSay <- ElectorsSay", "LedWhenStill", 15},
		{3, "Whole Two AnyElectors", "0 0 0 0 0 1", "Outranked <- ByRankAlone", "HighestWhenStill", 11},
		{3, "Whole Two AnyVoters", "0 1 0 0 0 1", "Adopt <- LearnsNothing", "ConfigurationLearned", 15},
		{3, "TopIsolated Three AnyVoters", "0 0 0 1 0 1", "Adopt <- StandsOn", "ConfigurationLearned", 17},
		{3, "TopIsolated Three AnyVoters", "0 0 0 1 0 1", "Adopt <- KeepsSupport", "ConfigurationLearned", 17},
		{3, "TopIsolated Three AnyVoters", "0 0 0 1 0 1", "OneDiffers <- ManyDiffer", "OneActing", 16},
		{3, "Whole Two AnyVoters", "0 0 0 0 0 1", "KeepsLeader <- LeaderMayLeave", "LeaderIsElector", 9},
		{3, "Whole Two AnyVoters", "0 0 0 0 0 1", "Meets <- MeetsAnyone", "OutsidersUnheeded", 9},
		{3, "Whole Two AnyVoters", "0 0 0 0 0 1", "Stamped <- Unstamped", "LeaderIsElector", 6},
		{3, "Whole Two AnyVoters", "0 0 0 0 0 2", "", "NeverChangedTwice", 10},
		{3, "Whole Two AnyVoters", "0 0 0 0 0 1", "", "NeverLearnsRemoval", 10},
		{3, "Whole Two AnyVoters", "0 0 0 0 0 1", "", "NeverAddedLeads", 16},
		{3, "Whole Two AnyVoters", "0 0 0 0 0 1", "", "NeverTwoInEpoch", 9},
		{3, "TopIsolated Three AnyVoters", "0 0 0 1 0 1", "", "NeverPassedOver", 17},
		{3, "TopIsolated Three AnyVoters", "0 0 0 1 0 1", "", "NeverDeposed", 14},
		{3, "Whole Two AnyMembers", "0 0 0 0 0 1", "", "NeverDemotedHandsOver", 15},
	} {
		t.Run(test.replacement+" "+test.violates, func(t *testing.T) {
			c := configuration(test.n, test.names, test.budget, replacementsOf(test.replacement)...)
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

// Nothing shows that one of these alone is open. To whom a member speaks that may not stand, and whether who is no member does,
// is a matter of messages: who must hear of the newest configuration is an elector of it.
func TestSecondLocksHold(t *testing.T) {
	for _, replacement := range []string{"AskOrSay <- SaysToElectors", "AskOrSay <- AnyoneSays"} {
		for _, names := range []string{"Whole OneOverWitnesses ThirdIsVoter", "Whole Two AnyMembers"} {
			c := checked(configuration(3, names, "0 1 0 0 0 1", replacement))
			c.Properties, c.Invariants = append(c.Properties, "NoDisruption"), append(c.Invariants, "OutsidersUnheeded")
			require.Nil(t, run(t, c).Violation, "%s, %s", replacement, names)
		}
	}
}

// usersOf makes c a configuration of module MCUsers.
func usersOf(c explore.Configuration) explore.Configuration {
	c.Module = "MCUsers"
	c.Replacements["Spec"], c.Replacements["Arriving"] = "WithUsers", "PastWaiting"
	if c.Replacements["Lapsed"] == "" {
		c.Replacements["Lapsed"] = "Stopped"
	}
	return c
}

// The counts are those of TLC 2.18 with one worker, in models/ChangingUsersCrash and ChangingUsersIsolated: with the users of leaders.
func TestCountsOfUsersAreThoseOfTLC(t *testing.T) {
	for _, test := range []struct {
		names, budget              string
		replacement                string
		distinct, generated, depth int
	}{
		{"Whole Two ThirdIsWitness", "0 1 0 0 0 1", "", 3347, 11563, 40},
		{"TopIsolated TwoOverWitness Nothing", "0 0 0 1 0 0", "Stamped <- Unstamped", 8040, 30636, 42},
	} {
		c := usersOf(configuration(3, test.names, test.budget, replacementsOf(test.replacement)...))
		c.Invariants = []string{"TypeOK", "UsersTypeOK", "OneActing", "OneUserActs", "LedInTheEnd", "HighestInTheEnd"}
		got := run(t, c)
		require.Nil(t, got.Violation)
		require.Equal(t, []int{test.distinct, test.generated, test.depth}, []int{got.Distinct, got.Generated, got.Depth}, test.names)
	}
}

// The lengths are those of TLC 2.18.
func TestMutantsOfUsersFailLikeInTLC(t *testing.T) {
	for _, test := range []struct {
		names, budget string
		replacement   string
		violates      string
		length        int
	}{
		{"TopIsolated TwoOverWitness Nothing", "0 0 0 1 0 0", "MustWait <- NothingWaits", "OneUserActs", 17},
		{"TopIsolated TwoOverWitness Nothing", "0 0 0 1 0 0", "MustWait <- ClaimsWait", "OneUserActs", 21},
		{"Whole TwoOverWitness Nothing", "0 1 0 0 0 0", "MayRestart <- RestartsAtOnce", "OneUserActs", 18},
		{"Whole TwoOverWitness Nothing", "0 1 0 0 0 0", "MayProve <- Proofs", "OneUserActs", 16},
		{"Whole TwoOverWitness Nothing", "0 1 0 0 0 0", "Lapsed <- TooLong", "OneUserActs", 15},
		{"TopIsolated TwoOverWitness Nothing", "0 0 0 1 0 0", "", "NeverWaits", 14},
		{"TopIsolated TwoOverWitness Nothing", "0 0 0 1 0 0", "", "NeverActsAfter", 15},
		{"Whole TwoOverWitness Nothing", "0 1 0 0 0 0", "", "NeverOutlives", 8},
	} {
		c := usersOf(configuration(3, test.names, test.budget, replacementsOf(test.replacement)...))
		c.Invariants = []string{test.violates}
		got := run(t, c)
		require.NotNil(t, got.Violation, test.replacement)
		require.Equal(t, test.violates, got.Violation.Property)
		require.Len(t, got.Violation.Run, test.length, "%s%s", test.replacement, test.violates)
	}
}

// A configuration of MCUsers says that it has users; users' rules are none of MCCluster.
func TestUsersAreAskedFor(t *testing.T) {
	c := usersOf(configuration(3, "Whole All Nothing", "0 0 0 0 0 0"))
	for _, needed := range []string{"Spec", "Arriving", "Lapsed"} {
		without := c
		without.Replacements = maps.Clone(c.Replacements)
		delete(without.Replacements, needed)
		_, err := New(without)
		require.EqualError(t, err, "cluster: module MCUsers needs Spec, Arriving and Lapsed replaced")
	}
	c.Module = "MCCluster"
	_, err := New(c)
	require.Error(t, err)
}
