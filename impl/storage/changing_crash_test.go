package storage

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/folder/simdisk"
	"github.com/seed-fdf591db/bully/spec"
)

// changingSeries is what a node of changing members saves in the tests of crashes: its first start, a configuration that it
// is told of, one that it stamps, a change.
var changingSeries = []spec.Durable{
	held(0, 0, first), held(3, 0, members(3, 1, 1, 3)), held(4, 3, members(4, 1, 1, 3)), held(4, 3, members(4, 2, 1, 3, 5)),
}

// saveAllChanging makes a record on a disk and saves the series. It returns whether the record was made, how many saves
// have succeeded, and the first error.
func saveAllChanging(disk *simdisk.Disk) (made bool, saved int, err error) {
	if err := initOn(keptOn(disk), who, first); err != nil {
		return false, 0, err
	}
	f, err := openChangingOn(keptOn(disk))
	if err != nil {
		return true, 0, err
	}
	for _, p := range changingSeries {
		if err := f.Save(p); err != nil {
			return true, saved, err
		}
		saved++
	}
	return true, saved, nil
}

// TestEveryCrashOfChanging crashes the disk before and after every call, from Init on, and opens every disk that may be
// found then. Every other way of failing is followed by a crash too.
func TestEveryCrashOfChanging(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	eachWay(t, func(t *testing.T, newDisk func() *simdisk.Disk) {
		whole := newDisk()
		_, saved, err := saveAllChanging(whole)
		require.NoError(t, err)
		require.Equal(t, len(changingSeries), saved)
		total, found, without := whole.Calls(), 0, 0
		for call := 1; call <= total; call++ {
			for _, outcome := range simdisk.Outcomes() {
				disk := newDisk()
				disk.Fault = at(call, outcome)
				made, saved, _ := saveAllChanging(disk)
				check := func(name string, disk *simdisk.Disk) {
					found++
					if !checkChangingSurvivor(t, fmt.Sprintf("call %d %s, made %v, %d saved, %s", call, outcome, made, saved, name), disk, made, saved) {
						without++
					}
				}
				simdisk.Explore(func(choose func(int) int) { check("crashed", disk.Crash(choose)) })
				check("killed", disk.Reopen())
			}
		}
		require.Greater(t, found, 3*total, "the disk has forgotten something")
		require.NotZero(t, without, "a crash within Init leaves none at times")
		t.Logf("%d calls, %d disks found after a crash, %d without a record", total, found, without)
	})
}

// checkChangingSurvivor checks that a disk holds what was saved last, or that whose save was cut short, and that a node
// can go on with it. If the record was not made, there is none, and it can be made, or it is there whole. It reports
// whether there was one.
func checkChangingSurvivor(t *testing.T, name string, disk *simdisk.Disk, made bool, saved int) bool {
	f, err := openChangingOn(keptOn(disk))
	there := err == nil
	if !there {
		bad, ok := errors.AsType[*RecordError](err)
		require.True(t, ok, "%s: %v", name, err)
		require.Equal(t, Missing, bad.Kind, name)
		require.False(t, made, name)
		require.NoError(t, initOn(keptOn(disk), who, first), name)
		f, err = openChangingOn(keptOn(disk))
		require.NoError(t, err, name)
	} else {
		require.ErrorIs(t, initOn(keptOn(disk), who, first), ErrExists, name)
	}
	require.Equal(t, who, f.Identity(), name)
	p, found, err := f.Load()
	require.NoError(t, err, name)
	if found {
		require.Contains(t, changingSeries[max(saved, 1)-1:min(saved+1, len(changingSeries))], p, name)
	} else {
		require.Zero(t, saved, name)
		require.Equal(t, held(0, 0, first), p, name)
	}
	last := held(5, 1, members(5, 1, 1, 3))
	require.NoError(t, f.Save(last), name)
	f, err = openChangingOn(keptOn(disk.Crash(func(int) int { return 0 })))
	require.NoError(t, err, name)
	p, found, err = f.Load()
	require.NoError(t, err, name)
	require.True(t, found, name)
	require.Equal(t, last, p, name)
	return there
}

// TestEveryCrashOfRaiseChanging crashes a RaiseChanging before and after every call: what is found then is the bad record,
// none that counts as lost, or the new one. It is never a first start, and RaiseChanging can be called again.
func TestEveryCrashOfRaiseChanging(t *testing.T) {
	eachWay(t, func(t *testing.T, newDisk func() *simdisk.Disk) {
		newest := held(100, 0, members(6, 1, 1, 3))
		for call, last := 1, false; !last; call++ {
			for _, outcome := range simdisk.Outcomes() {
				disk := newDisk()
				disk.Put(recordName, []byte("not a record"))
				disk.Put(recordName+".kept", nil)
				disk.Fault = at(call, outcome)
				_, raised := raiseChangingOn(keptOn(disk), who, newest)
				last = disk.Calls() < call
				simdisk.Explore(func(choose func(int) int) {
					name := fmt.Sprintf("call %d %s", call, outcome)
					disk := disk.Crash(choose)
					f, err := openChangingOn(keptOn(disk))
					if err != nil {
						bad, ok := errors.AsType[*RecordError](err)
						require.True(t, ok, "%s: %v", name, err)
						require.Contains(t, []Kind{foreignKind, Lost}, bad.Kind, name)
						require.Error(t, raised, name)
						_, err = raiseChangingOn(keptOn(disk), who, newest)
						require.NoError(t, err, name)
						f, err = openChangingOn(keptOn(disk.Crash(func(int) int { return 0 })))
						require.NoError(t, err, name)
					}
					p, found, err := f.Load()
					require.NoError(t, err, name)
					require.True(t, found, name)
					require.Equal(t, newest, p, name)
				})
			}
			require.True(t, !last || call > 8, "a raise takes more calls than %d", call)
		}
	})
}
