package behaviour

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/traces/recording"
)

// TestTerms reads values, and finds their parts.
func TestTerms(t *testing.T) {
	v, err := parse(`<< [ epoch |-> 3, role |-> "a, b", support |-> 1..2 ], (<<1, 2>> :> <<>> @@ <<2, 1>> :> <<"X">>), -4 >>`)
	require.NoError(t, err)
	require.Equal(t, "3", v.at(1).field("epoch").text)
	require.Equal(t, "a, b", v.at(1).field("role").word())
	require.True(t, v.at(1).field("support").has("2"), "1..2 has 2")
	require.False(t, v.at(1).field("support").has("3"), "1..2 does not have 3")
	require.Equal(t, `<<"X">>`, v.at(2).field("<<2, 1>>").text)
	require.Equal(t, -4, v.at(3).number())
	require.Zero(t, term{text: "99999999999999999999"}.number())
	require.Empty(t, v.at(4).text)
	require.Empty(t, v.field("x").text)
}

// TestDump reads what TLC dumps as JSON: sets and sequences are both arrays there.
func TestDump(t *testing.T) {
	for _, text := range []string{
		`{"state":[[1,{"epoch":[0,0],"reigns":[]}],[2,{"epoch":[1,0],"reigns":[{"epoch":1,"leader":1}]}]],
		  "action":[[[1,{}],{"name":"Rise"},[2,{}]]]}`,
		`{"counterexample":{"state":[[1,{"epoch":[0,0],"reigns":[]}],[2,{"epoch":[1,0],"reigns":[{"epoch":1,"leader":1}]}]],"action":[[[1,{}],{"name":"Rise"},[2,{}]]]}}`,
	} {
		require.True(t, Is([]byte(text)), "a dump must be recognised")
		b, err := Read([]byte(text))
		require.NoError(t, err)
		f, err := b.Recording()
		require.NoError(t, err)
		require.Equal(t, []string{"1", "2"}, f.Nodes)
		require.Equal(t, recording.Leads, f.Frames[2].State.Look)
		require.Equal(t, "promises a higher epoch", f.Frames[2].Text)
	}
	require.Equal(t, `("<<1, 2>>" :> 1)`, strings.ReplaceAll(written(map[string]any{"a": 1.0}), `"a"`, `"<<1, 2>>"`))
	require.Equal(t, `(<<1, 2>> :> <<TRUE>>)`, written(map[string]any{"<<1, 2>>": []any{true}}))
	large, err := Read([]byte(`{"state":[[1,{"x":12345678}],[2,{"x":87654321}]],"action":[]}`))
	require.NoError(t, err)
	require.Equal(t, "87654321", large.Steps[1].State["x"])
	require.False(t, Is([]byte(`{"state":1}`)), "a state without steps is no dump")
	_, err = Read([]byte(`{"state":[[1]],"action":[]}`))
	require.ErrorContains(t, err, "state 1")
}

// TestEndsOfBehaviours reads how a counterexample goes on for ever, and what is no state.
func TestEndsOfBehaviours(t *testing.T) {
	head := "Error: Temporal properties were violated.\n\nError: The following behavior constitutes a counter-example:\n\n" +
		"State 1: <Initial predicate>\nx = 0\n\nState 2: <Up line 8, col 9 to line 8, col 52 of module C>\nx = 1\n\n"
	for text, wants := range map[string]Behaviour{
		head + "State 3: Stuttering\nFinished in 1s\n":                            {Stuck: true},
		head + "Back to state 1: <Up line 8>\n\n":                                 {Back: 1},
		head + "Finished in 01s\n" + head:                                         {more: 1},
		strings.ReplaceAll(head, "State ", "") + "and then: back to state 2\nx\n": {Back: 2},
	} {
		b, err := Read([]byte(text))
		require.NoError(t, err, text)
		require.Len(t, b.Steps, 2, text)
		require.Equal(t, wants.Stuck, b.Stuck, text)
		require.Equal(t, wants.Back, b.Back, text)
		require.Equal(t, wants.more, b.more, text)
		f, err := b.Recording()
		require.NoError(t, err)
		require.Equal(t, "Property", f.Indicators[0].Name)
		require.Len(t, f.Frames, f.Open)
		says := f.Frames[f.Open-1].Indicators[0].Says
		require.Equal(t, wants.Back > 0, strings.Contains(says, "round for ever"), says)
		require.Equal(t, wants.Stuck, strings.Contains(says, "nothing ever changes"), says)
	}
	atOnce, err := Read([]byte("Error: Invariant Small is violated by the initial state:\n/\\ x = 0\n/\\ y = {}\n\nFinished in 1s\n"))
	require.NoError(t, err)
	require.Equal(t, "Small", atOnce.Property)
	require.Len(t, atOnce.Steps, 1)
	for text, says := range map[string]string{
		"State 1: <Initial predicate>\n\n":                                                "no variables",
		"State 1: <Initial predicate>\n/\\ x = [\n\n":                                     "state 1: x",
		"State 1: <Initial predicate>\n/\\ x = 1\n\nState 2: <A>\n/\\ y = 1\n/\\ x = 2\n": "2 variables",
		"nothing": "no state here",
	} {
		_, err := Read([]byte(text))
		require.ErrorContains(t, err, says, text)
	}
}

// FuzzRead reads anything; what it can read becomes a recording that is coherent.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"TextbookB01Partition.txt", "invariant-tool.txt", "check-v.txt"} {
		text, err := os.ReadFile("../engine/testdata/tlc/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("Invariant X is violated after step 1.\n0. Initial state\n   epoch = <<0, 0>>\n   grantee = <<0, 0>>\n   messages = {}\n1. OnClaim(2→1)\n   epoch[1] = 1\n   messages gains [type |-> \"GRANT\", from |-> 1, to |-> 2, epoch |-> 1]\n"))
	f.Add([]byte(`{"state":[[1,{"sessions":[],"up":[1],"entries":[],"revision":0,"net":[],"writes":[],"checked":[],"wrote":0}]],"action":[]}`))
	f.Add([]byte(`{"vars":["x"],"states":[{"#meta":{"index":0},"x":{"#map":[[{"#tup":[1,true]},{"#set":["a",{"#bigint":"-2"}]}]]}},{"x":{"a":[]}}],"loop":0}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		coherent(t, text)
	})
}

// TestStrangeNodes shows what it can of a text that names nodes which there are not.
func TestStrangeNodes(t *testing.T) {
	isRecording, isTrace := coherent(t, []byte(`Invariant X is violated after step 1.
0. Initial state
   epoch = <<0, 0>>
   grantee = <<9, 0>>
   messages = {[type |-> "COORDINATOR", from |-> 9, epoch |-> 0]}
1. OnClaim(9→7)
   epoch[1] = 1
   messages gains [type |-> "GRANT", from |-> 1, to |-> 7, epoch |-> 1]
   messages gains [type |-> "GRANT", from |-> -4, to |-> 1, epoch |-> 1]
`))
	require.True(t, isRecording, "a text of unknown nodes can be shown as a recording")
	require.False(t, isTrace, "a text of unknown nodes is no trace")
	isRecording, isTrace = coherent(t, []byte(`State 1: <Initial predicate>
/\ node = <<[role |-> "follower", leader |-> 0, epoch |-> 0, grantee |-> 0, support |-> {}], [role |-> "king", leader |-> 9, epoch |-> 0, grantee |-> 0, support |-> {7}]>>
/\ up = {1, 2}
/\ net = (<<1, 9>> :> <<[type |-> "OK", epoch |-> 0]>> @@ <<2, 1>> :> <<>>)
/\ cut = {<<1, 9>>, <<2, 1>>}
/\ budget = [cut |-> 1]
/\ reigns = {}
`))
	require.True(t, isRecording, "a text of unknown links can be shown as a recording")
	require.False(t, isTrace, "a text of unknown links is no trace")
}
