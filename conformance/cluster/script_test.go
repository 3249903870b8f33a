package cluster_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/spec"
)

// TestScriptsAreRead writes scripts that are drawn as text, and reads them again.
func TestScriptsAreRead(t *testing.T) {
	for seed := range uint64(50) {
		choose := rand.New(rand.NewPCG(seed, 3)).IntN
		script := cluster.DrawScript(choose)
		if seed%3 == 0 {
			script = drawChanging(choose).DrawRanks(choose)
		}
		script.Comment = "Two lines,\n\nwith one between."
		script.Unstarted = seed%2 == 0
		c, err := cluster.New(script.Members, model, cluster.Options{First: script.First, Records: script.Records, Unstarted: script.Unstarted})
		require.NoError(t, err)
		for range 60 {
			op := c.Vary(c.Draw(choose), choose)
			script.Ops = append(script.Ops, op)
			require.NoError(t, c.Do(op))
		}
		script.Ops = append(script.Ops, cluster.Op{Kind: cluster.Expect, Node: script.Members[0], State: spec.State{Role: cluster.Down, Epoch: 7, Configuration: script.First}})
		again, err := cluster.ParseScript(script.String())
		require.NoError(t, err)
		require.Equal(t, script.String(), again.String())
		require.Equal(t, script.Ops, again.Ops)
		require.Equal(t, script.First, again.First)
		again, err = cluster.ParseScript(script.OneLine())
		require.NoError(t, err)
		require.Equal(t, script.Ops, again.Ops)
	}
}

func TestScriptsAreRefused(t *testing.T) {
	for text, problem := range map[string]string{
		"":                                              "there is no line that says who the members are, such as: members 1 2 3",
		"# none\n":                                      "there is no line that says who the members are, such as: members 1 2 3",
		"end 1 patience":                                `line 1: "end 1 patience" comes before the members`,
		"members 1 2\nmembers 3":                        "line 2: the members have been said before",
		"members 2 1":                                   "line 1: members: the members must be ascending, each once: 1 comes after 2",
		"members":                                       "line 1: members: there are no members",
		"members 01":                                    "line 1: members: ",
		"members 1\n\nsing 1":                           "line 3: sing: there is no such op; there are start, deliver,",
		"members 1 2; end 1":                            "line 1: end: it takes 2 words, not 1",
		"members 1 2; end 1 lunch":                      `line 1: end: there is no timer "lunch"`,
		"members 1 2; end x claim":                      "line 1: end: ",
		"members 1 2; end 3 claim":                      "line 1: end: 3 is no member",
		"members 1 2; deliver 1 1":                      "line 1: deliver: there is no link from 1 to itself",
		"members 1 2; deliver 1 3":                      "line 1: deliver: 3 is no member",
		"members 1 2; cut":                              "line 1: cut: there must be a link, such as 3-1; to cut none is: heal",
		"members 1 2; cut 1-1":                          `line 1: cut: "1-1" is no link, such as 3-1`,
		"members 1 2; cut 1 2":                          `line 1: cut: "1" is no link, such as 3-1`,
		"members 1 2; crash 1 2":                        `line 1: crash: "2" is one word too many`,
		"members 1 2; heal 2":                           `line 1: heal: "2" is one word too many`,
		"members 1 2; resign 2 crash":                   `line 1: resign: "crash" is neither "crash before" nor "crash after 1"`,
		"members 1 2; resign 2 crash after -1":          `line 1: resign: "crash after -1" is neither`,
		"members 1 2; late 2 claim crash after":         `line 1: late: "crash" is one word too many`,
		"members 1 2; expect 2 king epoch 1 leader 2":   `line 1: expect: "king epoch 1 leader 2" does not say a state so: follower epoch 1 leader 3`,
		"members 1 2; expect 2 leader epoch 1 leader 3": "line 1: expect: 3 is no member",
		"members 1 2; expect 2 leader epoch 9007199254740992 leader 2":         "line 1: expect: ",
		"members 1 2; record 2 epoch 1":                                        "line 1: a record is said before all ops, and so: record 2 epoch 4 grantee 3",
		"members 1 2; heal; record 2 epoch 1 grantee 2":                        "line 1: a record is said before all ops",
		"members 1 2; record 3 epoch 1 grantee 2":                              "line 1: record: 3 is no member",
		"members 1 2; record 2 epoch 9007199254740992 grantee 2":               "line 1: record: 9007199254740992 is no epoch",
		"members 1 2; record 2 epoch 1 grantee 3":                              "line 1: record: 3 is no member",
		"members 1 2; first 1; first 1":                                        "line 1: the first members are said once, before all records and ops",
		"members 1 2; first":                                                   "line 1: first: there must be members, such as: 1 2 witness:3",
		"members 1 2; first 3":                                                 "line 1: first: 3 is no member",
		"members 1 2; first king:1":                                            "line 1: first: members[0].kind: ",
		"members 1 2; first 1 1":                                               "line 1: first: members[1].id: ",
		"members 1 2; first observer:1":                                        "line 1: first: members: there is no voter",
		"members 1 2; first 1 crash":                                           `line 1: first: "crash" is one word too many`,
		"members 1 2; first 1; record 1 epoch 1 grantee 1 with 1":              `line 1: record: "1" does not say a configuration so: epoch 4 version 2 of 1 2 witness:3`,
		"members 1 2; first 1; record 1 epoch 1 grantee 1 with nobody else":    `line 1: record: "else" is one word too many`,
		"members 1 2; first 1; change 1 2":                                     `line 1: change: "2" is not said so: to 1 2 witness:3`,
		"members 1 2; first 1; change 1 to":                                    "line 1: change: there must be members",
		"members 1 2; first 1; change 1 to 3":                                  "line 1: change: 3 is no member",
		"members 1 2; first 1; change 1 to epoch 0 version 2 of 1":             "line 1: change: nobody leads epoch 0",
		"members 1 2; first 1; change 1 to 1 crash":                            `line 1: change: "crash" is neither`,
		"members 1 2; first 1; expect 1 leader epoch 1 leader 1 with somebody": `line 1: expect: "somebody" does not say a configuration`,
		"members 1 2; heal; unstarted":                                         "line 1: unstarted: there is no such op",
	} {
		_, err := cluster.ParseScript(text)
		require.ErrorContains(t, err, problem, text)
	}
}

// TestRunSaysWhere shows that Run stops at an op that is not possible, and that Try goes on.
func TestRunSaysWhere(t *testing.T) {
	script, err := cluster.ParseScript("members 1 2; end 2 patience; deliver 1 2; settle; expect 2 leader epoch 1 leader 2")
	require.NoError(t, err)
	c, err := script.Run(model, cluster.Options{})
	require.EqualError(t, err, "op 2 of the script: deliver 1 2: nothing is under way there")
	require.Len(t, c.Done(), 1)
	done, violation, err := script.Try(model, cluster.Options{})
	require.NoError(t, err)
	require.Nil(t, violation)
	require.Len(t, done, 8, "a settle is what it came to")
	_, err = (&cluster.Script{}).Run(model, cluster.Options{})
	require.Error(t, err)
	_, _, err = (&cluster.Script{}).Try(model, cluster.Options{})
	require.Error(t, err)
}

// TestExplain shows what a test says of a run that has broken a promise: the smallest.
func TestExplain(t *testing.T) {
	twice := &faults[0]
	script, _ := drawn(cluster.DrawScript, rand.New(rand.NewPCG(14, 1)).IntN, twice, cluster.Options{})
	require.NotNil(t, script, "a run that breaks something; if what is drawn has changed, take another seed")
	script.Ops = append(script.Ops, cluster.Op{Kind: cluster.Settle})
	small, violation, tried := script.Shrink(twice.node, cluster.Options{})
	require.Equal(t, "R17", violation.Property)
	require.Less(t, len(small.Ops), 30)
	require.Equal(t, integers(len(small.Members)), small.Members)
	require.Positive(t, tried)
	for i := range small.Ops {
		less := *small
		less.Ops = slices.Delete(slices.Clone(small.Ops), i, i+1)
		_, v, err := less.Try(twice.node, cluster.Options{})
		require.NoError(t, err)
		require.True(t, v == nil || v.Property != "R17", "without %s it breaks the same", small.Ops[i])
	}
	said := script.Explain(twice.node, cluster.Options{})
	require.Contains(t, said, violation.Error())
	require.Contains(t, said, "\nsmallest run: ")
	require.Contains(t, said, small.OneLine())
	require.Contains(t, said, "testdata/regressions:\n-- r17-")
	require.Contains(t, script.Explain(model, cluster.Options{}), "breaks nothing when it is run again")
}
