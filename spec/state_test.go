package spec_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

var (
	one, two, three = spec.IntegerID(1), spec.IntegerID(2), spec.IntegerID(3)

	blank   = spec.State{Role: spec.Follower, Latest: 1}
	granted = spec.State{Role: spec.Electing, Leader: three, Lease: 7, Epoch: 4, Grantee: three, Support: []spec.NodeID{one, two}, Latest: 5}
	leading = spec.State{Role: spec.Leader, Leader: three, Epoch: 4, Grantee: three, Support: []spec.NodeID{one}, Latest: 9, Dated: 8,
		Answered: []spec.Answered{{Node: one, Question: 8}, {Node: two, Question: 6}}}
)

func TestStateJSON(t *testing.T) {
	for text, state := range map[string]spec.State{
		`{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":1}`:                                                                           blank,
		`{"role":"electing","leader":"3","lease":7,"epoch":4,"grantee":"3","support":["1","2"],"asked":0,"latest":5}`:                                                                      granted,
		`{"role":"leader","leader":null,"lease":0,"epoch":9007199254740991,"grantee":null,"support":[],"asked":0,"latest":0,"dated":0,"answered":[]}`:                                      {Role: spec.Leader, Epoch: spec.MaxEpoch},
		`{"role":"leader","leader":"3","lease":0,"epoch":4,"grantee":"3","support":["1"],"asked":0,"latest":9,"dated":8,"answered":[{"node":"1","question":8},{"node":"2","question":6}]}`: leading,
	} {
		written, err := json.Marshal(state)
		require.NoError(t, err)
		require.Equal(t, text, string(written))
		var back spec.State
		require.NoError(t, json.Unmarshal([]byte(text), &back))
		require.True(t, state.Equal(back), "%v is not %v", back, state)
	}
}

func TestStateJSONRefuses(t *testing.T) {
	for _, c := range []struct{ text, field, problem string }{
		{`{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null}`, "support", "missing"},
		{`{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":1,"up":true}`, "up", "unknown field"},
		{`{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":1,"role":"leader"}`, "role", "given twice"},
		{`{"role":"voter","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":1}`, "role", `"voter" is no role`},
		{`{"role":"follower","leader":"none","lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":1}`, "leader", "neither a decimal"},
		{`{"role":"follower","leader":null,"lease":0,"epoch":9007199254740992,"grantee":null,"support":[],"asked":0,"latest":1}`, "epoch", "above 2^53-1"},
		{`{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":nul,"support":[],"asked":0,"latest":1}`, "grantee", "a string or null expected"},
		{`{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":"0","support":[],"asked":0,"latest":1}`, "grantee", "integers begin at 1"},
		{`{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":["2","1"],"asked":0,"latest":1}`, "support[1]", "1 after 2: ascending order"},
		{`{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":["2","2"],"asked":0,"latest":1}`, "support[1]", "2 after 2: ascending order"},
		{`{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[null],"asked":0,"latest":1}`, "support[0]", "a string expected"},
		{`{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":["1" "2"],"asked":0,"latest":1}`, "support", "a comma or ']' expected"},
		{`null`, "", "an object expected"},
	} {
		kept := granted
		requireField(t, kept.UnmarshalJSON([]byte(c.text)), c.field, c.problem)
		require.Equal(t, granted, kept, "an error must leave the state as it was")
	}
}

func TestStateValidate(t *testing.T) {
	neither := spec.NodeID{1}
	require.NoError(t, granted.Validate())
	for _, c := range []struct {
		field, problem string
		change         func(*spec.State)
	}{
		{"role", `"" is no role`, func(s *spec.State) { s.Role = "" }},
		{"leader", "neither", func(s *spec.State) { s.Leader = neither }},
		{"epoch", "above 2^53-1", func(s *spec.State) { s.Epoch = spec.MaxEpoch + 1 }},
		{"grantee", "neither", func(s *spec.State) { s.Grantee = neither }},
		{"support[0]", "none", func(s *spec.State) { s.Support = []spec.NodeID{{}} }},
		{"support[1]", "neither", func(s *spec.State) { s.Support = []spec.NodeID{one, neither} }},
		{"support[2]", "2 after 3: ascending order", func(s *spec.State) { s.Support = []spec.NodeID{one, three, two} }},
		{"support[1]", "1 after 1: ascending order", func(s *spec.State) { s.Support = []spec.NodeID{one, one} }},
		{"lease", "9007199254740992 is above 2^53-1", func(s *spec.State) { s.Lease = spec.MaxQuestion + 1 }},
		{"latest", "9007199254740992 is above 2^53-1", func(s *spec.State) { s.Latest = spec.MaxQuestion + 1 }},
		{"asked", "6 is above the latest, which is 5", func(s *spec.State) { s.Asked = 6 }},
		{"dated", "6 is above the latest, which is 5", func(s *spec.State) { s.Dated = 6 }},
		{"answered", "only a leader", func(s *spec.State) { s.Dated = 5 }},
		{"answered", "only a leader", func(s *spec.State) { s.Answered = leading.Answered }},
		{"dated", "10 is above the latest, which is 9", func(s *spec.State) { *s = leading; s.Dated = 10 }},
		{"answered[0].node", "none", func(s *spec.State) { *s = leading; s.Answered = []spec.Answered{{Question: 1}} }},
		{"answered[1].node", "2 after 3: ascending order", func(s *spec.State) {
			*s = leading
			s.Answered = []spec.Answered{{Node: three, Question: 1}, {Node: two, Question: 1}}
		}},
		{"answered[0].question", "0 is not from 1 to the latest, which is 9", func(s *spec.State) { *s = leading; s.Answered = []spec.Answered{{Node: one}} }},
		{"answered[0].question", "10 is not from 1 to the latest, which is 9", func(s *spec.State) {
			*s = leading
			s.Answered = []spec.Answered{{Node: one, Question: 10}}
		}},
	} {
		state := granted.Clone()
		c.change(&state)
		requireField(t, state.Validate(), c.field, c.problem)
		_, err := json.Marshal(state)
		require.ErrorContains(t, err, c.problem)
	}
}

func TestStateEqual(t *testing.T) {
	require.True(t, granted.Equal(granted.Clone()))
	require.True(t, blank.Equal(spec.State{Role: spec.Follower, Support: []spec.NodeID{}, Latest: 1, Answered: []spec.Answered{}}))
	for _, change := range []func(*spec.State){
		func(s *spec.State) { s.Role = spec.Leader },
		func(s *spec.State) { s.Leader = two },
		func(s *spec.State) { s.Epoch++ },
		func(s *spec.State) { s.Grantee = two },
		func(s *spec.State) { s.Support = s.Support[:1] },
		func(s *spec.State) { s.Support[0] = three },
		func(s *spec.State) { s.Lease++ },
		func(s *spec.State) { s.Asked++ },
		func(s *spec.State) { s.Latest++ },
		func(s *spec.State) { s.Dated++ },
		func(s *spec.State) { s.Answered = []spec.Answered{{Node: one, Question: 1}} },
	} {
		state := granted.Clone()
		change(&state)
		require.False(t, granted.Equal(state), "%v", state)
	}
	require.Equal(t, []spec.NodeID{one, two}, granted.Support, "a clone shares no memory")
	clone := leading.Clone()
	require.True(t, leading.Equal(clone))
	clone.Answered[0].Question = 3
	require.False(t, leading.Equal(clone))
	require.EqualValues(t, 8, leading.Answered[0].Question, "a clone shares no memory")
}

func TestStateString(t *testing.T) {
	require.Equal(t, "electing leader:3 lease:7 epoch:4 grantee:3 support:{1 2} latest:5", granted.String())
	require.Equal(t, "follower leader:none epoch:0 grantee:none support:{} latest:1", blank.String())
	require.Equal(t, "leader leader:3 epoch:4 grantee:3 support:{1} latest:9 dated:8 answered:{1:8 2:6}", leading.String())
	asking := spec.State{Role: spec.Candidate, Asked: 6, Latest: 6}
	require.Equal(t, "candidate leader:none epoch:0 grantee:none support:{} asked:6 latest:6", asking.String())
}

func TestStateWithConfiguration(t *testing.T) {
	state := granted.Clone()
	state.Configuration = configuration(t, 4, 2, mixed...)
	require.NoError(t, state.Validate())
	require.False(t, state.Equal(granted))
	require.True(t, state.Equal(state.Clone()))
	require.Equal(t, spec.Durable{Epoch: 4, Grantee: three, Reserved: spec.Block, Configuration: state.Configuration}, state.Durable())
	require.Equal(t, "electing leader:3 lease:7 epoch:4 grantee:3 support:{1 2} latest:5 configuration:epoch:4 version:2 {1 2 witness:3 observer:4}", state.String())
	outside := state.Clone()
	outside.Leader, outside.Grantee, outside.Support = spec.IntegerID(7), spec.IntegerID(8), []spec.NodeID{spec.IntegerID(9)}
	require.NoError(t, outside.Validate(), "members come and go")

	text, err := json.Marshal(state)
	require.NoError(t, err)
	require.Equal(t, `{"role":"electing","leader":"3","lease":7,"epoch":4,"grantee":"3","support":["1","2"],"asked":0,"latest":5,"configuration":`+mixedText+`}`, string(text))
	var back spec.State
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, state, back)
	text, err = json.Marshal(state.Durable())
	require.NoError(t, err)
	require.Equal(t, `{"epoch":4,"grantee":"3","reserved":1048576,"configuration":`+mixedText+`}`, string(text))
	var record spec.Durable
	require.NoError(t, json.Unmarshal(text, &record))
	require.True(t, state.Durable() == record)

	above := []byte(`{"epoch":3,"grantee":"3","reserved":1048576,"configuration":` + mixedText + `}`)
	requireField(t, record.UnmarshalJSON(above), "configuration.epoch", "4 is above epoch 3 beside it")
	requireField(t, record.UnmarshalJSON([]byte(`{"epoch":4,"grantee":"3","reserved":1048576,"configuration":null}`)), "configuration", "an object expected")
	require.True(t, state.Durable() == record, "an error must leave the record as it was")
	state.Epoch = 3
	requireField(t, state.Validate(), "configuration.epoch", "4 is above epoch 3 beside it")
	requireField(t, state.Durable().Validate(), "configuration.epoch", "4 is above epoch 3 beside it")
	requireField(t, back.UnmarshalJSON([]byte(`{"role":"follower","leader":null,"lease":0,"epoch":3,"grantee":null,"support":[],"asked":0,"latest":1,"configuration":`+mixedText+`}`)),
		"configuration.epoch", "4 is above epoch 3 beside it")
	require.Equal(t, spec.Epoch(4), back.Epoch, "an error must leave the state as it was")
}

func TestDurable(t *testing.T) {
	require.Equal(t, spec.Durable{Epoch: 4, Grantee: three, Reserved: spec.Block}, granted.Durable())
	for text, durable := range map[string]spec.Durable{
		`{"epoch":4,"grantee":"3","reserved":1048576}`:           granted.Durable(),
		`{"epoch":9007199254740991,"grantee":null,"reserved":0}`: {Epoch: spec.MaxEpoch},
	} {
		written, err := json.Marshal(durable)
		require.NoError(t, err)
		require.Equal(t, text, string(written))
		var back spec.Durable
		require.NoError(t, json.Unmarshal([]byte(text), &back))
		require.Equal(t, durable, back)
	}
	requireField(t, spec.Durable{Epoch: spec.MaxEpoch + 1}.Validate(), "epoch", "above 2^53-1")
	requireField(t, spec.Durable{Grantee: spec.NodeID{1}}.Validate(), "grantee", "neither")
	_, err := json.Marshal(spec.Durable{Epoch: spec.MaxEpoch + 1})
	require.ErrorContains(t, err, "above 2^53-1")
	for _, c := range []struct{ text, field, problem string }{
		{`{"epoch":4,"reserved":1}`, "grantee", "missing"},
		{`{"grantee":"3","reserved":1}`, "epoch", "missing"},
		{`{"epoch":4,"grantee":"3"}`, "reserved", "missing"},
		{`{"epoch":4,"grantee":"3","reserved":null}`, "reserved", "an integer expected"},
		{`{"epoch":4,"grantee":"3","reserved":1,"reserved":1}`, "reserved", "given twice"},
		{`{"epoch":4,"epoch":4,"grantee":"3","reserved":1}`, "epoch", "given twice"},
		{`{"epoch":4,"grantee":"3","reserved":1,"crc":1}`, "crc", "unknown field"},
		{`{"epoch":4.5,"grantee":"3","reserved":1}`, "epoch", "without fraction"},
		{`{"epoch":4,"grantee":"3"`, "", "expected"},
	} {
		kept := granted.Durable()
		requireField(t, kept.UnmarshalJSON([]byte(c.text)), c.field, c.problem)
		require.Equal(t, granted.Durable(), kept, "an error must leave the record as it was")
	}
}
