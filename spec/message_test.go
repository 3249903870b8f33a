package spec_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

var claim = spec.Message{Type: spec.Claim, From: spec.IntegerID(3), To: spec.IntegerID(1), Epoch: 4, Question: 7}

// handOver is the RESIGN of a hand-over, and election an ELECTION of who keeps a lease.
var (
	handOver = spec.Message{Type: spec.Resign, From: spec.IntegerID(3), To: spec.IntegerID(1), Epoch: 4, Question: 9,
		Granted: spec.Granted{By: spec.IntegerID(4), Epoch: 5, Question: 7}}
	election = spec.Message{Type: spec.Election, From: spec.IntegerID(3), To: spec.IntegerID(1), Epoch: 4, Question: 6, Keeps: spec.IntegerID(2)}
)

// withGranted is handOver with another claim.
func withGranted(by spec.NodeID, e spec.Epoch, q spec.Question) spec.Message {
	m := handOver
	m.Granted = spec.Granted{By: by, Epoch: e, Question: q}
	return m
}

// faultyMessages is messages that are not valid, by the field that is wrong.
var faultyMessages = []struct {
	field, problem string
	message        spec.Message
}{
	{"type", `"" is no message type`, spec.Message{From: claim.From, To: claim.To}},
	{"type", `"claim" is no message type`, spec.Message{Type: "claim", From: claim.From, To: claim.To}},
	{"from", "none", spec.Message{Type: spec.Claim, To: claim.To}},
	{"from", "neither", spec.Message{Type: spec.Claim, From: spec.NodeID{1}, To: claim.To}},
	{"to", "none", spec.Message{Type: spec.Claim, From: claim.From}},
	{"to", "neither", spec.Message{Type: spec.Claim, From: claim.From, To: spec.NodeID{8: 0, 0: 1}}},
	{"to", "3 is the sender itself", spec.Message{Type: spec.Claim, From: claim.From, To: claim.From}},
	{"epoch", "9007199254740992 is above 2^53-1", spec.Message{Type: spec.Claim, From: claim.From, To: claim.To, Epoch: spec.MaxEpoch + 1}},
	{"question", "0: the number of a question is from 1 to 2^53-1", spec.Message{Type: spec.Claim, From: claim.From, To: claim.To}},
	{"question", "9007199254740992 is above 2^53-1", spec.Message{Type: spec.Claim, From: claim.From, To: claim.To, Question: spec.MaxQuestion + 1}},
	{"keeps", "only an ELECTION says whose lease is kept", spec.Message{Type: spec.OK, From: claim.From, To: claim.To, Question: 1, Keeps: claim.To}},
	{"keeps", "neither", spec.Message{Type: spec.Election, From: claim.From, To: claim.To, Question: 1, Keeps: spec.NodeID{1}}},
	{"granted", "only a RESIGN says which claim was granted", spec.Message{Type: spec.Grant, From: claim.From, To: claim.To, Question: 1, Granted: handOver.Granted}},
	{"granted", "only a RESIGN", spec.Message{Type: spec.Election, From: claim.From, To: claim.To, Question: 1, Keeps: claim.To, Granted: handOver.Granted}},
	{"granted.by", "none", withGranted(spec.NodeID{}, 5, 7)},
	{"granted.by", "neither", withGranted(spec.NodeID{1}, 5, 7)},
	{"granted.by", "3 is the sender itself", withGranted(handOver.From, 5, 7)},
	{"granted.epoch", "9007199254740992 is above 2^53-1", withGranted(claim.To, spec.MaxEpoch+1, 7)},
	{"granted.question", "0: the number of a question is from 1 to 2^53-1", withGranted(claim.To, 5, 0)},
	{"granted.question", "9007199254740992 is above 2^53-1", withGranted(claim.To, 5, spec.MaxQuestion+1)},
}

func TestMessageValidate(t *testing.T) {
	require.NoError(t, claim.Validate())
	for _, c := range faultyMessages {
		err := c.message.Validate()
		requireField(t, err, c.field, c.problem)
		require.Equal(t, c.field == "type", errors.Is(err, spec.ErrMessageType))

		_, err = json.Marshal(c.message)
		require.ErrorContains(t, err, c.problem)
		_, err = c.message.MarshalBinary()
		requireField(t, err, c.field, c.problem)
		kept, err := spec.AppendFrame([]byte("kept"), c.message)
		requireField(t, err, c.field, c.problem)
		require.Equal(t, "kept", string(kept))
	}
}

// requireField requires an error that is a FieldError of this field.
func requireField(t testing.TB, err error, field, problem string) {
	t.Helper()
	var fault *spec.FieldError
	require.ErrorAs(t, err, &fault)
	require.Equal(t, field, fault.Field, "%v", err)
	require.Contains(t, fault.Problem, problem)
}

func TestMessageString(t *testing.T) {
	require.Equal(t, "3→1 CLAIM epoch:4 question:7", claim.String())
	require.Equal(t, "3→1 ELECTION epoch:4 question:6 keeps:2", election.String())
	require.Equal(t, "3→1 RESIGN epoch:4 question:9 granted epoch:5 to 4 question:7", handOver.String())
	require.Equal(t, "3→1 CLAIM epoch:4 question:7 configuration:epoch:3 version:2 {1 2 witness:3 observer:4}", changing(t).String())
}

// changing is claim of changing members.
func changing(t testing.TB) spec.Message {
	message := claim
	message.Configuration = configuration(t, 3, 2, mixed...)
	return message
}

func TestMessageWithConfiguration(t *testing.T) {
	message := changing(t)
	require.NoError(t, message.Validate())
	text, err := json.Marshal(message)
	require.NoError(t, err)
	object := strings.Replace(mixedText, `"epoch":4`, `"epoch":3`, 1)
	require.Equal(t, `{"type":"CLAIM","from":"3","to":"1","epoch":4,"question":7,"configuration":`+object+`}`, string(text))
	var back spec.Message
	require.NoError(t, json.Unmarshal(text, &back))
	require.True(t, message == back)
	require.NoError(t, back.UnmarshalJSON([]byte(`{"configuration":`+emptyText+`,"type":"ACK","from":"3","to":"1","epoch":0,"question":7}`)))
	require.True(t, back.Configuration.IsEmpty())
	require.NoError(t, json.Unmarshal([]byte(`{"type":"CLAIM","from":"3","to":"1","epoch":4,"question":7}`), &back))
	require.True(t, back == claim, "nothing is left of the configuration that was there")

	for _, c := range []struct{ text, field, problem string }{
		{`{"type":"CLAIM","from":"3","to":"1","epoch":2,"question":7,"configuration":` + object + `}`, "configuration.epoch", "3 is above epoch 2 beside it"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":4,"question":7,"configuration":null}`, "configuration", "an object expected"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":4,"question":7,"configuration":{}}`, "configuration.epoch", "missing"},
		{`{"type":"CLAIM","from":"3","to":"1","configuration":` + emptyText + `}`, "epoch", "missing"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":4,"question":7,"configuration":` + emptyText + `,"configuration":` + emptyText + `}`, "configuration", "given twice"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":4,"question":7,"configuration":` + strings.Replace(object, "witness", "leader", 1) + `}`,
			"configuration.members[2].kind", `"leader" is no kind of member`},
	} {
		kept := message
		requireField(t, kept.UnmarshalJSON([]byte(c.text)), c.field, c.problem)
		require.True(t, message == kept, "an error must leave the message as it was")
	}
	message.Epoch = 2
	requireField(t, message.Validate(), "configuration.epoch", "3 is above epoch 2 beside it")
}

func TestMessageJSON(t *testing.T) {
	for _, messageType := range spec.MessageTypes() {
		for _, epoch := range []spec.Epoch{0, 1, spec.MaxEpoch} {
			message := spec.Message{Type: messageType, From: id(t, ranked[10]), To: spec.IntegerID(1<<64 - 1), Epoch: epoch, Question: max(1, spec.Question(epoch))}
			text, err := json.Marshal(message)
			require.NoError(t, err)
			var back spec.Message
			require.NoError(t, json.Unmarshal(text, &back))
			require.Equal(t, message, back)
		}
	}
	text, err := json.Marshal(claim)
	require.NoError(t, err)
	require.Equal(t, `{"type":"CLAIM","from":"3","to":"1","epoch":4,"question":7}`, string(text))
	for want, message := range map[string]spec.Message{
		`{"type":"ELECTION","from":"3","to":"1","epoch":4,"question":6,"keeps":"2"}`:                               election,
		`{"type":"RESIGN","from":"3","to":"1","epoch":4,"question":9,"granted":{"by":"4","epoch":5,"question":7}}`: handOver,
	} {
		text, err := json.Marshal(message)
		require.NoError(t, err)
		require.Equal(t, want, string(text))
		var back spec.Message
		require.NoError(t, json.Unmarshal(text, &back))
		require.True(t, message == back)
	}

	var back spec.Message
	loose := " { \"epoch\" : 4 ,\t\"to\":\"1\", \"question\" : 7, \r\n \"from\":\"3\", \"type\" : \"CLAIM\" } "
	require.NoError(t, back.UnmarshalJSON([]byte(loose)))
	require.Equal(t, claim, back)
}

func TestMessageJSONRefuses(t *testing.T) {
	for _, c := range []struct{ text, field, problem string }{
		{`{}`, "type", "missing"},
		{`{"type":"CLAIM","to":"1","epoch":4,"question":7}`, "from", "missing"},
		{`{"type":"CLAIM","from":"3","to":"1"}`, "epoch", "missing"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":4,"question":7,"term":4}`, "term", "unknown field"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":4,"epoch":4,"question":7}`, "epoch", "given twice"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":4}`, "question", "missing"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":4,"question":0}`, "question", "0: the number of a question is from 1 to 2^53-1"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":4,"question":9007199254740992}`, "question", "9007199254740992 is above 2^53-1"},
		{`{"type":"ELECTION","from":"3","to":"1","epoch":4,"question":7}`, "keeps", "missing"},
		{`{"type":"ELECTION","from":"3","to":"1","epoch":4,"question":7,"keeps":""}`, "keeps", "empty"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":4,"question":7,"keeps":null}`, "keeps", "not wanted"},
		{`{"type":"RESIGN","from":"3","to":"1","epoch":4,"question":7,"granted":null}`, "granted", "an object expected"},
		{`{"type":"RESIGN","from":"3","to":"1","epoch":4,"question":7,"granted":{"by":"3","epoch":5}}`, "granted.question", "missing"},
		{`{"type":"ACK","from":"3","to":"1","epoch":4,"question":7,"granted":{"by":"3","epoch":5,"question":7}}`, "granted", "only a RESIGN"},
		{`{"Type":"CLAIM","from":"3","to":"1","epoch":4,"question":7}`, "Type", "unknown field"},
		{`{"":1}`, "", "unknown field"},
		{`{"type":"VOTE","from":"3","to":"1","epoch":4,"question":7}`, "type", `"VOTE" is no message type`},
		{`{"type":"claim","from":"3","to":"1","epoch":4,"question":7}`, "type", `"claim" is no message type`},
		{`{"type":"CL\u0041IM","from":"3","to":"1","epoch":4,"question":7}`, "type", "without escapes"},
		{`{"type":5,"from":"3","to":"1","epoch":4,"question":7}`, "type", "a string expected"},
		{`{"type":"CLAIM","from":null,"to":"1","epoch":4,"question":7}`, "from", "a string expected"},
		{`{"type":"CLAIM","from":3,"to":"1","epoch":4,"question":7}`, "from", "a string expected"},
		{`{"type":"CLAIM","from":"03","to":"1","epoch":4,"question":7}`, "from", "leading zero"},
		{`{"type":"CLAIM","from":"3","to":"3","epoch":4,"question":7}`, "to", "sender itself"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":9007199254740992,"question":7}`, "epoch", "9007199254740992 is above 2^53-1"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":4.0}`, "epoch", "without fraction"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":-4}`, "epoch", "negative"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":"4"}`, "epoch", "an integer expected"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":4`, "", "a comma or '}' expected"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":4,"question":7}}`, "", "the end expected"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":4,"question":7,}`, "", "a string expected"},
		{`{"type":"CLAIM";"from":"3","to":"1","epoch":4,"question":7}`, "", "a comma or '}' expected at column 16, found ';'"},
		{`{"type":"CLAIM",'from":"3","to":"1","epoch":4,"question":7}`, "", "a string expected at column 17, found '\\''"},
		{`{"type":"CLAIM","from';"3","to":"1","epoch":4,"question":7}`, `from';`, "unknown field"},
		{`{"type" "CLAIM"}`, "type", "a colon expected"},
		{`{"type":"CLAIM`, "type", "without an end"},
		{"{\"type\":\"CL\xffIM\"}", "type", "byte 0xff at column 12"},
		{"\xff", "", "byte 0xff"},
		{"\x00", "", "control character 0x00 at column 1"},
		{`["CLAIM","3","1",4]`, "", "an object expected"},
		{`null`, "", "an object expected"},
		{``, "", "an object expected at column 1, found the end"},
	} {
		kept := claim
		requireField(t, kept.UnmarshalJSON([]byte(c.text)), c.field, c.problem)
		require.Equal(t, claim, kept, "an error must leave the message as it was")
	}
	var read spec.Message
	require.ErrorIs(t, json.Unmarshal([]byte(`{"type":"VOTE","from":"3","to":"1","epoch":4,"question":7}`), &read), spec.ErrMessageType)
}
