package spec_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// received is an event that is well formed: node 1 grants a claim.
func received() spec.Event {
	return spec.Event{
		Seq: 7, Node: one, Action: spec.OnClaim, Input: spec.Input{Message: claim},
		Sent:  []spec.Message{{Type: spec.Grant, From: one, To: three, Epoch: 4, Question: 7}},
		State: granted.Clone(),
	}
}

func TestEventValidate(t *testing.T) {
	require.NoError(t, received().Validate())
	cut := []spec.Link{{From: three, To: one}, {From: three, To: two}}
	lost := spec.Event{Seq: 7, Action: spec.LoseAction, Input: spec.Input{Message: claim}}
	cutting := spec.Event{Seq: 7, Action: spec.CutAction, Input: spec.Input{Cut: cut}}
	crash := spec.Event{Seq: 7, Node: one, Action: spec.CrashAction, State: blank}
	dead := spec.Event{Seq: 7, At: 1<<53 - 1, Node: one, Action: spec.HolderDeadAction, Input: spec.Input{Call: spec.HolderDeadCall}, State: blank}
	c := configuration(t, 0, 2, mixed...)
	change := spec.Event{Seq: 7, Node: one, Action: spec.ChangeAction, Input: spec.Input{Call: spec.ChangeCall, Configuration: c}, State: blank}
	for _, good := range []spec.Event{lost, cutting, crash, dead, change, {Seq: 1, Action: spec.CutAction}, {Seq: 1, At: 1, Action: spec.CutAction}} {
		require.NoError(t, good.Validate())
	}
	for _, fault := range []struct {
		field, problem string
		event          spec.Event
		change         func(*spec.Event)
	}{
		{"seq", "0 is not from 1", received(), func(e *spec.Event) { e.Seq = 0 }},
		{"seq", "9007199254740992 is not from 1", received(), func(e *spec.Event) { e.Seq = 1 << 53 }},
		{"at", "9007199254740992 is above 2^53-1", received(), func(e *spec.Event) { e.At = 1 << 53 }},
		{"action", `"" is no action`, received(), func(e *spec.Event) { e.Action = "" }},
		{"node", "none", received(), func(e *spec.Event) { e.Node = spec.NodeID{}; e.Action = spec.StartAction; e.Input = spec.Input{} }},
		{"input.message.type", `"" is no message type`, received(), func(e *spec.Event) { e.Input = spec.Input{} }},
		{"input.message.to", "2 is not the node", received(), func(e *spec.Event) { e.Input.Message.To = two }},
		{"input.message.type", "OK where CLAIM is wanted", received(), func(e *spec.Event) { e.Input.Message.Type = spec.OK }},
		{"input.timer", "not wanted", received(), func(e *spec.Event) { e.Input.Timer = spec.ClaimTimer }},
		{"input.call", "not wanted", received(), func(e *spec.Event) { e.Input.Call = spec.ResignCall }},
		{"input.cut", "not wanted", received(), func(e *spec.Event) { e.Input.Cut = cut }},
		{"input", "not wanted", received(), func(e *spec.Event) { e.Action = spec.StartAction }},
		{"input.message", "not wanted", received(), func(e *spec.Event) { e.Action = spec.ClaimTimeout }},
		{"input.timer", `"" where "claim" is wanted`, received(), func(e *spec.Event) { e.Action = spec.ClaimTimeout; e.Input = spec.Input{} }},
		{"input.timer", `"heartbeat" where "claim" is wanted`, received(), func(e *spec.Event) { e.Action = spec.ClaimTimeout; e.Input = spec.Input{Timer: spec.HeartbeatTimer} }},
		{"input.call", `"" where "resign" is wanted`, received(), func(e *spec.Event) { e.Action = spec.ResignAction; e.Input = spec.Input{} }},
		{"input.call", `"holder-dead" where "resign" is wanted`, dead, func(e *spec.Event) { e.Action = spec.ResignAction }},
		{"input.call", `"resign" where "holder-dead" is wanted`, dead, func(e *spec.Event) { e.Input.Call = spec.ResignCall }},
		{"input.call", `"" where "holder-dead" is wanted`, dead, func(e *spec.Event) { e.Input = spec.Input{} }},
		{"input.call", `"" where "change" is wanted`, change, func(e *spec.Event) { e.Input.Call = "" }},
		{"input.call", `"resign" where "change" is wanted`, change, func(e *spec.Event) { e.Input.Call = spec.ResignCall }},
		{"input.configuration", "none: a configuration is wanted", change, func(e *spec.Event) { e.Input.Configuration = spec.Configuration{} }},
		{"input.configuration.version", "0: with members", change, func(e *spec.Event) { e.Input.Configuration = c.At(0, 0) }},
		{"input.configuration", "not wanted", change, func(e *spec.Event) { e.Action, e.Input.Call = spec.ResignAction, spec.ResignCall }},
		{"input.configuration", "not wanted", received(), func(e *spec.Event) { e.Input.Configuration = c }},
		{"input", "not wanted", crash, func(e *spec.Event) { e.Input.Configuration = c }},
		{"state", "not wanted", lost, func(e *spec.Event) { e.State.Configuration = c }},
		{"sent[0].configuration.epoch", "5 is above epoch 4", received(), func(e *spec.Event) { e.Sent[0].Configuration = c.At(5, 2) }},
		{"state.configuration.epoch", "5 is above epoch 4", received(), func(e *spec.Event) { e.State.Configuration = c.At(5, 2) }},
		{"input.message.configuration.epoch", "5 is above epoch 4", received(), func(e *spec.Event) { e.Input.Message.Configuration = c.At(5, 2) }},
		{"sent[0].from", "2 is not the node", received(), func(e *spec.Event) { e.Sent[0].From = two }},
		{"sent[0].question", "0: the number of a question", received(), func(e *spec.Event) { e.Sent[0].Question = 0 }},
		{"sent[0].keeps", "only an ELECTION", received(), func(e *spec.Event) { e.Sent[0].Keeps = one }},
		{"state.lease", "above 2^53-1", received(), func(e *spec.Event) { e.State.Lease = spec.MaxQuestion + 1 }},
		{"state.asked", "6 is above the latest", received(), func(e *spec.Event) { e.State.Asked = 6 }},
		{"state", "not wanted", lost, func(e *spec.Event) { e.State.Lease = 1 }},
		{"state", "not wanted", cutting, func(e *spec.Event) { e.State.Answered = []spec.Answered{{Node: one, Question: 1}} }},
		{"sent[0].epoch", "above", received(), func(e *spec.Event) { e.Sent[0].Epoch = spec.MaxEpoch + 1 }},
		{"state.role", "no role", received(), func(e *spec.Event) { e.State.Role = "x" }},
		{"state.support[1]", "ascending", received(), func(e *spec.Event) { e.State.Support = []spec.NodeID{two, one} }},
		{"node", "not wanted", lost, func(e *spec.Event) { e.Node = one }},
		{"sent", "not wanted", lost, func(e *spec.Event) { e.Sent = []spec.Message{claim} }},
		{"state", "not wanted", lost, func(e *spec.Event) { e.State = blank }},
		{"state", "not wanted", lost, func(e *spec.Event) { e.State.Epoch = 1 }},
		{"state", "not wanted", cutting, func(e *spec.Event) { e.State.Leader = one }},
		{"state", "not wanted", cutting, func(e *spec.Event) { e.State.Support = []spec.NodeID{one} }},
		{"sent", "not wanted", crash, func(e *spec.Event) { e.Sent = []spec.Message{claim} }},
		{"input", "not wanted", crash, func(e *spec.Event) { e.Input.Cut = cut }},
		{"input.cut[1]", "ascending", cutting, func(e *spec.Event) { e.Input.Cut = []spec.Link{cut[1], cut[0]} }},
		{"input.cut[1]", "ascending", cutting, func(e *spec.Event) { e.Input.Cut = []spec.Link{cut[1], cut[1]} }},
		{"input.cut[0]", "two different nodes", cutting, func(e *spec.Event) { e.Input.Cut = []spec.Link{{From: one, To: one}} }},
		{"input.cut[0][0]", "none", cutting, func(e *spec.Event) { e.Input.Cut = []spec.Link{{To: one}} }},
		{"input.cut[0][1]", "none", cutting, func(e *spec.Event) { e.Input.Cut = []spec.Link{{From: one}} }},
	} {
		event := fault.event.Clone()
		fault.change(&event)
		requireField(t, event.Validate(), fault.field, fault.problem)
		_, err := json.Marshal(event)
		require.ErrorContains(t, err, fault.problem)
	}
}

func TestEventJSON(t *testing.T) {
	text, err := json.Marshal(received())
	require.NoError(t, err)
	require.Equal(t, `{"seq":7,"node":"1","action":"OnClaim",`+
		`"input":{"message":{"type":"CLAIM","from":"3","to":"1","epoch":4,"question":7}},`+
		`"sent":[{"type":"GRANT","from":"1","to":"3","epoch":4,"question":7}],`+
		`"state":{"role":"electing","leader":"3","lease":7,"epoch":4,"grantee":"3","support":["1","2"],"asked":0,"latest":5}}`, string(text))
	var back spec.Event
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, received(), back)

	dated := received()
	dated.At = 1763715600000000
	text, err = json.Marshal(dated)
	require.NoError(t, err)
	require.Contains(t, string(text), `{"seq":7,"at":1763715600000000,"node":"1","action":"OnClaim",`)
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, dated, back)
	require.Equal(t, dated, dated.Clone())
	require.Equal(t, received().String(), dated.String(), "when it was is not part of the step")

	kept := received()
	requireField(t, kept.UnmarshalJSON([]byte(`{"seq":1,"at":0,"action":"Cut","input":{"cut":[]}}`)), "at", "0: an integer from 1")
	requireField(t, kept.UnmarshalJSON([]byte(`{"seq":1,"action":"Cut","input":{"cut":[["1","1"]]}}`)), "input.cut[0]", "two different")
	requireField(t, kept.UnmarshalJSON([]byte(`{"seq":1,"action":"Cut"}`)), "input", "missing")
	require.Equal(t, received(), kept, "an error must leave the event as it was")
}

func TestEventClone(t *testing.T) {
	event := received()
	event.Input.Cut = []spec.Link{{From: one, To: two}}
	clone := event.Clone()
	require.Equal(t, event, clone)
	clone.Input.Cut[0].From, clone.Sent[0].From, clone.State.Support[0] = three, three, three
	require.NotEqual(t, event.Input, clone.Input)
	require.NotEqual(t, event.Sent, clone.Sent)
	require.NotEqual(t, event.State, clone.State)

	event.State = leading.Clone()
	clone = event.Clone()
	clone.State.Answered[0].Question = 1
	require.NotEqual(t, event.State, clone.State)
}

func TestEventString(t *testing.T) {
	require.Equal(t, "7 OnClaim 3→1 CLAIM epoch:4 question:7 | 1→3 GRANT epoch:4 question:7 | 1 is electing leader:3 lease:7 epoch:4 grantee:3 support:{1 2} latest:5",
		received().String())
	cut := spec.Event{Seq: 8, Action: spec.CutAction, Input: spec.Input{Cut: []spec.Link{{From: three, To: one}, {From: three, To: two}}}}
	require.Equal(t, "8 Cut 3→1 3→2", cut.String())
	change := spec.Event{Seq: 9, Node: one, Action: spec.ChangeAction, State: blank,
		Input: spec.Input{Call: spec.ChangeCall, Configuration: configuration(t, 0, 2, mixed...)}}
	require.Equal(t, "9 Change epoch:0 version:2 {1 2 witness:3 observer:4} | 1 is follower leader:none epoch:0 grantee:none support:{} latest:1", change.String())
}

func TestInputString(t *testing.T) {
	for want, in := range map[string]spec.Input{
		"first start":                     {Call: spec.StartCall},
		"resign":                          {Call: spec.ResignCall},
		"patience ends":                   {Timer: spec.PatienceTimer},
		"3→1 CLAIM epoch:4 question:7":    received().Input,
		"change to epoch:0 version:2 {1}": {Call: spec.ChangeCall, Configuration: configuration(t, 0, 2, mixed[:1]...)},
	} {
		require.Equal(t, want, in.String())
	}
}

func TestLinkCompare(t *testing.T) {
	links := []spec.Link{{From: one, To: two}, {From: one, To: three}, {From: two, To: one}, {From: three, To: one}}
	for i, a := range links {
		for j, b := range links {
			require.Equal(t, compareInts(i, j), a.Compare(b), "%v against %v", a, b)
		}
	}
}

func TestHeaderJSON(t *testing.T) {
	simulated := spec.Header{Members: []spec.NodeID{one, two, three}, Seed: 81, Commit: "9fceb02"}
	changing := simulated
	changing.Changing = true
	hosted := spec.Header{Members: []spec.NodeID{id(t, ranked[9])}, Host: "db-1.example", Commit: "v1.0 (dirty)"}
	for text, header := range map[string]spec.Header{
		`{"format":3,"spec":"2.0","members":["1","2","3"],"seed":81,"commit":"9fceb02"}`:                                             simulated,
		`{"format":3,"spec":"2.0","members":["00000000-0000-4000-8000-000000000000"],"host":"db-1.example","commit":"v1.0 (dirty)"}`: hosted,
		`{"format":3,"spec":"2.0","changing":true,"members":["1","2","3"],"seed":81,"commit":"9fceb02"}`:                             changing,
	} {
		written, err := json.Marshal(header)
		require.NoError(t, err)
		require.Equal(t, text, string(written))
		var back spec.Header
		require.NoError(t, json.Unmarshal([]byte(text), &back))
		require.Equal(t, header, back)
	}
	kept := simulated
	requireField(t, kept.UnmarshalJSON([]byte(`{"format":3,"spec":"2.0","members":[],"seed":1,"commit":"a"}`)), "members", "there is none")
	requireField(t, kept.UnmarshalJSON([]byte(`{"format":2}`)), "format", "2 is no trace format that is known: 3")
	requireField(t, kept.UnmarshalJSON([]byte(`{"format":3,"spec":"1.1"}`)), "spec", `"1.1" is not the version`)
	requireField(t, kept.UnmarshalJSON([]byte(`{"format":3,"spec":"2.0","changing":false}`)), "changing", "true, or no such field, expected")
	require.Equal(t, simulated, kept, "an error must leave the header as it was")
}

func TestHeaderValidate(t *testing.T) {
	for _, c := range []struct {
		field, problem string
		header         spec.Header
	}{
		{"members", "there is none", spec.Header{Commit: "a"}},
		{"members[0]", "none", spec.Header{Members: []spec.NodeID{{}}, Commit: "a"}},
		{"members[1]", "ascending", spec.Header{Members: []spec.NodeID{two, one}, Commit: "a"}},
		{"seed", "above 2^53-1", spec.Header{Members: []spec.NodeID{one}, Seed: 1 << 53, Commit: "a"}},
		{"host", "not both", spec.Header{Members: []spec.NodeID{one}, Seed: 1, Host: "a", Commit: "a"}},
		{"host", "printable ASCII", spec.Header{Members: []spec.NodeID{one}, Host: "a\"", Commit: "a"}},
		{"commit", "0 characters", spec.Header{Members: []spec.NodeID{one}}},
		{"commit", "printable ASCII", spec.Header{Members: []spec.NodeID{one}, Commit: "é"}},
		{"commit", "printable ASCII", spec.Header{Members: []spec.NodeID{one}, Commit: `a\b`}},
		{"commit", "printable ASCII", spec.Header{Members: []spec.NodeID{one}, Commit: "a\nb"}},
	} {
		requireField(t, c.header.Validate(), c.field, c.problem)
		_, err := json.Marshal(c.header)
		require.ErrorContains(t, err, c.problem)
	}
}
