package check_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

func Example() {
	one, two := spec.IntegerID(1), spec.IntegerID(2)
	asked := spec.Message{Type: spec.Election, From: one, To: two, Question: 1, Keeps: spec.NodeID{}}
	c := check.Case{ID: two, Members: []spec.NodeID{one, two}, Before: check.Survivor(spec.Durable{}), Input: spec.Input{Message: asked}}
	c.Want.State = c.Before
	c.Rule = check.RuleOf(&c)
	fmt.Println(c.Rule, "of", check.MemberText(c.Members))
	// Output: R10 of {1 2}
}

// TestRuleOf names the rule of inputs that are taken by one alone, and of those by which members come first.
func TestRuleOf(t *testing.T) {
	one, two := spec.IntegerID(1), spec.IntegerID(2)
	both, err := spec.NewConfiguration(1, 1, []spec.Member{{ID: one, Kind: spec.Voter}, {ID: two, Kind: spec.Witness}})
	require.NoError(t, err)
	alone, err := spec.NewConfiguration(2, 1, []spec.Member{{ID: one, Kind: spec.Voter}})
	require.NoError(t, err)
	heard := func(kind spec.MessageType, of spec.Configuration) spec.Input {
		return spec.Input{Message: spec.Message{Type: kind, From: one, To: two, Epoch: 1, Question: 1, Configuration: of}}
	}
	for _, c := range []struct {
		rule    string
		own     spec.Configuration
		in      spec.Input
		ignored bool
	}{
		{"R32", spec.Configuration{}, spec.Input{Call: spec.StartCall}, false},
		{"R49", both, spec.Input{Call: spec.StartCall}, false},
		{"R30", spec.Configuration{}, spec.Input{Call: spec.RestartCall}, false},
		{"R28", spec.Configuration{}, spec.Input{Call: spec.ResignCall}, false},
		{"R41", spec.Configuration{}, spec.Input{Call: spec.HolderDeadCall}, false},
		{"R47", both, spec.Input{Call: spec.ChangeCall}, false},
		{"R8", spec.Configuration{}, spec.Input{Timer: spec.PatienceTimer}, false},
		{"R46", both, spec.Input{Timer: spec.PatienceTimer}, false},
		{"R35", spec.Configuration{}, spec.Input{Timer: spec.ReignTimer}, true},
		{"R33", spec.Configuration{}, spec.Input{Message: spec.Message{Type: spec.OK}}, true},
		{"R12", spec.Configuration{}, heard(spec.OK, spec.Configuration{}), false},
		{"R34", spec.Configuration{}, heard(spec.OK, spec.Configuration{}), true},
		{"R43", alone, heard(spec.OK, both), false},
		{"R44", alone, heard(spec.OK, alone), false},
	} {
		if c.rule == "R43" {
			newer, err := spec.NewConfiguration(3, 1, both.Members())
			require.NoError(t, err)
			c.in.Message.Configuration = newer
		}
		before := check.Survivor(spec.Durable{Epoch: 1, Configuration: c.own})
		asked := check.Case{ID: two, Members: []spec.NodeID{one, two}, Before: before, Input: c.in, Want: spec.Step{State: before, Ignored: c.ignored}}
		require.Equal(t, c.rule, check.RuleOf(&asked), "%v of %v", c.in, c.own)
	}
}

// TestExplain says the rule, what was expected and what came.
func TestExplain(t *testing.T) {
	one := spec.IntegerID(1)
	c := check.Case{Rule: "R28", Question: "who leads no more?", ID: one, Members: []spec.NodeID{one}, Before: check.Survivor(spec.Durable{}), Input: spec.Input{Call: spec.ResignCall}}
	c.Want.State = c.Before
	text := c.Explain(&spec.Step{State: c.Before, Ignored: true})
	for _, says := range []string{"R28: node 1 of {1}: ", "before ", "expected ", "(ignored: no step)", "question  who leads no more?", spec.Sentence("R28")} {
		require.Contains(t, text, says)
	}
}
