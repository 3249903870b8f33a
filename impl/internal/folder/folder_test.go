package folder_test

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/impl/internal/folder/simdisk"
)

func open(t *testing.T, dir string) *folder.Folder {
	f, err := folder.Open(dir, "record")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	f := open(t, dir)
	require.Equal(t, filepath.Join(dir, "record"), f.Path())
	_, found, err := f.Load(100)
	require.NoError(t, err)
	require.False(t, found, "a new folder has no record")
	for _, content := range []string{"one", "", strings.Repeat("long", 100)} {
		require.NoError(t, f.Replace([]byte(content)))
		data, found, err := f.Load(1000)
		require.NoError(t, err)
		require.True(t, found, "the record %.10q must be found", content)
		require.Equal(t, content, string(data))
	}
	data, _, err := f.Load(6)
	require.NoError(t, err)
	require.Equal(t, "longlo", string(data), "the limit is kept")

	require.NoError(t, os.Remove(f.Path()))
	_, _, err = f.Load(100)
	require.ErrorIs(t, err, folder.ErrLost)
	require.NoError(t, f.Replace([]byte("back")), "a loss does not poison: the owner decides")

	require.NoError(t, f.Close())
	require.NoError(t, f.Close())
	require.ErrorIs(t, f.Replace(nil), fs.ErrClosed)
	require.ErrorIs(t, f.Mark(), fs.ErrClosed)
	_, _, err = f.Load(100)
	require.ErrorIs(t, err, fs.ErrClosed)
	_, err = f.SetAside()
	require.ErrorIs(t, err, fs.ErrClosed)
}

// TestFolderThatIsRenamed renames the folder while it is open: what is open stays the same.
func TestFolderThatIsRenamed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "before")
	after := filepath.Join(filepath.Dir(dir), "after")
	f := open(t, dir)
	require.NoError(t, os.Rename(dir, after))
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, f.Replace([]byte("here")))
	data, err := os.ReadFile(filepath.Join(after, "record"))
	require.NoError(t, err)
	require.Equal(t, "here", string(data))
}

// TestEveryCallThatFails fails each call of a life in each way. Later calls return the same error and try nothing.
func TestEveryCallThatFails(t *testing.T) {
	life := func(f *folder.Folder) error {
		for _, data := range []string{"one", "two"} {
			if err := f.Replace([]byte(data)); err != nil {
				return err
			}
		}
		_, err := f.SetAside()
		return err
	}
	for inPlace, kinds := range map[bool]int{false: 8, true: 10} {
		steps := map[simdisk.Op]bool{}
		for call, last := 1, false; !last; call++ {
			for _, outcome := range simdisk.Outcomes() {
				disk := simdisk.New()
				var failing simdisk.Op
				disk.Fault = func(n int, op simdisk.Op) simdisk.Outcome {
					if n == call {
						failing = op
						return outcome
					}
					return simdisk.Works
				}
				f := folder.On(disk, "/data", "record")
				if inPlace {
					f = slotted(disk)
				}
				first := life(f)
				last = disk.Calls() < call
				short := outcome == simdisk.Short || outcome == simdisk.ShortSilently
				if last || short && failing != simdisk.Write && failing != simdisk.WriteAt {
					require.NoError(t, first)
					continue
				}
				require.Error(t, first, "%s %s", failing, outcome)
				if outcome == simdisk.ShortSilently {
					require.ErrorIs(t, first, io.ErrShortWrite)
				}
				steps[failing] = true
				tried := disk.Calls()
				require.Same(t, first, f.Replace([]byte("again")))
				require.Same(t, first, f.Mark())
				_, _, err := f.Load(10)
				require.Same(t, first, err)
				_, err = f.SetAside()
				require.Same(t, first, err)
				require.Equal(t, tried, disk.Calls())
			}
		}
		require.Len(t, steps, kinds, "every kind of call but Remove has failed: %v", steps)
	}
}

// TestErrorsSayWhereOnce looks at an error of the operating system: it names the file once.
func TestErrorsSayWhereOnce(t *testing.T) {
	f := open(t, t.TempDir())
	dir := filepath.Dir(f.Path())
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "record", "full"), 0o700))
	err := f.Replace([]byte("one"))
	require.Error(t, err)
	require.Contains(t, err.Error(), "cannot rename "+filepath.Join(dir, "record.tmp")+": ")
	require.Equal(t, 1, strings.Count(err.Error(), "record.tmp"))
}

func TestLook(t *testing.T) {
	dir := t.TempDir()
	view, err := folder.Look(dir, "record", 10)
	require.NoError(t, err)
	system := view.System
	require.NotEmpty(t, system.Name)
	require.Equal(t, folder.View{System: system}, view)

	f := open(t, dir)
	require.NoError(t, f.Replace([]byte("one")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "other"), []byte("text"), 0o600))
	view, err = folder.Look(dir, "record", 2)
	require.NoError(t, err)
	require.Equal(t, folder.View{Data: []byte("on"), Found: true, Marked: true, Locked: true, Holder: os.Getpid(), Others: []string{"other"}, System: system}, view)
	data, err := folder.LookAt(dir, "other", 3)
	require.NoError(t, err)
	require.Equal(t, "tex", string(data))
	_, err = folder.LookAt(dir, "../escape", 3)
	require.Error(t, err)
	_, err = folder.LookAt(filepath.Join(dir, "nowhere"), "other", 3)
	require.ErrorIs(t, err, fs.ErrNotExist)

	require.NoError(t, f.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, folder.LockName), []byte("not a number"), 0o600))
	view, err = folder.Look(dir, "record", 2)
	require.NoError(t, err)
	require.False(t, view.Locked, "a lock ends with its process")
	require.Zero(t, view.Holder)
}

func TestLockThatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, folder.LockName), 0o700))
	_, err := folder.Open(dir, "record")
	require.ErrorContains(t, err, "cannot lock "+dir)
	_, err = folder.Look(dir, "record", 2)
	require.NoError(t, err)
}

// What is in the folder is the old content or the new one, and all of it.
func Example() {
	dir, err := os.MkdirTemp("", "folder")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for range 2 {
		kept, err := folder.Open(dir, "counter")
		if err != nil {
			fmt.Println(err)
			return
		}
		data, found, err := kept.Load(100)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%q %v\n", data, found)
		if err := kept.Replace(append(data, "tick "...)); err != nil {
			fmt.Println(err)
			return
		}
		kept.Close()
	}
	// Output:
	// "" false
	// "tick " true
}
