package storage

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/spec"
)

func open(t *testing.T, dir string) *File {
	f, err := Open(dir, n(3), nodes(5, 3, 1, 2, 4))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

func requirePromise(t *testing.T, f *File, want spec.Durable) {
	p, found, err := f.Load()
	require.NoError(t, err)
	require.True(t, found, "the record holds a promise")
	require.Equal(t, want, p)
}

func TestFile(t *testing.T) {
	defer goleak.VerifyNone(t)
	dir := filepath.Join(t.TempDir(), "var", "lib", "bully")
	f := open(t, dir)
	p, found, err := f.Load()
	require.NoError(t, err)
	require.False(t, found, "a first start")
	require.Zero(t, p)

	require.NoError(t, f.Save(promise(0, 0)))
	requirePromise(t, f, promise(0, 0))
	require.NoError(t, f.Save(promise(4, 0)))
	require.NoError(t, f.Save(promise(4, 5)))
	require.NoError(t, f.Save(promise(4, 5)), "the same again")
	requirePromise(t, f, promise(4, 5))
	require.NoError(t, f.Close())
	require.NoError(t, f.Close(), "again")
	require.ErrorIs(t, f.Save(promise(5, 5)), fs.ErrClosed)
	_, _, err = f.Load()
	require.ErrorIs(t, err, fs.ErrClosed)

	f = open(t, dir)
	requirePromise(t, f, promise(4, 5))
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(dir, "lock"), filepath.Join(dir, "record"), filepath.Join(dir, "record.kept")}, names)
	if runtime.GOOS != "windows" {
		info, err := os.Stat(filepath.Join(dir, "record"))
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o600), info.Mode(), "nobody else writes it")
	}
}

func TestSaveRefusesWhatNoNodeMayPromise(t *testing.T) {
	for _, c := range []struct {
		name string
		last spec.Durable
		next spec.Durable
		says string
	}{
		{"epoch back", promise(4, 5), promise(3, 5), "the epoch would go back from 4 (R2)"},
		{"numbers back", reserving(promise(4, 5), 2), reserving(promise(5, 5), 1), "the numbers reserved would go back from 2097152 (R50)"},
		{"second grantee", promise(4, 5), promise(4, 3), "the epoch is promised to 5 (R17)"},
		{"grantee taken back", promise(4, 5), promise(4, 0), "the epoch is promised to 5 (R17)"},
		{"epoch above the bound", promise(4, 5), promise(spec.MaxEpoch+1, 5), "the epoch 9007199254740992 is above 2^53-1 (R2)"},
		{"grantee no member", promise(4, 5), promise(5, 6), "the grantee 6 is not among the members [1 2 3 4 5]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := open(t, t.TempDir())
			require.NoError(t, f.Save(c.last))
			first := f.Save(c.next)
			require.ErrorContains(t, first, c.says)
			require.Same(t, first, f.Save(promise(9, 1)), "a node that asks for it is broken")
			require.NoError(t, f.Close())
			requirePromise(t, open(t, strings.TrimSuffix(f.folder.Path(), recordName)), c.last)
		})
	}
	f := open(t, t.TempDir())
	require.NoError(t, f.Save(promise(spec.MaxEpoch, 5)), "the bound itself")
}

func TestAnotherNodesRecord(t *testing.T) {
	dir := put(t, encode(me, promise(7, 5)))
	for _, c := range []struct {
		id      uint64
		members []spec.NodeID
		kind    Kind
		says    string
	}{
		{2, five, wrongNodeKind, "it is that of node 3, and this is node 2; give this node its own folder"},
		{2, nodes(1, 2), wrongNodeKind, "it is that of node 3, and this is node 2"},
		{3, nodes(1, 2, 3), WrongMembers, "its members are [1 2 3 4 5], and this node's are [1 2 3]; start the node with the members of its record"},
		{3, nodes(1, 2, 3, 4, 6), WrongMembers, "this node's are [1 2 3 4 6]"},
	} {
		_, err := Open(dir, n(c.id), c.members)
		var wrong *RecordError
		require.ErrorAs(t, err, &wrong)
		require.Equal(t, c.kind, wrong.Kind)
		require.ErrorContains(t, err, c.says)
		_, err = Raise(dir, n(c.id), c.members, 100)
		require.ErrorAs(t, err, &wrong)
		require.Equal(t, c.kind, wrong.Kind)
	}
	requirePromise(t, open(t, dir), promise(7, 5))
}

// TestWhatIsNoFile puts other things than a file in the place of the record.
func TestWhatIsNoFile(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(path string) error
		says string
	}{
		{"folder", func(path string) error { return os.Mkdir(path, 0o700) }, "it is not a regular file, but a folder"},
		{"link", func(path string) error { return os.Symlink("elsewhere", path) }, "it is not a regular file, but a symbolic link"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, c.make(filepath.Join(dir, recordName)))
			_, err := Open(dir, me.id, me.members)
			var wrong *RecordError
			require.ErrorAs(t, err, &wrong)
			require.Equal(t, unreadableKind, wrong.Kind)
			require.ErrorIs(t, err, folder.ErrIrregular)
			require.ErrorContains(t, err, c.says)
			_, err = Raise(dir, me.id, me.members, 100)
			require.ErrorAs(t, err, &wrong)
			report, err := Inspect(dir)
			require.NoError(t, err)
			require.Equal(t, unreadableKind, report.Problem.Kind)
			require.Contains(t, report.String(), c.says)
		})
	}
}

func TestWhatMayNotBeRead(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("needs no root: root may read everything; TestReadFails shows the same on a simulated disk")
	}
	dir := put(t, encode(me, promise(7, 5)))
	require.NoError(t, os.Chmod(filepath.Join(dir, recordName), 0))
	_, err := Open(dir, me.id, me.members)
	require.ErrorIs(t, err, fs.ErrPermission)
	var wrong *RecordError
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, unreadableKind, wrong.Kind)
}

func TestFolderIsNoFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err := Open(path, me.id, me.members)
	require.ErrorContains(t, err, path+" is not a folder")
	_, err = Open(filepath.Join(path, "below"), me.id, me.members)
	require.Error(t, err)
	_, err = Inspect(path)
	require.ErrorContains(t, err, "storage: cannot inspect "+path)
	_, err = Inspect(filepath.Join(t.TempDir(), "nowhere"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestLeftovers leaves things under the name that the next record is written to.
func TestLeftovers(t *testing.T) {
	temp := recordName + folder.TempSuffix
	for _, c := range []struct {
		name string
		make func(dir string) error
		says string // of Open or Save; "" if they succeed
	}{
		{"torn", func(dir string) error { return os.WriteFile(filepath.Join(dir, temp), []byte("BULLY"), 0o600) }, ""},
		{"long", func(dir string) error { return os.WriteFile(filepath.Join(dir, temp), make([]byte, 1<<20), 0o600) }, ""},
		{"link", func(dir string) error { return os.Symlink("/etc/passwd", filepath.Join(dir, temp)) }, ""},
		{"folder", func(dir string) error { return os.MkdirAll(filepath.Join(dir, temp, "full"), 0o700) }, "cannot remove"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := put(t, encode(me, promise(7, 5)))
			require.NoError(t, c.make(dir))
			f, err := Open(dir, me.id, me.members) // it may be written already, and then in place
			if err == nil {
				requirePromise(t, f, promise(7, 5))
				err = errors.Join(f.Save(promise(8, 5)), f.Close())
			}
			if c.says != "" {
				require.ErrorContains(t, err, c.says)
				return
			}
			require.NoError(t, err)
			requirePromise(t, open(t, dir), promise(8, 5))
		})
	}
}

func TestFirstStartAfterACrashInTheFirstSave(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, recordName+folder.TempSuffix), encode(me, promise(0, 0))[:20], 0o600))
	f := open(t, dir)
	_, found, err := f.Load()
	require.NoError(t, err)
	require.False(t, found, "a first save that was cut short leaves no promise")
	require.NoError(t, f.Save(promise(0, 0)))
}

func TestSaveFromManyGoroutines(t *testing.T) {
	f := open(t, t.TempDir())
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 5 {
				_ = f.Save(promise(1, 5)) // the same from all: no order is needed
				_, _, _ = f.Load()
			}
		})
	}
	wait.Wait()
	requirePromise(t, f, promise(1, 5))
}

// A record that could not be put out of use is not said to be.
func TestDisownFails(t *testing.T) {
	f := open(t, t.TempDir())
	require.NoError(t, f.Save(spec.Durable{Epoch: 7, Reserved: spec.Block}))
	require.NoError(t, f.folder.Close())
	require.ErrorContains(t, f.Disown(), "could not put the record aside")
}

// What other nodes have disowned is put out of use, whether there is a record or not.
func TestDisown(t *testing.T) {
	for name, saves := range map[string]int{"before the first start": 0, "later": 1} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			f, err := Open(dir, spec.IntegerID(3), five)
			require.NoError(t, err)
			for range saves {
				require.NoError(t, f.Save(spec.Durable{Epoch: 7, Reserved: spec.Block}))
			}
			require.NoError(t, f.Disown())
			require.ErrorContains(t, f.Save(spec.Durable{Epoch: 8, Reserved: spec.Block}), "disowned")
			_, _, err = f.Load()
			require.ErrorContains(t, err, "disowned")
			require.Error(t, f.Disown(), "once")
			require.NoError(t, f.Close())

			_, err = Open(dir, spec.IntegerID(3), five)
			bad, ok := errors.AsType[*RecordError](err)
			require.True(t, ok, err)
			require.Equal(t, Lost, bad.Kind)
			report, err := Inspect(dir)
			require.NoError(t, err)
			require.NotNil(t, report.Problem)
			require.Len(t, report.Others, saves)

			_, err = Raise(dir, spec.IntegerID(3), five, 9)
			require.NoError(t, err)
			again, err := Open(dir, spec.IntegerID(3), five)
			require.NoError(t, err)
			p, found, err := again.Load()
			require.NoError(t, err)
			require.True(t, found, "a raised record holds a promise")
			require.EqualValues(t, 9, p.Epoch)
			require.NoError(t, again.Close())
		})
	}
}
