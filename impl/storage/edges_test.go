package storage

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/impl/internal/folder/simdisk"
	"github.com/seed-fdf591db/bully/spec"
)

// TestClosedAtOnce looks at a File that was closed before anything went wrong.
func TestClosedAtOnce(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	require.NoError(t, f.Save(promise(4, 5)))
	require.NoError(t, f.Close())
	_, found, err := f.Load()
	require.ErrorIs(t, err, fs.ErrClosed)
	require.ErrorContains(t, err, filepath.Join(dir, recordName))
	require.False(t, found, "a closed record must not be returned")
}

// TestLongestRecord saves, reads and damages the longest record that there can be.
func TestLongestRecord(t *testing.T) {
	var members []spec.NodeID
	for i := range uint64(MaxMembers) {
		members = append(members, n(i+1))
	}
	dir := t.TempDir()
	f, err := Open(dir, n(64), members)
	require.NoError(t, err)
	require.NoError(t, f.Save(promise(spec.MaxEpoch, 64)))
	require.NoError(t, f.Close())
	f, err = Open(dir, n(64), members)
	require.NoError(t, err)
	requirePromise(t, f, promise(spec.MaxEpoch, 64))
	require.NoError(t, f.Close())

	path := filepath.Join(dir, recordName)
	data := encode(f.record.owner, promise(spec.MaxEpoch, 64))
	require.Len(t, data, maxFixed)
	for _, more := range []string{"x", "xy", strings.Repeat("x", 10_000)} {
		require.NoError(t, os.WriteFile(path, append(data[:len(data):len(data)], more...), 0o600))
		_, err = Open(dir, n(64), members)
		requireKind(t, err, overlongKind, path)
	}
	data[epochAt] ^= 1
	require.NoError(t, os.WriteFile(path, data, 0o600))
	_, err = Open(dir, n(64), members)
	requireKind(t, err, damagedKind, path)
	require.ErrorContains(t, err, "bit 0 of the byte at 12 is flipped")
}

func requireKind(t *testing.T, err error, kind Kind, path string) {
	t.Helper()
	wrong, ok := errors.AsType[*RecordError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, kind, wrong.Kind)
	require.Equal(t, path, wrong.Path)
	require.Contains(t, err.Error(), fmt.Sprintf("storage: %s is %s: %s; %s", path, kind, wrong.Problem, wrong.Advice()))
}

// TestWhatIsSaid holds what is said of damaged bytes to be of these bytes.
func TestWhatIsSaid(t *testing.T) {
	says := func(want Kind, problem string, data []byte) {
		_, f := decode(data)
		require.NotNil(t, f)
		require.Equal(t, flaw{want, problem}, *f)
	}
	whole := encode(me, promise(7, 5))
	for size := 1; size < len(whole); size++ {
		if size < epochAt {
			says(truncatedKind, fmt.Sprintf("it has %d bytes only", size), whole[:size])
		} else {
			says(truncatedKind, fmt.Sprintf("it states a length of %d bytes, and has %d", len(whole), size), whole[:size])
		}
	}
	says(foreignKind, `it does not begin with "BULLYREC"`, sealed([]byte("some other format, with the same checksum....")))
	says(foreignKind, `it does not begin with "BULLYREC"`, []byte("some other format, without"))
	says(foreignKind, `it does not begin with "BULLYREC"`, sealed([]byte(magic+"\x00\x03\x00abcd")))
	says(impossibleKind, "it has 16 bytes, fewer than the 74 of a record without members", sealed([]byte(magic+"\x00\x03\x00\x10abcd")))

	worse := encode(me, promise(7, 5))
	worse[epochAt] ^= 0x0f
	end := len(worse) - checksumSize
	says(damagedKind, fmt.Sprintf("its checksum is %08x, and should be %08x by what it says",
		worse[end:], crc32.Checksum(worse[:end], castagnoli)), worse)

	// One bit of a record that says what no node can have promised: flipped back it is no better.
	impossible := sealed(encode(me, promise(spec.MaxEpoch+1, 5)))
	impossible[epochAt+7] ^= 1
	// A record that is good but too short for what all records have.
	for size := epochAt + checksumSize; size < membersAt+checksumSize; size++ {
		short := append([]byte(magic+"\x00\x03\x00"), byte(size))
		says(impossibleKind, fmt.Sprintf("it has %d bytes, fewer than the 74 of a record without members", size),
			sealed(append(short, make([]byte, size-epochAt)...)))
	}

	_, f := decode(impossible)
	require.Equal(t, damagedKind, f.kind)
	require.Contains(t, f.problem, "its checksum is ")
}

// advices are what may be done about each kind of record, as an error says it and as a report does. Only a new record, and
// a higher epoch, help with those that can be raised.
var advices = []struct {
	kind             Kind
	raisable         bool
	inError, atRaise string
}{
	{unreadableKind, false, "let this user read it, or bring back the disk", ""},
	{pastKind, false, "this protocol cannot go on from it: stop all nodes, give each an empty folder, and epochs that no resource has seen (R40)", ""},
	{futureKind, false, "run the version of the program that wrote it, or a later one", ""},
	{wrongNodeKind, false, "give this node its own folder, or its own id: two nodes never share a record", ""},
	{WrongMembers, false, "start the node with the members of its record: they must not change while any node has one (R40)", ""},
	{Missing, false, "make one: bully init at each of the first members, bully join at a node that is to be added", ""},
	{wrongClusterKind, false, "give this node its own folder, or the name of its cluster", ""},
	{changingKind, false, "start the node without a list of members, as its record has them (storage.OpenChanging)", ""},
	{fixedKind, false, "start the node with its members, as before (storage.Open); to let them change see bully init -from-fixed (storage.FromFixed)", ""},
	{Lost, true, "put the file back if it was moved, but no older copy of it, and not one that other nodes have disowned; else raise the node's epoch: see bully repair",
		"put the file back if it was moved, but no older copy of it, and not one that other nodes have disowned; else raise the epoch" + howToRaise},
	{emptyKind, true, keep, keepAndRaise}, {foreignKind, true, keep, keepAndRaise}, {truncatedKind, true, keep, keepAndRaise},
	{overlongKind, true, keep, keepAndRaise}, {tornKind, true, keep, keepAndRaise}, {damagedKind, true, keep, keepAndRaise}, {impossibleKind, true, keep, keepAndRaise},
}

const (
	keep         = "do not remove it, and put no older copy in its place (R32); to give the node a new record see bully repair"
	keepAndRaise = "do not remove it, and put no older copy in its place; raise the epoch" + howToRaise
)

func TestAdvice(t *testing.T) {
	for _, a := range advices {
		problem := &RecordError{Path: "p", Kind: a.kind, Problem: "bad"}
		require.Equal(t, a.inError, problem.Advice(), a.kind)
		require.Equal(t, "storage: p is "+string(a.kind)+": bad; "+a.inError, problem.Error())
		require.Equal(t, a.raisable, a.kind.raisable(), a.kind)
		if a.atRaise == "" {
			a.atRaise = a.inError
		}
		require.Equal(t, a.atRaise, Report{Found: true, Problem: problem}.Advice(), a.kind)
	}
	later := 0
	for _, c := range bad() {
		if c.kind != futureKind {
			continue
		}
		later++
		dir := put(t, c.data)
		_, err := Raise(dir, me.id, me.members, 100)
		requireKind(t, err, futureKind, filepath.Join(dir, recordName))
		left, err := os.ReadFile(filepath.Join(dir, recordName))
		require.NoError(t, err)
		require.Equal(t, c.data, left, "the record of a later version is as it was")
	}
	require.Positive(t, later)
}

// TestErrorsNameTheRecord holds each error about a record to saying which one it is.
func TestErrorsNameTheRecord(t *testing.T) {
	good := encode(me, promise(7, 5))
	lost := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(lost, recordName+folder.MarkerSuffix), nil, 0o600))
	noFile := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(noFile, recordName), 0o700))
	for kind, dir := range map[Kind]string{
		Lost: lost, unreadableKind: noFile, damagedKind: put(t, append(good[:13:13], append([]byte{0x0f}, good[14:]...)...)),
		wrongNodeKind: put(t, encode(owner{n(2), five}, promise(7, 5))), WrongMembers: put(t, encode(owner{n(3), nodes(1, 3)}, promise(7, 1))),
	} {
		path := filepath.Join(dir, recordName)
		_, err := Open(dir, me.id, me.members)
		requireKind(t, err, kind, path)
		report, err := Inspect(dir)
		require.NoError(t, err)
		require.Equal(t, path, report.Path)
		require.Equal(t, kind != unreadableKind, report.Marked, kind)
		require.False(t, report.Locked, kind)
		if kind != wrongNodeKind && kind != WrongMembers {
			requireKind(t, report.Problem, kind, path)
		}
	}
	report, err := Inspect(lost)
	require.NoError(t, err)
	require.EqualError(t, errors.Unwrap(report.Problem), filepath.Join(lost, recordName)+" is lost")
}

// TestReportOfEpochsUsedUp: above what can be raised by hand a record is in order, but what it says is not.
func TestReportOfEpochsUsedUp(t *testing.T) {
	const way = "3. Stop ALL nodes of the cluster; none may run before step 5."
	for epoch, want := range map[spec.Epoch]string{MaxRaise: "nothing", MaxRaise + 1: "more than half of all epochs are used up", spec.MaxEpoch - 1: "more than half", spec.MaxEpoch: "the last epoch there is"} {
		dir := t.TempDir()
		require.NoError(t, open(t, dir).Save(promise(epoch, 5)))
		report, err := Inspect(dir)
		require.NoError(t, err)
		require.Nil(t, report.Problem)
		require.Contains(t, report.Advice(), want, epoch)
		require.Equal(t, epoch > MaxRaise, strings.Contains(report.Advice(), way), epoch)
		require.Equal(t, epoch == spec.MaxEpoch, report.Exhausted())
	}
}

// TestReportOfARecordWithoutMarker looks at what a crash within the first Save leaves, and at records of few bytes and of
// many.
func TestReportOfARecordWithoutMarker(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, recordName)
	good := encode(me, promise(7, 5))
	require.NoError(t, os.WriteFile(path, good, 0o600))
	report, err := Inspect(dir)
	require.NoError(t, err)
	require.Equal(t, Report{Path: path, Found: true, Node: me.id, Members: me.members, Promise: promise(7, 5), Started: true, Bytes: good, Saves: report.Saves}, report)
	require.Equal(t, "nothing", report.Advice())
	require.Contains(t, report.String(), "is in order\n")
	_, err = os.Stat(filepath.Join(dir, recordName+folder.MarkerSuffix))
	require.ErrorIs(t, err, fs.ErrNotExist)

	require.NoError(t, open(t, dir).Save(promise(8, 5)))
	report, err = Inspect(dir)
	require.NoError(t, err)
	require.True(t, report.Marked, "the first save must write the marker")
	require.True(t, report.Locked, "the record is locked while it is open")

	require.NoError(t, os.WriteFile(path, []byte("x"), 0o600))
	report, err = Inspect(dir)
	require.NoError(t, err)
	require.Contains(t, report.String(), "00000000  78                                                |x|\n")

	require.NoError(t, os.WriteFile(path, make([]byte, 10_000), 0o600))
	report, err = Inspect(dir)
	require.NoError(t, err)
	require.Len(t, report.Bytes, 4096)
}

// TestRaiseOnABadDisk lets the disk fail in the ways that are not about the record.
func TestRaiseOnABadDisk(t *testing.T) {
	require.EqualValues(t, 1<<52, MaxRaise)

	disk := simdisk.New()
	disk.Put(recordName, encode(me, promise(7, 5))) // good, and its marker is missing
	disk.Fault = func(_ int, op simdisk.Op) simdisk.Outcome {
		if op == simdisk.SyncFolder {
			return simdisk.Fails
		}
		return simdisk.Works
	}
	_, err := raiseOn(keptOn(disk), me, 100)
	require.ErrorIs(t, err, simdisk.ErrFault)
	require.ErrorContains(t, err, "record.kept")

	disk = simdisk.New()
	disk.Put(recordName, []byte("not a record"))
	disk.Put(recordName+folder.MarkerSuffix, nil)
	disk.Fault = func(_ int, op simdisk.Op) simdisk.Outcome {
		if op == simdisk.Rename {
			return simdisk.Fails
		}
		return simdisk.Works
	}
	aside, err := raiseOn(keptOn(disk), me, 100)
	require.ErrorIs(t, err, simdisk.ErrFault)
	require.ErrorContains(t, err, "storage: cannot rename /data/record:")
	require.Empty(t, aside)
}

// TestMemoryHooks shows that hooks that find no fault change nothing.
func TestMemoryHooks(t *testing.T) {
	m, before, after := NewMemory(), 0, 0
	m.Before(func(p spec.Durable) error {
		before++
		require.Equal(t, promise(spec.Epoch(before), 5), p)
		return nil
	})
	m.After(func(p spec.Durable) error {
		after++
		require.Equal(t, promise(spec.Epoch(after), 5), p)
		return nil
	})
	for epoch := 1; epoch <= 3; epoch++ {
		require.NoError(t, m.Save(promise(spec.Epoch(epoch), 5)))
		p, found, err := m.Load()
		require.NoError(t, err)
		require.True(t, found, "epoch %d is kept", epoch)
		require.Equal(t, promise(spec.Epoch(epoch), 5), p)
		require.Equal(t, []int{epoch, epoch, epoch}, []int{before, after, m.Saves()})
	}
	require.NoError(t, m.Restart().Save(promise(4, 5)))
	require.NoError(t, m.Save(promise(4, 5)), "nor do the other methods hold it up")
	fault := errors.New("no space left")
	m.Before(func(spec.Durable) error { return fault })
	err := m.Save(promise(9, 1))
	require.EqualError(t, err, "storage: could not save epoch 9, grantee 1: no space left; this node must stop (R4)")
	require.ErrorIs(t, err, fault)
}
