package folder_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/impl/internal/folder/simdisk"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

const (
	perBlock = 8 * (sector - 24 - 4) // bytes of a content that a block of a log holds
	perSave  = 2 * block             // bytes of a file that a content of at most a block takes
)

// logged returns a Log on a disk on which files may be written in place, and what it loads.
func logged(t require.TestingT, disk *simdisk.Disk) (l *folder.Log, saves [][]byte, err error) {
	disk.InPlace = true
	l = folder.LogOn(disk, "/data", "log", head)
	saves, _, err = l.Load()
	return l, saves, err
}

// logOf returns the file of a log of some saves, and how many bytes of it they take.
func logOf(t require.TestingT, saves ...[]byte) (file []byte, used int) {
	disk := simdisk.New()
	l, _, err := logged(t, disk)
	require.NoError(t, err)
	require.NoError(t, l.Begin(saves[0]))
	for _, save := range saves[1:] {
		fits, err := l.Append(save)
		require.NoError(t, err)
		require.True(t, fits, "the save fits the file")
	}
	require.Equal(t, uint64(len(saves)), l.Number())
	used = block
	for _, save := range saves {
		used += max((len(save)+perBlock-1)/perBlock, 1) * perSave
	}
	file, _ = disk.Content("log")
	return file, used
}

// loadLog reads a file as the next process does.
func loadLog(t require.TestingT, file []byte) (saves [][]byte, err error) {
	disk := simdisk.New()
	disk.Put("log", file)
	_, saves, err = logged(t, disk)
	return saves, err
}

// filled is a content of a length, none of it 0.
func filled(length int) []byte {
	content := make([]byte, length)
	for i := range content {
		content[i] = byte(1 + i%251)
	}
	return content
}

// TestLogSizes saves contents that are a little more, and less, than what blocks hold.
func TestLogSizes(t *testing.T) {
	var saves [][]byte
	for blocks := range 3 {
		for more := -1; more <= 1; more++ {
			saves = append(saves, filled(max(blocks*perBlock+more, 0)))
		}
	}
	for first := range saves {
		want := slices.Concat(saves[first:], saves[:first])
		file, used := logOf(t, want...)
		got, err := loadLog(t, file)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Zero(t, bytes.Compare(file[used:][:8], make([]byte, 8)), "and behind the last is room")
	}
}

// TestLogInPlace looks at the calls of a life: a new file at first, and one write and one sync for each save that fits.
func TestLogInPlace(t *testing.T) {
	disk := simdisk.New()
	var ops []simdisk.Op
	l, _, err := logged(t, disk)
	require.NoError(t, err)
	disk.Fault = func(_ int, op simdisk.Op) simdisk.Outcome {
		ops = append(ops, op)
		return simdisk.Works
	}
	fits, err := l.Append(filled(10))
	require.NoError(t, err)
	require.False(t, fits, "there is no file")
	require.NoError(t, l.Begin(filled(10)))
	for length := range 3 {
		ops = nil
		fits, err = l.Append(filled(length * perBlock))
		require.NoError(t, err)
		require.True(t, fits, "a save of %d blocks fits the file", length)
		require.Equal(t, []simdisk.Op{simdisk.Check, simdisk.WriteAt, simdisk.SyncData}, ops)
	}
	file, _ := disk.Content("log")
	ops = nil
	fits, err = l.Append(make([]byte, len(file)))
	require.NoError(t, err)
	require.False(t, fits, "a save that is as long as the file must not fit")
	require.Empty(t, ops, "what does not fit is not begun")

	disk.Full = true
	require.NoError(t, l.Begin(nil))
	fits, err = l.Append(nil)
	require.NoError(t, err)
	require.False(t, fits, "no descriptor is left for a file that stays open")
	disk.Full, disk.InPlace = false, false
	require.NoError(t, l.Begin(filled(10)))
	short, _ := disk.Content("log")
	require.Len(t, short, block+perSave, "what is never written in place has no room")
	fits, err = l.Append(nil)
	require.NoError(t, err)
	require.False(t, fits, "a log without room must accept no save")
	require.Equal(t, uint64(6), l.Number(), "of each save, whichever file it is in")
}

// TestLogPowerCut has each sector of the last save written or not, and one of its blocks spoiled: it is found whole, or not at all.
func TestLogPowerCut(t *testing.T) {
	slowtest.NoRace(t, "it runs in one goroutine")
	saves := [][]byte{filled(perBlock + 1), filled(20), filled(perBlock + 9)}
	before, from := logOf(t, saves[:2]...)
	after, to := logOf(t, saves...)
	rapid.Check(t, func(t *rapid.T) {
		file := slices.Clone(before)
		fates := rapid.SliceOfN(rapid.IntRange(0, 2), (to-from)/sector, (to-from)/sector).Draw(t, "fates")
		bad := rapid.IntRange(0, (to-from)/block-1).Draw(t, "block")
		whole := []bool{true, true}
		for i, fate := range fates {
			at := from + i*sector
			switch {
			case fate == 1:
				copy(file[at:at+sector], after[at:])
			case fate == 2 && i*sector/block == bad:
				copy(file[at:at+sector], bytes.Repeat([]byte{0xA5}, sector))
			}
			if fate != 1 {
				whole[2*i/len(fates)] = false
			}
		}
		got, err := loadLog(t, file)
		require.NoError(t, err)
		if whole[0] || whole[1] {
			require.Equal(t, saves, got)
		} else {
			require.Equal(t, saves[:2], got)
		}
	})
}

// TestLogPowerCutWithinASector cuts the last save at every 31st byte, from either end: it is found whole, or not at all. Every byte would take minutes, as a file is a megabyte.
func TestLogPowerCutWithinASector(t *testing.T) {
	slowtest.NoRace(t, "it runs in one goroutine")
	saves := [][]byte{filled(30), filled(20)}
	before, from := logOf(t, saves[:1]...)
	after, to := logOf(t, saves...)
	found := map[int]int{}
	for cut := from; cut <= to; cut += 31 {
		for _, upTo := range []bool{true, false} {
			file := slices.Clone(before)
			if upTo {
				copy(file[from:cut], after[from:])
			} else {
				copy(file[cut:to], after[cut:])
			}
			got, err := loadLog(t, file)
			require.NoError(t, err, "cut at %d, up to it: %v", cut, upTo)
			require.Equal(t, saves[:len(got)], got)
			found[len(got)]++
		}
	}
	require.Greater(t, found[1], perSave/31/2, "what was before")
	require.Greater(t, found[2], perSave/31/2)
}

// TestLogSpoiled spoils what was whole: one copy of a save is enough, and without both it is said.
func TestLogSpoiled(t *testing.T) {
	slowtest.NoRace(t, "it runs in one goroutine")
	saves := [][]byte{filled(20), filled(30), filled(40)}
	file, used := logOf(t, saves...)
	for n := range saves {
		at := block + n*perSave
		for copied := range 2 {
			one := slices.Clone(file)
			one[at+copied*block+30] ^= 1
			got, err := loadLog(t, one)
			require.NoError(t, err)
			require.Equal(t, saves, got)
		}
		both := slices.Clone(file)
		for i := at; i < at+perSave; i++ {
			both[i] ^= 1
		}
		_, err := loadLog(t, both)
		require.ErrorIs(t, err, folder.ErrDamaged)
	}
	for _, c := range []struct {
		name string
		file []byte
		is   error
	}{
		{"cut", file[:used], folder.ErrCut},
		{"cut in its head", file[:block], folder.ErrCut},
		{"cut within a block", file[:used-1], folder.ErrCut},
		{"longer", append(slices.Clone(file), file[used:]...), folder.ErrLong},
		{"something else", slices.Concat([]byte("else"), file[4:]), folder.ErrDamaged},
	} {
		_, err := loadLog(t, c.file)
		require.ErrorIs(t, err, c.is, c.name)
	}
}
