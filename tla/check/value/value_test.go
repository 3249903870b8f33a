package value

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// forms has pairs of a text and its canonical form.
var forms = [][2]string{
	{"0", "0"}, {"-12", "-12"}, {"TRUE", "TRUE"}, {"node1", "node1"},
	{`"a b"`, `"a b"`}, {`"say \"hi\""`, `"say \"hi\""`}, {`""`, `""`},
	{"{}", "{}"}, {"{ }", "{}"}, {"{3, 1, 2}", "{1, 2, 3}"}, {"{10, 9, 9}", "{9, 10}"},
	{"2..4", "{2, 3, 4}"}, {"2 .. 1", "{}"},
	{"<<>>", "<<>>"}, {"<< >>", "<<>>"}, {"<<1,<<2>>>>", "<<1, <<2>>>>"},
	{`[b |-> 1, a |-> {2, 1}]`, `[a |-> {1, 2}, b |-> 1]`},
	{`("b" :> 1 @@ "a" :> 2)`, `[a |-> 2, b |-> 1]`},
	{`("a-b" :> 1)`, `("a-b" :> 1)`},
	{"(2 :> TRUE @@ 1 :> FALSE)", "<<FALSE, TRUE>>"},
	{"(1 :> 5 @@ 1 :> 6)", "<<5>>"},
	{"(2 :> 0 @@ 3 :> 0)", "(2 :> 0 @@ 3 :> 0)"},
	{"( <<1, 3>> :> <<>> @@\n  <<1, 2>> :> <<>> )", "(<<1, 2>> :> <<>> @@ <<1, 3>> :> <<>>)"},
	{`{[t |-> "b"], [t |-> "a"]}`, `{[t |-> "a"], [t |-> "b"]}`},
}

func TestCanonical(t *testing.T) {
	for _, f := range forms {
		form, err := canonical(f[0])
		require.NoError(t, err, f[0])
		require.Equal(t, f[1], form, f[0])
		again, err := canonical(form)
		require.NoError(t, err, form)
		require.Equal(t, form, again, "the form of a form is itself")
	}
}

func TestCanonicalRefuses(t *testing.T) {
	for text, message := range map[string]string{
		"":                        "a value",
		"<<1, 2":                  ", or >>",
		"{1 2}":                   ", or }",
		"[1 |-> 2]":               "a field",
		"[a 2]":                   "|->",
		"[a |-> 2; ]":             ", or ]",
		"(1 :> 2, 3)":             "@@ or )",
		"()":                      "a value",
		`"abc`:                    "a string that ends",
		"1 2":                     "the end",
		"-":                       "is no number",
		"99999999999":             "is no number",
		"0..99999":                "an interval of more than",
		"#":                       `"#" where a value should be`,
		"1..x":                    "is no number",
		strings.Repeat("{", 2000): "within one another",
	} {
		_, err := canonical(text)
		require.ErrorContains(t, err, message, text)
	}
}

const dump = `State 1:
/\ epoch = <<0, 0>>
/\ net = ( <<1, 2>> :> <<>> @@
  <<2, 1>> :> <<>> )

State 2:
/\ net = (<<2, 1>> :> <<>> @@ <<1, 2>> :> <<>>)
/\ epoch = (1 :> 0 @@ 2 :> 1)
`

func TestReadDump(t *testing.T) {
	states, err := ReadDump(strings.NewReader(dump))
	require.NoError(t, err)
	require.Equal(t, 2, states.Len())

	same := NewStates()
	for _, epoch := range []string{"<<0, 1>>", "<<0, 0>>"} {
		state := State{}
		require.NoError(t, state.Set("epoch", epoch))
		require.NoError(t, state.Set("net", "(<<1, 2>> :> << >> @@ <<2, 1>> :> << >>)"))
		same.Add(state)
	}
	require.Equal(t, same.Digest(), states.Digest(), "the order of states and variables means nothing")
	require.Empty(t, states.Missing(same, 3))
}

func TestDigestTellsStatesApart(t *testing.T) {
	states, err := ReadDump(strings.NewReader(dump))
	require.NoError(t, err)
	other, err := ReadDump(strings.NewReader(strings.Replace(dump, "2 :> 1", "2 :> 2", 1)))
	require.NoError(t, err)
	require.NotEqual(t, states.Digest(), other.Digest())
	require.Equal(t, []string{`epoch = <<0, 1>>  /\  net = (<<1, 2>> :> <<>> @@ <<2, 1>> :> <<>>)`},
		states.Missing(other, 3))
}

func TestReadDumpOfOneVariable(t *testing.T) {
	states, err := ReadDump(strings.NewReader("State 1:\nx = 0\n\nState 2:\nx = 1\n\n"))
	require.NoError(t, err)
	require.Equal(t, 2, states.Len())
}

func TestReadDumpRefuses(t *testing.T) {
	for _, text := range []string{"State 1:\n/\\ = 3\n", "State 1:\n/\\ x = \n", "State 1:\n/\\ x = 1 2\n", "nonsense"} {
		_, err := ReadDump(strings.NewReader(text))
		require.Error(t, err, text)
	}
	require.Error(t, State{}.Set("x", "{"))
}

// FuzzCanonical checks that no text breaks the parser, and that every form means itself.
func FuzzCanonical(f *testing.F) {
	for _, x := range forms {
		f.Add(x[0])
	}
	f.Fuzz(func(t *testing.T, text string) {
		form, err := canonical(text)
		if err != nil {
			return
		}
		again, err := canonical(form)
		require.NoError(t, err)
		require.Equal(t, form, again)
	})
}

// FuzzReadDump checks that no dump breaks the reader.
func FuzzReadDump(f *testing.F) {
	f.Add(dump)
	f.Fuzz(func(t *testing.T, text string) {
		if states, err := ReadDump(strings.NewReader(text)); err == nil {
			require.NotEmpty(t, states.Digest())
		}
	})
}
