package folder_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/bubbletest"
	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/impl/internal/folder/simdisk"
)

// failing returns a disk on which one call fails.
func failing(call int) *simdisk.Disk {
	disk := simdisk.New()
	disk.Fault = func(n int, _ simdisk.Op) simdisk.Outcome {
		if n == call {
			return simdisk.Fails
		}
		return simdisk.Works
	}
	return disk
}

// TestEveryErrorSaysWhatAndWhere lets each call of a life fail, and reads what is said of it.
func TestEveryErrorSaysWhatAndWhere(t *testing.T) {
	want := strings.Split(strings.TrimSpace(`
cannot read /data/record.kept
cannot read /data/record
cannot write /data/record
cannot create /data/record.tmp
cannot write /data/record.tmp
cannot sync /data/record.tmp
cannot close /data/record.tmp
cannot rename /data/record.tmp
cannot sync the folder of /data/record
cannot create /data/record.kept
cannot write /data/record.kept
cannot sync /data/record.kept
cannot close /data/record.kept
cannot sync the folder of /data/record.kept
cannot read /data/record.kept
cannot read /data/record.bad-1
cannot rename /data/record
cannot sync the folder of /data/record.bad-1`), "\n")
	life := func(f *folder.Folder) error {
		_, found, err := f.Load(10)
		require.False(t, found, "no record has been written yet")
		if err != nil {
			return err
		}
		if err := f.Replace([]byte("one")); err != nil {
			return err
		}
		path, err := f.SetAside()
		if err != nil {
			require.Empty(t, path)
		}
		return err
	}
	for i, says := range want {
		f := folder.On(failing(i+1), "/data", "record")
		err := life(f)
		require.ErrorIs(t, err, simdisk.ErrFault, "call %d", i+1)
		require.True(t, strings.HasPrefix(err.Error(), says+": "), "call %d: %v", i+1, err)
	}
	disk := failing(len(want) + 1)
	require.NoError(t, life(folder.On(disk, "/data", "record")))
	require.Equal(t, len(want), disk.Calls())
}

// TestLeftoverThatCannotBeRemoved: a crash has left a file under the name that a new one has at first.
func TestLeftoverThatCannotBeRemoved(t *testing.T) {
	disk := simdisk.New()
	disk.Put("record.tmp", []byte("on"))
	fails := simdisk.Fails
	disk.Fault = func(_ int, op simdisk.Op) simdisk.Outcome {
		if op == simdisk.Remove {
			return fails
		}
		return simdisk.Works
	}
	require.ErrorContains(t, folder.On(disk, "/data", "record").Replace([]byte("one")), "cannot remove /data/record.tmp: ")
	fails = simdisk.Works
	require.NoError(t, folder.On(disk, "/data", "record").Replace([]byte("one")))
}

// TestMarkerThatCannotBeMade sets a file aside that has no marker: without one it may not go.
func TestMarkerThatCannotBeMade(t *testing.T) {
	for call := 2; call <= 6; call++ {
		disk := failing(call)
		disk.Put("record", []byte("one"))
		_, err := folder.On(disk, "/data", "record").SetAside()
		require.ErrorIs(t, err, simdisk.ErrFault)
		require.ErrorContains(t, err, "record.kept")
		_, there := disk.Content("record")
		require.True(t, there, "call %d", call)
	}
}

// TestMarkedOnce counts the calls that the marker takes: it is made once.
func TestMarkedOnce(t *testing.T) {
	disk := simdisk.New()
	calls := func(do func() error) int {
		before := disk.Calls()
		require.NoError(t, do())
		return disk.Calls() - before
	}
	f := folder.On(disk, "/data", "record")
	replace := func() error { return f.Replace([]byte("one")) }
	load := func() error { _, _, err := f.Load(10); return err }
	aside := func() error { _, err := f.SetAside(); return err }
	const writes, marks = 7, 5
	require.Equal(t, writes+marks, calls(replace))
	require.Equal(t, writes, calls(replace))
	require.Zero(t, calls(f.Mark))
	text, _ := disk.Content("record.kept")
	require.Equal(t, "There is a file record in this folder. If it is gone, it has been lost.\n", string(text))

	f = folder.On(disk, "/data", "record")
	require.Equal(t, 2, calls(load))
	require.Zero(t, calls(f.Mark), "it has been seen")
	require.Equal(t, writes, calls(replace))

	f = folder.On(disk, "/data", "record")
	require.Equal(t, 4, calls(aside))
	require.Equal(t, writes, calls(replace))

	disk = simdisk.New()
	disk.Put("record", []byte("one"))
	f = folder.On(disk, "/data", "record")
	require.Equal(t, 2, calls(load))
	require.Equal(t, marks, calls(f.Mark))
	require.Zero(t, calls(f.Mark))
	require.Equal(t, writes, calls(replace))

	disk = simdisk.New()
	disk.Put("record", []byte("one"))
	f = folder.On(disk, "/data", "record")
	require.Equal(t, 4+marks, calls(aside))
	require.Equal(t, writes, calls(replace))
}

// TestClosed looks at folders that are closed at once, and after an error.
func TestClosed(t *testing.T) {
	f := folder.On(simdisk.New(), "/data", "record")
	require.NoError(t, f.Close())
	require.EqualError(t, f.Mark(), "/data/record: "+fs.ErrClosed.Error())
	require.ErrorIs(t, f.Replace(nil), fs.ErrClosed)

	disk := failing(1)
	f = folder.On(disk, "/data", "record")
	first := f.Replace([]byte("one"))
	require.ErrorIs(t, first, simdisk.ErrFault)
	require.Same(t, first, f.Mark())
	require.Equal(t, 1, disk.Calls(), "nothing is tried again")
	require.NoError(t, f.Close())
	require.Same(t, first, f.Mark(), "closing does not hide it")
	_, found, err := f.Load(10)
	require.Same(t, first, err)
	require.False(t, found, "a closed folder must return nothing")
}

// TestLost reads what is said of a file that is gone, and of a lock that is.
func TestLost(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	require.NoError(t, f.Replace([]byte("one")))
	require.NoError(t, os.Remove(f.Path()))
	_, found, err := f.Load(10)
	require.EqualError(t, err, f.Path()+" is lost: record.kept says that there has been one")
	require.False(t, found, "a lost record must not be returned")

	require.NoError(t, os.Remove(filepath.Join(dir, folder.LockName)))
	require.EqualError(t, f.Replace([]byte("two")),
		"cannot write "+f.Path()+`: the file "lock" has been removed or replaced: another process may hold the folder now`)

	f = open(t, t.TempDir())
	lock := filepath.Join(filepath.Dir(f.Path()), folder.LockName)
	require.NoError(t, os.Remove(lock))
	require.NoError(t, os.WriteFile(lock, nil, 0o600))
	require.ErrorContains(t, f.Replace([]byte("two")), "has been removed or replaced")
}

// TestFolderThatCannotBeMade puts links in its way that lead nowhere, and in circles.
func TestFolderThatCannotBeMade(t *testing.T) {
	base := t.TempDir()
	nowhere, circle := filepath.Join(base, "nowhere"), filepath.Join(base, "circle")
	require.NoError(t, os.Symlink(filepath.Join(base, "gone", "far"), nowhere))
	require.NoError(t, os.Symlink(circle, circle))
	for _, dir := range []string{nowhere, circle, filepath.Join(nowhere, "below"), filepath.Join(circle, "below")} {
		f, err := folder.Open(dir, "record")
		require.Error(t, err, dir)
		require.Nil(t, f)
		require.Contains(t, err.Error(), dir)
	}
	entries, err := os.ReadDir(base)
	require.NoError(t, err)
	require.Len(t, entries, 2, "nothing was made")
}

// TestLockIsWaitedFor opens a folder that is let go of a little later, and one that is not.
func TestLockIsWaitedFor(t *testing.T) {
	dir := t.TempDir()
	bubbletest.Run(t, func(t *testing.T) {
		first, err := folder.Open(dir, "record")
		require.NoError(t, err)
		begun := time.Now()
		_, err = folder.Open(dir, "record")
		require.ErrorIs(t, err, folder.ErrLocked)
		require.GreaterOrEqual(t, time.Since(begun), 190*time.Millisecond, "it may be about to be released")
		time.AfterFunc(50*time.Millisecond, func() { _ = first.Close() })
		second, err := folder.Open(dir, "record")
		require.NoError(t, err)
		require.NoError(t, second.Close())
	})

	require.NoError(t, os.WriteFile(filepath.Join(dir, folder.LockName), []byte("0\n"), 0o600))
	third := open(t, dir)
	require.NoError(t, os.WriteFile(filepath.Join(dir, folder.LockName), []byte("0\n"), 0o600))
	_, err := folder.Open(dir, "record")
	require.EqualError(t, err, dir+" is in use: two at once would break what either has promised")
	require.NoError(t, os.WriteFile(filepath.Join(dir, folder.LockName), []byte("1\n"), 0o600))
	_, err = folder.Open(dir, "record")
	require.EqualError(t, err, dir+" is in use by process 1: two at once would break what either has promised")
	require.NoError(t, third.Close())
}

// TestLockIsOfTheFolder removes all that is in a folder that is open, and puts a copy there: it is in use still, and whoever looks
// sees that.
func TestLockIsOfTheFolder(t *testing.T) {
	dir := t.TempDir()
	first := open(t, dir)
	require.NoError(t, first.Replace([]byte("one")))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		require.NoError(t, err)
		require.NoError(t, os.Remove(filepath.Join(dir, entry.Name())))
		require.NoError(t, os.WriteFile(filepath.Join(dir, entry.Name()), text, 0o600))
	}
	second, err := folder.Open(dir, "record")
	require.ErrorIs(t, err, folder.ErrLocked)
	require.Nil(t, second)
	require.ErrorContains(t, err, fmt.Sprintf("%s is in use by process %d: ", dir, os.Getpid()))
	require.NoError(t, os.Remove(filepath.Join(dir, folder.LockName)))
	view, err := folder.Look(dir, "record", 10)
	require.NoError(t, err)
	require.True(t, view.Locked, "the lock is on the folder, and outlives its file")
	require.Zero(t, view.Holder, "the file that says it is gone")
	_, err = folder.Open(dir, "record")
	require.EqualError(t, err, dir+" is in use: two at once would break what either has promised")
	require.ErrorContains(t, first.Replace([]byte("two")), "has been removed or replaced", "the file is all that some file systems lock")
}

// TestLookWithoutLock looks at a folder whose lock is no file.
func TestLookWithoutLock(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, folder.LockName), 0o700))
	view, err := folder.Look(dir, "record", 10)
	require.NoError(t, err)
	require.Equal(t, folder.View{System: view.System}, view)
	require.NoError(t, os.Remove(filepath.Join(dir, folder.LockName)))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, folder.LockName)))
	view, err = folder.Look(dir, "record", 10)
	require.NoError(t, err)
	require.Equal(t, folder.View{System: view.System}, view)
}
