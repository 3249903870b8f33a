package itf_test

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/traces"
	"github.com/seed-fdf591db/bully/traces/itf"
)

// exported returns a golden trace as ITF.
func exported(t testing.TB, name string) string {
	t.Helper()
	text, err := fs.ReadFile(traces.Valid, name+".ndjson")
	require.NoError(t, err)
	header, events, err := traces.Read(text)
	require.NoError(t, err)
	out, err := itf.Export(header, events)
	require.NoError(t, err)
	return string(out)
}

// replaceIn replaces a text that is there, within the line of a state alone.
func replaceIn(t *testing.T, file string, state int, old, with string) string {
	t.Helper()
	lines := strings.SplitAfter(file, "\n")
	at := 3 + state
	require.True(t, strings.Contains(lines[at], old), old)
	lines[at] = strings.Replace(lines[at], old, with, 1)
	return strings.Join(lines, "")
}

// waits is a message that is under way alone on its link.
var waits = regexp.MustCompile(`\[\{"type":"ELECTION","epoch".*?"ranks":\{"#set":\[\]\}\}\}\]`)

// TestFaults breaks what was exported in one place, and has it refused with the state and the variable.
func TestFaults(t *testing.T) {
	resign, changing := exported(t, "resign"), exported(t, "members-address")
	at := func(file string, state int, old, with string) string { return replaceIn(t, file, state, old, with) }
	cut := exported(t, "one-way-link")
	cutState := 0
	for k, line := range strings.Split(cut, "\n") {
		if strings.Contains(line, `"action":"Cut"`) {
			cutState = k - 3
			break
		}
	}
	for _, c := range []struct{ text, says string }{
		{at(resign, 0, `"up":{"#set":[]}`, `"up":{"#set":[{"#bigint":"1"}]}`), "state 0: up: it is not what comes of #meta: nothing has happened before the first event"},
		{at(resign, 0, `"cut":{"#set":[]}`, `"cut":[]`), "state 0: cut: it is not what comes of #meta: nothing has happened before the first event"},
		{strings.Replace(resign, `"members":["1","2","3"]`, `"members":["1","2","3","4"]`, 1), "state 0: node: it is not what comes of #meta"},
		{strings.Replace(resign, `"header":`, `"heading":`, 1), "it does not say the header of a trace"},
		{strings.Replace(resign, `"format":3`, `"format":4`, 1), "#meta: header: "},
		{strings.Replace(resign, "\n]}", "\n],\"loop\":0}", 1), "loop: a trace does not go back"},
		{strings.ReplaceAll(resign, `"reigns":`, `"reign":`), "state 0: reigns is missing, which is one of vars"},
		{at(resign, 1, `"index":1`, `"index":2`), "state 1: #meta: index is \"2\""},
		{at(resign, 1, `"index":1`, `"index":1,"colour":1`), "state 1: #meta: "},
		{at(resign, 1, `"node":"1"`, `"node":"7"`), "state 1: #meta: node 7 is no member"},
		{at(resign, 1, `"action":"Start"`, `"action":"Stop"`), "state 1: #meta: "},
		{at(resign, 1, `"sent":[]`, `"sent":[],"input":{"timer":"claim"}`), "state 1: #meta: "},
		{at(resign, 1, `"up":{"#set":[{"#bigint":"1"}]}`, `"up":{"#set":[{"#bigint":"2"}]}`), "state 1: up: it is not what comes of #meta, which says Start of node 1"},
		{at(resign, 1, `"role":"follower"`, `"role":"king"`), "state 1: #meta: "},
		{at(resign, 1, `"latest":{"#bigint":"1"}`, `"latest":{"#bigint":"-1"}`), "state 1: node: it is not what comes of #meta, which says Start of node 1"},
		{at(resign, 1, `"latest":{"#bigint":"1"}`, `"latest":1.5`), `state 1: node: latest: "1.5" is no integer`},
		{at(resign, 1, `"leader":{"#bigint":"0"}`, `"leader":{"#bigint":"4"}`), "state 1: node: it is not what comes of #meta, which says Start of node 1"},
		{at(resign, 1, `"support":{"#set":[]}`, `"support":{"#set":[{"#bigint":"0"}]}`), "state 1: node: it is not what comes of #meta, which says Start of node 1"},
		{at(resign, 1, `"voters":{"#set":[{"#bigint":"1"},`, `"voters":{"#set":[`), "state 1: node: it is not what comes of #meta, which says Start of node 1"},
		{at(resign, 2, `"latest":{"#bigint":"1"}`, `"latest":{"#bigint":"2"}`), "state 2: node: it is not what comes of #meta, which says Start of node 2"},
		{at(resign, 4, `"cut":{"#set":[]}`, `"cut":{"#set":[{"#tup":[{"#bigint":"1"},{"#bigint":"2"}]}]}`), "state 4: cut: it is not what comes of #meta"},
		{at(resign, 4, `"reigns":{"#set":[]}`, `"reigns":{"#set":[1]}`), "state 4: reigns: it is not what comes of #meta"},
		{at(resign, 4, `"type":"ELECTION","epoch"`, `"type":"CLAIM","epoch"`), "state 4: net: it is not what comes of #meta"},
		{at(resign, 5, waits.FindString(strings.Split(resign, "\n")[3+5]), `[]`), "state 5: net: it is not what comes of #meta"},
		{at(resign, 5, `[{"type":"ELECTION"`, `[],[{"type":"ELECTION"`), "#map is a list of pairs"},
		{at(cut, cutState, `"cut":{"#set":[{`, `"cut":{"#set":[1,{`), "cut: it is not what comes of #meta, which says Cut of the network"},
		{at(changing, 1, `"addresses":`, `"address":`), "state 1: node: it is not what comes of #meta, which says Start of node 1"},
		{at(resign, 3, `"since":`, `"until":`), "state 3: since is missing"},
		{at(resign, 1, `"leader":{`, `"leader":1,"leader":{`), `state 1: node: "leader" is there twice`},
		{at(resign, 1, `"up":{"#set":[{"#bigint":"1"}]}`, `"up":{"#set":[]}`), "state 1: up: it is not what comes of #meta"},
		{at(resign, 1, `{"#set":[]}`, `{"#unserializable":"Nat"}`), "state 1: "},
		{at(resign, 1, `{"#set":[]}`, `{"#set":[],"x":1}`), `"x" stands beside "#set"`},
		{at(resign, 1, `{"#set":[]}`, `{"#bag":[]}`), "#bag is not known"},
		{resign + "{}", "something follows the object"},
		{resign[:len(resign)/2], "it ends too early"},
		{"", "it ends too early"},
		{"[]", "an object is wanted"},
		{`{"vars":["x"],"states":[]}`, "it has no states"},
		{`{"vars":["x"],"states":[{"y":1}]}`, "state 0: x is missing"},
		{`{"vars":["x"],"states":[{"x":1},{"x":1,"y":2}]}`, "state 1 has 2 variables"},
		{`{"vars":["x"],"states":[{"x":null}]}`, "state 0: x: null is no value"},
		{`{"vars":["x"],"states":[{"x":1}],"loop":1}`, "there is no state 1 to go back to"},
		{`{"vars":["x"],"states":[{"x":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}]}`, "nested more than 64 deep"},
	} {
		_, _, err := itf.Import([]byte(c.text))
		require.ErrorContains(t, err, c.says)
	}
}

// TestOtherForms reads what another tool may have written anew: sets in another order, functions of 1..n as lists, old integers, and
// white space.
func TestOtherForms(t *testing.T) {
	text := exported(t, "resign")
	header, events, err := itf.Import([]byte(text))
	require.NoError(t, err)
	want := writeTrace(t, header, events)
	for _, other := range []string{
		strings.ReplaceAll(text, `{"#set":[{"#bigint":"1"},{"#bigint":"2"},{"#bigint":"3"}]}`, `{"#set":[{"#bigint":"3"},{"#bigint":"1"},{"#bigint":"2"}]}`),
		strings.ReplaceAll(text, `{"#bigint":"1"}`, ` 1 `),
		strings.ReplaceAll(text, `{"#map":[[{"#bigint":"1"},{"#bigint":"0"}],[{"#bigint":"2"},{"#bigint":"0"}],[{"#bigint":"3"},{"#bigint":"0"}]]}`, `[0,0,0]`),
		strings.ReplaceAll(text, `,"index":`, "\r\n,\t\"index\": "),
	} {
		header, events, err := itf.Import([]byte(other))
		require.NoError(t, err)
		require.Equal(t, want, writeTrace(t, header, events))
	}
	require.True(t, itf.Is([]byte(text)))
	require.False(t, itf.Is([]byte(want)))
}

// FuzzImport reads anything. What it takes is exported, and imported again, as the same.
func FuzzImport(f *testing.F) {
	for _, name := range []string{"single-node", "members-voter-unaware", "two-nodes"} {
		header, events, err := itf.Import([]byte(exported(f, name)))
		require.NoError(f, err)
		short, err := itf.Export(header, events[:6]) // what is long is slow to change at random
		require.NoError(f, err)
		f.Add(short)
	}
	f.Add([]byte(`{"vars":["x"],"states":[{"x":{"#map":[[{"#tup":[1,true]},{"#set":["a",{"#unserializable":"Int"}]}]]}}],"loop":0}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := itf.Read(text)
		if err != nil {
			return
		}
		for _, state := range file.States {
			for _, v := range state.Values {
				again, err := v.MarshalJSON()
				require.NoError(t, err)
				second, err := itf.Read([]byte(`{"vars":["x"],"states":[{"x":` + string(again) + `}]}`))
				require.NoError(t, err)
				require.True(t, second.States[0].Values["x"].Equal(v))
			}
		}
		header, events, err := file.Trace()
		if err != nil {
			return
		}
		out, err := itf.Export(header, events)
		require.NoError(t, err)
		_, same, err := itf.Import(out)
		require.NoError(t, err)
		require.Equal(t, len(events), len(same))
		require.Equal(t, writeTrace(t, header, events), writeTrace(t, header, same))
	})
}
