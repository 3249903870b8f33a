package storage

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/impl/internal/folder/simdisk"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// series is what a node saves in the tests of crashes: a first start, a learned epoch, a grant.
var series = []spec.Durable{promise(0, 0), promise(3, 0), promise(3, 5), promise(4, 3)}

// saveAll opens a disk and saves the series. It returns how many saves have succeeded, and the first error.
func saveAll(disk *simdisk.Disk) (saved int, f *File, err error) {
	f, err = openDisk(disk)
	if err != nil {
		return 0, nil, err
	}
	for _, p := range series {
		if err := f.Save(p); err != nil {
			return saved, f, err
		}
		saved++
	}
	return saved, f, nil
}

// calls returns how many calls of a disk the series takes.
func calls(t *testing.T, newDisk func() *simdisk.Disk) int {
	disk := newDisk()
	saved, _, err := saveAll(disk)
	require.NoError(t, err)
	require.Equal(t, len(series), saved)
	return disk.Calls()
}

// TestEveryCrash crashes the disk before and after every call, and opens every disk that may be found then. Every
// other way of failing is followed by a crash too.
func TestEveryCrash(t *testing.T) {
	slowtest.NoRace(t, "it runs in one goroutine")
	eachWay(t, func(t *testing.T, newDisk func() *simdisk.Disk) {
		total, found := calls(t, newDisk), 0
		for call := 1; call <= total; call++ {
			for _, outcome := range simdisk.Outcomes() {
				disk := newDisk()
				disk.Fault = at(call, outcome)
				saved, _, _ := saveAll(disk)
				simdisk.Explore(func(choose func(int) int) {
					found++
					name := fmt.Sprintf("call %d %s, %d saved", call, outcome, saved)
					checkSurvivor(t, name, disk.Crash(choose), saved)
				})
				checkSurvivor(t, fmt.Sprintf("call %d %s, killed", call, outcome), disk.Reopen(), saved)
			}
		}
		require.Greater(t, found, 3*total, "the disk has forgotten something")
		t.Logf("%d calls, %d disks found after a crash", total, found)
	})
}

// checkSurvivor checks that a disk holds the promise that was saved last, or the one whose save was cut short, and
// that a node can go on with it.
func checkSurvivor(t *testing.T, name string, disk *simdisk.Disk, saved int) {
	f, err := openDisk(disk)
	require.NoError(t, err, name)
	p, found, err := f.Load()
	require.NoError(t, err, name)
	if !found {
		require.Zero(t, saved, name)
	} else {
		allowed := series[max(saved, 1)-1 : min(saved+1, len(series))]
		require.Contains(t, allowed, p, name)
	}
	require.NoError(t, f.Save(promise(5, 1)), name)
	f, err = openDisk(disk.Crash(func(int) int { return 0 }))
	require.NoError(t, err, name)
	p, found, err = f.Load()
	require.NoError(t, err, name)
	require.True(t, found, name)
	require.Equal(t, promise(5, 1), p, name)
}

// TestManyCrashes crashes again and again, at any call, and lets the disk come back in any way.
func TestManyCrashes(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	rapid.Check(t, func(t *rapid.T) {
		disk, durable, reached, known := simdisk.New(), spec.Durable{}, spec.Durable{}, false
		disk.InPlace = rapid.Bool().Draw(t, "in place")
		for range rapid.IntRange(1, 8).Draw(t, "lives") {
			disk.Fault = at(rapid.IntRange(1, 40).Draw(t, "call"), rapid.SampledFrom(simdisk.Outcomes()).Draw(t, "outcome"))
			f, err := openDisk(disk)
			for err == nil {
				var p spec.Durable
				p, found, loadErr := f.Load()
				require.NoError(t, loadErr)
				require.True(t, found || !known, "a record that was saved is found")
				require.GreaterOrEqual(t, p.Epoch, durable.Epoch)
				require.LessOrEqual(t, p.Epoch, reached.Epoch)
				p.Epoch++
				reached = p
				if err = f.Save(p); err == nil {
					durable, known = p, true
				}
				if p.Epoch > 1000 {
					break
				}
			}
			if bad, ok := errors.AsType[*RecordError](err); ok {
				require.Equal(t, unreadableKind, bad.Kind, "%v", err)
			}
			disk = disk.Crash(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "survives") })
			disk.InPlace = disk.InPlace != (rapid.IntRange(0, 7).Draw(t, "moves") == 0) // to another file system
		}
	})
}

// TestFirstErrorIsFinal lets every call of a save fail in every way, and then lets all calls work again.
func TestFirstErrorIsFinal(t *testing.T) {
	eachWay(t, func(t *testing.T, newDisk func() *simdisk.Disk) {
		failures := 0
		for call := 1; call <= calls(t, newDisk); call++ {
			for _, outcome := range simdisk.Outcomes() {
				disk := newDisk()
				disk.Fault = at(call, outcome)
				saved, f, first := saveAll(disk)
				if first == nil || f == nil {
					continue // a short write of what is no write; or the start has failed
				}
				failures++
				require.ErrorContains(t, first, fmt.Sprintf("could not save %s in /data/record", say(series[saved])))
				require.ErrorContains(t, first, "this node must stop (R4)")
				tried := disk.Calls()
				for _, p := range []spec.Durable{series[saved], promise(9, 2), promise(0, 0)} {
					require.Same(t, first, f.Save(p))
				}
				_, found, err := f.Load()
				require.Same(t, first, err)
				require.False(t, found, "a record whose save has failed must not be returned")
				require.Equal(t, tried, disk.Calls(), "nothing is tried again")
				require.NoError(t, f.Close())
				require.Same(t, first, f.Save(promise(9, 2)), "closing does not hide it")
			}
		}
		require.Greater(t, failures, 50)
	})
}

// TestSyncThatFailsAndThenSucceeds is the fault that makes trying again dangerous: the disk drops what it could not
// write, and the next sync has nothing to do and says that all is well.
func TestSyncThatFailsAndThenSucceeds(t *testing.T) {
	eachWay(t, func(t *testing.T, newDisk func() *simdisk.Disk) {
		disk := newDisk()
		f, err := openDisk(disk)
		require.NoError(t, err)
		require.NoError(t, f.Save(promise(3, 5)))
		syncs := 0
		disk.Fault = func(_ int, op simdisk.Op) simdisk.Outcome {
			if op == simdisk.Sync || op == simdisk.SyncData {
				if syncs++; syncs == 1 {
					return simdisk.Fails
				}
			}
			return simdisk.Works
		}
		require.ErrorIs(t, f.Save(promise(4, 1)), simdisk.ErrFault)
		require.ErrorIs(t, f.Save(promise(4, 1)), simdisk.ErrFault)
		require.Equal(t, 1, syncs)
		f, err = openDisk(disk.Crash(func(int) int { return 0 }))
		require.NoError(t, err)
		p, _, err := f.Load()
		require.NoError(t, err)
		require.Equal(t, promise(3, 5), p)
	})
}

// TestLossIsSeen takes the record away at every moment of a node's life.
func TestLossIsSeen(t *testing.T) {
	eachWay(t, func(t *testing.T, newDisk func() *simdisk.Disk) {
		for last := range series {
			disk := newDisk()
			f, err := openDisk(disk)
			require.NoError(t, err)
			for _, p := range series[:last+1] {
				require.NoError(t, f.Save(p))
			}
			disk = disk.Crash(func(int) int { return 0 })
			require.NoError(t, disk.Remove(recordName))
			_, err = openDisk(disk)
			var lost *RecordError
			require.ErrorAs(t, err, &lost)
			require.Equal(t, Lost, lost.Kind)
			require.ErrorIs(t, err, folder.ErrLost)
			require.ErrorContains(t, err, "put the file back if it was moved")
		}
	})
}

// TestMarkerComesBack crashes the first save between the record and its marker: the next start leaves the marker.
func TestMarkerComesBack(t *testing.T) {
	disk := simdisk.New()
	marker := recordName + folder.MarkerSuffix
	disk.Put(recordName, encode(me, promise(0, 0)))
	_, err := openDisk(disk)
	require.NoError(t, err)
	disk = disk.Crash(func(int) int { return 0 })
	_, ok := disk.Content(marker)
	require.True(t, ok, "the next start must write the marker")

	disk = simdisk.New()
	disk.Put(recordName, encode(me, promise(0, 0)))
	disk.Fault = func(_ int, op simdisk.Op) simdisk.Outcome {
		if op == simdisk.SyncFolder {
			return simdisk.Fails
		}
		return simdisk.Works
	}
	_, err = openDisk(disk)
	require.ErrorContains(t, err, "record.kept")
}
