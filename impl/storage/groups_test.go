package storage

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/impl/internal/folder/simdisk"
	"github.com/seed-fdf591db/bully/spec"
)

// openGroupsDisk opens node 3 of five on a simulated disk.
func openGroupsDisk(disk *simdisk.Disk) (*Groups, error) {
	return groupsOn(folder.LogOn(disk, "/data", groupsName, groupsHead), me)
}

func batch(promises ...GroupPromise) []GroupPromise { return promises }

// groupBatches is what a node saves in many groups in the tests of crashes: three groups begin, one learns an epoch, two grant.
var groupBatches = [][]GroupPromise{
	batch(GroupPromise{1, promise(0, 0)}, GroupPromise{2, promise(0, 0)}, GroupPromise{3, reserving(promise(0, 0), 1)}),
	batch(GroupPromise{2, promise(3, 0)}),
	batch(GroupPromise{1, promise(1, 5)}, GroupPromise{2, promise(3, 5)}),
}

// groupsAfter returns what is kept after so many batches.
func groupsAfter(batches int) map[uint64]spec.Durable {
	kept := map[uint64]spec.Durable{}
	for _, b := range groupBatches[:batches] {
		for _, p := range b {
			kept[p.Group] = p.Promise
		}
	}
	return kept
}

func saveBatches(disk *simdisk.Disk) (saved int, err error) {
	g, err := openGroupsDisk(disk)
	if err != nil {
		return 0, err
	}
	for _, b := range groupBatches {
		if err := g.Save(b); err != nil {
			return saved, err
		}
		saved++
	}
	return saved, nil
}

// Every crash before and after every call, and every way of failing, leaves the batches that were saved, all of each, or the one more whose save was cut short.
func TestEveryCrashOfGroups(t *testing.T) {
	eachWay(t, func(t *testing.T, newDisk func() *simdisk.Disk) {
		disk := newDisk()
		saved, err := saveBatches(disk)
		require.NoError(t, err)
		require.Equal(t, len(groupBatches), saved)
		for call := 1; call <= disk.Calls(); call++ {
			for _, outcome := range simdisk.Outcomes() {
				disk := newDisk()
				disk.Fault = at(call, outcome)
				saved, _ := saveBatches(disk)
				simdisk.Explore(func(choose func(int) int) {
					checkGroups(t, fmt.Sprintf("call %d %s, %d saved", call, outcome, saved), disk.Crash(choose), saved)
				})
				checkGroups(t, fmt.Sprintf("call %d %s, killed", call, outcome), disk.Reopen(), saved)
			}
		}
	})
}

func checkGroups(t *testing.T, name string, disk *simdisk.Disk, saved int) {
	g, err := openGroupsDisk(disk)
	require.NoError(t, err, name)
	if after := groupsAfter(saved); !sameGroups(g.kept, after) {
		require.Less(t, saved, len(groupBatches), name)
		require.Equal(t, groupsAfter(saved+1), g.kept, name)
	}
	require.NoError(t, g.Save(batch(GroupPromise{2, promise(9, 1)})), name)
	g, err = openGroupsDisk(disk.Crash(func(int) int { return 0 }))
	require.NoError(t, err, name)
	p, found := g.Load(2)
	require.True(t, found, name)
	require.Equal(t, promise(9, 1), p, name)
}

func sameGroups(a, b map[uint64]spec.Durable) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// TestManyCrashesOfGroups crashes again and again, at any call, and lets the disk come back in any way; groups come and go.
func TestManyCrashesOfGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		disk := simdisk.New()
		disk.InPlace = rapid.Bool().Draw(t, "in place")
		durable := map[uint64]spec.Durable{} // the least that each group has promised
		number := uint64(0)
		for range rapid.IntRange(1, 6).Draw(t, "lives") {
			disk.Fault = at(rapid.IntRange(1, 60).Draw(t, "call"), rapid.SampledFrom(simdisk.Outcomes()).Draw(t, "outcome"))
			g, err := openGroupsDisk(disk)
			for turn := 0; err == nil && turn < 40; turn++ {
				require.GreaterOrEqual(t, g.Number(), number)
				group := rapid.Uint64Range(1, 4).Draw(t, "group")
				p, _ := g.Load(group)
				was := durable[group]
				require.True(t, p.Epoch > was.Epoch || p.Epoch == was.Epoch && (was.Grantee.IsNone() || p.Grantee == was.Grantee), "%v after %v", p, was)
				require.GreaterOrEqual(t, p.Reserved, was.Reserved)
				if rapid.IntRange(0, 5).Draw(t, "goes") == 0 {
					if err = g.Forget([]uint64{group}); err == nil {
						number = g.Number()
					}
					continue
				}
				p.Epoch++
				p.Grantee = n(rapid.Uint64Range(1, 5).Draw(t, "grantee"))
				p.Reserved += spec.Block
				if err = g.Save(batch(GroupPromise{group, p})); err == nil {
					durable[group], number = p, g.Number()
				}
			}
			disk = disk.Crash(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "survives") })
		}
	})
}

// A file that is full is begun anew with what is kept, and numbers go on over that.
func TestGroupsBeginAnew(t *testing.T) {
	dir := t.TempDir()
	g, err := OpenGroups(dir, n(3), five)
	require.NoError(t, err)
	for i := range 400 {
		require.NoError(t, g.Save(batch(GroupPromise{uint64(i%7 + 1), promise(spec.Epoch(i), 5)})))
	}
	require.Equal(t, uint64(401), g.Number())
	require.NoError(t, g.Close())
	size, err := os.Stat(filepath.Join(dir, groupsName))
	require.NoError(t, err)
	require.Less(t, size.Size(), int64(1<<21), "the file does not grow")
	g, err = OpenGroups(dir, n(3), five)
	require.NoError(t, err)
	defer g.Close()
	p, found := g.Load(1)
	require.True(t, found)
	require.Equal(t, promise(399, 5), p)
	require.Equal(t, spec.Question(401)*spec.Block, g.Record().Reserved)
}

// A group that comes again promises no epoch twice, nor uses a number twice; and is in no more place than one that never was.
func TestGroupsThatAreGone(t *testing.T) {
	dir := t.TempDir()
	g, err := OpenGroups(dir, n(3), five)
	require.NoError(t, err)
	_, found := g.Load(7)
	require.False(t, found)
	require.NoError(t, g.Save(batch(GroupPromise{7, reserving(promise(4, 5), 2)}, GroupPromise{8, promise(1, 5)})))
	require.NoError(t, g.Forget([]uint64{7, 9}))
	require.Len(t, g.kept, 1)
	require.NoError(t, g.Close())
	g, err = OpenGroups(dir, n(3), five)
	require.NoError(t, err)
	defer g.Close()
	for _, group := range []uint64{7, 9} {
		p, found := g.Load(group)
		require.True(t, found)
		require.Equal(t, reserving(promise(5, 0), 2), p)
		require.Error(t, g.next(GroupPromise{group, reserving(promise(4, 1), 2)}), "the epoch that it has promised")
	}
	p, _ := g.Load(8)
	require.Equal(t, promise(1, 5), p)
}

// What no node may ask for is refused, and for good.
func TestGroupsRefuse(t *testing.T) {
	for name, bad := range map[string]GroupPromise{
		"an epoch that goes back": {1, promise(2, 5)}, "a second grantee": {1, promise(3, 4)}, "no group": {0, promise(4, 5)},
		"a grantee that is no member": {1, promise(4, 9)}, "numbers that go back": {1, promise(4, 5)}, "a part of a block": {1, spec.Durable{Epoch: 4, Reserved: spec.Block + 1}},
	} {
		g, err := OpenGroups(t.TempDir(), n(3), five)
		require.NoError(t, err)
		require.NoError(t, g.Save(batch(GroupPromise{1, reserving(promise(3, 5), 1)})))
		err = g.Save(batch(bad))
		require.Error(t, err, name)
		require.Equal(t, err, g.Save(nil), name)
		require.NoError(t, g.Close())
	}
}

// A file that is another's, lost, cut, too long, or spoiled where it may have been acted on is refused, and says what it is.
func TestBadGroups(t *testing.T) {
	fill := func(t *testing.T) (dir string, file []byte) {
		dir = t.TempDir()
		g, err := OpenGroups(dir, n(3), five)
		require.NoError(t, err)
		require.NoError(t, g.Save(batch(GroupPromise{1, promise(3, 5)})))
		require.NoError(t, g.Close())
		file, err = os.ReadFile(filepath.Join(dir, groupsName))
		require.NoError(t, err)
		return dir, file
	}
	const block = 4096
	spoil := func(file []byte, blocks ...int) []byte {
		for _, b := range blocks {
			for i := range block {
				file[b*block+i] = 0xA5
			}
		}
		return file
	}
	last := func(file []byte) (first int) { // of the two blocks of the last save: where nothing is written in place, it is the snapshot
		if len(file) < 5*block {
			return 1
		}
		return 3
	}
	for name, c := range map[string]struct {
		kind Kind
		bad  func(file []byte) []byte
	}{
		"cut":                      {truncatedKind, func(file []byte) []byte { return file[:len(file)-block] }},
		"cut short":                {truncatedKind, func(file []byte) []byte { return file[:len(file)-1] }},
		"too long":                 {overlongKind, func(file []byte) []byte { return append(file, make([]byte, block)...) }},
		"another head":             {damagedKind, func(file []byte) []byte { return spoil(file, 0) }},
		"the snapshot":             {damagedKind, func(file []byte) []byte { return spoil(file, 1, 2) }},
		"the last save, both ways": {damagedKind, func(file []byte) []byte { return spoil(file, last(file), last(file)+1) }},
		"all but the head":         {damagedKind, func(file []byte) []byte { return append(file[:block:block], make([]byte, len(file)-block)...) }},
	} {
		dir, file := fill(t)
		require.NoError(t, os.WriteFile(filepath.Join(dir, groupsName), c.bad(file), 0o600))
		_, err := OpenGroups(dir, n(3), five)
		bad, ok := errors.AsType[*RecordError](err)
		require.True(t, ok, "%s: %v", name, err)
		require.Equal(t, c.kind, bad.Kind, "%s: %v", name, err)
	}
	for name, good := range map[string][]int{"a copy of the snapshot": {1}, "its other": {2}, "a copy of the save": {3}, "its other copy": {4}} {
		dir, file := fill(t)
		if good[0] >= last(file)+2 {
			continue
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, groupsName), spoil(file, good...), 0o600))
		g, err := OpenGroups(dir, n(3), five)
		require.NoError(t, err, name)
		p, _ := g.Load(1)
		require.Equal(t, promise(3, 5), p, name)
		require.NoError(t, g.Close())
	}
	dir, _ := fill(t)
	_, err := OpenGroups(dir, n(2), five)
	require.Equal(t, wrongNodeKind, kindOfError(t, err))
	_, err = OpenGroups(dir, n(3), nodes(1, 2, 3))
	require.Equal(t, WrongMembers, kindOfError(t, err))
	require.NoError(t, os.Remove(filepath.Join(dir, groupsName)))
	_, err = OpenGroups(dir, n(3), five)
	require.Equal(t, Lost, kindOfError(t, err))
}

// TestGroupsAtTheirBounds: a record without a promise, and one with the last number there is, are in order; one that ends within its owner is not.
func TestGroupsAtTheirBounds(t *testing.T) {
	dir := t.TempDir()
	g, err := OpenGroups(dir, n(3), five)
	require.NoError(t, err)
	whose := append([]byte{byte(len(five))}, make([]byte, (1+len(five))*idSize)...)
	copy(whose[1:], g.owner.id[:])
	for i, member := range g.owner.members {
		copy(whose[1+(1+i)*idSize:], member[:])
	}
	rest, err := g.readOwner(whose)
	require.NoError(t, err)
	require.Empty(t, rest)
	for short := range whose {
		_, err = g.readOwner(whose[:short])
		require.Equal(t, damagedKind, kindOfError(t, err), "%d bytes", short)
	}
	last := spec.Durable{Epoch: spec.MaxEpoch, Grantee: n(5), Reserved: spec.MaxReserved}
	for _, saves := range [][]GroupPromise{nil, {{1, last}}} {
		require.NoError(t, g.Save(saves))
		require.NoError(t, g.Close())
		g, err = OpenGroups(dir, n(3), five)
		require.NoError(t, err)
	}
	p, found := g.Load(1)
	require.True(t, found)
	require.Equal(t, last, p)
	require.NoError(t, g.Close())
}

func kindOfError(t *testing.T, err error) Kind {
	bad, ok := errors.AsType[*RecordError](err)
	require.True(t, ok, "%v", err)
	return bad.Kind
}

// childBatch is what a child saves of an epoch at once, in many groups.
func childBatch(epoch spec.Epoch) (all []GroupPromise) {
	for group := range uint64(300) {
		all = append(all, GroupPromise{group + 1, promise(epoch, 5)})
	}
	return all
}

// saveGroupsForEver is saveForEver for a node in many groups.
func saveGroupsForEver(dir string, _ bool) error {
	g, err := OpenGroups(dir, me.id, me.members)
	if err != nil {
		return err
	}
	p, found := g.Load(1)
	fmt.Println("open", found)
	for epoch := p.Epoch + 1; ; epoch++ {
		if err := g.Save(childBatch(epoch)); err != nil {
			return err
		}
		if _, err := fmt.Println("saved", epoch); err != nil {
			return nil
		}
	}
}

// TestKillGroups kills a process that saves in many groups, with signal 9 at random moments: all of a save are there, or none, and what was said to be saved is.
func TestKillGroups(t *testing.T) {
	t.Setenv(childGroups, "yes")
	dir, durable, saves := t.TempDir(), spec.Epoch(0), 0
	const rounds = 30
	for range rounds {
		process := start(t, dir, false)
		process.read(t, 1+rand.IntN(30))
		for _, line := range process.kill() {
			if number, saved := strings.CutPrefix(line, "saved "); saved {
				epoch, err := strconv.ParseUint(number, 10, 64)
				require.NoError(t, err)
				durable = spec.Epoch(epoch)
				saves++
			}
		}
		g, err := OpenGroups(dir, me.id, me.members)
		require.NoError(t, err)
		p, _ := g.Load(1)
		require.GreaterOrEqual(t, p.Epoch, durable, "what was saved is there")
		require.LessOrEqual(t, p.Epoch, durable+1, "nothing is there that was not asked for")
		if durable = p.Epoch; durable > 0 {
			for _, of := range childBatch(durable) {
				got, _ := g.Load(of.Group)
				require.Equal(t, of.Promise, got, "all of one save")
			}
		}
		require.NoError(t, g.Close())
	}
	require.Greater(t, saves, rounds)
}
