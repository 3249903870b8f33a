package members

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model/explore"
)

// counts are those of TLC.
type counts struct{ distinct, generated, depth int }

// newConfiguration returns a configuration of MCMembers that checks nothing. Replacements are
// pairs of an operator and what replaces it.
func newConfiguration(n int, start string, maxEpoch, maxVersion int, witnesses string, replaced ...string) explore.Configuration {
	c := explore.Configuration{
		Module:        "MCMembers",
		Specification: "Spec",
		Constants: map[string]string{"N": fmt.Sprint(n), "Start": start, "MaxEpoch": fmt.Sprint(maxEpoch),
			"MaxVersion": fmt.Sprint(maxVersion), "Witnesses": witnesses},
		Replacements: map[string]string{"Epoch": "UpToMaxEpoch", "Version": "UpToMaxVersion", "Witness": "Listed"},
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

// TestHolds runs configurations in which everything holds.
func TestHolds(t *testing.T) {
	one, two, three, nobody := "{1}", "{1, 2}", "{1, 2, 3}", "{}"
	for name, test := range map[string]struct {
		explore.Configuration
		want counts
	}{
		"Members3":        {newConfiguration(3, three, 2, 3, nobody), counts{16428, 117034, 18}},
		"Members3FromOne": {newConfiguration(3, one, 2, 3, nobody), counts{5777, 48420, 14}},
		"Members3FromTwo": {newConfiguration(3, two, 2, 3, nobody), counts{11722, 91890, 18}},
		"Members3Witness": {newConfiguration(3, three, 2, 3, "{3}"), counts{39273, 281721, 18}},
		"Members4FromOne": {newConfiguration(4, one, 2, 2, nobody), counts{42846, 538942, 12}},
		"Members4FromTwo": {newConfiguration(4, two, 2, 2, nobody), counts{56888, 643267, 18}},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, checking(test.Configuration, "TypeOK", "OneLeaderPerEpoch", "OneConfiguration",
				"ConfigurationIsPromised", "LeaderIsElector", "LeaderIsStamped", "EpochMonotonic", "ConfigurationMonotonic",
				"Refines"))
			require.Nil(t, r.Violation)
			require.Equal(t, test.want, counts{r.Distinct, r.Generated, r.Depth})
		})
	}
}

// The replacements of mutants, as a configuration names them.
var (
	unsettled    = []string{"IsSettled", "ChangesUnsettled"}
	manyAtOnce   = []string{"DiffersByOne", "ManyAtOnce"}
	grantsOlder  = []string{"MayGrant", "GrantsOlder"}
	unstamped    = []string{"Stamped", "Unstamped"}
	forgets      = []string{"Survives", "ForgetsConfiguration"}
	leavesItself = []string{"StaysElector", "LeavesItself"}
	keepsEpoch   = []string{"EpochOnAdopting", "KeepsEpoch"}
	ackFromAbove = []string{"CountsAck", "CountsOtherEpoch"}
)

// bounded is what a configuration bounds: all but the witnesses, of which there are none.
type bounded struct {
	n                    int
	start                string
	maxEpoch, maxVersion int
}

// with returns the configuration with such bounds and the rules replaced.
func (b bounded) with(rules ...[]string) explore.Configuration {
	var replaced []string
	for _, r := range rules {
		replaced = append(replaced, r...)
	}
	return newConfiguration(b.n, b.start, b.maxEpoch, b.maxVersion, "{}", replaced...)
}

// TestFails runs mutants and witnesses, each for the property that it violates, and after how many states.
func TestFails(t *testing.T) {
	for name, test := range map[string]struct {
		explore.Configuration
		property string
		depth    int
	}{
		"Unsettled":             {bounded{3, "{1, 2, 3}", 2, 3}.with(unsettled), "OneLeaderPerEpoch", 9},
		"UnsettledRefines":      {bounded{3, "{1, 2, 3}", 2, 3}.with(unsettled), "Refines", 9},
		"ManyAtOnce":            {bounded{3, "{1, 2, 3}", 2, 2}.with(manyAtOnce), "OneLeaderPerEpoch", 10},
		"GrantsOlder":           {bounded{3, "{1, 2, 3}", 2, 3}.with(grantsOlder), "OneLeaderPerEpoch", 13},
		"UnstampedLeader":       {bounded{2, "{1}", 1, 1}.with(unstamped), "LeaderIsStamped", 2},
		"Forgets":               {bounded{3, "{1}", 2, 3}.with(forgets), "OneLeaderPerEpoch", 11},
		"ForgetsGoesBack":       {bounded{2, "{1}", 2, 2}.with(forgets), "ConfigurationMonotonic", 3},
		"LeavesItself":          {bounded{2, "{1, 2}", 2, 2}.with(leavesItself), "LeaderIsElector", 6},
		"HalfQuorum":            {bounded{2, "{1}", 2, 2}.with([]string{"IsQuorum", "HalfOrMore"}), "OneLeaderPerEpoch", 7},
		"CountsAnybody":         {bounded{3, "{1, 2}", 2, 2}.with([]string{"IsQuorum", "CountsAnybody"}), "OneLeaderPerEpoch", 10},
		"AdoptsOlder":           {bounded{3, "{1}", 2, 3}.with([]string{"Adopts", "AdoptsOlder"}), "OneLeaderPerEpoch", 11},
		"AdoptsOlderGoesBack":   {bounded{2, "{1}", 2, 2}.with([]string{"Adopts", "AdoptsOlder"}), "ConfigurationMonotonic", 2},
		"KeepsEpoch":            {bounded{2, "{1}", 2, 2}.with(keepsEpoch), "ConfigurationIsPromised", 3},
		"KeepsClaim":            {bounded{3, "{1, 2, 3}", 3, 2}.with([]string{"SupportOnAdopting", "KeepsSupport"}), "OneLeaderPerEpoch", 9},
		"KeepsAcks":             {bounded{3, "{1, 2, 3}", 2, 3}.with([]string{"SupportOnChanging", "KeepsSupport"}), "OneLeaderPerEpoch", 11},
		"AckOtherConfiguration": {bounded{3, "{1, 2, 3}", 2, 3}.with([]string{"CountsAck", "CountsOtherConfiguration"}), "OneLeaderPerEpoch", 11},
		"AckOtherEpoch":         {bounded{3, "{1, 2, 3}", 2, 3}.with(ackFromAbove), "OneLeaderPerEpoch", 13},
		"AnybodyStands":         {bounded{2, "{1}", 2, 2}.with([]string{"MayStand", "AnybodyStands"}), "LeaderIsElector", 4},
		"SameVersion":           {bounded{2, "{1}", 1, 2}.with([]string{"NextVersion", "SameVersion"}), "OneConfiguration", 3},
		"Replaced":              {bounded{2, "{1}", 2, 3}.with(), "NeverReplaced", 9},
		"TwoLead":               {bounded{3, "{1, 2, 3}", 2, 2}.with(), "NeverTwoLead", 8},
		"WitnessLeads":          {newConfiguration(2, "{1, 2}", 2, 3, "{2}"), "NeverWitnessLeads", 6},
	} {
		t.Run(name, func(t *testing.T) { fails(t, test.Configuration, test.property, test.depth) })
	}
}

// fails runs c, and wants the property violated after so many states.
func fails(t *testing.T, c explore.Configuration, property string, depth int) {
	t.Helper()
	r := run(t, checking(c, property))
	require.NotNil(t, r.Violation)
	require.Equal(t, property, r.Violation.Property)
	require.Len(t, r.Violation.Run, depth)
}

// TestTwoRulesOff runs pairs of rules that are off. Where it is said that they hide each other, either alone keeps the promise
// within the same bounds.
func TestTwoRulesOff(t *testing.T) {
	for name, test := range map[string]struct {
		bounded
		a, b  []string
		hide  bool
		depth int
	}{
		"UnsettledManyAtOnce":     {bounded{3, "{1, 2, 3}", 2, 2}, unsettled, manyAtOnce, false, 8},
		"UnsettledGrantsOlder":    {bounded{2, "{1}", 3, 3}, unsettled, grantsOlder, true, 11},
		"UnsettledUnstamped":      {bounded{3, "{1, 2, 3}", 2, 3}, unsettled, unstamped, false, 9},
		"UnsettledForgets":        {bounded{3, "{1}", 2, 3}, unsettled, forgets, false, 9},
		"UnsettledLeavesItself":   {bounded{2, "{1, 2}", 3, 4}, unsettled, leavesItself, true, 10},
		"ManyAtOnceGrantsOlder":   {bounded{4, "{1, 2}", 2, 2}, manyAtOnce, grantsOlder, true, 11},
		"ManyAtOnceUnstamped":     {bounded{3, "{1, 2, 3}", 2, 2}, manyAtOnce, unstamped, false, 9},
		"ManyAtOnceForgets":       {bounded{3, "{1}", 2, 2}, manyAtOnce, forgets, true, 8},
		"ManyAtOnceLeavesItself":  {bounded{2, "{1}", 2, 3}, manyAtOnce, leavesItself, true, 9},
		"GrantsOlderUnstamped":    {bounded{3, "{1, 2, 3}", 2, 3}, grantsOlder, unstamped, false, 12},
		"GrantsOlderForgets":      {bounded{3, "{1}", 2, 3}, grantsOlder, forgets, false, 11},
		"GrantsOlderLeavesItself": {bounded{3, "{1, 2, 3}", 2, 3}, grantsOlder, leavesItself, false, 13},
		"UnstampedForgets":        {bounded{3, "{1}", 2, 3}, unstamped, forgets, false, 11},
		"UnstampedLeavesItself":   {bounded{3, "{1, 2, 3}", 3, 3}, unstamped, leavesItself, true, 18},
		"ForgetsLeavesItself":     {bounded{2, "{1}", 2, 3}, forgets, leavesItself, true, 10},
		"KeepsEpochAckOtherEpoch": {bounded{3, "{1}", 3, 3}, keepsEpoch, ackFromAbove, true, 9},
	} {
		t.Run(name, func(t *testing.T) {
			fails(t, test.with(test.a, test.b), "OneLeaderPerEpoch", test.depth)
			for _, alone := range [][]string{test.a, test.b} {
				if test.hide {
					require.Nil(t, run(t, checking(test.with(alone), "OneLeaderPerEpoch")).Violation, alone)
				}
			}
		})
	}
}

// TestLargest packs and unpacks a state that uses all the room there is.
func TestLargest(t *testing.T) {
	m, err := New(newConfiguration(MaxNodes, "{1}", MaxEpochs, MaxVersions, "{7}"))
	require.NoError(t, err)
	y := m.(*system)
	var s state
	for i := node(1); i <= MaxNodes; i++ {
		s.epoch[i], s.support[i] = MaxEpochs, y.all&^only(i)
		s.conf[i] = configuration{y.all &^ only(i), only(i), MaxVersions, MaxEpochs}
		s.reigns[i] = y.all
		s.made = with(s.made, s.conf[i])
	}
	s.leads = y.all
	require.Len(t, s.made, MaxNodes)
	require.Equal(t, s, y.unpack(y.pack(&s, nil)))
}

// TestWith sees that a set of configurations has one form, and that nobody else's changes.
func TestWith(t *testing.T) {
	a, b := configuration{voters: 2, version: 1}, configuration{voters: 6, version: 2, epoch: 1}
	c := configuration{voters: 6, version: 1, epoch: 1}
	first := with(with(nil, b), a)
	require.Equal(t, []configuration{a, b}, first)
	require.Equal(t, []configuration{a, c, b}, with(first, c))
	require.Equal(t, []configuration{a, b}, first)
	require.Equal(t, first, with(first, a))
}

// TestTypeOK breaks one thing at a time in a good state.
func TestTypeOK(t *testing.T) {
	m, err := New(newConfiguration(2, "{1}", 2, 2, "{}"))
	require.NoError(t, err)
	y := m.(*system)
	good := func() state {
		first := y.firstOf(1)
		s := state{made: []configuration{{}, first}}
		s.conf[1] = first
		return s
	}
	s := good()
	require.True(t, y.typeOK(&s))
	for name, spoil := range map[string]func(s *state){
		"support of no node":        func(s *state) { s.support[1] = only(3) },
		"configuration never made":  func(s *state) { s.conf[2].voters = only(2) },
		"version 0":                 func(s *state) { s.made[1].version, s.conf[1].version = 0, 0 },
		"no voter":                  func(s *state) { s.made = with(s.made, configuration{version: 1, witnesses: only(1)}) },
		"of two kinds":              func(s *state) { s.made = with(s.made, configuration{version: 1, voters: 2, witnesses: 2}) },
		"configuration of no nodes": func(s *state) { s.made = with(s.made, configuration{version: 1, voters: only(3)}) },
	} {
		s := good()
		spoil(&s)
		require.False(t, y.typeOK(&s), name)
	}
}

func TestRender(t *testing.T) {
	m, err := New(newConfiguration(2, "{1}", 2, 2, "{}"))
	require.NoError(t, err)
	y := m.(*system)
	first, second := y.firstOf(1), configuration{voters: only(1), witnesses: only(2), version: 2, epoch: 1}
	s := state{leads: only(1), made: []configuration{first, second}}
	s.epoch[1], s.conf[1], s.conf[2], s.support[1], s.reigns[1] = 1, second, first, only(2), only(1)
	one := "[voters |-> {1}, witnesses |-> {}, version |-> 1, epoch |-> 0]"
	two := "[voters |-> {1}, witnesses |-> {2}, version |-> 2, epoch |-> 1]"
	require.Equal(t, []explore.Variable{
		{Name: "epoch", Value: "<<1, 0>>"},
		{Name: "conf", Value: "<<" + two + ", " + one + ">>"},
		{Name: "leads", Value: "<<TRUE, FALSE>>"},
		{Name: "support", Value: "<<{2}, {}>>"},
		{Name: "reigns", Value: "{[epoch |-> 1, leader |-> 1]}"},
		{Name: "made", Value: "{" + one + ", " + two + "}"},
	}, m.Render(y.pack(&s, nil)))
}

// TestNewRefuses changes one thing in a good configuration.
func TestNewRefuses(t *testing.T) {
	for message, change := range map[string]func(c *explore.Configuration){
		`module "MCCluster"`:                      func(c *explore.Configuration) { c.Module = "MCCluster" },
		`no specification "FairSpec"`:             func(c *explore.Configuration) { c.Specification = "FairSpec" },
		`no constant "Cuts"`:                      func(c *explore.Configuration) { c.Constants["Cuts"] = "1" },
		`constant N = "8"`:                        func(c *explore.Configuration) { c.Constants["N"] = "8" },
		`constant MaxEpoch = "0"`:                 func(c *explore.Configuration) { c.Constants["MaxEpoch"] = "0" },
		`constant MaxVersion = "16"`:              func(c *explore.Configuration) { c.Constants["MaxVersion"] = "16" },
		`constant Start = "1"`:                    func(c *explore.Configuration) { c.Constants["Start"] = "1" },
		`constant Start is empty`:                 func(c *explore.Configuration) { c.Constants["Start"] = "{}" },
		`constant Start has 4 in it`:              func(c *explore.Configuration) { c.Constants["Start"] = "{1, 4}" },
		`constant Witnesses = ""`:                 func(c *explore.Configuration) { delete(c.Constants, "Witnesses") },
		`Epoch is "" and must be UpToMaxEpoch`:    func(c *explore.Configuration) { delete(c.Replacements, "Epoch") },
		`Version is "Nat"`:                        func(c *explore.Configuration) { c.Replacements["Version"] = "Nat" },
		`no replacement IsQuorum <- AnySet`:       func(c *explore.Configuration) { c.Replacements["IsQuorum"] = "AnySet" },
		`no replacement Shields <- ShieldsNobody`: func(c *explore.Configuration) { c.Replacements["Shields"] = "ShieldsNobody" },
		`no invariant "OneActing"`:                func(c *explore.Configuration) { c.Invariants = []string{"OneActing"} },
		`no invariant "Refines"`:                  func(c *explore.Configuration) { c.Invariants = []string{"Refines"} },
		`no property "SomeLeader"`:                func(c *explore.Configuration) { c.Properties = []string{"SomeLeader"} },
	} {
		c := checking(newConfiguration(3, "{ 1, 3 }", 1, 1, "{2}"), "Refines")
		_, err := New(c)
		require.NoError(t, err)
		change(&c)
		_, err = New(c)
		require.ErrorContains(t, err, message)
	}
}
