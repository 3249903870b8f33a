package storage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// TestChangingReports compares whole reports. The path of the folder is cut out of them.
func TestChangingReports(t *testing.T) {
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"not started", encodeChanging(who, false, held(0, 0, first)), `
record   record is in order
node     3 of cluster demo, incarnation 0000000000c0ffee
epoch    0
grantee  none
members  of epoch 0, version 1:
         voter 1 node-1:7400
         voter 3 node-3:7400
         witness 9 nine:1#0000000000c0ffee
started  never
in use   no
to do    nothing
`},
		{"empty", encodeChanging(who, true, held(7, 9, spec.EmptyConfiguration())), `
record   record is in order
node     3 of cluster demo, incarnation 0000000000c0ffee
epoch    7
grantee  9
members  none yet: it waits to be added
in use   no
to do    nothing
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := put(t, c.data)
			report, err := Inspect(dir)
			require.NoError(t, err)
			require.Equal(t, who, report.Identity)
			require.Equal(t, who.ID, report.Node)
			require.Nil(t, report.Members)
			text := strings.Replace(report.String(), "saves    "+report.Saves+"\n", "", 1)
			require.Equal(t, strings.TrimPrefix(c.want, "\n"), strings.ReplaceAll(text, dir+string(filepath.Separator), ""))
			require.NoError(t, os.Rename(report.Path, report.Path+".bad-1"))
			report, err = Inspect(dir)
			require.NoError(t, err)
			require.Contains(t, report.Others[0].Says, "put aside by a repair, or disowned by other nodes; a good record: node 3 of cluster demo, incarnation 0000000000c0ffee, epoch ")
		})
	}
}

func TestRaiseChanging(t *testing.T) {
	newest := members(6, 1, 1, 3)
	nobody, none := Identity{}, spec.Configuration{}
	raise := func(dir string, who Identity, c spec.Configuration, epoch spec.Epoch) error {
		aside, err := RaiseChanging(dir, who, c, epoch)
		require.Empty(t, aside)
		return err
	}
	dir := made(t)
	require.NoError(t, raise(dir, nobody, none, 5), "one that has never started")
	requirePromise(t, openMade(t, dir), held(5, 0, first))

	last := held(4, 5, members(4, 2, 1, 3))
	dir = put(t, encodeChanging(who, true, last))
	require.ErrorContains(t, raise(dir, nobody, none, 4), "is in order, and its epoch is 4: only a higher one can be set")
	require.ErrorContains(t, raise(dir, nobody, none, 0), "the epoch 0 is not from 1 to 2^52")
	require.ErrorContains(t, raise(dir, nobody, none, MaxRaise+1), "is not from 1 to 2^52")
	require.ErrorContains(t, raise(dir, nobody, newest, 5), "configuration.epoch: 6 is above epoch 5")
	require.ErrorContains(t, raise(dir, nobody, members(4, 1, 3), 5), "is in order: the configuration would go back from")
	require.ErrorContains(t, raise(dir, Identity{ID: n(3)}, none, 5), `the name "" of the cluster`)
	requireKind(t, raise(dir, Identity{n(4), "demo", who.Incarnation}, none, 5), wrongNodeKind, filepath.Join(dir, recordName))
	requireKind(t, raise(dir, Identity{n(3), "toast", who.Incarnation}, none, 5), wrongClusterKind, filepath.Join(dir, recordName))
	err := raise(dir, Identity{n(3), "demo", 1}, none, 5)
	requireKind(t, err, wrongNodeKind, filepath.Join(dir, recordName))
	require.ErrorContains(t, err, "and this is incarnation 0000000000000001")
	require.NoError(t, raise(dir, nobody, none, 5))
	require.NoError(t, raise(dir, who, newest, 8))
	requirePromise(t, openMade(t, dir), held(8, 0, newest))

	dir = t.TempDir() // the disk was lost as a whole
	requireKind(t, raise(dir, nobody, none, 8), Missing, filepath.Join(dir, recordName))
	require.ErrorContains(t, raise(dir, who, none, 8), "say whose record it was, and give the newest configuration of the others")
	require.NoError(t, raise(dir, who, newest, 8))
	f := openMade(t, dir)
	requirePromise(t, f, held(8, 0, newest))
	require.Equal(t, who, f.Identity())
	require.NoError(t, f.Close())
	require.NoError(t, os.Remove(filepath.Join(dir, recordName)))
	require.ErrorContains(t, raise(dir, nobody, none, 9), "is lost")
	require.NoError(t, raise(dir, who, newest, 9))
	requirePromise(t, openMade(t, dir), held(9, 0, newest))

	dir = put(t, []byte("no record"))
	_, err = RaiseChanging(dir, who, none, 8)
	require.ErrorContains(t, err, "is foreign")
	aside, err := RaiseChanging(dir, who, newest, 8)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "record.bad-1"), aside)
	f = openMade(t, dir)
	require.NoError(t, f.Save(held(9, 1, members(9, 1, 1, 3))), "and the node goes on from there")
}
