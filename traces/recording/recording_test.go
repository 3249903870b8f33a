package recording

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const head = `{"recording":1,"title":"t","source":"run","nodes":["1","2","s"],"servers":1,"timed":true,"resource":"fenced","indicators":[{"name":"OneActing","light":"green"}]}` + "\n"

// whole has everything that a recording can have.
const whole = head + `{"at":0,"kind":"start","node":0,"text":"starts","state":{"look":"idle","role":"follower","leader":-1,"epoch":0,"timers":[{"timer":"heartbeat","at":7}]}}
{"at":0,"kind":"timer","node":0,"text":"ends","note":"asks","action":"A","rule":"R8","by":"plan","upkeep":true,"sends":[{"number":1,"to":1,"kind":"X","epoch":3,"text":"hi","due":9},{"number":2,"to":2,"kind":"Y","lost":true},{"number":3,"to":1,"kind":"X"},{"number":4,"to":2,"kind":"X"}]}
{"at":5,"kind":"receive","node":1,"text":"takes X","takes":1,"moves":[{"number":4,"due":99}],"state":{"look":"leads","role":"leader","leader":1,"epoch":3,"paused":true,"saving":true,"disk":"d","fields":[{"name":"a","value":"b"}]},"indicators":[{"name":"OneActing","says":"two","light":"red"}]}
{"at":6,"kind":"lose","node":-1,"text":"is lost","takes":3}
{"at":7,"kind":"links","node":-1,"text":"cut","cut":[[0,2]]}
{"at":8,"kind":"links","node":-1,"text":"healed","cut":[]}
{"at":9,"kind":"crash","node":1,"text":"crashes"}
{"at":10,"kind":"call","node":0,"text":"is called to add s","sends":[{"number":5,"to":2,"kind":"X","configuration":2}],"state":{"look":"leads","role":"leader","leader":0,"epoch":3,"configuration":2,"settled":true},"configurations":[{"epoch":0,"version":0,"members":[]},{"epoch":3,"version":2,"members":[{"node":0,"kind":"voter","address":"a:1"},{"node":1,"kind":"witness"},{"node":2,"kind":"observer"}]}]}
{"at":11,"kind":"receive","node":1,"text":"takes Y","state":{"look":"follows","role":"follower","leader":0,"epoch":3,"configuration":1}}
{"at":12,"kind":"step","node":1,"text":"is heard no more","state":{"look":"down","role":"heard no more","leader":-1,"epoch":3,"unheard":true}}
{"at":13,"kind":"step","node":0,"text":"leads still","state":{"look":"leads","role":"leader","leader":0,"epoch":3,"lease":{"question":7,"asked":12,"ends":19},"writing":true}}
{"at":14,"kind":"write","node":0,"text":"writes","wrote":{"epoch":3,"looked":13,"fate":"refused"}}
`

// TestWholeRecording writes what it has read, to the byte.
func TestWholeRecording(t *testing.T) {
	f, err := Read(strings.NewReader(whole))
	require.NoError(t, err)
	require.Len(t, f.Frames, 12)
	var out bytes.Buffer
	require.NoError(t, f.Write(&out))
	require.Equal(t, whole, out.String())
}

// TestWrongLines wants the line, the field, and what is wrong.
func TestWrongLines(t *testing.T) {
	lines := strings.SplitAfter(whole, "\n")
	good := func(n int) string { return strings.Join(lines[:n], "") }
	for _, c := range []struct{ name, text, says string }{
		{"nothing", "", "line 1: empty"},
		{"no object", "[]\n", "line 1: an object"},
		{"version", strings.Replace(head, `"recording":1`, `"recording":2`, 1), "line 1: recording: 2"},
		{"source", strings.Replace(head, `"run"`, `"tape"`, 1), `line 1: source: "tape" is none of run`},
		{"no nodes", strings.Replace(head, `["1","2","s"]`, `[]`, 1), "line 1: nodes: there are 0"},
		{"node twice", strings.Replace(head, `["1","2","s"]`, `["1","1","s"]`, 1), "line 1: nodes[1]"},
		{"all servers", strings.Replace(head, `"servers":1`, `"servers":3`, 1), "line 1: servers"},
		{"open beyond", strings.Replace(whole, `"timed":true`, `"timed":true,"open":13`, 1), "line 1: open: 13, and there are only 12"},
		{"indicator twice", strings.Replace(head, `"indicators":[`, `"indicators":[{"name":"OneActing","light":"red"},`, 1), "line 1: indicators[1].name"},
		{"indicator's light", strings.Replace(head, `"green"`, `"blue"`, 1), "line 1: indicators[0].light"},
		{"no JSON", good(2) + "{", "line 3: it is no JSON"},
		{"not UTF-8", good(2) + "{\"text\":\"\xff\"}\n", "line 3: it is not UTF-8"},
		{"unknown field", good(2) + `{"when":3}` + "\n", `line 3: unknown field "when"`},
		{"field of another", good(2) + strings.Replace(lines[4], `{`, `{"light":"red",`, 1), `line 3: unknown field "light"`},
		{"kind of value", good(2) + strings.Replace(lines[4], `"lose"`, `7`, 1), `line 3: kind: a number`},
		{"no node", good(2) + strings.Replace(lines[4], `"node":-1,`, ``, 1), `line 3: node: missing`},
		{"back in time", good(4) + strings.Replace(lines[4], `"at":6`, `"at":4`, 1), `line 5: at: 4 comes before 5`},
		{"kind", good(2) + strings.Replace(lines[4], `"lose"`, `"looses"`, 1), `line 3: kind: "looses"`},
		{"place", good(2) + strings.Replace(lines[7], `"node":1`, `"node":3`, 1), `line 3: node: 3`},
		{"befalls nobody", good(2) + strings.Replace(lines[7], `"node":1`, `"node":-1`, 1), `line 3: node: it is missing`},
		{"by", good(2) + strings.Replace(lines[2], `"plan"`, `"me"`, 1), `line 3: by: "me"`},
		{"gap", good(2) + strings.Replace(lines[2], `"number":1`, `"number":2`, 1), `line 3: sends[0].number: 2`},
		{"to nobody", good(2) + strings.Replace(lines[2], `"to":1`, `"to":3`, 1), `line 3: sends[0].to: 3`},
		{"never sent", good(2) + lines[3], `line 3: takes: message 1 has not been sent`},
		{"arrives twice", good(4) + lines[3], `line 5: takes: message 1 has arrived`},
		{"is for another", good(3) + strings.Replace(lines[3], `"takes":1`, `"takes":4`, 1), `line 4: takes: message 4 is for s`},
		{"moves what is not there", good(3) + strings.Replace(lines[3], `"number":4`, `"number":1`, 1), `line 4: moves[0]: message 1 is not under way`},
		{"was lost at once", good(3) + strings.Replace(lines[4], `"takes":3`, `"takes":2`, 1), `line 4: takes: message 2 has arrived already, or is lost`},
		{"cut off", good(6) + strings.Replace(lines[4], `"at":6,"kind":"lose","node":-1,"text":"is lost","takes":3`, `"at":7,"kind":"lose","node":-1,"text":"","takes":4`, 1), `line 7: takes: message 4 has`},
		{"crashed", good(3) + strings.Replace(lines[7], `"at":9`, `"at":1`, 1) + lines[4], `line 5: takes: message 3 has`},
		{"loses nothing", good(3) + strings.Replace(lines[4], `,"takes":3`, ``, 1), `line 4: takes: message 0`},
		{"crash takes", good(3) + strings.Replace(lines[7], `"text"`, `"takes":1,"text"`, 1), `line 4: takes: "crash" takes no message`},
		{"look", good(1) + strings.Replace(lines[1], `"idle"`, `"lazy"`, 1), `line 2: state.look: "lazy"`},
		{"leader", good(1) + strings.Replace(lines[1], `"leader":-1`, `"leader":3`, 1), `line 2: state.leader: 3`},
		{"indicator unknown", good(3) + strings.Replace(lines[3], `"OneActing"`, `"Sun"`, 1), `line 4: indicators[0].name: "Sun"`},
		{"link to itself", good(5) + strings.Replace(lines[5], `[0,2]`, `[0,0]`, 1), `line 6: cut[0]`},
		{"link twice", good(5) + strings.Replace(lines[5], `[0,2]`, `[0,2],[0,2]`, 1), `line 6: cut[1]`},
		{"half a link", good(5) + strings.Replace(lines[5], `[0,2]`, `[0]`, 1), `line 6: [0] is no link`},
		{"a link and more", good(5) + strings.Replace(lines[5], `[0,2]`, `[0,2,1]`, 1), `line 6: [0,2,1] is no link`},
		{"no such configuration", good(8) + strings.Replace(lines[8], `"configuration":2,"settled"`, `"configuration":3,"settled"`, 1), `line 9: state.configuration: there is no configuration 3: 2 have been told`},
		{"message of no configuration", good(8) + strings.Replace(lines[8], `"kind":"X","configuration":2`, `"kind":"X","configuration":-1`, 1), `line 9: sends[0].configuration: there is no configuration -1`},
		{"member that is no node", good(8) + strings.Replace(lines[8], `{"node":2,`, `{"node":3,`, 1), `line 9: configurations[1].members[2].node: 3`},
		{"member twice", good(8) + strings.Replace(lines[8], `{"node":2,`, `{"node":1,`, 1), `line 9: configurations[1].members[2].node: 1`},
		{"member of no kind", good(8) + strings.Replace(lines[8], `"witness"`, `"boss"`, 1), `line 9: configurations[1].members[1].kind: "boss" is none of voter, witness, observer`},
		{"version", good(8) + strings.Replace(lines[8], `"version":2`, `"version":9007199254740992`, 1), `line 9: configurations[1].epoch: epoch and version`},
		{"no members", good(8) + strings.Replace(lines[8], `"members":[]`, `"members":null`, 1), `line 9: configurations[0].members: null`},
		{"unheard, and leads", good(10) + strings.Replace(lines[10], `"look":"down"`, `"look":"leads"`, 1), `line 11: state.unheard: a node that is heard no more is "down", and not "leads"`},
		{"ends before it begins", good(11) + strings.Replace(lines[11], `"ends":19`, `"ends":11`, 1), `line 12: state.lease: it is of who leads, and ends after it was asked for`},
		{"lease of a follower", good(11) + strings.Replace(lines[11], `"look":"leads"`, `"look":"follows"`, 1), `line 12: state.lease: it is of who leads`},
		{"resource", strings.Replace(head, `"fenced"`, `"walled"`, 1), `line 1: resource: "walled" is none of fenced, unfenced`},
		{"no resource", strings.Replace(whole, `"resource":"fenced",`, ``, 1), `line 13: wrote: the header says nothing of a resource`},
		{"no fence", strings.Replace(whole, `"resource":"fenced"`, `"resource":"unfenced"`, 1), `line 13: wrote.fate: what is unfenced refuses nothing`},
		{"no fate", good(12) + strings.Replace(lines[12], `,"fate":"refused"`, ``, 1), `line 13: wrote.fate: "" is none of taken, refused, stale`},
		{"looked later", good(12) + strings.Replace(lines[12], `"looked":13`, `"looked":15`, 1), `line 13: wrote.looked: 15 is not from 0 to 14`},
		{"writes no write", good(12) + strings.Replace(lines[12], `"kind":"write"`, `"kind":"step"`, 1), `line 13: wrote: "step" writes nothing`},
		{"long", good(2) + `{"text":"` + strings.Repeat("x", MaxLine) + "\"}\n", `line 3: longer than 1 MiB`},
	} {
		f, err := Read(strings.NewReader(c.text))
		require.ErrorContains(t, err, c.says, c.name)
		var wrong *Error
		require.ErrorAs(t, err, &wrong, c.name)
		if wrong.Line > 1 {
			require.Len(t, f.Frames, wrong.Line-2, c.name)
		}
	}
}

// TestWriteRefusesWhatReadWould looks at the same bounds.
func TestWriteRefusesWhatReadWould(t *testing.T) {
	f, err := Read(strings.NewReader(whole))
	require.NoError(t, err)
	f.Frames[2].Takes = 9
	require.ErrorContains(t, f.Write(&bytes.Buffer{}), "line 4: takes: message 9")
	f.Frames[2].Takes, f.Frames[5].Cut = 1, new([]Link)
	require.ErrorContains(t, f.Write(&bytes.Buffer{}), "line 7: cut: null")
	f.Frames[5].Cut, f.Open = nil, 99
	require.ErrorContains(t, f.Write(&bytes.Buffer{}), "line 1: open")
	f.Open, f.Title = 0, strings.Repeat("x", MaxLine)
	require.ErrorContains(t, f.Write(&bytes.Buffer{}), "line 1: longer")
}

// TestThePageKnowsTheSame compares the names of fields and the words of types.ts with those here.
func TestThePageKnowsTheSame(t *testing.T) {
	text, err := os.ReadFile("../viewer/src/types.ts")
	require.NoError(t, err)
	for _, part := range []struct {
		name  string
		words []string
	}{{"Kind", ofType(kinds)}, {"Look", ofType(looks)}, {"Light", ofType(lights)}, {"MemberKind", ofType(memberKinds)}, {"Resource", ofType(resources)}, {"Fate", ofType(fates)}} {
		said := regexp.MustCompile(`export type ` + part.name + ` =([^;]*);`).FindSubmatch(text)
		require.NotNil(t, said, part.name)
		var words []string
		for _, word := range regexp.MustCompile(`'([^']*)'`).FindAllSubmatch(said[1], -1) {
			words = append(words, string(word[1]))
		}
		require.Equal(t, part.words, words, part.name)
	}
	for name, value := range map[string]any{"Indicator": Indicator{}, "Field": Field{}, "Due": Due{}, "NodeState": State{}, "Message": Message{}, "Move": Move{}, "Frame": Frame{}, "Header": Header{}, "Configuration": Configuration{}, "Member": Member{}, "Lease": Lease{}, "Writing": Writing{}} {
		said := regexp.MustCompile(`export interface ` + name + ` \{([^}]*)\}`).FindSubmatch(text)
		require.NotNil(t, said, name)
		var fields []string
		for _, field := range regexp.MustCompile(`(\w+)\??:`).FindAllSubmatch(regexp.MustCompile(`//.*`).ReplaceAll(said[1], nil), -1) {
			fields = append(fields, string(field[1]))
		}
		require.ElementsMatch(t, fieldsOf(value), fields, name)
	}
}

// fieldsOf returns the names that the fields of a struct have in JSON.
func fieldsOf(value any) (names []string) {
	form := reflect.TypeOf(value)
	for i := range form.NumField() {
		name, _, _ := strings.Cut(form.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

func ofType[T ~string](words []T) (all []string) {
	for _, w := range words {
		all = append(all, string(w))
	}
	return all
}

// FuzzRead reads anything, and writes what it could read: that is read again as the same.
func FuzzRead(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(head))
	for _, cut := range []int{7, 200, 600, len(whole) - 3} {
		f.Add([]byte(whole[:cut]))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		read, err := Read(bytes.NewReader(text))
		if err != nil {
			if read == nil {
				return
			}
		}
		var out bytes.Buffer
		if err := read.Write(&out); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		again, err := Read(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Fatalf("%v\n%s", err, out.Bytes())
		}
		first, _ := json.Marshal(read)
		second, _ := json.Marshal(again)
		if !slices.Equal(first, second) {
			t.Fatalf("%s\n%s", first, second)
		}
	})
}
