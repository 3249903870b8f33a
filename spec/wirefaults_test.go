package spec_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// wireFault is a fault that binary messages can have.
type wireFault struct {
	name, field, problem string
	put                  func(data []byte) []byte
	is                   error
}

// wireFaults is every fault of messages with a configuration, in the order in which they are looked for; good is what
// they are put into. Each but the last can be put in after all that come later.
func wireFaults(t testing.TB) (good []byte, faults []wireFault) {
	message := handOver
	message.Configuration = configuration(t, 3, 2, spec.Member{ID: two, Kind: spec.Voter, Address: "a:1"},
		spec.Member{ID: three, Kind: spec.Witness, Rank: 7, Address: "b:2"}, spec.Member{ID: four, Kind: spec.Observer})
	good, err := message.MarshalBinary()
	require.NoError(t, err)
	const stamp = 82 // the offset of the configuration of a RESIGN
	const first, second, third = stamp + 17, stamp + 17 + 21, stamp + 17 + 21 + 23
	require.Len(t, good, third+18)
	set := func(at int, bytes ...byte) func([]byte) []byte {
		return func(data []byte) []byte {
			copy(data[at:], bytes)
			return data
		}
	}
	cut := func(length int) func([]byte) []byte { return func(data []byte) []byte { return data[:length] } }
	none, large := make([]byte, 16), []byte{0, 0x20, 0, 0, 0, 0, 0, 0}
	return good, []wireFault{
		{"empty", "length", "no bytes at all", cut(0), nil},
		{"version", "version", "2: version 3 is wanted", set(0, 2), spec.ErrWireVersion},
		{"version only", "length", "cut short: no type", cut(1), nil},
		{"type 0", "type", "0 is the code of no message type", set(1, 0), spec.ErrMessageType},
		{"type 12", "type", "12 is the code of no message type", set(1, 12), spec.ErrMessageType},
		{"short", "length", "cut short: 81 bytes of the 82 of RESIGN", cut(81), nil},
		{"shorter than a configuration", "length", "16 bytes follow the 82 of RESIGN: a configuration has 17 or more", cut(98), nil},
		{"from", "from", "none", set(2, none...), nil},
		{"to", "to", "neither", set(18, 1), nil},
		{"to itself", "to", "3 is the sender itself", set(33, 3), nil},
		{"epoch", "epoch", "9007199254740992 is above 2^53-1", set(34, large...), nil},
		{"question 0", "question", "0: the number of a question", set(42, none[:8]...), nil},
		{"question", "question", "9007199254740992 is above 2^53-1", set(42, large...), nil},
		{"granted to nobody", "granted.by", "none", set(50, none...), nil},
		{"granted to none such", "granted.by", "neither", set(50, 1), nil},
		{"granted to itself", "granted.by", "3 is the sender itself", set(65, 3), nil},
		{"granted epoch", "granted.epoch", "9007199254740992 is above 2^53-1", set(66, large...), nil},
		{"granted question 0", "granted.question", "0: the number of a question", set(74, none[:8]...), nil},
		{"granted question", "granted.question", "9007199254740992 is above 2^53-1", set(74, large...), nil},
		{"configuration epoch", "configuration.epoch", "5 is above epoch 4 beside it", set(stamp+7, 5), nil},
		{"configuration version", "configuration.version", "9007199254740992 is above 2^53-1", set(stamp+8, large...), nil},
		{"count", "configuration.members", "there are 51: at most 50 are wanted", set(stamp+16, 51), nil},
		{"first member cut short", "length", "cut short: within member 1 of 3", cut(first + 20), nil},
		{"first member cut shorter", "length", "cut short: within member 1 of 3", cut(first + 17), nil},
		{"first id", "configuration.members[0].id", "none", set(first, none...), nil},
		{"first kind", "configuration.members[0].kind", "0 is the code of no kind of member", set(first+16, 0), nil},
		{"first address", "configuration.members[0].address", `"a\x7f1": printable ASCII without space`, set(first+19, 0x7f), nil},
		{"second member cut short", "length", "cut short: within member 2 of 3", cut(second + 20), nil},
		{"no second member", "length", "cut short: within member 2 of 3", cut(second), nil},
		{"second id", "configuration.members[1].id", "neither", set(second, 1), nil},
		{"second id twice", "configuration.members[1].id", "2 after 2: ascending order is wanted", set(second+15, 2), nil},
		{"second id below", "configuration.members[1].id", "1 after 2: ascending order is wanted", set(second+15, 1), nil},
		{"second kind", "configuration.members[1].kind", "132 is the code of no kind of member", set(second+16, 0x84), nil},
		{"second rank", "configuration.members[1].rank", "0: it is left out", set(second+17, 0, 0), nil},
		{"second address", "configuration.members[1].address", `"b:\"": printable ASCII without space`, set(second+22, '"'), nil},
		{"third member cut short", "length", "cut short: within member 3 of 3", cut(third + 17), nil},
		{"third address cut short", "length", "cut short: within member 3 of 3", set(third+17, 128), nil},
		{"left over", "length", "2 bytes follow the last member", func(data []byte) []byte { return append(data, 0, 0) }, nil},
		{"no voter", "configuration.members", "there is no voter", set(first+16, 2), nil},
		{"version 0", "configuration.version", "0: with members it is 1 or more", set(stamp+15, 0), nil},
	}
}

// laterWireFaults is faults of messages with a configuration that cannot be together with others.
func laterWireFaults(t testing.TB) (faults []wireFault) {
	good, _ := wireFaults(t)
	nobody := func(epoch, version byte) func([]byte) []byte {
		return func([]byte) []byte {
			data := bytes.Clone(good[:99])
			data[89], data[97], data[98] = epoch, version, 0
			return data
		}
	}
	long := func(lengths ...int) func([]byte) []byte {
		return func([]byte) []byte {
			data := append(bytes.Clone(good[:98]), byte(len(lengths)))
			for i, length := range lengths {
				member := append(make([]byte, 18), strings.Repeat("a", length)...)
				member[15], member[16], member[17] = byte(i+1), 1, byte(length)
				data = append(data, member...)
			}
			return data
		}
	}
	return []wireFault{
		{"nobody of a version", "configuration.version", "2: without members it is 0", nobody(0, 2), nil},
		{"nobody of an epoch", "configuration.epoch", "3: without members it is 0", nobody(3, 0), nil},
		{"nobody and more", "length", "1 bytes follow the last member", func([]byte) []byte { return append(nobody(0, 0)(nil), 0) }, nil},
		{"no room for a rank", "length", "cut short: within member 3 of 3", func([]byte) []byte {
			data := bytes.Clone(good)
			data[len(data)-2] |= 0x80 // of the kind of the last member
			return data
		}, nil},
		{"long address", "configuration.members[0].address", "129 characters: at most 128 are wanted", long(129), nil},
		{"longest address", "configuration.members[1].address", "255 characters: at most 128 are wanted", long(128, 255), nil},
		{"longer than a frame", "configuration.members", "a message with them has 1025 bytes", long(128, 128, 128, 128, 128, 128, 32), nil},
	}
}

func (f *wireFault) requireRefused(t *testing.T, data []byte) {
	t.Helper()
	kept := claim
	err := kept.UnmarshalBinary(data)
	requireField(t, err, f.field, f.problem)
	for _, sentinel := range []error{spec.ErrWireVersion, spec.ErrMessageType} {
		require.Equal(t, f.is == sentinel, errors.Is(err, sentinel), f.name)
	}
	require.True(t, claim == kept, "an error must leave the message as it was")
	frame := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), data...)
	if len(data) == 0 || len(data) > spec.MaxFrame {
		return
	}
	next, err := spec.AppendFrame(frame, claim)
	require.NoError(t, err)
	r := bytes.NewReader(next)
	_, err = spec.ReadFrame(r)
	requireField(t, err, f.field, f.problem)
	after, err := spec.ReadFrame(r)
	require.NoError(t, err)
	require.True(t, claim == after, "the frame has been read whole")
}

// TestUnmarshalBinaryOrder puts each fault into a message alone, and then with every later one: the first is told.
func TestUnmarshalBinaryOrder(t *testing.T) {
	good, faults := wireFaults(t)
	var message spec.Message
	require.NoError(t, message.UnmarshalBinary(good))
	for i, first := range faults {
		t.Run(first.name, func(t *testing.T) {
			first.requireRefused(t, first.put(bytes.Clone(good)))
			for _, later := range faults[i+1:] {
				first.requireRefused(t, first.put(later.put(bytes.Clone(good))))
			}
		})
	}
	for _, alone := range laterWireFaults(t) {
		t.Run(alone.name, func(t *testing.T) { alone.requireRefused(t, alone.put(nil)) })
	}
}
