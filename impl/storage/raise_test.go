package storage

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/folder/simdisk"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

func TestRaiseBadRecords(t *testing.T) {
	for _, c := range bad() {
		t.Run(c.name, func(t *testing.T) {
			dir := put(t, c.data)
			aside, err := Raise(dir, me.id, me.members, 100)
			if !c.kind.raisable() {
				var wrong *RecordError
				require.ErrorAs(t, err, &wrong)
				require.Equal(t, c.kind, wrong.Kind)
				return
			}
			require.NoError(t, err)
			require.Equal(t, filepath.Join(dir, "record.bad-1"), aside)
			kept, err := os.ReadFile(aside)
			require.NoError(t, err)
			require.True(t, bytes.Equal(c.data, kept), "what was there is kept")
			requirePromise(t, open(t, dir), promise(100, 0))
		})
	}
}

func TestRaise(t *testing.T) {
	raise := func(dir string, epoch spec.Epoch) error {
		aside, err := Raise(dir, me.id, me.members, epoch)
		require.Empty(t, aside)
		return err
	}
	dir := filepath.Join(t.TempDir(), "new")
	require.NoError(t, raise(dir, 5), "the disk was lost as a whole")
	requirePromise(t, open(t, dir), promise(5, 0))

	dir = put(t, encode(me, promise(7, 5)))
	for _, epoch := range []spec.Epoch{1, 6, 7} {
		require.ErrorContains(t, raise(dir, epoch), "is in order, and its epoch is 7: only a higher one can be set")
	}
	for _, epoch := range []spec.Epoch{0, MaxRaise + 1, spec.MaxEpoch, spec.MaxEpoch + 1} {
		require.ErrorContains(t, raise(dir, epoch), fmt.Sprintf("the epoch %d is not from 1 to 2^52", epoch))
	}
	require.NoError(t, raise(dir, 8))
	require.NoError(t, os.Remove(filepath.Join(dir, recordName)))
	_, err := Open(dir, me.id, me.members)
	require.ErrorContains(t, err, "is lost")
	require.NoError(t, raise(dir, MaxRaise))
	f := open(t, dir)
	requirePromise(t, f, promise(MaxRaise, 0))
	require.NoError(t, f.Save(promise(MaxRaise+1, 3)), "and the node goes on from there")
}

func TestRaiseAgain(t *testing.T) {
	dir := put(t, []byte("first"))
	for i := 1; i <= 3; i++ {
		aside, err := Raise(dir, me.id, me.members, spec.Epoch(100*i))
		require.NoError(t, err)
		require.Equal(t, filepath.Join(dir, fmt.Sprintf("record.bad-%d", i)), aside)
		require.NoError(t, os.WriteFile(filepath.Join(dir, recordName), []byte("again"), 0o600))
	}
	require.NoError(t, os.Remove(filepath.Join(dir, recordName)))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "record.bad-4"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, recordName), []byte("again"), 0o600))
	aside, err := Raise(dir, me.id, me.members, 400)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "record.bad-5"), aside)
}

// TestEveryCrashOfRaise crashes a Raise before and after every call: what is found then is the bad record, no record
// that counts as lost, or the new one. It is never a first start, and Raise can be called again.
func TestEveryCrashOfRaise(t *testing.T) {
	slowtest.NoRace(t, "it runs in one goroutine")
	eachWay(t, func(t *testing.T, newDisk func() *simdisk.Disk) {
		for _, marked := range []bool{true, false} {
			for call := 1; ; call++ {
				last := false
				for _, outcome := range simdisk.Outcomes() {
					disk := newDisk()
					disk.Put(recordName, []byte("not a record"))
					if marked {
						disk.Put(recordName+".kept", nil)
					}
					disk.Fault = at(call, outcome)
					_, raised := raiseOn(keptOn(disk), me, 100)
					last = disk.Calls() < call
					simdisk.Explore(func(choose func(int) int) {
						name := fmt.Sprintf("call %d %s, marked %v", call, outcome, marked)
						checkRaised(t, name, disk.Crash(choose), raised == nil)
					})
				}
				if last {
					require.Greater(t, call, 8)
					break
				}
			}
		}
	})
}

func checkRaised(t *testing.T, name string, disk *simdisk.Disk, raised bool) {
	f, err := openDisk(disk)
	if err == nil {
		p, found, err := f.Load()
		require.NoError(t, err, name)
		require.True(t, found, name)
		require.Equal(t, promise(100, 0), p, name)
		bad, _ := disk.Content(recordName + ".bad-1")
		require.Equal(t, "not a record", string(bad), "%s: the old one is kept", name)
		return
	}
	require.False(t, raised, name)
	var wrong *RecordError
	require.ErrorAs(t, err, &wrong, name)
	require.Contains(t, []Kind{foreignKind, Lost}, wrong.Kind, name)
	_, err = raiseOn(keptOn(disk), me, 101)
	require.NoError(t, err, name)
	f, err = openDisk(disk.Crash(func(int) int { return 0 }))
	require.NoError(t, err, name)
	p, _, err := f.Load()
	require.NoError(t, err, name)
	require.Equal(t, promise(101, 0), p, name)
}

// TestRaiseReserves: a node that is raised uses no number again, whether its record is lost, or good and perhaps an old copy (R50).
func TestRaiseReserves(t *testing.T) {
	now := clock
	defer func() { clock = now }()
	clock = func() time.Time { return time.Unix(1_800_000_000, 0) }
	dir := t.TempDir()
	_, err := Raise(dir, me.id, me.members, 5)
	require.NoError(t, err)
	f := open(t, dir)
	requirePromise(t, f, reserving(promise(5, 0), 1_800_000_000))
	require.NoError(t, f.Save(reserving(promise(5, 0), 1_800_000_001)), "it starts")
	require.NoError(t, f.Close())

	clock = func() time.Time { return time.Unix(1_700_000_000, 0) } // it has gone wrong
	_, err = Raise(dir, me.id, me.members, 6)
	require.NoError(t, err)
	requirePromise(t, open(t, dir), reserving(promise(6, 0), 1_800_000_001))

	clock = func() time.Time { return time.Unix(1_900_000_000, 0) }
	dir = put(t, encodeChanging(who, true, reserving(held(4, 0, first), 7)))
	_, err = RaiseChanging(dir, Identity{}, spec.Configuration{}, 6)
	require.NoError(t, err)
	requirePromise(t, openMade(t, dir), reserving(held(6, 0, first), 1_900_000_000))
	require.Equal(t, spec.MaxReserved-spec.Block, freshNumbers(time.Unix(1<<40, 0)), "there are numbers left")
}
