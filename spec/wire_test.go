package spec_test

import (
	"bytes"
	"encoding"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// wireExamples reads testdata/wire.txt: messages as they are on the wire and in JSON.
func wireExamples(t testing.TB) (messages []spec.Message, wire [][]byte) {
	t.Helper()
	text, err := os.ReadFile("testdata/wire.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		digits, object, found := strings.Cut(line, " ")
		require.True(t, found, line)
		data, err := hex.DecodeString(digits)
		require.NoError(t, err)
		var message spec.Message
		require.NoError(t, json.Unmarshal([]byte(object), &message))
		messages, wire = append(messages, message), append(wire, data)
	}
	return messages, wire
}

func TestWireExamples(t *testing.T) {
	messages, wire := wireExamples(t)
	types, kinds := map[spec.MessageType]bool{}, map[spec.MemberKind]bool{}
	for i, want := range messages {
		changes := !want.Configuration.IsNone()
		if !changes {
			types[want.Type] = true
		}
		for _, m := range want.Configuration.Members() {
			kinds[m.Kind] = true
		}
		data, err := want.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, hex.EncodeToString(wire[i]), hex.EncodeToString(data), "%v", want)
		require.Equal(t, byte(3), data[0])
		require.Equal(t, changes, len(data) != spec.MessageSize+map[spec.MessageType]int{spec.Election: 16, spec.Resign: 32}[want.Type])
		var back spec.Message
		require.NoError(t, back.UnmarshalBinary(wire[i]))
		require.Equal(t, want, back)
		var appender encoding.BinaryAppender = want
		appended, err := appender.AppendBinary([]byte("kept"))
		require.NoError(t, err)
		require.Equal(t, "kept"+string(data), string(appended))
	}
	require.Len(t, types, len(spec.MessageTypes()), "testdata/wire.txt has an example of every type without a configuration")
	require.Len(t, kinds, len(spec.MemberKinds()), "testdata/wire.txt has a member of every kind")
}

// faultyWire is binary messages with one fault each.
func faultyWire(t testing.TB) []struct {
	name, field, problem string
	data                 []byte
	is                   error
} {
	good, err := claim.MarshalBinary()
	require.NoError(t, err)
	with := func(at int, bytes ...byte) []byte {
		data := append([]byte{}, good...)
		copy(data[at:], bytes)
		return data
	}
	none := make([]byte, 16)
	return []struct {
		name, field, problem string
		data                 []byte
		is                   error
	}{
		{"empty", "length", "no bytes at all", nil, nil},
		{"version only", "length", "cut short: no type", good[:1], nil},
		{"a byte short", "length", "cut short: 49 bytes of the 50 of CLAIM", good[:49], nil},
		{"trailing", "length", "2 bytes follow the 50 of CLAIM: a configuration has 17 or more", append(with(0), 0, 0), nil},
		{"a stamp and no members", "length", "16 bytes follow the 50 of CLAIM: a configuration has 17 or more", append(with(0), none...), nil},
		{"ELECTION without keeps", "length", "cut short: 50 bytes of the 66 of ELECTION", with(1, 1), nil},
		{"RESIGN cut short", "length", "cut short: 66 bytes of the 82 of RESIGN", append(with(1, 10), none...), nil},
		{"keeps neither", "keeps", "neither", append(with(1, 1), append([]byte{1}, none[1:]...)...), nil},
		{"granted to nobody", "granted.by", "none", append(append(with(1, 10), none...), append(none[:15:15], 1)...), nil},
		{"granted no question", "granted.question", "0: the number", append(with(1, 10), append(append(none[:15:15], 1), none...)...), nil},
		{"version 0", "version", "0: version 3 is wanted", with(0, 0), spec.ErrWireVersion},
		{"version 1", "version", "1: version 3 is wanted", with(0, 1), spec.ErrWireVersion},
		{"version 2", "version", "2: version 3 is wanted", with(0, 2), spec.ErrWireVersion},
		{"version 4", "version", "4: version 3 is wanted", with(0, 4), spec.ErrWireVersion},
		{"version 4, short", "version", "4: version 3 is wanted", []byte{4}, spec.ErrWireVersion},
		{"version 4, long", "version", "4: version 3 is wanted", append(with(0, 4), 9), spec.ErrWireVersion},
		{"type 0", "type", "0 is the code of no message type", with(1, 0), spec.ErrMessageType},
		{"type 12", "type", "12 is the code of no message type", with(1, 12), spec.ErrMessageType},
		{"type 255", "type", "255 is the code of no message type", with(1, 255), spec.ErrMessageType},
		{"from none", "from", "none", with(2, none...), nil},
		{"to none", "to", "none", with(18, none...), nil},
		{"from neither", "from", "neither", with(2, 1), nil},
		{"to neither", "to", "neither", with(18, 1), nil},
		{"to itself", "to", "3 is the sender itself", with(33, 3), nil},
		{"epoch 2^53", "epoch", "9007199254740992 is above 2^53-1", with(34, 0, 0x20, 0, 0, 0, 0, 0, 0), nil},
		{"epoch 2^64-1", "epoch", "18446744073709551615 is above 2^53-1", with(34, 255, 255, 255, 255, 255, 255, 255, 255), nil},
		{"question 0", "question", "0: the number of a question is from 1 to 2^53-1", with(49, 0), nil},
		{"question 2^53", "question", "9007199254740992 is above 2^53-1", with(42, 0, 0x20, 0, 0, 0, 0, 0, 0), nil},
	}
}

func TestUnmarshalBinaryRefuses(t *testing.T) {
	for _, c := range faultyWire(t) {
		t.Run(c.name, func(t *testing.T) {
			kept := claim
			err := kept.UnmarshalBinary(c.data)
			requireField(t, err, c.field, c.problem)
			for _, sentinel := range []error{spec.ErrWireVersion, spec.ErrMessageType} {
				require.Equal(t, c.is == sentinel, errors.Is(err, sentinel))
			}
			require.Equal(t, claim, kept, "an error must leave the message as it was")
		})
	}
}

func TestFrames(t *testing.T) {
	messages, wire := wireExamples(t)
	var stream []byte
	for i, message := range messages {
		before := len(stream)
		var err error
		stream, err = spec.AppendFrame(stream, message)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("%08x%x", len(wire[i]), wire[i]), hex.EncodeToString(stream[before:]))
	}
	for _, r := range []io.Reader{bytes.NewReader(stream), iotest.OneByteReader(bytes.NewReader(stream)), iotest.DataErrReader(bytes.NewReader(stream))} {
		for _, want := range messages {
			got, err := spec.ReadFrame(r)
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
		_, err := spec.ReadFrame(r)
		require.Equal(t, io.EOF, err)
	}
}

// After a message of another version or type the next frame is read; a fault of any other kind ends the stream.
func TestReadFrameGoesOn(t *testing.T) {
	good, err := spec.AppendFrame(nil, claim)
	require.NoError(t, err)
	for _, c := range faultyWire(t) {
		stream := append([]byte{0, 0, 0, byte(len(c.data))}, c.data...)
		r := bytes.NewReader(append(stream, good...))
		_, err := spec.ReadFrame(r)
		if len(c.data) == 0 {
			requireField(t, err, "length", "0 is not from 1 to 1024")
			continue
		}
		requireField(t, err, c.field, c.problem)
		if c.is != nil {
			require.ErrorIs(t, err, c.is)
			next, err := spec.ReadFrame(r)
			require.NoError(t, err)
			require.Equal(t, claim, next)
		}
	}
}

func TestReadFrameOfLaterVersion(t *testing.T) {
	for _, length := range []int{1, 49, 51, spec.MaxFrame} {
		frame := append([]byte{0, 0, byte(length >> 8), byte(length)}, make([]byte, length)...)
		frame[4] = 4
		good, err := spec.AppendFrame(frame, claim)
		require.NoError(t, err)
		r := bytes.NewReader(good)
		_, err = spec.ReadFrame(r)
		require.ErrorIs(t, err, spec.ErrWireVersion)
		next, err := spec.ReadFrame(r)
		require.NoError(t, err)
		require.Equal(t, claim, next)
	}
}

func TestReadFrameRefuses(t *testing.T) {
	for _, length := range [][]byte{{0, 0, 0, 0}, {0, 0, 4, 1}, {0xff, 0xff, 0xff, 0xff}} {
		r := bytes.NewReader(append(length, make([]byte, 2000)...))
		_, err := spec.ReadFrame(r)
		requireField(t, err, "length", "is not from 1 to 1024")
		require.Equal(t, 2000, r.Len(), "nothing after the length is read")
	}
	good, err := spec.AppendFrame(nil, claim)
	require.NoError(t, err)
	for cut := 1; cut < len(good); cut++ {
		_, err := spec.ReadFrame(bytes.NewReader(good[:cut]))
		require.Equal(t, io.ErrUnexpectedEOF, err, "cut after %d bytes", cut)
	}
	broken := errors.New("broken pipe")
	_, err = spec.ReadFrame(io.MultiReader(bytes.NewReader(good[:20]), iotest.ErrReader(broken)))
	require.Equal(t, broken, err)
}
