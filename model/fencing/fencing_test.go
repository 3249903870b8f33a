package fencing

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model/explore"
)

// counts are those of TLC.
type counts struct{ distinct, generated, depth int }

// configuration returns a configuration of MCFencing that checks nothing. Replacements are
// pairs of an operator and what replaces it.
func configuration(n, maxEpoch, maxLog int, replaced ...string) explore.Configuration {
	c := explore.Configuration{
		Module:        "MCFencing",
		Specification: "Spec",
		Constants:     map[string]string{"N": fmt.Sprint(n), "MaxEpoch": fmt.Sprint(maxEpoch), "MaxLog": fmt.Sprint(maxLog)},
		Replacements:  map[string]string{"Epoch": "UpToMax", "HasRoom": "Within"},
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

// TestHolds runs the configuration Fencing, in which everything holds.
func TestHolds(t *testing.T) {
	r := run(t, checking(configuration(3, 3, 4),
		"TypeOK", "NoStaleWrite", "ReignsInOrder", "NoLockout", "AdmittedMonotonic", "Refines"))
	require.Nil(t, r.Violation)
	require.Equal(t, counts{7399, 45245, 14}, counts{r.Distinct, r.Generated, r.Depth})
}

// TestFails runs the mutants and the witnesses, each for the property that it violates, and
// after how many states; and then to its end with nothing to check, for its counts.
func TestFails(t *testing.T) {
	for name, test := range map[string]struct {
		explore.Configuration
		property string
		depth    int
		whole    counts
	}{
		"B11NoResourceFence": {configuration(2, 2, 2, "Admits", "AdmitsAny"), "NoStaleWrite", 7, counts{73, 278, 7}},
		"B11ClientFence": {
			configuration(2, 2, 2, "Admits", "AdmitsAny", "MaySend", "WhileHighest"), "NoStaleWrite", 7, counts{73, 222, 7},
		},
		"B12CheckThenAct":   {configuration(2, 2, 2, "Next", "CheckThenAct"), "NoStaleWrite", 9, counts{385, 2060, 13}},
		"Forgets":           {configuration(2, 2, 2, "Survives", "ForgetsFence"), "NoStaleWrite", 8, counts{153, 582, 10}},
		"GoesBack":          {configuration(2, 1, 1, "Survives", "ForgetsFence"), "AdmittedMonotonic", 5, counts{9, 22, 5}},
		"HigherOnly":        {configuration(2, 1, 2, "Admits", "AdmitsHigher"), "NoLockout", 4, counts{9, 26, 5}},
		"TwoLeaders":        {configuration(2, 1, 2, "MayLead", "LeadsLedEpoch"), "ReignsInOrder", 7, counts{23, 120, 7}},
		"TwoLeadersRefines": {configuration(2, 1, 2, "MayLead", "LeadsLedEpoch"), "Refines", 3, counts{23, 120, 7}},
		"Refused":           {configuration(2, 2, 1), "NeverRefused", 7, counts{49, 184, 7}},
		"TwoEpochs":         {configuration(2, 2, 2), "NeverTwoEpochs", 7, counts{81, 326, 8}},
		"WritesTwice":       {configuration(2, 1, 2), "NeverWritesTwice", 5, counts{9, 24, 5}},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, checking(test.Configuration, test.property))
			require.NotNil(t, r.Violation)
			require.Equal(t, test.property, r.Violation.Property)
			require.Len(t, r.Violation.Run, test.depth)
			r = run(t, test.Configuration)
			require.Equal(t, test.whole, counts{r.Distinct, r.Generated, r.Depth})
		})
	}
}

// TestTwoLeadersAreNotStale shows what NoStaleWrite does not see, and ReignsInOrder does.
func TestTwoLeadersAreNotStale(t *testing.T) {
	r := run(t, checking(configuration(2, 1, 2, "MayLead", "LeadsLedEpoch"), "NoStaleWrite"))
	require.Nil(t, r.Violation)
}

// TestTypeOK breaks the types of a state, since no configuration does.
func TestTypeOK(t *testing.T) {
	m, err := New(checking(configuration(2, 2, 2), "TypeOK"))
	require.NoError(t, err)
	y, x := m.(*system), m.Expander()
	wrote := [MaxWrites]reign{{1, 1}}
	for _, test := range []struct {
		state
		want string
	}{
		{state{reigns: reigns{1: 2}, writes: reigns{1: 2}, length: 1, log: wrote}, ""},
		{state{writes: reigns{1: 2}}, "TypeOK"},                        // by nobody who leads
		{state{answers: [MaxEpochs + 1]reigns{1: {1: 2}}}, "TypeOK"},   // to no write
		{state{reigns: reigns{1: 2}, length: 1, log: wrote}, "TypeOK"}, // never sent
	} {
		require.Equal(t, test.want, x.Check(y.pack(&test.state, nil)), "%v", y.render(&test.state))
	}
}

// TestLargest packs and unpacks a state that uses all the room there is.
func TestLargest(t *testing.T) {
	m, err := New(configuration(MaxNodes, MaxEpochs, MaxWrites))
	require.NoError(t, err)
	y := m.(*system)
	s := state{admitted: MaxEpochs, length: MaxWrites}
	for e := epoch(1); e <= MaxEpochs; e++ {
		s.reigns[e], s.writes[e] = 0xfe, only(node(e))
		for a := range s.answers {
			s.answers[a][e] = only(node(1 + a%MaxNodes))
		}
	}
	for k := range s.log {
		s.log[k] = reign{MaxEpochs, node(1 + k%MaxNodes)}
	}
	require.Equal(t, s, y.unpack(y.pack(&s, nil)))
}

func TestRender(t *testing.T) {
	m, err := New(configuration(3, 2, 2))
	require.NoError(t, err)
	y := m.(*system)
	s := state{admitted: 2, length: 1, log: [MaxWrites]reign{{2, 1}}}
	s.reigns[1], s.reigns[2] = only(3), only(1)
	s.writes = s.reigns
	s.answers[2][1] = only(3)
	require.Equal(t, []explore.Variable{
		{Name: "reigns", Value: "{[epoch |-> 1, leader |-> 3], [epoch |-> 2, leader |-> 1]}"},
		{Name: "writes", Value: "{[epoch |-> 1, leader |-> 3], [epoch |-> 2, leader |-> 1]}"},
		{Name: "answers", Value: "{[write |-> [epoch |-> 1, leader |-> 3], admitted |-> 2]}"},
		{Name: "admitted", Value: "2"},
		{Name: "log", Value: "<<[epoch |-> 2, leader |-> 1]>>"},
	}, m.Render(y.pack(&s, nil)))
}

// TestNewRefuses changes one thing in a good configuration.
func TestNewRefuses(t *testing.T) {
	for message, change := range map[string]func(c *explore.Configuration){
		`module "MCPromises"`:                 func(c *explore.Configuration) { c.Module = "MCPromises" },
		`no specification "FairSpec"`:         func(c *explore.Configuration) { c.Specification = "FairSpec" },
		`no constant "Claimants"`:             func(c *explore.Configuration) { c.Constants["Claimants"] = "{1}" },
		`constant N = "8"`:                    func(c *explore.Configuration) { c.Constants["N"] = "8" },
		`constant MaxLog = ""`:                func(c *explore.Configuration) { delete(c.Constants, "MaxLog") },
		`Epoch is "" and must be UpToMax`:     func(c *explore.Configuration) { delete(c.Replacements, "Epoch") },
		`HasRoom is "x" and must be Within`:   func(c *explore.Configuration) { c.Replacements["HasRoom"] = "x" },
		`no replacement Admits <- AdmitsNone`: func(c *explore.Configuration) { c.Replacements["Admits"] = "AdmitsNone" },
		`no invariant "OneLeaderPerEpoch"`:    func(c *explore.Configuration) { c.Invariants = []string{"OneLeaderPerEpoch"} },
		`no property "NoStaleWrite"`:          func(c *explore.Configuration) { c.Properties = []string{"NoStaleWrite"} },
	} {
		c := checking(configuration(3, 1, 1), "Refines")
		_, err := New(c)
		require.NoError(t, err)
		change(&c)
		_, err = New(c)
		require.ErrorContains(t, err, message)
	}
}
