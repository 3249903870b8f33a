package simdisk_test

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/impl/internal/folder/simdisk"
)

// survivors returns every content that a file may have after a crash; "none" is no file.
func survivors(disk *simdisk.Disk, name string) []string {
	found := map[string]bool{}
	simdisk.Explore(func(choose func(int) int) {
		content, ok := disk.Crash(choose).Content(name)
		if !ok {
			found["none"] = true
			return
		}
		found[fmt.Sprintf("%q", content)] = true
	})
	return slices.Sorted(maps.Keys(found))
}

func create(t *testing.T, disk *simdisk.Disk, name, content string) folder.File {
	file, err := disk.Create(name)
	require.NoError(t, err)
	_, err = file.Write([]byte(content))
	require.NoError(t, err)
	return file
}

// TestWhatACrashForgets goes through the steps of an atomic replacement, and leaves each of them out.
func TestWhatACrashForgets(t *testing.T) {
	disk := simdisk.New()
	file := create(t, disk, "a", "ab")
	require.Equal(t, []string{`""`, `"\x00\x00"`, `"a"`, `"ab"`, "none"}, survivors(disk, "a"))
	require.NoError(t, disk.Sync())
	require.Equal(t, []string{`""`, `"\x00\x00"`, `"a"`, `"ab"`}, survivors(disk, "a"), "the folder was synced, the file was not")
	require.NoError(t, file.Sync())
	require.NoError(t, file.Close())
	require.Equal(t, []string{`"ab"`}, survivors(disk, "a"))

	file = create(t, disk, "b", "cd")
	require.NoError(t, disk.Rename("b", "a"))
	require.Equal(t, []string{`""`, `"\x00\x00"`, `"ab"`, `"c"`, `"cd"`}, survivors(disk, "a"), "a rename without a sync of the file")
	require.NoError(t, file.Sync())
	require.Equal(t, []string{`"ab"`, `"cd"`}, survivors(disk, "a"), "a rename without a sync of the folder")
	require.NoError(t, disk.Sync())
	require.Equal(t, []string{`"cd"`}, survivors(disk, "a"))
	require.Equal(t, []string{"none"}, survivors(disk, "b"))

	require.NoError(t, disk.Remove("a"))
	require.Equal(t, []string{`"cd"`, "none"}, survivors(disk, "a"))
	_, ok := disk.Reopen().Content("a")
	require.False(t, ok, "without a crash nothing is forgotten")
}

// TestWhatACrashLeavesInPlace writes two blocks over others: each sector is the old one or the new one, and one block may be spoiled.
func TestWhatACrashLeavesInPlace(t *testing.T) {
	disk := simdisk.New()
	file := create(t, disk, "a", strings.Repeat(".", 3*4096))
	require.NoError(t, file.Sync())
	require.NoError(t, disk.Sync())
	_, err := file.WriteAt([]byte(strings.Repeat("n", 2*4096)), 4096)
	require.NoError(t, err)
	shape := func(content string) string { // what each sector is, from its first and last byte
		var b strings.Builder
		for at := 0; at < len(content); at += 512 {
			switch content[at:at+1] + content[at+511:at+512] {
			case "..":
				b.WriteByte('.')
			case "nn":
				b.WriteByte('n')
			case "n.":
				b.WriteByte('/')
			default:
				b.WriteByte('!')
			}
		}
		return b.String()
	}
	found := map[string]bool{}
	simdisk.Explore(func(choose func(int) int) {
		content, _ := disk.Crash(choose).Content("a")
		found[shape(string(content))] = true
	})
	require.Equal(t, []string{
		"........!!!!!!!!........",
		"........!!!!!!!!nnnnnnnn",
		"........................",
		"................nnnnnnnn",
		".........n.n.n.n.n.n.n.n",
		"........nnnnnnn/........",
		"........nnnnnnnn!!!!!!!!",
		"........nnnnnnnnnnnnnnnn",
	}, slices.Sorted(maps.Keys(found)))
	require.NoError(t, file.SyncData())
	require.Len(t, survivors(disk, "a"), 1)
	_, err = file.WriteAt([]byte("beyond"), 3*4096-1)
	require.ErrorIs(t, err, simdisk.ErrFault)
	require.True(t, disk.Is("a", file), "the name leads to the open file")
	require.False(t, simdisk.New().Is("a", file), "another disk does not have the file")
	require.NoError(t, disk.Remove("a"))
	require.False(t, disk.Is("a", file), "a removed file is not on the disk")
}

// TestInPlaceBeforeASync writes over what was never synced: it may be lost with all else.
func TestInPlaceBeforeASync(t *testing.T) {
	disk := simdisk.New()
	file := create(t, disk, "a", "ab")
	require.NoError(t, disk.Sync())
	_, err := file.WriteAt([]byte("c"), 1)
	require.NoError(t, err)
	require.Equal(t, []string{`""`, `"\x00\x00"`, `"a"`, `"ac"`}, survivors(disk, "a"))
}

func TestFull(t *testing.T) {
	disk := simdisk.New()
	file := create(t, disk, "a", "ab")
	require.True(t, file.Keep(), "a disk with room can keep a file")
	disk.Full = true
	require.False(t, file.Keep(), "a full disk cannot keep a file")
}

func TestSyncThatFailsDropsWhatItHad(t *testing.T) {
	disk := simdisk.New()
	file := create(t, disk, "a", "ab")
	require.NoError(t, disk.Sync())
	disk.Fault = func(n int, op simdisk.Op) simdisk.Outcome {
		if n == 4 {
			require.Equal(t, simdisk.Sync, op)
			return simdisk.Fails
		}
		return simdisk.Works
	}
	require.ErrorIs(t, file.Sync(), simdisk.ErrFault)
	require.NoError(t, file.Sync(), "the second time it has nothing to do, as it believes")
	content, _ := disk.Crash(func(int) int { return 0 }).Content("a")
	require.Empty(t, content)
}

func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		outcome simdisk.Outcome
		written string
		err     error
		crashed bool
	}{
		{simdisk.Works, "abcd", nil, false},
		{simdisk.Fails, "", simdisk.ErrFault, false},
		{simdisk.FailsDone, "abcd", simdisk.ErrFault, false},
		{simdisk.Short, "ab", simdisk.ErrFault, false},
		{simdisk.ShortSilently, "ab", nil, false},
		{simdisk.CrashesBefore, "", simdisk.ErrCrashed, true},
		{simdisk.CrashesAfter, "abcd", simdisk.ErrCrashed, true},
	} {
		t.Run(c.outcome.String()+", in place", func(t *testing.T) {
			disk := simdisk.New()
			file := create(t, disk, "a", "....")
			disk.Fault = func(int, simdisk.Op) simdisk.Outcome { return c.outcome }
			n, err := file.WriteAt([]byte("abcd"), 0)
			require.ErrorIs(t, err, c.err)
			require.Equal(t, len(c.written), n)
			content, _ := disk.Content("a")
			require.Equal(t, c.written+"...."[n:], string(content))
		})
		t.Run(c.outcome.String(), func(t *testing.T) {
			disk := simdisk.New()
			file, err := disk.Create("a")
			require.NoError(t, err)
			disk.Fault = func(int, simdisk.Op) simdisk.Outcome { return c.outcome }
			n, err := file.Write([]byte("abcd"))
			require.ErrorIs(t, err, c.err)
			require.Equal(t, len(c.written), n)
			content, _ := disk.Content("a")
			require.Equal(t, c.written, string(content))
			require.Equal(t, c.crashed, disk.Crashed())
			if c.crashed {
				require.ErrorIs(t, disk.Sync(), simdisk.ErrCrashed)
			}
			require.Equal(t, 2, disk.Calls())
		})
	}
}

func TestWhatIsNotThere(t *testing.T) {
	disk := simdisk.New()
	disk.Put("a", []byte("x"))
	_, err := disk.Create("a")
	require.ErrorIs(t, err, fs.ErrExist)
	_, err = disk.Read("b", 10)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorIs(t, disk.Rename("b", "c"), fs.ErrNotExist)
	require.ErrorIs(t, disk.Remove("b"), fs.ErrNotExist)
	require.NoError(t, disk.Check())
	disk.Fault = func(int, simdisk.Op) simdisk.Outcome { return simdisk.Fails }
	_, err = disk.Read("a", 10)
	require.ErrorIs(t, err, simdisk.ErrFault)
	require.NoError(t, disk.Close())
}

func TestExploreGoesThroughAllChoices(t *testing.T) {
	var seen []string
	simdisk.Explore(func(choose func(int) int) {
		first := choose(2)
		second := 0
		if first == 1 {
			second = choose(3)
		}
		seen = append(seen, fmt.Sprint(first, second, choose(1)))
	})
	require.Equal(t, []string{"0 0 0", "1 0 0", "1 1 0", "1 2 0"}, seen)
	runs := 0
	simdisk.Explore(func(func(int) int) { runs++ })
	require.Equal(t, 1, runs)
}

// A program that does not sync a file before it is renamed can find it empty after a crash.
func Example() {
	disk := simdisk.New()
	disk.Put("record", []byte("old"))
	file, err := disk.Create("record.tmp")
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := file.Write([]byte("new!")); err != nil {
		fmt.Println(err)
		return
	}
	if err := disk.Rename("record.tmp", "record"); err != nil {
		fmt.Println(err)
		return
	}
	for _, content := range survivors(disk, "record") {
		fmt.Println(content)
	}
	// Output:
	// ""
	// "\x00\x00\x00\x00"
	// "ne"
	// "new!"
	// "old"
}
