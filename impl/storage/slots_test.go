package storage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/folder/simdisk"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// slotsOf returns a record in slots after some saves, the last of them twice.
func slotsOf(t *testing.T, saves ...spec.Durable) []byte {
	disk := simdisk.New()
	disk.InPlace = true
	f, err := openDisk(disk)
	require.NoError(t, err)
	for _, p := range saves {
		require.NoError(t, f.Save(p))
	}
	file, _ := disk.Content(recordName)
	return file
}

// TestHeadIsALaterVersion: programs that know nothing of slots refuse a record in slots as one of a later version, and advise nobody to raise it.
func TestHeadIsALaterVersion(t *testing.T) {
	require.Equal(t, maxRecord+1, readToLoad, "what programs of version 3 read stays what it was, whatever this one does")
	file := slotsOf(t, promise(7, 5))
	for _, size := range []int{readToLoad, readToLook} {
		_, f := decode(file[:size])
		require.Equal(t, &flaw{futureKind, "its version is 4, and this program knows 3 only"}, f)
	}
	require.Equal(t, readToLoad, int(binary.BigEndian.Uint16(file[lengthAt:])), "to those it is as long as it says")
	require.False(t, futureKind.raisable(), "no node may raise a record of a later version")
	require.Contains(t, string(file[:readToLoad]), "\n\nThe promise of a node of bully is in this file, in two slots from byte 4096 on.")
}

// TestMigration: a record of the old way is written in place from the next start on, and as before where that is not safe. Nothing of it is lost.
func TestMigration(t *testing.T) {
	for _, c := range []struct {
		name string
		old  []byte
		open func(*simdisk.Disk) (*File, error)
		next spec.Durable
	}{
		{"fixed", encode(me, promise(7, 5)), openDisk, promise(8, 5)},
		{"changing", encodeChanging(who, true, held(7, 5, first)), func(d *simdisk.Disk) (*File, error) { return openChangingOn(keptOn(d)) }, held(8, 5, first)},
	} {
		t.Run(c.name, func(t *testing.T) {
			disk := simdisk.New()
			disk.Put(recordName, c.old)
			for _, inPlace := range []bool{false, true, false, true} {
				disk.InPlace = inPlace
				f, err := c.open(disk)
				require.NoError(t, err)
				want := c.next
				want.Epoch--
				requirePromise(t, f, want)
				file, _ := disk.Content(recordName)
				_, inSlots, flaw := decodeFile(file)
				require.Nil(t, flaw)
				require.Equal(t, inPlace, inSlots)
				require.NoError(t, f.Save(c.next))
				c.next.Epoch++
				disk = disk.Crash(func(int) int { return 0 })
			}
		})
	}
}

// TestNotMigrated: the record of another node stays as it is.
func TestNotMigrated(t *testing.T) {
	old := encode(me, promise(7, 5))
	dir := put(t, old)
	_, err := Open(dir, n(2), five)
	require.Error(t, err)
	_, err = OpenChanging(dir)
	require.Error(t, err)
	now, err := os.ReadFile(filepath.Join(dir, recordName))
	require.NoError(t, err)
	require.Equal(t, old, now)
}

// TestSpoiledRecord spoils each byte of a record in slots, and more and more of both its copies: the promise is the last
// one, or the record is refused with a reason. It is never an older one. Unless slow tests run, it spoils the first bytes
// of each block, and each seventh of the others, most of which are zeros.
func TestSpoiledRecord(t *testing.T) {
	slowtest.NoRace(t, "it runs in one goroutine")
	last := promise(9, 1)
	good := slotsOf(t, promise(7, 5), promise(8, 5), last)
	openFile := func(file []byte) (spec.Durable, error) {
		disk := simdisk.New()
		disk.InPlace = true
		disk.Put(recordName, file)
		f, err := openDisk(disk)
		if err != nil {
			return spec.Durable{}, err
		}
		p, _, err := f.Load()
		return p, err
	}
	for at := range good {
		if at%4096 >= 256 && at%7 != 0 && !slowtest.Wanted() {
			continue
		}
		file := slices.Clone(good)
		file[at] ^= 0x10
		p, err := openFile(file)
		if at < 12 {
			bad, ok := errors.AsType[*RecordError](err)
			require.True(t, ok, "byte %d: %v", at, err)
			require.Contains(t, []Kind{foreignKind, damagedKind, overlongKind, truncatedKind}, bad.Kind, "byte %d: %v", at, err)
			continue
		}
		require.NoError(t, err, "byte %d", at)
		require.Equal(t, last, p)
	}
	const slot1, slot0 = 3 * 4096, 4096
	for name, c := range map[string]struct {
		spoil func(file []byte) []byte
		kind  Kind
		says  string
	}{
		"both copies of the last": {func(file []byte) []byte {
			file[slot1+20]++
			file[slot1+4096+20]++
			return file
		}, damagedKind, "save 2 is whole, but nothing is left of the slot of saves 1 and 3: the later one may have been acted on; do not remove it"},
		"all of the other slot": {func(file []byte) []byte {
			clear(file[slot0:slot1])
			return file
		}, damagedKind, "save 3 is whole, but nothing is left of the slot of saves 2 and 4"},
		"cut short": {func(file []byte) []byte { return file[:slot1] }, truncatedKind, "it has two slots, and so 20480 bytes, and 12288 are there"},
		"overlong":  {func(file []byte) []byte { return append(file, 0) }, overlongKind, "it has two slots, and so 20480 bytes, and there are more"},
	} {
		t.Run(name, func(t *testing.T) {
			file := c.spoil(slices.Clone(good))
			_, err := openFile(file)
			requireKind(t, err, c.kind, "/data/"+recordName)
			require.ErrorContains(t, err, c.says)

			dir := put(t, file)
			report, err := Inspect(dir)
			require.NoError(t, err)
			requireKind(t, report.Problem, c.kind, report.Path)
			require.NotContains(t, report.String(), "00000000", "slots are shown in words")
			require.ErrorIs(t, Init(dir, who, first), ErrExists)
			require.ErrorContains(t, Init(dir, who, first), "is there already, and is "+string(c.kind))
			aside, err := Raise(dir, me.id, me.members, 100)
			require.NoError(t, err)
			kept, err := os.ReadFile(aside)
			require.NoError(t, err)
			require.True(t, bytes.Equal(file, kept), "what was there is kept")
			requirePromise(t, open(t, dir), promise(100, 0))
		})
	}
}

// TestReportOfSlots: both copies of both slots are shown.
func TestReportOfSlots(t *testing.T) {
	report := func(file []byte) (shown []string) {
		dir := put(t, file)
		r, err := Inspect(dir)
		require.NoError(t, err)
		require.Empty(t, r.Bytes)
		for line := range strings.Lines(r.String()) {
			if strings.Contains(line, "slot ") {
				shown = append(shown, strings.TrimSpace(line))
			}
		}
		return shown
	}
	file := slotsOf(t, promise(7, 5), promise(8, 0))
	require.Equal(t, []string{
		"slot 0, copy 1: save 2, epoch 8, grantee none", "slot 0, copy 2: save 2, epoch 8, grantee none",
		"slot 1, copy 1: save 1, epoch 7, grantee 5", "slot 1, copy 2: save 1, epoch 7, grantee 5",
	}, report(file))
	file[4096+20]++
	require.Equal(t, "slot 0, copy 1: 1 of 8 sectors are spoiled", report(file)[0])
	odd := slotsOf(t, promise(7, 5))
	copy(odd[3*4096:], slotsOf(t, promise(7, 5), promise(7, 5), promise(7, 5))[3*4096:][:512])
	require.Equal(t, "slot 1, copy 1: written in part", report(odd)[2])

	disk := simdisk.New()
	disk.InPlace = true
	kept := keptOn(disk)
	good := encode(me, promise(7, 5))
	bad := bytes.Clone(good)
	bad[len(bad)-1]++
	require.NoError(t, kept.Replace(bad))
	require.NoError(t, kept.Replace(good))
	file, _ = disk.Content(recordName)
	require.Contains(t, report(file)[2], "slot 1, copy 1: save 1, damaged: ")
}

// TestReportOfSpoiled: a record of which sectors are spoiled is in order, and not as if nothing were; a save that was cut short is nothing.
func TestReportOfSpoiled(t *testing.T) {
	report := func(file []byte) Report {
		r, err := Inspect(put(t, file))
		require.NoError(t, err)
		require.Nil(t, r.Problem)
		return r
	}
	file := slotsOf(t, promise(7, 5), promise(8, 0))
	require.Contains(t, report(file).String(), " is in order\n")
	require.Equal(t, "nothing", report(file).Advice())
	file[4096+20]++
	file[4*4096+600]++
	r := report(file)
	require.Equal(t, 2, r.Spoiled)
	require.Contains(t, r.String(), " is in order, as a good copy is left; but 2 of its 32 sectors are spoiled\n")
	require.Contains(t, r.Advice(), "look after the disk")
	odd := slotsOf(t, promise(7, 5))
	copy(odd[3*4096:], slotsOf(t, promise(7, 5), promise(7, 5), promise(7, 5))[3*4096:][:512])
	require.Zero(t, report(odd).Spoiled)
}

// TestReportOfForeign shows the beginning of what is no record, and all of what may be one.
func TestReportOfForeign(t *testing.T) {
	shown := func(file []byte) int {
		r, err := Inspect(put(t, file))
		require.NoError(t, err)
		require.NotNil(t, r.Problem)
		return strings.Count(r.String(), "|\n")
	}
	require.Equal(t, 4, shown(bytes.Repeat([]byte("another program's "), 500)))
	damaged := encode(me, promise(7, 5))
	damaged[len(damaged)-1]++
	require.Equal(t, (len(damaged)+15)/16, shown(damaged))
}
