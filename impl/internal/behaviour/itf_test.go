package behaviour

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/tla"
	"github.com/seed-fdf591db/bully/tla/check/explorer"
	"github.com/seed-fdf591db/bully/traces"
	"github.com/seed-fdf591db/bully/traces/itf"
)

// asITF writes a behaviour as Apalache would: the state of each node, and what each has answered, are functions there.
func asITF(t *testing.T, b *Behaviour, before, quint string, actions bool) []byte {
	t.Helper()
	file := map[string]any{"vars": []string{}}
	var states []map[string]any
	for k, s := range b.Steps {
		state := map[string]any{"#meta": map[string]any{"index": k}}
		for name, term := range s.terms {
			state[before+name] = valueOf(term, name == "node" || name == "since")
		}
		switch {
		case quint != "":
			state[quint] = s.Action
		case actions:
			state["#meta"] = map[string]any{"index": k, "action": s.Action}
		}
		states = append(states, state)
	}
	file["states"] = states
	text, err := json.Marshal(file)
	require.NoError(t, err)
	return text
}

func valueOf(t term, function bool) itf.Value {
	v := itf.Value{Kind: itf.List, Text: ""}
	for i, item := range t.items {
		key := ""
		if len(t.keys) > 0 {
			key = t.keys[i]
		}
		v.Items = append(v.Items, valueOf(item, key == "answered"))
		switch {
		case t.open == '[':
			v.Names = append(v.Names, key)
		case t.open == '(':
			parsed, _ := parse(key)
			v.Keys = append(v.Keys, valueOf(parsed, false))
		case function:
			v.Keys = append(v.Keys, itf.Number(i+1))
		}
	}
	switch {
	case t.open == '{':
		v.Kind = itf.Set
	case t.open == '[':
		v.Kind = itf.Record
	case t.open == '(' || function:
		v.Kind = itf.Map
	case t.open != 0:
	case t.text[0] == '"':
		v = itf.Word(t.word())
	default:
		n, err := strconv.Atoi(t.text)
		if err != nil {
			return itf.Value{Kind: itf.Bool, Text: map[string]string{"TRUE": "true", "FALSE": "false"}[t.text]}
		}
		v = itf.Number(n)
	}
	return v
}

// TestForeignITF reads a counterexample as other tools write it: with its actions it is the trace that it is as TLC has printed it, flaws
// and all. Without them the step that the rules do not allow is named.
func TestForeignITF(t *testing.T) {
	text, err := os.ReadFile("../engine/testdata/tlc/ClusterGrantsTwice.txt")
	require.NoError(t, err)
	printed, err := Read(text)
	require.NoError(t, err)
	want, err := printed.Trace()
	require.NoError(t, err)
	for _, other := range [][]byte{
		asITF(t, printed, "", "", true),
		asITF(t, printed, "cluster::Cluster::", actionTaken, true),
	} {
		require.True(t, Is(other), "a trace of another program must be recognised")
		b, err := Read(other)
		require.NoError(t, err)
		got, err := b.Trace()
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	}
	b, err := Read(asITF(t, printed, "", "", false))
	require.NoError(t, err)
	_, err = b.Trace()
	require.EqualError(t, err, "state 13: by no step of the rules does it follow from the state before; say its action (\"#meta\":{\"action\":\"OnClaim\"}), and it is judged all the same")
	_, err = b.Recording()
	require.NoError(t, err)
}

// TestFoundActions finds the actions of behaviours that the rules allow, where no file says them: those of witnesses.
func TestFoundActions(t *testing.T) {
	entries, err := tla.Load(tla.FS())
	require.NoError(t, err)
	read, steps := 0, 0
	for _, e := range entries {
		if e.Effort != tla.Quick || e.Verdict != tla.Violates || e.Explorer != tla.Full || e.Distinct > 100_000 || e.Name[:min(9, len(e.Name))] != "witnesses" {
			continue
		}
		o := explorer.Run(context.Background(), e, explorer.Options{})
		b, err := Of(o.Violation, e.Name, e.Question)
		require.NoError(t, err)
		want, err := b.Trace()
		if err != nil {
			continue // it is of another module, or its members change
		}
		found, err := Read(asITF(t, b, "", "", false))
		require.NoError(t, err)
		got, err := found.Trace()
		require.NoError(t, err, e.Name)
		require.Equal(t, string(want), string(got), e.Name)
		read++
		steps += len(b.Steps)
	}
	t.Log(read, steps)
	require.Greater(t, read, 3)
}

// TestWrongITF says what is wrong with files that cannot be read.
func TestWrongITF(t *testing.T) {
	for text, says := range map[string]string{
		`{"vars":[],"states":[{"x":{"#unserializable":"Nat"}}]}`:     `state 0: x: its writer could not write "Nat"`,
		`{"vars":[],"states":[{"a::x":1,"b::x":2}]}`:                 "state 0: two variables end in x",
		`{"vars":[],"states":[{"x":1},{"y":1,"x":2}]}`:               "state 1 has 2 variables",
		`{"vars":[],"states":[{"x":1}],"loop":7}`:                    "no state 7",
		`{"vars":[],"states":[{"x":{"#set":{}}}]}`:                   "state 0: x: #set",
		`{"vars":["y"],"states":[{"x":[{"a":true},{"#tup":[-1]}]}]}`: "y is missing",
	} {
		require.True(t, Is([]byte(text)), text)
		_, err := Read([]byte(text))
		require.ErrorContains(t, err, says, text)
	}
	b, err := Read([]byte(`{"vars":[],"states":[{"x":[{"a":true,"b c":{}},{"#tup":[-1,"é\"\\"]}],"y":{"#map":[[{"#bigint":"2"},{"#set":[]}]]}},{"x":2,"y":1}],"loop":0}`))
	require.NoError(t, err)
	require.Equal(t, 1, b.Back)
	_, err = b.Trace()
	require.ErrorContains(t, err, "no behaviour of module Cluster")
	_, err = b.Recording()
	require.NoError(t, err)
}

// TestExportedStates compares the states that a trace is exported as with those of module Cluster that it was made of: but for the
// numbers of questions, and what nobody hears any more, they are the same.
func TestExportedStates(t *testing.T) {
	entries, err := tla.Load(tla.FS())
	require.NoError(t, err)
	compared := 0
	for _, e := range entries {
		if e.Effort != tla.Quick || e.Verdict != tla.Violates || e.Explorer != tla.Full || e.Distinct > 100_000 || e.Name[:min(9, len(e.Name))] != "witnesses" {
			continue
		}
		o := explorer.Run(context.Background(), e, explorer.Options{})
		b, err := Of(o.Violation, e.Name, e.Question)
		require.NoError(t, err)
		trace, err := b.Trace()
		if err != nil {
			continue
		}
		out, err := itf.Export(eventsOf(t, trace))
		require.NoError(t, err)
		exported, err := readITF(out)
		require.NoError(t, err)
		before := len(exported.Steps) - len(b.Steps) // the starts, and links that are cut from the beginning
		r := recorder{}
		for i := range tupleNodes("node")(b) {
			r.members = append(r.members, spec.IntegerID(uint64(i+1)))
		}
		for k := range b.Steps {
			want, got := b.Steps[k].terms, exported.Steps[before+k].terms
			for _, name := range []string{"up", "cut", "reigns"} {
				require.Equal(t, want[name].text, got[name].text, "%s %d: %s", e.Name, k, name)
			}
			for i := range r.members {
				require.True(t, same(r.seen(want["node"].at(i+1)), r.seen(got["node"].at(i+1))), "%s %d: node %d", e.Name, k, i+1)
				for j := range r.members {
					is := got["since"].at(i + 1).at(j + 1).number()
					require.Equal(t, want["since"].at(i+1).at(j+1).number() == 0, is == 0, "%s %d: since %d %d", e.Name, k, i+1, j+1)
				}
			}
			heard := queues(got["net"])
			for link, way := range heard {
				rest := queues(want["net"])[link]
				for _, p := range way {
					at := slices.Index(rest, p)
					require.GreaterOrEqual(t, at, 0, "%s %d: %v is not under way on %v", e.Name, k, p, link)
					rest = rest[at+1:]
				}
			}
			compared++
		}
	}
	t.Log(compared)
	require.Greater(t, compared, 50)
}

// eventsOf reads a trace.
func eventsOf(t *testing.T, text []byte) (spec.Header, []spec.Event) {
	t.Helper()
	h, events, err := traces.Read(text)
	require.NoError(t, err)
	return h, events
}
