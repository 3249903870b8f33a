package storage

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/folder/simdisk"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// voters returns a configuration of epoch 0 whose members are all voters.
func voters(version uint64, ids ...uint64) spec.Configuration {
	var all []spec.Member
	for _, id := range nodes(ids...) {
		all = append(all, spec.Member{ID: id, Kind: spec.Voter, Address: "node-" + id.String() + ":7400"})
	}
	c, err := spec.NewConfiguration(0, version, all)
	if err != nil {
		panic(err)
	}
	return c
}

// all are the members of five, as they are at first in a cluster that has gone over.
var all = voters(1, 1, 2, 3, 4, 5)

func TestFromFixed(t *testing.T) {
	dir := put(t, encode(me, reserving(promise(7, 5), 3)))
	now, promised, err := FromFixed(dir, "demo", all)
	require.NoError(t, err)
	require.Equal(t, reserving(held(7, 5, all), 3), promised)
	f := openMade(t, dir)
	requirePromise(t, f, promised) // found: it is no first start (R30)
	require.Equal(t, now, f.Identity())
	require.Equal(t, Identity{n(3), "demo", now.Incarnation}, now)
	require.NotZero(t, now.Incarnation)
	require.ErrorContains(t, f.Save(held(7, 4, all)), "the epoch is promised to 5 (R17)")
	_, _, err = FromFixed(dir, "demo", all)
	require.ErrorIs(t, err, ErrLocked)
	require.NoError(t, f.Close())

	_, _, err = FromFixed(dir, "demo", all)
	requireKind(t, err, changingKind, filepath.Join(dir, recordName))
	require.ErrorContains(t, err, "incarnation")
	_, err = Open(dir, n(3), five)
	requireKind(t, err, changingKind, filepath.Join(dir, recordName))
}

// TestFromFixedRefuses sees that what is refused leaves the record, or the lack of one, as it is.
func TestFromFixedRefuses(t *testing.T) {
	record := encode(me, promise(7, 5))
	observed, err := spec.NewConfiguration(0, 1, append(voters(1, 1, 2, 4, 5).Members(), spec.Member{ID: n(3), Kind: spec.Witness, Address: "node-3:7400"}))
	require.NoError(t, err)
	for name, test := range map[string]struct {
		cluster string
		first   spec.Configuration
		want    string
	}{
		"one too few":  {"demo", voters(1, 1, 2, 3, 4), "it must have the same members, each a voter"},
		"one too many": {"demo", voters(1, 1, 2, 3, 4, 5, 6), "is that of node 3 of [1 2 3 4 5], and the first configuration is to be epoch:0 version:1 {1 2 3 4 5 6}"},
		"another":      {"demo", voters(1, 1, 2, 3, 4, 6), "it must have the same members"},
		"a witness":    {"demo", observed, "it must have the same members, each a voter"},
		"none":         {"demo", spec.Configuration{}, "it must have the same members"},
		"empty":        {"demo", spec.EmptyConfiguration(), "it must have the same members"},
		"not first":    {"demo", voters(2, 1, 2, 3, 4, 5), "the first configuration is of epoch 0 and version 2"},
		"no name":      {"", all, `the name "" of the cluster`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := put(t, record)
			_, _, err := FromFixed(dir, test.cluster, test.first)
			require.ErrorContains(t, err, test.want)
			kept, err := os.ReadFile(filepath.Join(dir, recordName))
			require.NoError(t, err)
			require.Equal(t, record, kept)
		})
	}
	for _, c := range bad() {
		if c.kind == wrongNodeKind || c.kind == WrongMembers {
			continue // whose it is, is read
		}
		dir := put(t, c.data)
		_, _, err := FromFixed(dir, "demo", all)
		requireKind(t, err, c.kind, filepath.Join(dir, recordName))
	}
	dir := filepath.Join(t.TempDir(), "none")
	_, _, err = FromFixed(dir, "demo", all)
	requireKind(t, err, Missing, dir)
	require.NoDirExists(t, dir)
	dir = t.TempDir()
	_, _, err = FromFixed(dir, "demo", all)
	requireKind(t, err, Missing, filepath.Join(dir, recordName))
}

// TestEveryCrashOfFromFixed crashes a FromFixed before and after every call: the record is the old one or the new one, whole.
func TestEveryCrashOfFromFixed(t *testing.T) {
	slowtest.NoRace(t, "it runs in one goroutine")
	olds, news := 0, 0
	for call, last := 1, false; !last; call++ {
		for _, outcome := range simdisk.Outcomes() {
			disk := simdisk.New()
			disk.Put(recordName, encode(me, promise(7, 5)))
			disk.Put(recordName+".kept", nil)
			disk.Fault = at(call, outcome)
			_, _, err := fromFixedOn(keptOn(disk), "demo", all)
			last = disk.Calls() < call
			simdisk.Explore(func(choose func(int) int) {
				disk := disk.Crash(choose)
				f, opened := openDisk(disk)
				want := promise(7, 5)
				if opened == nil {
					olds++
					require.Error(t, err, "call %d %s", call, outcome)
				} else {
					news++
					want = held(7, 5, all)
					f, opened = openChangingOn(keptOn(disk))
					require.NoError(t, opened, "call %d %s", call, outcome)
				}
				p, found, err := f.Load()
				require.NoError(t, err)
				require.True(t, found, "the record must be whole after call %d %s", call, outcome)
				require.Equal(t, want, p)
			})
		}
	}
	require.Positive(t, olds)
	require.Positive(t, news)
}
