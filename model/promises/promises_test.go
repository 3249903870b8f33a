package promises

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model/explore"
)

// counts are those of TLC.
type counts struct{ distinct, generated, depth int }

// configuration returns a configuration of MCPromises that checks nothing. Replacements are
// pairs of an operator and what replaces it.
func configuration(n, maxEpoch int, claimants string, replaced ...string) explore.Configuration {
	c := explore.Configuration{
		Module:        "MCPromises",
		Specification: "Spec",
		Constants:     map[string]string{"N": fmt.Sprint(n), "MaxEpoch": fmt.Sprint(maxEpoch), "Claimants": claimants},
		Replacements:  map[string]string{"MayClaim": "Within"},
	}
	for i := 0; i < len(replaced); i += 2 {
		c.Replacements[replaced[i]] = replaced[i+1]
	}
	return c
}

// checking returns c with the named properties to check.
func checking(c explore.Configuration, names ...string) explore.Configuration {
	for _, name := range names {
		if stepProperties[name] != nil {
			c.Properties = append(c.Properties, name)
		} else {
			c.Invariants = append(c.Invariants, name)
		}
	}
	return c
}

func run(t *testing.T, c explore.Configuration) explore.Result {
	t.Helper()
	m, err := New(c)
	require.NoError(t, err)
	require.Empty(t, m.Unchecked())
	r, err := explore.Run(context.Background(), m, explore.Options{})
	require.NoError(t, err)
	return r
}

// TestHolds runs the configurations in which everything holds.
func TestHolds(t *testing.T) {
	everything := []string{"TypeOK", "OneLeaderPerEpoch", "Inv", "EpochMonotonic", "Refines"}
	inductive := []string{"TypeOK", "Inv", "OneLeaderPerEpoch", "EpochMonotonic", "RefinesStepwise"}
	for name, test := range map[string]struct {
		explore.Configuration
		check []string
		want  counts
	}{
		"Promises3": {configuration(3, 2, "{1, 2, 3}"), everything, counts{44966, 435157, 13}},
		"Promises4": {configuration(4, 2, "{1, 2}"), everything, counts{27937, 345945, 13}},
		"Promises5": {configuration(5, 1, "{1, 2, 3, 4}"), everything, counts{18151, 273989, 10}},
		"PromisesInductive": {
			configuration(3, 2, "{1, 2, 3}", "Init", "EveryInv"), inductive, counts{23848, 249067, 1},
		},
		"PromisesInductiveListed": {
			configuration(3, 1, "{1, 2, 3}", "Init", "EveryInv"), inductive, counts{382, 3211, 1},
		},
		"PromisesInductivePlain": {
			configuration(3, 1, "{1, 2, 3}", "Init", "EveryInvPlainly"), inductive, counts{382, 3211, 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, checking(test.Configuration, test.check...))
			require.Nil(t, r.Violation)
			require.Equal(t, test.want, counts{r.Distinct, r.Generated, r.Depth})
		})
	}
}

// TestFails runs the mutants and the witnesses, each for the property that it violates, and
// after how many states; and then to its end with nothing to check, for its counts. There are
// none where that takes long, or where TestHolds has them.
func TestFails(t *testing.T) {
	three, two := "{1, 2, 3}", "{2, 3}"
	for name, test := range map[string]struct {
		explore.Configuration
		property string
		depth    int
		whole    counts
	}{
		"B05StaleCoordinator":     {configuration(3, 2, "{1, 3}", "IsStale", "NeverStale"), "EpochMonotonic", 7, counts{20277, 245935, 20}},
		"B05TwoLeaders":           {configuration(3, 2, three, "IsStale", "NeverStale"), "OneLeaderPerEpoch", 11, counts{}},
		"B06DoubleVote":           {configuration(3, 1, two, "Survives", "ForgetsGrantee"), "OneLeaderPerEpoch", 8, counts{704, 5997, 15}},
		"B07EpochAmnesia":         {configuration(3, 1, "{1, 3}", "Survives", "ForgetsAll"), "OneLeaderPerEpoch", 8, counts{2021, 20918, 18}},
		"B07EpochGoesBack":        {configuration(3, 1, "{3}", "Survives", "ForgetsAll"), "EpochMonotonic", 4, counts{132, 1068, 11}},
		"B07Refines":              {configuration(3, 1, "{3}", "Survives", "ForgetsAll"), "Refines", 4, counts{132, 1068, 11}},
		"B08EpochNotBumped":       {configuration(3, 1, "{1, 2}", "NextEpoch", "SameEpoch"), "OneLeaderPerEpoch", 7, counts{127, 1292, 8}},
		"B09HalfQuorum":           {configuration(4, 1, "{1, 3}", "IsQuorum", "HalfOrMore"), "OneLeaderPerEpoch", 7, counts{433, 4669, 7}},
		"B10VoteNotBoundToEpoch":  {configuration(3, 2, three, "CountsGrant", "CountsOlderGrant"), "OneLeaderPerEpoch", 9, counts{54712, 536449, 13}},
		"B22SelfVoteNotPersisted": {configuration(3, 1, two, "Survives", "ForgetsOwnPromise"), "OneLeaderPerEpoch", 8, counts{189, 1615, 10}},
		"GrantTwice":              {configuration(3, 1, two, "MayGrant", "GrantsTwice"), "OneLeaderPerEpoch", 7, counts{181, 1601, 9}},
		"GrantTwiceRefines":       {configuration(3, 1, two, "MayGrant", "GrantsTwice"), "Refines", 7, counts{181, 1601, 9}},
		"GrantBelow":              {configuration(3, 2, three, "MayGrant", "GrantsBelow"), "EpochMonotonic", 6, counts{}},
		"GrantUnsaved":            {configuration(3, 1, two, "OnGranting", "GrantsUnsaved"), "OneLeaderPerEpoch", 7, counts{499, 4495, 10}},
		"LearnSame":               {configuration(3, 1, two, "IsNews", "SameIsNews"), "OneLeaderPerEpoch", 8, counts{704, 7882, 15}},
		"WinLate":                 {configuration(3, 1, "{1, 3}", "MayStillWin", "WinsLate"), "OneLeaderPerEpoch", 7, counts{127, 1100, 8}},
		"WinUnpromised":           {configuration(3, 1, two, "OnWinning", "WinsUnpromised"), "OneLeaderPerEpoch", 7, counts{157, 1371, 8}},
		"FollowForgets":           {configuration(3, 1, two, "OnFollowing", "FollowsUnpromised"), "OneLeaderPerEpoch", 8, counts{201, 1673, 15}},
		"InductiveWeak": {
			configuration(3, 2, three, "Init", "EveryInv", "OwnPromiseIsKept", "ForgetsOnLeading"), "Inv", 2, counts{56332, 621646, 6},
		},
		"InductiveGrantTwice": {
			configuration(3, 2, three, "Init", "EveryInv", "MayGrant", "GrantsTwice"), "Inv", 2, counts{},
		},
		"InductiveReigns": {configuration(3, 2, three, "Init", "EveryInv"), "NeverTwoReigns", 1, counts{}},
		"TwoReigns":       {configuration(3, 2, three), "NeverTwoReigns", 7, counts{}},
		"WinsLate":        {configuration(3, 2, three), "NeverWinsLate", 6, counts{}},
		"Restart":         {configuration(3, 1, "{3}", "Survives", "LeavesMark"), "NeverRestartsWithPromise", 4, counts{73, 465, 8}},
		"RestartTypes":    {configuration(3, 1, "{3}", "Survives", "LeavesMark"), "TypeOK", 4, counts{73, 465, 8}},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, checking(test.Configuration, test.property))
			require.NotNil(t, r.Violation)
			require.Equal(t, test.property, r.Violation.Property)
			require.Len(t, r.Violation.Run, test.depth)
			if test.whole == (counts{}) {
				return
			}
			r = run(t, test.Configuration)
			require.Equal(t, test.whole, counts{r.Distinct, r.Generated, r.Depth})
		})
	}
}

// TestEveryInvMissesNothing compares the two ways of listing the states that satisfy Inv.
func TestEveryInvMissesNothing(t *testing.T) {
	for _, c := range []explore.Configuration{
		configuration(3, 1, "{}"), configuration(2, 1, "{}"), configuration(2, 2, "{}"), configuration(2, 3, "{}"),
	} {
		list := func(init string) map[string]int {
			c.Replacements["Init"] = init
			m, err := New(c)
			require.NoError(t, err)
			states := map[string]int{}
			m.Init(func(s []byte) { states[string(s)]++ })
			return states
		}
		plainly, cleverly := list("EveryInvPlainly"), list("EveryInv")
		require.NotEmpty(t, plainly)
		require.True(t, maps.Equal(plainly, cleverly), "%v: %d and %d states", c.Constants, len(plainly), len(cleverly))
	}
}

// TestClaimsDoNotMatter takes every step from every state that satisfies Inv, with every set of
// CLAIMs, and not with all of them only, as EveryInv lists the states.
func TestClaimsDoNotMatter(t *testing.T) {
	m, err := New(checking(configuration(3, 1, "{1, 2, 3}", "Init", "EveryInv"), "Inv", "OneLeaderPerEpoch"))
	require.NoError(t, err)
	y, x, after := m.(*system), m.Expander(), m.Expander()
	steps := 0
	y.init(y, func(s *state) {
		some := *s
		for claims := s.claims[1]; ; claims = (claims - 1) & s.claims[1] {
			some.claims[1] = claims
			x.Expand(y.pack(&some, nil), func(step explore.Step, next []byte, _ string) {
				steps++
				require.Empty(t, after.Check(next), "%v from %v", step, y.render(&some))
			})
			if claims == 0 {
				return
			}
		}
	})
	require.Greater(t, steps, 10_000)
}

// TestLargest packs and unpacks a state that uses all the room there is.
func TestLargest(t *testing.T) {
	m, err := New(configuration(MaxNodes, MaxEpochs, "{7}"))
	require.NoError(t, err)
	y := m.(*system)
	var s state
	for e := epoch(1); e <= MaxEpochs; e++ {
		for i := node(1); i <= MaxNodes; i++ {
			s.disk[i] = promise{MaxNodes + 1, e}
			s.claims[e] |= only(i)
			s.coordinators[e] |= only(8 - i)
			s.grants[e][i] = ^only(i) &^ 1
		}
	}
	require.Equal(t, s, y.unpack(y.pack(&s, nil)))
}

func TestRender(t *testing.T) {
	m, err := New(configuration(3, 2, "{3}"))
	require.NoError(t, err)
	y := m.(*system)
	var s state
	s.disk[1] = promise{3, 1}
	s.claims[1] = only(3)
	s.grants[1][1] = only(3)
	s.coordinators[2] = only(2)
	require.Equal(t, []explore.Variable{
		{Name: "epoch", Value: "<<1, 0, 0>>"},
		{Name: "grantee", Value: "<<3, 0, 0>>"},
		{Name: "messages", Value: `{[type |-> "GRANT", from |-> 1, to |-> 3, epoch |-> 1], ` +
			`[type |-> "CLAIM", from |-> 3, epoch |-> 1], [type |-> "COORDINATOR", from |-> 2, epoch |-> 2]}`},
	}, m.Render(y.pack(&s, nil)))
}

// TestNewRefuses changes one thing in a good configuration.
func TestNewRefuses(t *testing.T) {
	for message, change := range map[string]func(c *explore.Configuration){
		`module "MCCluster"`:                       func(c *explore.Configuration) { c.Module = "MCCluster" },
		`no specification "FairSpec"`:              func(c *explore.Configuration) { c.Specification = "FairSpec" },
		`no constant "Cuts"`:                       func(c *explore.Configuration) { c.Constants["Cuts"] = "1" },
		`constant N = "8"`:                         func(c *explore.Configuration) { c.Constants["N"] = "8" },
		`constant N = ""`:                          func(c *explore.Configuration) { delete(c.Constants, "N") },
		`constant MaxEpoch = "0"`:                  func(c *explore.Configuration) { c.Constants["MaxEpoch"] = "0" },
		`constant Claimants = "3"`:                 func(c *explore.Configuration) { c.Constants["Claimants"] = "3" },
		`constant Claimants has 4 in it`:           func(c *explore.Configuration) { c.Constants["Claimants"] = "{1, 4}" },
		`MayClaim is ""`:                           func(c *explore.Configuration) { delete(c.Replacements, "MayClaim") },
		`no replacement IsQuorum <- AnySet`:        func(c *explore.Configuration) { c.Replacements["IsQuorum"] = "AnySet" },
		`no replacement Shields <- ShieldsNobody`:  func(c *explore.Configuration) { c.Replacements["Shields"] = "ShieldsNobody" },
		`no invariant "OneActing"`:                 func(c *explore.Configuration) { c.Invariants = []string{"OneActing"} },
		`no invariant "EpochMonotonic"`:            func(c *explore.Configuration) { c.Invariants = []string{"EpochMonotonic"} },
		`no property "SomeLeader"`:                 func(c *explore.Configuration) { c.Properties = []string{"SomeLeader"} },
		`property Refines says how runs start, so`: func(c *explore.Configuration) { c.Replacements["Init"] = "EveryInv" },
	} {
		c := checking(configuration(3, 1, "{ 1, 3 }"), "Refines")
		_, err := New(c)
		require.NoError(t, err)
		change(&c)
		_, err = New(c)
		require.ErrorContains(t, err, message)
	}
}
