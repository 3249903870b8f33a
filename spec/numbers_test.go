package spec_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

func TestMaxEpoch(t *testing.T) {
	require.EqualValues(t, 9007199254740991, spec.MaxEpoch)
	require.True(t, spec.MaxEpoch.Valid())
	require.False(t, (spec.MaxEpoch + 1).Valid())
}

func TestEpochJSON(t *testing.T) {
	for text, want := range map[string]spec.Epoch{
		"0": 0, "1": 1, "10": 10, "9007199254740991": spec.MaxEpoch,
	} {
		var read spec.Epoch
		require.NoError(t, json.Unmarshal([]byte(text), &read), text)
		require.Equal(t, want, read)
		back, err := json.Marshal(read)
		require.NoError(t, err)
		require.Equal(t, text, string(back))
	}
	_, err := json.Marshal(spec.MaxEpoch + 1)
	require.ErrorContains(t, err, "epoch: 9007199254740992 is above 2^53-1")
}

func TestEpochJSONRefuses(t *testing.T) {
	for text, problem := range map[string]string{
		"9007199254740992":        "9007199254740992 is above 2^53-1",
		"18446744073709551617":    "18446744073709551617 is above 2^53-1",
		"99999999999999999999999": "is above 2^53-1",
		"-1":                      "negative",
		"-0":                      "negative",
		"1.0":                     "without fraction or exponent",
		"1e3":                     "without fraction or exponent",
		"1E3":                     "without fraction or exponent",
		"0.5":                     "without fraction or exponent",
		"01":                      "01 has a leading zero",
		"+1":                      "an integer expected at column 1, found '+'",
		`"4"`:                     "an integer expected",
		"null":                    "an integer expected",
		"true":                    "an integer expected",
		"[4]":                     "an integer expected",
		"":                        "an integer expected at column 1, found the end",
		"\x7f":                    `an integer expected at column 1, found '\x7f'`,
		"\x80":                    "an integer expected at column 1, found byte 0x80",
		"4 5":                     "the end expected at column 3",
		"4x":                      "the end expected at column 2",
	} {
		kept := spec.Epoch(7)
		err := kept.UnmarshalJSON([]byte(text))
		require.ErrorContains(t, err, "epoch: ", text)
		require.ErrorContains(t, err, problem, text)
		require.EqualValues(t, 7, kept, "an error must leave the epoch as it was")
	}
}

func TestQuestion(t *testing.T) {
	require.EqualValues(t, 9007199254740991, spec.MaxQuestion)
	require.EqualValues(t, 1<<52, spec.MaxReserved)
	require.EqualValues(t, 1<<20, spec.Block)
	require.True(t, spec.MaxQuestion.Valid())
	require.False(t, (spec.MaxQuestion + 1).Valid())
	require.Equal(t, "1048577", (spec.Block + 1).String())
}

// TestReserved sees that numbers are reserved in blocks, that none below the end of its block needs another save, and that a restart,
// which goes on after that end, always does (R50).
func TestReserved(t *testing.T) {
	for latest, reserved := range map[spec.Question]spec.Question{
		0: 0, 1: spec.Block, 2: spec.Block, spec.Block - 1: spec.Block, spec.Block: spec.Block, spec.Block + 1: 2 * spec.Block,
		spec.MaxReserved - 1: spec.MaxReserved, spec.MaxReserved: spec.MaxReserved,
	} {
		require.Equal(t, reserved, latest.Reserved(), latest)
		require.GreaterOrEqual(t, reserved, latest)
		require.Equal(t, reserved, reserved.Reserved(), "what is reserved reserves no more")
		if reserved > 0 {
			require.Greater(t, (reserved + 1).Reserved(), reserved)
		}
		s := spec.State{Role: spec.Follower, Latest: latest}
		require.Equal(t, reserved, s.Durable().Reserved)
	}
}

// TestMaxReserved sees that a record may reserve so much and no more, while the numbers of messages go on to MaxQuestion.
func TestMaxReserved(t *testing.T) {
	record := spec.Durable{Epoch: 4, Reserved: spec.MaxReserved}
	text, err := json.Marshal(record)
	require.NoError(t, err)
	require.Equal(t, `{"epoch":4,"grantee":null,"reserved":4503599627370496}`, string(text))
	var back spec.Durable
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, record, back)

	above := spec.Durable{Epoch: 4, Reserved: spec.MaxReserved + 1}
	requireField(t, above.Validate(), "reserved", "4503599627370497 is above 2^52")
	_, err = json.Marshal(above)
	require.ErrorContains(t, err, "above 2^52")
	requireField(t, back.UnmarshalJSON([]byte(`{"epoch":4,"grantee":null,"reserved":4503599627370497}`)), "reserved", "above 2^52")
	requireField(t, back.UnmarshalJSON([]byte(`{"epoch":4,"grantee":null,"reserved":9007199254740992}`)), "reserved", "above 2^53-1")
	require.Equal(t, record, back, "an error must leave the record as it was")

	message := claim
	message.Question = spec.MaxQuestion
	require.NoError(t, message.Validate())
}

// TestLongestMessage fills a frame: the RESIGN of a hand-over whose configuration is as long as may be. An ELECTION with it is
// shorter, and so is every other message.
func TestLongestMessage(t *testing.T) {
	members := append(voters(6, 128), spec.Member{ID: spec.IntegerID(7), Kind: spec.Voter, Address: strings.Repeat("a", 31)})
	for messageType, size := range map[spec.MessageType]int{spec.Resign: spec.MaxFrame, spec.Election: spec.MaxFrame - 16, spec.Ack: spec.MaxFrame - 32} {
		message := spec.Message{Type: messageType, From: one, To: two, Epoch: 4, Question: 7, Configuration: configuration(t, 4, 2, members...)}
		if messageType == spec.Resign {
			message.Granted = handOver.Granted
		}
		data, err := message.MarshalBinary()
		require.NoError(t, err)
		require.Len(t, data, size)
		frame, err := spec.AppendFrame(nil, message)
		require.NoError(t, err)
		read, err := spec.ReadFrame(strings.NewReader(string(frame)))
		require.NoError(t, err)
		require.True(t, message == read)
	}
}

// TestNumbersOnTheWire gives every message of every type its numbers back, and tells those of two apart.
func TestNumbersOnTheWire(t *testing.T) {
	for _, messageType := range spec.MessageTypes() {
		seen := map[string]spec.Message{}
		for _, q := range []spec.Question{1, 2, spec.Block, spec.MaxQuestion} {
			for _, keeps := range []spec.NodeID{{}, one, id(t, ranked[10])} {
				for _, granted := range []spec.Granted{{}, {By: one, Epoch: 5, Question: 1}, {By: one, Epoch: 5, Question: 2}, {By: two, Epoch: 0, Question: 1}} {
					message := spec.Message{Type: messageType, From: three, To: two, Epoch: 4, Question: q, Keeps: keeps, Granted: granted}
					if messageType != spec.Election && !keeps.IsNone() || messageType != spec.Resign && granted != (spec.Granted{}) {
						require.Error(t, message.Validate())
						continue
					}
					data, err := message.MarshalBinary()
					require.NoError(t, err)
					require.NotContains(t, seen, string(data))
					seen[string(data)] = message
					var back spec.Message
					require.NoError(t, back.UnmarshalBinary(data))
					require.True(t, message == back)
				}
			}
		}
		require.Len(t, seen, 4*max(1, map[spec.MessageType]int{spec.Election: 3, spec.Resign: 4}[messageType]))
	}
}

// TestChangingHeader sees that a header says whether members change, and that this is all that tells the two kinds of traces apart.
func TestChangingHeader(t *testing.T) {
	fixed := shortHeader
	changes := fixed
	changes.Changing = true
	for text, header := range map[string]spec.Header{
		`{"format":3,"spec":"2.0","members":["1","2","3"],"seed":81,"commit":"9fceb02"}`:                 fixed,
		`{"format":3,"spec":"2.0","changing":true,"members":["1","2","3"],"seed":81,"commit":"9fceb02"}`: changes,
	} {
		var back spec.Header
		require.NoError(t, json.Unmarshal([]byte(text), &back))
		require.Equal(t, header, back)
		state := blank
		if !header.Changing {
			state.Configuration = spec.EmptyConfiguration()
		}
		_, err := writeTrace(header, []spec.Event{{Seq: 1, Node: one, Action: spec.StartAction, State: state}})
		require.ErrorContains(t, err, "line 2: state.configuration: ", "it is the other kind of state")
		state.Configuration = spec.Configuration{}
		if header.Changing {
			state.Configuration = spec.EmptyConfiguration()
		}
		_, err = writeTrace(header, []spec.Event{{Seq: 1, Node: one, Action: spec.StartAction, State: state}})
		require.NoError(t, err)
	}
}
