package spec_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

var claim = spec.Message{Type: spec.Claim, From: spec.IntegerID(3), To: spec.IntegerID(1), Epoch: 4}

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
	require.Equal(t, "3→1 CLAIM epoch:4", claim.String())
	require.Equal(t, "3→1 CLAIM epoch:4 configuration:epoch:3 version:2 {1 2 witness:3 observer:4}", changing(t).String())
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
	require.Equal(t, `{"type":"CLAIM","from":"3","to":"1","epoch":4,"configuration":`+object+`}`, string(text))
	var back spec.Message
	require.NoError(t, json.Unmarshal(text, &back))
	require.True(t, message == back)
	require.NoError(t, back.UnmarshalJSON([]byte(`{"configuration":`+emptyText+`,"type":"ACK","from":"3","to":"1","epoch":0}`)))
	require.True(t, back.Configuration.IsEmpty())
	require.NoError(t, json.Unmarshal([]byte(`{"type":"CLAIM","from":"3","to":"1","epoch":4}`), &back))
	require.True(t, back == claim, "nothing is left of the configuration that was there")

	for _, c := range []struct{ text, field, problem string }{
		{`{"type":"CLAIM","from":"3","to":"1","epoch":2,"configuration":` + object + `}`, "configuration.epoch", "3 is above epoch 2 beside it"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":4,"configuration":null}`, "configuration", "an object expected"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":4,"configuration":{}}`, "configuration.epoch", "missing"},
		{`{"type":"CLAIM","from":"3","to":"1","configuration":` + emptyText + `}`, "epoch", "missing"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":4,"configuration":` + emptyText + `,"configuration":` + emptyText + `}`, "configuration", "given twice"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":4,"configuration":` + strings.Replace(object, "witness", "leader", 1) + `}`,
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
			message := spec.Message{Type: messageType, From: id(t, ranked[10]), To: spec.IntegerID(1<<64 - 1), Epoch: epoch}
			text, err := json.Marshal(message)
			require.NoError(t, err)
			var back spec.Message
			require.NoError(t, json.Unmarshal(text, &back))
			require.Equal(t, message, back)
		}
	}
	text, err := json.Marshal(claim)
	require.NoError(t, err)
	require.Equal(t, `{"type":"CLAIM","from":"3","to":"1","epoch":4}`, string(text))

	var back spec.Message
	loose := " { \"epoch\" : 4 ,\t\"to\":\"1\", \r\n \"from\":\"3\", \"type\" : \"CLAIM\" } "
	require.NoError(t, back.UnmarshalJSON([]byte(loose)))
	require.Equal(t, claim, back)
}

func TestMessageJSONRefuses(t *testing.T) {
	for _, c := range []struct{ text, field, problem string }{
		{`{}`, "type", "missing"},
		{`{"type":"CLAIM","to":"1","epoch":4}`, "from", "missing"},
		{`{"type":"CLAIM","from":"3","to":"1"}`, "epoch", "missing"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":4,"term":4}`, "term", "unknown field"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":4,"epoch":4}`, "epoch", "given twice"},
		{`{"Type":"CLAIM","from":"3","to":"1","epoch":4}`, "Type", "unknown field"},
		{`{"":1}`, "", "unknown field"},
		{`{"type":"VOTE","from":"3","to":"1","epoch":4}`, "type", `"VOTE" is no message type`},
		{`{"type":"claim","from":"3","to":"1","epoch":4}`, "type", `"claim" is no message type`},
		{`{"type":"CL\u0041IM","from":"3","to":"1","epoch":4}`, "type", "without escapes"},
		{`{"type":5,"from":"3","to":"1","epoch":4}`, "type", "a string expected"},
		{`{"type":"CLAIM","from":null,"to":"1","epoch":4}`, "from", "a string expected"},
		{`{"type":"CLAIM","from":3,"to":"1","epoch":4}`, "from", "a string expected"},
		{`{"type":"CLAIM","from":"03","to":"1","epoch":4}`, "from", "leading zero"},
		{`{"type":"CLAIM","from":"3","to":"3","epoch":4}`, "to", "sender itself"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":9007199254740992}`, "epoch", "9007199254740992 is above 2^53-1"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":4.0}`, "epoch", "without fraction"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":-4}`, "epoch", "negative"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":"4"}`, "epoch", "an integer expected"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":4`, "", "a comma or '}' expected"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":4}}`, "", "the end expected"},
		{`{"type":"CLAIM","from":"3","to":"1","epoch":4,}`, "", "a string expected"},
		{`{"type":"CLAIM";"from":"3","to":"1","epoch":4}`, "", "a comma or '}' expected at column 16, found ';'"},
		{`{"type":"CLAIM",'from":"3","to":"1","epoch":4}`, "", "a string expected at column 17, found '\\''"},
		{`{"type":"CLAIM","from';"3","to":"1","epoch":4}`, `from';`, "unknown field"},
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
	require.ErrorIs(t, json.Unmarshal([]byte(`{"type":"VOTE","from":"3","to":"1","epoch":4}`), &read), spec.ErrMessageType)
}
