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
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/impl/internal/folder/simdisk"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// openGroupsDisk opens node 3 of five on a simulated disk.
func openGroupsDisk(disk *simdisk.Disk) (*Groups, error) {
	return groupsOn(folder.LogOn(disk, "/data", groupsName, groupsHead), me)
}

func batch(promises ...GroupPromise) []GroupPromise { return promises }

// groupBatches is what a node saves in many groups in the tests of crashes: three groups begin, one learns an epoch, two grant.
var groupBatches = [][]GroupPromise{
	batch(GroupPromise{1, promise(0, 0), 0}, GroupPromise{2, promise(0, 0), 0}, GroupPromise{3, reserving(promise(0, 0), 1), 0}),
	batch(GroupPromise{2, promise(3, 0), 0}),
	batch(GroupPromise{1, promise(1, 5), 0}, GroupPromise{2, promise(3, 5), 0}),
}

// groupsAfter returns what is kept after so many batches.
func groupsAfter(batches int) map[uint64]GroupPromise {
	kept := map[uint64]GroupPromise{}
	for _, b := range groupBatches[:batches] {
		for _, p := range b {
			kept[p.Group] = p
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
	slowtest.NoRace(t, "it runs in one goroutine")
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
	require.NoError(t, g.Save(batch(GroupPromise{2, promise(9, 1), 0})), name)
	g, err = openGroupsDisk(disk.Crash(func(int) int { return 0 }))
	require.NoError(t, err, name)
	p, found := g.Load(2)
	require.True(t, found, name)
	require.Equal(t, promise(9, 1), p.Promise, name)
}

func sameGroups(a, b map[uint64]GroupPromise) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// TestManyCrashesOfGroups crashes again and again, at any call, and lets the disk come back in any way; groups come and go.
func TestManyCrashesOfGroups(t *testing.T) {
	slowtest.NoRace(t, "it runs in one goroutine")
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
				found, _ := g.Load(group)
				p, was := found.Promise, durable[group]
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
				if err = g.Save(batch(GroupPromise{group, p, 0})); err == nil {
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
		require.NoError(t, g.Save(batch(GroupPromise{uint64(i%7 + 1), promise(spec.Epoch(i), 5), 0})))
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
	require.True(t, found, "the promise of group 1 must be copied to the new file")
	require.Equal(t, promise(399, 5), p.Promise)
	require.Equal(t, uint64(401), g.Began())
}

// A group that comes again promises no epoch twice, nor uses a number twice; and is in no more place than one that never was.
func TestGroupsThatAreGone(t *testing.T) {
	dir := t.TempDir()
	g, err := OpenGroups(dir, n(3), five)
	require.NoError(t, err)
	_, found := g.Load(7)
	require.False(t, found, "a new log holds no promise")
	require.NoError(t, g.Save(batch(GroupPromise{7, reserving(promise(4, 5), 2), 0}, GroupPromise{8, promise(1, 5), 0})))
	require.NoError(t, g.Forget([]uint64{7, 9}))
	require.Len(t, g.kept, 1)
	require.NoError(t, g.Close())
	g, err = OpenGroups(dir, n(3), five)
	require.NoError(t, err)
	defer g.Close()
	for _, group := range []uint64{7, 9} {
		p, found := g.Load(group)
		require.True(t, found, "group %d must keep its promise after it was forgotten", group)
		require.Equal(t, reserving(promise(5, 0), 2), p.Promise)
		require.Error(t, g.next(GroupPromise{group, reserving(promise(4, 1), 2), 0}), "the epoch that it has promised")
	}
	p, _ := g.Load(8)
	require.Equal(t, promise(1, 5), p.Promise)
}

// What no node may ask for is refused, and for good.
func TestGroupsRefuse(t *testing.T) {
	for name, bad := range map[string]GroupPromise{
		"an epoch that goes back": {1, promise(2, 5), 0}, "a second grantee": {1, promise(3, 4), 0}, "no group": {0, promise(4, 5), 0},
		"a grantee that is no member": {1, promise(4, 9), 0}, "numbers that go back": {1, promise(4, 5), 0}, "a part of a block": {1, spec.Durable{Epoch: 4, Reserved: spec.Block + 1}, 0},
	} {
		g, err := OpenGroups(t.TempDir(), n(3), five)
		require.NoError(t, err)
		require.NoError(t, g.Save(batch(GroupPromise{1, reserving(promise(3, 5), 1), 0})))
		err = g.Save(batch(bad))
		require.Error(t, err, name)
		require.Equal(t, err, g.Save(nil), name)
		require.NoError(t, g.Close())
	}
}

// A file that is another's, lost, cut, too long, or spoiled where it may have been acted on is refused, and says what it is.
func TestBadGroups(t *testing.T) {
	slowtest.NoRace(t, "it runs in one goroutine")
	fill := func(t *testing.T) (dir string, file []byte) {
		dir = t.TempDir()
		g, err := OpenGroups(dir, n(3), five)
		require.NoError(t, err)
		require.NoError(t, g.Save(batch(GroupPromise{1, promise(3, 5), 0})))
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
		require.Equal(t, promise(3, 5), p.Promise, name)
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
	for _, saves := range [][]GroupPromise{nil, {{1, last, 0}}} {
		require.NoError(t, g.Save(saves))
		require.NoError(t, g.Close())
		g, err = OpenGroups(dir, n(3), five)
		require.NoError(t, err)
	}
	p, found := g.Load(1)
	require.True(t, found, "the promise of group 1 is kept")
	require.Equal(t, last, p.Promise)
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
		all = append(all, GroupPromise{group + 1, promise(epoch, 5), 0})
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
	for epoch := p.Promise.Epoch + 1; ; epoch++ {
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
	slowtest.NoRace(t, "it kills processes that save in one goroutine")
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
		kept, _ := g.Load(1)
		p := kept.Promise
		require.GreaterOrEqual(t, p.Epoch, durable, "what was saved is there")
		require.LessOrEqual(t, p.Epoch, durable+1, "nothing is there that was not asked for")
		if durable = p.Epoch; durable > 0 {
			for _, of := range childBatch(durable) {
				got, _ := g.Load(of.Group)
				require.Equal(t, of, got, "all of one save")
			}
		}
		require.NoError(t, g.Close())
	}
	require.Greater(t, saves, rounds)
}

// with returns a promise with a configuration of voters.
func with(p spec.Durable, version uint64, voters ...uint64) spec.Durable {
	var members []spec.Member
	for _, id := range voters {
		members = append(members, spec.Member{ID: n(id), Kind: spec.Voter, Rank: uint16(7 * id)})
	}
	c, err := spec.NewConfiguration(p.Epoch, version, members)
	if err != nil {
		panic(err)
	}
	p.Configuration = c
	return p
}

// changingBatches is what a node saves in many groups whose members change: two begin, one with what it waits for; one is led and comes to have another member, one is told of its members.
var changingBatches = [][]GroupPromise{
	batch(GroupPromise{1, with(promise(0, 0), 1, 1, 3, 5), 11}, GroupPromise{2, spec.Durable{Configuration: spec.EmptyConfiguration()}, 0}),
	batch(GroupPromise{1, with(promise(1, 5), 1, 1, 3, 5), 11}),
	batch(GroupPromise{1, with(promise(1, 5), 2, 1, 3, 5, 6), 11}, GroupPromise{2, with(promise(4, 9), 3, 3, 7, 9), 12}),
}

// The same of every crash where members change.
func TestEveryCrashOfChangingGroups(t *testing.T) {
	slowtest.NoRace(t, "it runs in one goroutine")
	open := func(disk *simdisk.Disk) (*Groups, error) {
		return groupsOn(folder.LogOn(disk, "/data", groupsName, groupsHead), owner{id: n(3)})
	}
	save := func(disk *simdisk.Disk) (saved int) {
		g, err := open(disk)
		for _, b := range changingBatches {
			if err != nil || g.Save(b) != nil {
				break
			}
			saved++
		}
		return saved
	}
	after := func(batches int) map[uint64]GroupPromise {
		kept := map[uint64]GroupPromise{}
		for _, b := range changingBatches[:batches] {
			for _, p := range b {
				kept[p.Group] = p
			}
		}
		return kept
	}
	check := func(name string, disk *simdisk.Disk, saved int) {
		g, err := open(disk)
		require.NoError(t, err, name)
		if !sameGroups(g.kept, after(saved)) {
			require.Less(t, saved, len(changingBatches), name)
			require.Equal(t, after(saved+1), g.kept, name)
		}
	}
	eachWay(t, func(t *testing.T, newDisk func() *simdisk.Disk) {
		disk := newDisk()
		require.Equal(t, len(changingBatches), save(disk))
		for call := 1; call <= disk.Calls(); call++ {
			for _, outcome := range simdisk.Outcomes() {
				disk := newDisk()
				disk.Fault = at(call, outcome)
				saved := save(disk)
				simdisk.Explore(func(choose func(int) int) {
					check(fmt.Sprintf("call %d %s, %d saved", call, outcome, saved), disk.Crash(choose), saved)
				})
				check(fmt.Sprintf("call %d %s, killed", call, outcome), disk.Reopen(), saved)
			}
		}
	})
}

// A group that is gone, and whose members have changed, comes again with the newest that this node has held (R42); one whose members are those that it began with may begin with others.
func TestChangingGroupsThatAreGone(t *testing.T) {
	dir := t.TempDir()
	g, err := OpenGroups(dir, n(3), nil)
	require.NoError(t, err)
	changed := GroupPromise{7, with(reserving(promise(4, 5), 2), 2, 1, 3), 11}
	require.NoError(t, g.Save(batch(changed, GroupPromise{8, with(promise(9, 5), 1, 1, 3, 5), 11})))
	require.NoError(t, g.Forget([]uint64{7, 8}))
	require.NoError(t, g.Close())
	g, err = OpenGroups(dir, n(3), nil)
	require.NoError(t, err)
	defer g.Close()
	p, found := g.Load(7)
	require.True(t, found, "group 7 must come back with its newest members")
	require.Equal(t, changed, p)
	p, found = g.Load(8)
	require.True(t, found, "group 8 must come back with the epoch that it had")
	require.Equal(t, GroupPromise{8, promise(10, 0), 0}, p, "above all that was promised, and of no members")
	require.NoError(t, g.Save(batch(GroupPromise{8, with(promise(10, 1), 1, 2, 3), 12})), "it has begun with others")
}

// What no node of changing members may ask for is refused, and for good; and so is a file of the other kind.
func TestChangingGroupsRefuse(t *testing.T) {
	good := GroupPromise{1, with(reserving(promise(3, 5), 1), 2, 1, 3, 5), 11}
	for name, bad := range map[string]GroupPromise{
		"an older configuration":      {1, with(reserving(promise(3, 5), 1), 1, 1, 3, 5), 11},
		"another of the same version": {1, with(reserving(promise(3, 5), 1), 2, 1, 3), 11},
		"no configuration":            {1, reserving(promise(4, 5), 1), 11},
		"other first members":         {1, with(reserving(promise(4, 5), 1), 2, 1, 3, 5), 12},
	} {
		g, err := OpenGroups(t.TempDir(), n(3), nil)
		require.NoError(t, err)
		require.NoError(t, g.Save(batch(good)))
		err = g.Save(batch(bad))
		require.Error(t, err, name)
		require.Equal(t, err, g.Save(nil), name)
		require.NoError(t, g.Close())
	}
	for name, members := range map[string][2][]spec.NodeID{"fixed": {five, nil}, "changing": {nil, five}} {
		dir := t.TempDir()
		g, err := OpenGroups(dir, n(3), members[0])
		require.NoError(t, err)
		require.NoError(t, g.Close())
		_, err = OpenGroups(dir, n(3), members[1])
		require.Contains(t, []Kind{fixedKind, WrongMembers}, kindOfError(t, err), name)
	}
	_, err := OpenGroups(t.TempDir(), spec.NodeID{}, nil)
	require.ErrorContains(t, err, "is no id (R1)")
}

// What is cut short within an entry is damaged.
func TestChangingEntriesAreWhole(t *testing.T) {
	all := changingBatches[2]
	whole := appendChanging(nil, all)
	g := &Groups{owner: owner{id: n(3)}, kept: map[uint64]GroupPromise{}}
	require.NoError(t, g.read(whole))
	require.Equal(t, all[0], g.kept[1])
	ends := map[int]bool{len(appendChanging(nil, nil)): true}
	for cut := 1; cut < len(whole); cut++ {
		g := &Groups{owner: owner{id: n(3)}, kept: map[uint64]GroupPromise{}}
		if g.read(whole[:cut]) == nil {
			require.True(t, len(g.kept) < len(all) && !ends[cut], "%d bytes", cut) // between two entries
		}
	}
}

// Whoever looks at the folder of a record is told what the groups in it are.
func TestInspectNamesGroups(t *testing.T) {
	dir := t.TempDir()
	first, err := spec.NewConfiguration(0, 1, []spec.Member{{ID: n(3), Kind: spec.Voter, Address: "10.0.0.3:7000"}})
	require.NoError(t, err)
	require.NoError(t, Init(dir, Identity{ID: n(3), Cluster: "test", Incarnation: 7}, first))
	g, err := OpenGroups(filepath.Join(dir, "groups"), n(3), nil)
	require.NoError(t, err)
	require.NoError(t, g.Close())
	report, err := Inspect(dir)
	require.NoError(t, err)
	require.Nil(t, report.Problem)
	require.Empty(t, report.Others)
	require.Contains(t, report.String(), "\ngroups   "+filepath.Join(dir, "groups", "groups")+" is in order: ")
}

// What a node has promised in groups is shown, and raised: of a log that may be an old copy, or one of fixed members that is damaged or lost. What it promises then is above all that it has ever promised, and its saves
// are above all that others can have heard of.
func TestGroupsAreRaised(t *testing.T) {
	now := clock
	defer func() { clock = now }()
	clock = func() time.Time { return time.Unix(1_800_000_000, 0) }
	dir := t.TempDir()
	look := func() Report {
		r, err := Inspect(dir)
		require.NoError(t, err)
		return r
	}
	begin := func() {
		g, err := OpenGroups(dir, n(3), five)
		require.NoError(t, err)
		require.NoError(t, g.Save(batch(GroupPromise{1, promise(4, 5), 0}, GroupPromise{2, promise(41, 3), 0})))
		require.Contains(t, look().String(), "epochs to 41, ")
		require.True(t, look().Locked, "the log is locked while it is open")
		require.NoError(t, g.Close())
	}
	raised := func(epoch spec.Epoch, groups ...uint64) {
		require.Nil(t, look().GroupsProblem)
		g, err := OpenGroups(dir, n(3), five)
		require.NoError(t, err)
		for _, group := range groups {
			p, found := g.Load(group)
			require.True(t, found, "the epoch of group %d is raised", group)
			require.Equal(t, spec.Durable{Epoch: epoch, Reserved: p.Promise.Reserved}, p.Promise)
			require.Greater(t, p.Promise.Reserved, spec.Question(1<<30)*spec.Block)
		}
		require.Greater(t, g.Began(), uint64(1<<30))
		require.NoError(t, g.Close())
	}
	require.Empty(t, look().Groups)
	begin()
	require.Equal(t, "nothing", look().Advice())
	require.NotContains(t, look().String(), "\nrecord", "it has none, nor is to have one")
	_, err := Raise(dir, n(3), five, 41)
	require.ErrorContains(t, err, "its highest epoch is 41: only a higher one can be set")
	_, err = Raise(dir, n(2), five, 43)
	require.ErrorContains(t, err, "it is that of node 3")
	aside, err := Raise(dir, n(3), five, 43)
	require.NoError(t, err)
	require.Empty(t, aside)
	raised(43, 1, 2, 77)

	path := filepath.Join(dir, groupsName)
	require.NoError(t, os.WriteFile(path, []byte("no log"), 0o600))
	require.Contains(t, look().String(), path+" is damaged: ")
	require.Contains(t, look().Advice(), "raise the epoch, to more than the highest epoch in any group")
	aside, err = Raise(dir, n(3), five, 100)
	require.NoError(t, err)
	require.FileExists(t, aside)
	raised(100, 1, 2, 77)

	require.NoError(t, os.Remove(path))
	require.Contains(t, look().String(), path+" is lost: ")
	_, err = Raise(dir, n(3), five, 200)
	require.NoError(t, err)
	raised(200, 1, 77)
}

// Where members change, a log that is in order is raised with the record, and keeps the members that each group has. One that is damaged is not: nobody knows which members those were.
func TestGroupsOfChangingMembersAreRaised(t *testing.T) {
	dir := t.TempDir()
	first, err := spec.NewConfiguration(0, 1, []spec.Member{{ID: n(3), Kind: spec.Voter}, {ID: n(4), Kind: spec.Voter}})
	require.NoError(t, err)
	require.NoError(t, Init(dir, Identity{ID: n(3), Cluster: "test", Incarnation: 7}, first))
	inner := filepath.Join(dir, groupsName)
	g, err := OpenGroups(inner, n(3), nil)
	require.NoError(t, err)
	require.NoError(t, g.Save(batch(GroupPromise{1, spec.Durable{Epoch: 9, Grantee: n(4), Reserved: spec.Block, Configuration: first.At(9, 5)}, 8})))
	require.NoError(t, g.Close())
	report, err := Inspect(dir)
	require.NoError(t, err)
	require.Contains(t, report.String(), "is in order: node 3, whose members change: 1 groups, epochs to 9, ")
	require.Equal(t, "nothing", report.Advice())
	_, err = RaiseChanging(dir, Identity{}, spec.Configuration{}, 50)
	require.NoError(t, err)
	g, err = OpenGroups(inner, n(3), nil)
	require.NoError(t, err)
	p, _ := g.Load(1)
	require.Equal(t, GroupPromise{1, spec.Durable{Epoch: 50, Reserved: p.Promise.Reserved, Configuration: first.At(9, 5)}, 8}, p)
	require.NoError(t, g.Close())

	require.NoError(t, os.WriteFile(filepath.Join(inner, groupsName), []byte("no log"), 0o600))
	report, err = Inspect(dir)
	require.NoError(t, err)
	require.Nil(t, report.Problem)
	require.NotNil(t, report.GroupsProblem)
	require.Contains(t, report.Advice(), "add one with another id in its place")
	_, err = RaiseChanging(dir, Identity{}, spec.Configuration{}, 60)
	require.ErrorContains(t, err, "remove this node from the cluster, and add one with another id in its place")
	report, err = Inspect(dir)
	require.NoError(t, err)
	require.Equal(t, spec.Epoch(50), report.Promise.Epoch, "nothing was raised")
}
