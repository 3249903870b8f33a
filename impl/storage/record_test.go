package storage

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/spec"
)

// TestLayout compares a record with one that was put together by hand from the package's comment. Its checksum is
// that of another program.
func TestLayout(t *testing.T) {
	want := "42554c4c59524543" + "0003" + "007a" + "001fffffffffffff" +
		"00000000000000000000000000000002" + "0010000000000000" + "00000000000000000000000000000001" + "0000000000000000" + "0003" +
		"00000000000000000000000000000001" + "00000000000000000000000000000002" +
		"1b9d6bcdbbfd4b2d9b5dab8dfbbd4bed"
	uuid, err := spec.ParseNodeID("1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed")
	require.NoError(t, err)
	o, err := newOwner(n(1), []spec.NodeID{uuid, n(1), n(2)})
	require.NoError(t, err)
	data := encode(o, spec.Durable{Epoch: spec.MaxEpoch, Grantee: n(2), Reserved: spec.MaxReserved})
	require.Equal(t, want+"449ac33a", hex.EncodeToString(data))
}

func anyOwner(t *rapid.T) owner {
	ids := rapid.SliceOfNDistinct(rapid.Uint64Min(1), 1, MaxMembers, rapid.ID[uint64]).Draw(t, "members")
	o, err := newOwner(n(rapid.SampledFrom(ids).Draw(t, "id")), nodes(ids...))
	require.NoError(t, err)
	return o
}

func TestDecodeIsTheInverseOfEncode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := anyOwner(t)
		p := spec.Durable{
			Epoch:    spec.Epoch(rapid.Uint64Range(0, uint64(spec.MaxEpoch)).Draw(t, "epoch")),
			Grantee:  rapid.SampledFrom(append(o.members, spec.NodeID{})).Draw(t, "grantee"),
			Reserved: spec.Question(rapid.Uint64Range(0, uint64(spec.MaxReserved)).Draw(t, "reserved")),
		}
		c, f := decode(encode(o, p))
		require.Nil(t, f)
		require.Equal(t, content{owner: o, promise: p, started: true}, c)
	})
}

func TestEveryTruncationIsSeen(t *testing.T) {
	whole := encode(me, promise(7, 5))
	for size := range whole {
		_, f := decode(whole[:size])
		require.NotNil(t, f, "%d bytes", size)
		if size == 0 {
			require.Equal(t, emptyKind, f.kind)
		} else {
			require.Equal(t, truncatedKind, f.kind, "%d bytes: %s", size, f.problem)
		}
	}
}

// TestEveryTearIsSeen tears a write: what had not been written is zeros.
func TestEveryTearIsSeen(t *testing.T) {
	whole := encode(me, promise(7, 5))
	for size := range whole {
		torn := append(bytes.Clone(whole[:size]), make([]byte, len(whole)-size)...)
		_, f := decode(torn)
		require.NotNil(t, f, "%d bytes written", size)
		switch {
		case size == 9 || size == 10: // version 0 and no length; version 1 and no length
			require.Contains(t, []Kind{tornKind, overlongKind}, f.kind)
		case size <= len(whole)-checksumSize && (size == 0 || size >= len(magic)):
			require.Equal(t, tornKind, f.kind, "%d bytes written: %s", size, f.problem)
		}
	}
}

func TestEveryFlippedBitIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	whole := encode(me, promise(7, 5))
	for at := range whole {
		for bit := range 8 {
			flipped := bytes.Clone(whole)
			flipped[at] ^= 1 << bit
			_, f := decode(flipped)
			require.NotNil(t, f)
			require.Equal(t, damagedKind, f.kind)
			require.Contains(t, f.problem, "node 3 of [1 2 3 4 5], epoch 7, grantee 5")
			foundAt, foundBit, _ := oneBit(flipped)
			require.Equal(t, []int{at, bit}, []int{foundAt, foundBit})
		}
	}
}

// bad are records that a node must not start with, each of another kind or for another reason.
func bad() []struct {
	name string
	data []byte
	kind Kind
	says string
} {
	good := func() []byte { return encode(me, promise(7, 5)) }
	with := func(at int, b ...byte) []byte { return sealed(slices.Replace(good(), at, at+len(b), b...)) }
	flipped := good()
	flipped[epochAt+7] ^= 1
	worse := good()
	worse[epochAt] ^= 0xff
	worse[idAt] ^= 0xff
	later := append(good(), "what version 4 has more"...)
	later[versionAt+1] = 4
	above := binary.BigEndian.AppendUint64(nil, uint64(spec.MaxEpoch)+1)
	return []struct {
		name string
		data []byte
		kind Kind
		says string
	}{
		{"empty", nil, emptyKind, "it has no bytes"},
		{"truncated", good()[:50], truncatedKind, "it states a length of 154 bytes, and has 50"},
		{"truncated in the magic", good()[:3], truncatedKind, "it has 3 bytes only"},
		{"overlong", append(good(), 'x', 'x', 'x', 'x', 'x'), overlongKind, "it states a length of 154 bytes, and they are good"},
		{"overlong by zeros", append(good(), make([]byte, 4096-154)...), overlongKind, "they are good, but there are more"},
		{"overlong by itself", append(good(), good()...), overlongKind, "they are good"},
		{"overlong and damaged", append(worse, 1, 2, 3), overlongKind, "it states a length of 154 bytes, and there are more"},
		{"torn", append(good()[:40], make([]byte, 114)...), tornKind, "bytes are zero"},
		{"all zeros", make([]byte, 154), tornKind, "all its 154 bytes are zero"},
		{"one bit", flipped, damagedKind, "bit 0 of the byte at 19 is flipped; before it said: node 3 of [1 2 3 4 5], epoch 7, grantee 5"},
		{"more bits", worse, damagedKind, "its checksum is"},
		{"text", []byte("this is no record, but a file of another program, of about its size"), foreignKind, `it does not begin with "BULLYREC"`},
		{"sealed text", sealed([]byte("some other format, with the same checksum....")), foreignKind, "it does not begin with"},
		{"sealed magic", sealed([]byte(magic + "1234")), foreignKind, "it does not begin with"},
		{"future version", sealed(later), futureKind, "its version is 4, and this program knows 3 only"},
		{"version 0", with(versionAt, 0, 0), pastKind, "its version is 0, and this program knows 3 only"},
		{"of fixed members of protocol 1", with(versionAt, 0, 1), pastKind, "its version is 1, and this program knows 3 only"},
		{"of changing members of protocol 1", with(versionAt, 0, 2), pastKind, "its version is 2, and this program knows 3 only"},
		{"numbers above the bound", with(reservedAt, 0, 16, 0, 0, 0, 0, 0, 1), impossibleKind, "the numbers reserved go to 4503599627370497, which is above 2^52"},
		{"epoch above the bound", with(epochAt, above...), impossibleKind, "the epoch 9007199254740992 is above 2^53-1"},
		{"grantee no member", with(granteeAt+15, 9), impossibleKind, "the grantee 9 is not among the members [1 2 3 4 5]"},
		{"grantee no id", with(granteeAt, 9), impossibleKind, "the grantee 09000000-0000-0000-0000-000000000005 is not among"},
		{"id no member", with(idAt+15, 9), impossibleKind, "the node 9 is not among the members"},
		{"member no id", with(membersAt, 9), impossibleKind, "is no id"},
		{"members not ascending", with(membersAt+15, 4), impossibleKind, "the member 2 is given twice, or out of order"},
		{"member twice", with(membersAt+15, 2), impossibleKind, "the member 2 is given twice"},
		{"no members", sealed(append(with(lengthAt, 0, 74, 0, 0, 0, 0, 0, 0, 0, 0)[:countAt], 0, 0, 0, 0, 0, 0)), impossibleKind, "there are 0 members"},
		{"count of members", with(countAt, 0, 4), impossibleKind, "not the size for 4 members"},
		{"length", with(lengthAt, 0, 153), impossibleKind, "it states a length of 153 bytes, and has 154"},
		{"no room", sealed(append([]byte(magic), 0, 3, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0)[:20]), impossibleKind, "fewer than the 74"},
	}
}

func TestBadRecordsAreToldApart(t *testing.T) {
	for _, c := range bad() {
		t.Run(c.name, func(t *testing.T) {
			dir := put(t, c.data)
			_, err := Open(dir, me.id, me.members)
			var wrong *RecordError
			require.ErrorAs(t, err, &wrong)
			require.Equal(t, c.kind, wrong.Kind)
			require.Contains(t, wrong.Problem, c.says)
			require.Equal(t, filepath.Join(dir, recordName), wrong.Path)
			require.Contains(t, err.Error(), string(c.kind))
			require.Contains(t, err.Error(), wrong.Advice())

			left, err := os.ReadFile(filepath.Join(dir, recordName))
			require.NoError(t, err)
			require.True(t, bytes.Equal(c.data, left), "the record is as it was")

			report, err := Inspect(dir)
			require.NoError(t, err)
			require.Equal(t, wrong.Kind, report.Problem.Kind)
			require.False(t, report.Locked, "Open has released the folder")
		})
	}
}

func TestOwners(t *testing.T) {
	many := nodes()
	for i := range uint64(65) {
		many = append(many, n(i+1))
	}
	for _, c := range []struct {
		id      spec.NodeID
		members []spec.NodeID
		says    string
	}{
		{n(1), nil, "there are 0 members, and not 1 to 64"},
		{n(1), many, "there are 65 members, and not 1 to 64"},
		{n(1), nodes(1, 2, 1), "the member 1 is given twice"},
		{n(1), nodes(0, 1), "the member none is no id (R1)"},
		{n(4), nodes(1, 2, 3), "the node 4 is not among the members [1 2 3] (R40)"},
		{n(0), nodes(1, 2, 3), "the node none is not among the members"},
	} {
		dir := filepath.Join(t.TempDir(), "data")
		_, err := Open(dir, c.id, c.members)
		require.ErrorContains(t, err, c.says)
		require.NoDirExists(t, dir, "nothing is made for what cannot be")
		_, err = Raise(dir, c.id, c.members, 1)
		require.ErrorContains(t, err, c.says)
	}
	f, err := Open(t.TempDir(), n(64), many[:64])
	require.NoError(t, err)
	require.NoError(t, f.Save(promise(1, 64)))
	require.NoError(t, f.Close())
}

func FuzzDecode(f *testing.F) {
	f.Add(encode(me, promise(7, 5)))
	f.Add(encode(owner{n(1), nodes(1)}, spec.Durable{}))
	f.Add(encodeChanging(who, false, held(0, 0, spec.EmptyConfiguration())))
	f.Add(encodeChanging(who, true, held(7, 9, members(4, 2, 1, 3))))
	for _, data := range badChanging() {
		f.Add(data)
	}
	for _, c := range bad() {
		f.Add(c.data)
		if len(c.data) > checksumSize {
			f.Add(sealed(bytes.Clone(c.data)))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, data := range [][]byte{data, reseal(data)} {
			c, flaw := decode(data)
			if flaw != nil {
				require.NotEmpty(t, flaw.kind)
				require.NotEmpty(t, strings.TrimSpace(flaw.problem))
				continue
			}
			if c.isChanging() {
				require.NoError(t, c.identity.validate())
				require.NoError(t, c.identity.check(c.promise))
				require.Equal(t, data, encodeChanging(c.identity, c.started, c.promise), "a record has one form")
				continue
			}
			require.NoError(t, c.validate())
			require.NoError(t, c.check(c.promise))
			require.Equal(t, data, encode(c.owner, c.promise), "a record has one form")
		}
	})
}

// reseal gives data a right checksum, so that a fuzzer gets behind that check.
func reseal(data []byte) []byte {
	if len(data) < checksumSize {
		return data
	}
	return sealed(bytes.Clone(data))
}
