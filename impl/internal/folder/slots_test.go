package folder_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/impl/internal/folder/simdisk"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// head is what the files in slots of these tests begin with.
var head = []byte("HEAD OF A FILE IN SLOTS")

const (
	sector   = 512
	block    = 4096
	slotSize = 2 * block
	fileSize = block + 2*slotSize
)

// slotOf returns the bytes of a file that save n is in.
func slotOf(file []byte, n int) []byte { return file[block+n%2*slotSize:][:slotSize] }

// slotted returns a Folder on a disk on which files may be written in place.
func slotted(disk *simdisk.Disk) *folder.Folder {
	disk.InPlace = true
	return folder.On(disk, "/data", "record").InSlots(head)
}

// content is what save n has of the files of these tests: of three sectors, so that one of them can be of another save than the next.
func content(n int) []byte { return bytes.Repeat([]byte(fmt.Sprintf("save %05d.", n)), 120) }

// saved returns the file after saves 1 to n.
func saved(t require.TestingT, n int) []byte {
	disk := simdisk.New()
	f := slotted(disk)
	for i := 1; i <= n; i++ {
		require.NoError(t, f.Replace(content(i)))
	}
	file, _ := disk.Content("record")
	return file
}

// load reads a file as the next process does. It returns which save it has found, or an error.
func load(t require.TestingT, file []byte) (n int, err error) {
	data, is, err := folder.ReadSlots(head, file)
	require.True(t, is, "the file is one of slots")
	if err != nil {
		require.Nil(t, data)
		return 0, err
	}
	_, err = fmt.Sscanf(string(data), "save %d.", &n)
	require.NoError(t, err)
	require.Equal(t, content(n), data, "all of it is of one save")
	return n, nil
}

// TestInPlace looks at the calls of a life: a new file at first, and then one write and one sync each time.
func TestInPlace(t *testing.T) {
	disk := simdisk.New()
	var ops []simdisk.Op
	disk.Fault = func(_ int, op simdisk.Op) simdisk.Outcome {
		ops = append(ops, op)
		return simdisk.Works
	}
	calls := func(do func() error) []simdisk.Op {
		ops = nil
		require.NoError(t, do())
		return ops
	}
	f := slotted(disk)
	replace := func(data []byte) func() error { return func() error { return f.Replace(data) } }
	renewed := []simdisk.Op{simdisk.Create, simdisk.Write, simdisk.Sync, simdisk.Rename, simdisk.SyncFolder}
	first := slices.Concat([]simdisk.Op{simdisk.Check}, renewed, []simdisk.Op{simdisk.Create, simdisk.Write, simdisk.Sync, simdisk.Close, simdisk.SyncFolder})
	overwritten := []simdisk.Op{simdisk.Check, simdisk.WriteAt, simdisk.SyncData}
	require.Equal(t, first, calls(replace(content(1))))
	for n := 2; n < 6; n++ {
		require.Equal(t, overwritten, calls(replace(content(n))))
		data, found, err := f.Load(5000)
		require.NoError(t, err)
		require.True(t, found, "save %d must be found", n)
		require.Equal(t, content(n), data)
	}
	data, _, err := f.Load(4)
	require.NoError(t, err)
	require.Len(t, data, 4, "the limit is kept")

	after := disk.Reopen()
	after.Fault, disk = disk.Fault, after
	f = slotted(disk)
	_, _, err = f.Load(5000)
	require.NoError(t, err)
	require.Equal(t, renewed, calls(f.Mark), "what another process has written is not written over")
	require.Equal(t, overwritten, calls(replace(nil)), "nothing at all")
	require.Empty(t, calls(f.Mark), "what was loaded before is not brought back")
	require.Equal(t, overwritten, calls(replace(make([]byte, 3968))))
	large := calls(replace(make([]byte, 3969)))
	require.Equal(t, simdisk.Close, large[1])
	require.Contains(t, large, simdisk.Rename, "too large for a slot")
	require.Contains(t, calls(replace(content(1))), simdisk.Rename)
	require.Equal(t, overwritten, calls(replace(content(2))))

	require.NoError(t, disk.Remove("record"))
	require.Contains(t, calls(replace(content(3))), simdisk.Rename, "somebody has taken it away")
	require.Equal(t, overwritten, calls(replace(content(4))))
	path, err := f.SetAside()
	require.NoError(t, err)
	require.Equal(t, "/data/record.bad-1", path)
	aside, _ := disk.Content("record.bad-1")
	require.Contains(t, calls(replace(content(5))), simdisk.Rename)
	untouched, _ := disk.Content("record.bad-1")
	require.Equal(t, aside, untouched)

	disk.Full = true
	require.NoError(t, disk.Remove("record"))
	for n := 6; n < 8; n++ {
		require.Contains(t, calls(replace(content(n))), simdisk.Rename, "no descriptor is left for a file that stays open")
	}
	disk.Full = false
	require.Contains(t, calls(replace(content(8))), simdisk.Rename)
	require.Equal(t, overwritten, calls(replace(content(9))))
}

// TestPowerCutAtEveryByte cuts a save at every byte of its slot, from either end: what is found is it, or the one before.
func TestPowerCutAtEveryByte(t *testing.T) {
	slowtest.NoRace(t, "it runs in one goroutine")
	for n := 1; n < 4; n++ {
		before, after := saved(t, n), saved(t, n+1)
		require.Len(t, before, fileSize)
		found := map[int]int{}
		for cut := 0; cut <= slotSize; cut++ {
			if n != 2 && cut%5 != 0 && !slowtest.Wanted() {
				continue // each save writes the same bytes in the same order
			}
			for _, upTo := range []bool{true, false} {
				file := slices.Clone(before)
				if slot := slotOf(file, n+1); upTo {
					copy(slot[:cut], slotOf(after, n+1))
				} else {
					copy(slot[cut:], slotOf(after, n+1)[cut:])
				}
				got, err := load(t, file)
				require.NoError(t, err, "cut at %d, up to it: %v", cut, upTo)
				require.Contains(t, []int{n, n + 1}, got)
				found[got]++
			}
		}
		require.Greater(t, found[n], 500)
		require.Greater(t, found[n+1], 500)
	}
}

// TestPowerCutInAnyOrder has every set of the sectors of a save written, and all others not.
func TestPowerCutInAnyOrder(t *testing.T) {
	slowtest.NoRace(t, "it runs in one goroutine")
	before, after := saved(t, 4), saved(t, 5)
	file := slices.Clone(before)
	found := map[int]int{}
	for set := range 1 << (slotSize / sector) {
		for i := range slotSize / sector {
			from := before
			if set>>i&1 == 1 {
				from = after
			}
			at := i * sector
			copy(slotOf(file, 5)[at:at+sector], slotOf(from, 5)[at:])
		}
		got, err := load(t, file)
		require.NoError(t, err, "%016b", set)
		found[got]++
	}
	require.Equal(t, map[int]int{4: 255 * 255, 5: 2*256 - 1}, found, "it is there if one of its copies is whole")
}

// TestPowerCutSpoilsABlock has a save that is cut short spoil one block in any way, and the sectors of the other written or not.
func TestPowerCutSpoilsABlock(t *testing.T) {
	slowtest.NoRace(t, "it runs in one goroutine")
	before, after := saved(t, 4), saved(t, 5)
	spoiled := func(t require.TestingT, bad int, fates []int) {
		file := slices.Clone(before)
		for i, fate := range fates {
			at := i * sector
			to := slotOf(file, 5)[at : at+sector]
			switch {
			case fate == 1:
				copy(to, slotOf(after, 5)[at:])
			case fate == 2 && i/8 == bad:
				copy(to, bytes.Repeat([]byte{0xA5}, sector))
			}
		}
		got, err := load(t, file)
		require.NoError(t, err, "block %d: %v", bad, fates)
		require.Contains(t, []int{4, 5}, got)
	}
	for bad := range 2 {
		for set := range 1 << 8 {
			fates := slices.Repeat([]int{2}, 16)
			for i := range 8 {
				fates[(1-bad)*8+i] = set >> i & 1
			}
			spoiled(t, bad, fates)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		spoiled(t, rapid.IntRange(0, 1).Draw(t, "block"), rapid.SliceOfN(rapid.IntRange(0, 2), 16, 16).Draw(t, "fates"))
	})
}

// TestSpoiledIsNeverOlder spoils any sectors after a save has been completed: what is found is that save, or that it cannot be known. It
// is never an older one, whatever is spoiled.
func TestSpoiledIsNeverOlder(t *testing.T) {
	slowtest.NoRace(t, "it runs in one goroutine")
	file, found, refused := saved(t, 5), 0, 0
	check := func(t require.TestingT, bad []bool) {
		file := slices.Clone(file)
		for i, is := range bad {
			if at := block + i*sector; is {
				file[at+i*31%sector] ^= 4
			}
		}
		got, err := load(t, file)
		if err != nil {
			require.ErrorIs(t, err, folder.ErrDamaged)
			refused++
			return
		}
		require.Equal(t, 5, got)
		found++
	}
	for set := range 1 << 16 { // of the sectors of the last save, the others are good
		bad := make([]bool, 32)
		for i := range 16 {
			bad[16+i] = set>>i&1 == 1
		}
		check(t, bad)
	}
	require.Equal(t, 2*256-1, found, "one of its two copies must be whole")
	rapid.Check(t, func(t *rapid.T) { check(t, rapid.SliceOfN(rapid.Bool(), 32, 32).Draw(t, "bad")) })
	require.NotZero(t, refused)
}

// TestEveryBitFlipped flips each bit of a file: that is not noticed but in the bytes by which the head is known. Unless slow
// tests run, it flips one bit of each byte, and each bit of the first bytes of each block.
func TestEveryBitFlipped(t *testing.T) {
	slowtest.NoRace(t, "it runs in one goroutine")
	file := saved(t, 5)
	for at := range file {
		for bit := range 8 {
			if at%block >= 64 && bit != at%8 && !slowtest.Wanted() {
				continue
			}
			file[at] ^= 1 << bit
			if at >= 12 {
				got, err := load(t, file)
				require.NoError(t, err, "bit %d of byte %d", bit, at)
				require.Equal(t, 5, got)
			} else {
				_, is, err := folder.ReadSlots(head, file)
				require.NoError(t, err)
				require.False(t, is, "a file with a flipped head is not one of slots")
			}
			file[at] ^= 1 << bit
		}
	}
}

// TestFlaws reads files that no crash leaves.
func TestFlaws(t *testing.T) {
	four, five, seven := saved(t, 4), saved(t, 5), saved(t, 7)
	for name, c := range map[string]struct {
		make func(file []byte) []byte // of five saves
		is   error
		says string
	}{
		"one slot twice": {func(file []byte) []byte {
			copy(slotOf(file, 4), slotOf(file, 5))
			return file
		}, folder.ErrDamaged, "it is damaged: save 5 is whole, but nothing is left of the slot of saves 4 and 6: the later one may have been acted on"},
		"both slots exchanged": {func(file []byte) []byte {
			copy(slotOf(file, 4), slotOf(five, 5))
			copy(slotOf(file, 5), slotOf(five, 4))
			return file
		}, folder.ErrDamaged, "neither of its slots has a copy that is whole"},
		"the copies exchanged": {func(file []byte) []byte {
			copy(slotOf(file, 5), slotOf(five, 5)[block:])
			copy(slotOf(file, 5)[block:], slotOf(five, 5)[:block])
			return file
		}, folder.ErrDamaged, "save 4 is whole, but nothing is left of the slot of saves 3 and 5"},
		"all zeros": {func(file []byte) []byte {
			clear(file[block:])
			return file
		}, folder.ErrDamaged, "neither of its slots"},
		"a slot of long ago": {func(file []byte) []byte {
			copy(slotOf(file, 5), slotOf(four, 3))
			copy(slotOf(file, 6), slotOf(seven, 6))
			return file
		}, folder.ErrDamaged, "save 6 is there, and beside it something of save 3: the disk has lost what it had written"},
		"longer":            {func(file []byte) []byte { return append(file, 0) }, folder.ErrLong, "it is too long: it has two slots, and so 20480 bytes, and there are more"},
		"shorter by a byte": {func(file []byte) []byte { return file[:fileSize-1] }, folder.ErrCut, "it is cut short: it has two slots, and so 20480 bytes, and 20479 are there"},
		"the head alone":    {func(file []byte) []byte { return file[:block] }, folder.ErrCut, "and 4096 are there"},
		"a part of it":      {func(file []byte) []byte { return file[:12] }, folder.ErrCut, "and 12 are there"},
	} {
		t.Run(name, func(t *testing.T) {
			disk := simdisk.New()
			disk.Put("record", c.make(saved(t, 5)))
			_, found, err := slotted(disk).Load(5000)
			require.False(t, found, "a flawed file must not be returned")
			require.ErrorIs(t, err, c.is)
			require.ErrorContains(t, err, c.says)
		})
	}
}

// TestSlotsInWords says what is in the copies of a file.
func TestSlotsInWords(t *testing.T) {
	say := func(file []byte) string {
		says, contents, _ := folder.Slots(file)
		for i, c := range contents {
			says[i] += fmt.Sprintf(" (%d)", len(c))
		}
		return strings.Join(says, "\n")
	}
	require.Equal(t, "slot 0, copy 1: not used yet (0)\nslot 0, copy 2: not used yet (0)\nslot 1, copy 1: save 1 (1320)\nslot 1, copy 2: save 1 (1320)",
		say(saved(t, 1)))
	file := saved(t, 5)
	copy(slotOf(file, 4)[sector:], slotOf(saved(t, 2), 2)[sector:2*sector])
	slotOf(file, 5)[9]++
	slotOf(file, 5)[block-1]++
	require.Equal(t, "slot 0, copy 1: written in part (0)\nslot 0, copy 2: save 4 (1320)\nslot 1, copy 1: 2 of 8 sectors are spoiled (0)\nslot 1, copy 2: save 5 (1320)",
		say(file))
	require.Empty(t, say(file[1:]))
}

// TestEveryCrashOfMark crashes where a file of the old way becomes one in slots, one in slots is written anew, and one in slots becomes one of
// the old way, as on a file system on which nothing is written in place. What is in it is there throughout.
func TestEveryCrashOfMark(t *testing.T) {
	for name, c := range map[string]struct {
		file    []byte
		inPlace bool
	}{"old to slots": {content(5), true}, "slots anew": {saved(t, 5), true}, "slots to old": {saved(t, 5), false}} {
		t.Run(name, func(t *testing.T) {
			for call, last := 1, false; !last; call++ {
				for _, outcome := range simdisk.Outcomes() {
					disk := simdisk.New()
					disk.Put("record", c.file)
					disk.InPlace = c.inPlace
					disk.Fault = func(n int, _ simdisk.Op) simdisk.Outcome {
						if n == call {
							return outcome
						}
						return simdisk.Works
					}
					f := folder.On(disk, "/data", "record").InSlots(head)
					_, _, err := f.Load(5000)
					if err == nil {
						err = f.Mark()
					}
					last = disk.Calls() < call
					simdisk.Explore(func(choose func(int) int) {
						after := disk.Crash(choose)
						file, _ := after.Content("record")
						if err == nil {
							require.Equal(t, c.inPlace, len(file) == fileSize)
						}
						data, found, err := folder.On(after, "/data", "record").InSlots(head).Load(5000)
						require.NoError(t, err, "call %d %s", call, outcome)
						require.True(t, found, "the record must be found after call %d %s", call, outcome)
						require.Equal(t, content(5), data)
					})
				}
				require.True(t, !last || call > 10, "it takes more calls than %d", call)
			}
		})
	}
}
