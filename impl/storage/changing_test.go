package storage

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/impl/internal/folder"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// who is node 3 of a cluster of changing members.
var who = Identity{ID: n(3), Cluster: "demo", Incarnation: 0xc0ffee}

// members returns a configuration of these voters, node 3 and a witness among them.
func members(epoch spec.Epoch, version uint64, voters ...uint64) spec.Configuration {
	all := []spec.Member{{ID: n(9), Kind: spec.Witness, Address: "nine:1#0000000000c0ffee"}}
	for _, id := range voters {
		all = append(all, spec.Member{ID: n(id), Kind: spec.Voter, Address: fmt.Sprintf("node-%d:7400", id)})
	}
	c, err := spec.NewConfiguration(epoch, version, all)
	if err != nil {
		panic(err)
	}
	return c
}

// held is a promise and a configuration.
func held(epoch spec.Epoch, grantee uint64, c spec.Configuration) spec.Durable {
	return spec.Durable{Epoch: epoch, Grantee: n(grantee), Configuration: c}
}

var first = members(0, 1, 1, 3)

// made returns a folder with a record of node 3, which has not started yet.
func made(t testing.TB) (dir string) {
	dir = filepath.Join(t.TempDir(), "data")
	require.NoError(t, Init(dir, who, first))
	return dir
}

func openMade(t testing.TB, dir string) *File {
	f, err := OpenChanging(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

// TestChangingLayout compares a record with one that was put together by hand from the package's comment. Its checksum is
// that of another program.
func TestChangingLayout(t *testing.T) {
	want := "42554c4c59524543" + "0003" + "0086" + "0000000000000007" +
		"00000000000000000000000000000002" + "0000000000300000" + "00000000000000000000000000000001" + "00c0ffee00c0ffee" + "01" + "04" + "64656d6f" +
		"0000000000000004" + "0000000000000003" + "02" +
		"00000000000000000000000000000001" + "01" + "03" + "613a31" + "1b9d6bcdbbfd4b2d9b5dab8dfbbd4bed" + "03" + "00"
	uuid, err := spec.ParseNodeID("1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed")
	require.NoError(t, err)
	c, err := spec.NewConfiguration(4, 3, []spec.Member{{ID: uuid, Kind: spec.Observer}, {ID: n(1), Kind: spec.Voter, Address: "a:1"}})
	require.NoError(t, err)
	p := held(7, 2, c)
	p.Reserved = 3 * spec.Block
	data := encodeChanging(Identity{n(1), "demo", 0x00c0ffee00c0ffee}, true, p)
	require.Equal(t, want+"0343c0cc", hex.EncodeToString(data))
	require.Equal(t, cap(data), len(data))
}

func anyChanging(t *rapid.T) (Identity, spec.Durable) {
	id := rapid.Map(rapid.Uint64Range(1, 1<<63), n)
	i := Identity{id.Draw(t, "id"), rapid.StringMatching(`[A-Za-z0-9._-]{1,64}`).Draw(t, "cluster"), rapid.Uint64Min(1).Draw(t, "incarnation")}
	d := spec.Durable{Epoch: spec.Epoch(rapid.Uint64Range(0, uint64(spec.MaxEpoch)).Draw(t, "epoch")), Configuration: spec.EmptyConfiguration()}
	if rapid.Bool().Draw(t, "granted") {
		d.Grantee = id.Draw(t, "grantee")
	}
	ids := rapid.SliceOfNDistinct(rapid.Uint64Range(1, 1<<63), 0, spec.MaxChangingMembers, rapid.ID[uint64]).Draw(t, "members")
	if len(ids) == 0 {
		return i, d
	}
	all := []spec.Member{{ID: n(ids[0]), Kind: spec.Voter}}
	for _, id := range ids[1:] {
		all = append(all, spec.Member{ID: n(id), Kind: rapid.SampledFrom(spec.MemberKinds()).Draw(t, "kind")})
	}
	all[0].Address = rapid.StringMatching(`[!#-%'-;=?-\[\]-~]{0,50}`).Draw(t, "address")
	epoch := spec.Epoch(rapid.Uint64Range(0, uint64(d.Epoch)).Draw(t, "epoch of the configuration"))
	var err error
	d.Configuration, err = spec.NewConfiguration(epoch, rapid.Uint64Range(1, 1<<53-1).Draw(t, "version"), all)
	require.NoError(t, err)
	return i, d
}

func TestDecodeIsTheInverseOfEncodeChanging(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i, d := anyChanging(t)
		started := rapid.Bool().Draw(t, "started")
		data := encodeChanging(i, started, d)
		require.LessOrEqual(t, len(data), maxRecord)
		c, f := decode(data)
		require.Nil(t, f)
		require.Equal(t, content{owner: owner{id: i.ID}, identity: i, promise: d, started: started}, c)
	})
}

// TestDamageToChanging cuts, tears and flips a record in every place.
func TestDamageToChanging(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	whole := encodeChanging(who, true, held(7, 9, members(4, 2, 1, 3)))
	for size := range whole {
		_, f := decode(whole[:size])
		require.NotNil(t, f, "%d bytes", size)
		require.Contains(t, []Kind{emptyKind, truncatedKind}, f.kind, "%d bytes: %s", size, f.problem)
		torn := append(bytes.Clone(whole[:size]), make([]byte, len(whole)-size)...)
		_, f = decode(torn)
		require.NotNil(t, f, "%d bytes written", size)
		for bit := range 8 {
			flipped := bytes.Clone(whole)
			flipped[size] ^= 1 << bit
			_, f := decode(flipped)
			require.NotNil(t, f)
			require.Equal(t, damagedKind, f.kind)
			require.Contains(t, f.problem, fmt.Sprintf("bit %d of the byte at %d is flipped; before it said: node 3 of cluster demo, incarnation 0000000000c0ffee, "+
				"epoch 7, grantee 9, configuration epoch:4 version:2 {1 3 witness:9}", bit, size))
		}
	}
}

// badChanging are records of changing members that say what cannot be, each for another reason.
func badChanging() map[string][]byte {
	good := func() []byte { return encodeChanging(who, true, held(7, 9, members(4, 2, 1, 3))) }
	with := func(at int, b ...byte) []byte { return sealed(slices.Replace(good(), at, at+len(b), b...)) }
	above := binary.BigEndian.AppendUint64(nil, uint64(spec.MaxEpoch)+1)
	stamp := clusterAt + 1 + len(who.Cluster)
	one := stamp + stampSize // the first member
	short := good()[:minChanging-1]
	short[lengthAt+1] = byte(len(short))
	none := encodeChanging(who, true, held(7, 9, spec.EmptyConfiguration()))
	return map[string][]byte{
		"it has 90 bytes, fewer than the 91 of a record without": sealed(slices.Replace(short, lengthAt, lengthAt+1, 0)),
		"it states a length of":                                  with(lengthAt+1, 1),
		"is neither 0 nor 1, but 2":                              with(startedAt, 2),
		"the node none is no id":                                 with(idAt, make([]byte, idSize)...),
		"which is not the size for 260 members":                  with(incarnationAt, make([]byte, 8)...), // then members are fixed
		"reserved: 4503599627370497 is above 2^52":               with(reservedAt, 0, 16, 0, 0, 0, 0, 0, 1),
		`the name "de/o" of the cluster`:                         with(clusterAt+3, '/'),
		`the name "" of the cluster`:                             sealed(slices.Replace(bytes.Clone(none), clusterAt, clusterAt+1, 0)),
		"no room for a cluster's name":                           with(clusterAt, 255),
		"grantee: 09000000":                                      with(granteeAt, 9),
		"epoch: 9007199254740992 is above":                       with(epochAt, above...),
		"configuration.epoch: 4 is above":                        with(epochAt, make([]byte, 8)...),
		"version: 0: with members":                               with(stamp+8, make([]byte, 8)...),
		"version: 9007199254740992":                              with(stamp+8, above...),
		"version: 1: without members it is":                      sealed(slices.Replace(none, stamp+15, stamp+16, 1)),
		"it ends within member 4 of 4":                           with(stamp+16, 4),
		"bytes follow on the last member":                        with(stamp+16, 2),
		"the member 3 is given twice, or":                        with(one+15, 10),
		"members[2].id":                                          with(len(good())-checksumSize-memberSize-len("nine:1#0000000000c0ffee"), 10),
		`members[0].kind: "" is no kind`:                         with(one+idSize, 4),
		"members[0].address":                                     with(one+memberSize, ' '),
		"there is no voter":                                      with(one+idSize, 2),
	}
}

func TestBadChangingRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	bads := badChanging()
	// There are two voters: neither is one any more.
	two := bads["there is no voter"]
	two[clusterAt+1+len(who.Cluster)+stampSize+memberSize+len("node-1:7400")+idSize] = 3
	sealed(two)
	for says, data := range bads {
		t.Run(says, func(t *testing.T) {
			dir := put(t, data)
			path := filepath.Join(dir, recordName)
			_, err := OpenChanging(dir)
			requireKind(t, err, impossibleKind, path)
			require.ErrorContains(t, err, says)
			_, err = Open(dir, me.id, me.members)
			requireKind(t, err, impossibleKind, path)
			require.ErrorIs(t, Init(dir, who, first), ErrExists)
			left, err := os.ReadFile(path)
			require.NoError(t, err)
			require.True(t, bytes.Equal(data, left), "the record is as it was")
			report, err := Inspect(dir)
			require.NoError(t, err)
			require.Equal(t, impossibleKind, report.Problem.Kind)
		})
	}
	for _, c := range bad() {
		if c.kind == pastKind || c.kind == futureKind || c.kind.raisable() {
			dir := put(t, c.data)
			_, err := OpenChanging(dir)
			requireKind(t, err, c.kind, filepath.Join(dir, recordName))
			require.ErrorContains(t, Init(dir, who, first), "is there already, and is "+string(c.kind))
		}
	}
}

func TestInit(t *testing.T) {
	slowtest.NoRace(t, "it runs in one goroutine")
	dir := filepath.Join(t.TempDir(), "var", "lib", "bully")
	require.NoError(t, Init(dir, who, first))
	f := openMade(t, dir)
	require.Equal(t, who, f.Identity())
	p, found, err := f.Load()
	require.NoError(t, err)
	require.False(t, found, "a first start")
	require.Equal(t, held(0, 0, first), p)

	require.NoError(t, f.Save(p))
	require.NoError(t, f.Save(held(4, 0, first)))
	require.NoError(t, f.Save(held(4, 8, members(4, 1, 1, 3))))
	require.NoError(t, f.Save(held(4, 8, members(4, 2, 1, 3, 5))))
	require.NoError(t, f.Save(held(6, 0, members(6, 1, 3))), "a later epoch may be of a lower version")
	require.NoError(t, f.Close())
	require.ErrorIs(t, f.Save(p), fs.ErrClosed)

	f = openMade(t, dir)
	require.Equal(t, who, f.Identity())
	requirePromise(t, f, held(6, 0, members(6, 1, 3)))
	require.NoError(t, f.isOf(Identity{ID: n(3), Cluster: "demo"}))
	require.NoError(t, f.isOf(Identity{ID: spec.NodeID{}, Cluster: ""}))
	requireKind(t, f.isOf(Identity{ID: n(4), Cluster: ""}), wrongNodeKind, f.folder.Path())
	requireKind(t, f.isOf(Identity{ID: n(3), Cluster: "toast"}), wrongClusterKind, f.folder.Path())
	require.ErrorContains(t, f.isOf(Identity{ID: n(4), Cluster: "toast"}), "it is that of node 3 of cluster demo, incarnation 0000000000c0ffee, and this is node 4; give this node its own")
	require.ErrorIs(t, Init(dir, who, first), ErrLocked)
	_, err = OpenChanging(dir)
	require.ErrorIs(t, err, ErrLocked)

	joins := filepath.Join(t.TempDir(), "joins")
	require.NoError(t, Init(joins, who, spec.EmptyConfiguration()))
	f = openMade(t, joins)
	require.NoError(t, f.Save(held(0, 0, spec.EmptyConfiguration())))
	require.NoError(t, f.Save(held(0, 0, members(0, 1, 1))), "which it is told of, and is none of")
	require.ErrorContains(t, f.Save(held(0, 0, spec.EmptyConfiguration())), "would go back")
}

// TestInitExists makes no record where there is one, or has been one.
func TestInitExists(t *testing.T) {
	made := encodeChanging(who, false, held(0, 0, first))
	for says, data := range map[string][]byte{
		"is that of node 3 of cluster demo, incarnation 0000000000c0ffee": made,
		"is that of node 3 of [1 2 3 4 5]":                                encode(me, promise(7, 5)),
		"is torn":                                                         make([]byte, 100),
		"is empty":                                                        nil,
	} {
		dir := put(t, data)
		err := Init(dir, who, first)
		require.ErrorIs(t, err, ErrExists)
		require.ErrorContains(t, err, "storage: "+filepath.Join(dir, recordName)+" is there already, and "+says)
		require.ErrorContains(t, err, "start the node, or give the new one a folder of its own")
		left, err := os.ReadFile(filepath.Join(dir, recordName))
		require.NoError(t, err)
		require.Equal(t, string(data), string(left), "Init must not change the record that is there")
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, recordName+folder.MarkerSuffix), nil, 0o600))
	requireKind(t, Init(dir, who, first), Lost, filepath.Join(dir, recordName))
	_, err := OpenChanging(dir)
	requireKind(t, err, Lost, filepath.Join(dir, recordName))
}

func TestInitOfWhatCannotBe(t *testing.T) {
	for says, c := range map[string]struct {
		who   Identity
		first spec.Configuration
	}{
		"the node none is no id (R1)":                         {Identity{Cluster: "demo", Incarnation: 1}, first},
		`the name "" of the cluster is not 1 to 64`:           {Identity{ID: n(3), Incarnation: 1}, first},
		"the incarnation is 0: draw one with NewIncarnation":  {Identity{ID: n(3), Cluster: "demo"}, first},
		"the first configuration is not valid: none":          {who, spec.Configuration{}},
		"is of epoch 0 and version 2, and must be of 0 and 1": {who, members(0, 2, 1, 3)},
		"is of epoch 1 and version 1, and must be of 0 and 1": {who, members(1, 1, 1, 3)},
		"node 3 is no member of the first configuration":      {who, members(0, 1, 1, 2)},
	} {
		dir := filepath.Join(t.TempDir(), "data")
		require.ErrorContains(t, Init(dir, c.who, c.first), says)
		require.NoDirExists(t, dir, "nothing is made for what cannot be")
		_, err := NewChangingMemory(c.who, c.first)
		require.ErrorContains(t, err, says)
		_, err = OpenChanging(dir)
		requireKind(t, err, Missing, dir)
		require.NoDirExists(t, dir)
	}
	dir := t.TempDir()
	_, err := OpenChanging(dir)
	requireKind(t, err, Missing, filepath.Join(dir, recordName))
	require.ErrorContains(t, err, "make one: bully init at each of the first members, bully join at a node that is to be added")
	require.NotEqual(t, NewIncarnation(), NewIncarnation())
}

// TestFixedAndChanging opens each kind of record as the other: it is refused, and stays as it is.
func TestFixedAndChanging(t *testing.T) {
	dir := made(t)
	_, err := Open(dir, me.id, me.members)
	requireKind(t, err, changingKind, filepath.Join(dir, recordName))
	require.ErrorContains(t, err, "it is that of node 3 of cluster demo, incarnation 0000000000c0ffee; start the node without a list of members")
	_, err = Raise(dir, me.id, me.members, 100)
	requireKind(t, err, changingKind, filepath.Join(dir, recordName))
	p, found, err := openMade(t, dir).Load()
	require.NoError(t, err)
	require.False(t, found, "an Open that is refused must write no record")
	require.Equal(t, held(0, 0, first), p)

	dir = put(t, encode(me, promise(7, 5)))
	_, err = OpenChanging(dir)
	requireKind(t, err, fixedKind, filepath.Join(dir, recordName))
	require.ErrorContains(t, err, "it is that of node 3 of [1 2 3 4 5]; start the node with its members, as before")
	_, err = RaiseChanging(dir, who, members(0, 1, 3), 100)
	requireKind(t, err, fixedKind, filepath.Join(dir, recordName))
	f := open(t, dir)
	requirePromise(t, f, promise(7, 5))
	require.Zero(t, f.Identity())
	require.ErrorContains(t, f.Save(held(8, 5, first)), "it has a configuration, and the members of this node are fixed (R40)")
}

// refusals are what a node of changing members must not save after held(4, 5, members(4, 2, 1, 3)).
var refusals = []struct {
	name string
	next spec.Durable
	says string
}{
	{"epoch back", held(3, 5, members(3, 2, 1, 3)), "the epoch would go back from 4 (R2)"},
	{"second grantee", held(4, 3, members(4, 2, 1, 3)), "the epoch is promised to 5 (R17)"},
	{"no configuration", held(5, 5, spec.Configuration{}), "it has no configuration, and a node of changing members has one always (R42)"},
	{"empty configuration", held(5, 5, spec.EmptyConfiguration()), "the configuration would go back from epoch:4 version:2 {1 3 witness:9} (ConfigurationMonotonic)"},
	{"older version", held(5, 5, members(4, 1, 1, 3)), "the configuration would go back from epoch:4 version:2"},
	{"older epoch, later version", held(5, 5, members(3, 9, 1, 3)), "the configuration would go back from epoch:4 version:2"},
	{"other members", held(5, 5, members(4, 2, 1, 3, 5)), "the configuration of this epoch and version is epoch:4 version:2 {1 3 witness:9} (OneConfiguration)"},
	{"configuration above the epoch", held(5, 5, members(6, 1, 1, 3)), "configuration.epoch: 6 is above epoch 5 beside it"},
	{"epoch above the bound", held(spec.MaxEpoch+1, 5, members(4, 2, 1, 3)), "epoch: 9007199254740992 is above"},
}

func TestSaveRefusesWhatNoChangingNodeMayHold(t *testing.T) {
	last := held(4, 5, members(4, 2, 1, 3))
	for _, c := range refusals {
		t.Run(c.name, func(t *testing.T) {
			dir := made(t)
			f := openMade(t, dir)
			require.NoError(t, f.Save(last))
			refused := f.Save(c.next)
			require.ErrorContains(t, refused, c.says)
			require.ErrorContains(t, refused, "this node must stop (R4)")
			require.Same(t, refused, f.Save(held(9, 1, members(9, 1, 3))), "a node that asks for it is broken")
			require.NoError(t, f.Close())
			requirePromise(t, openMade(t, dir), last)

			m, err := NewChangingMemory(who, first)
			require.NoError(t, err)
			require.NoError(t, m.Save(last))
			refused = m.Save(c.next)
			require.ErrorContains(t, refused, c.says)
			require.Same(t, refused, m.Save(held(9, 1, members(9, 1, 3))))
			p, found, err := m.Restart().Load()
			require.NoError(t, err)
			require.True(t, found, "the record before the refused save must stay")
			require.Equal(t, last, p)
		})
	}
	f := openMade(t, made(t))
	require.ErrorContains(t, f.Save(held(0, 0, spec.EmptyConfiguration())), "would go back from epoch:0 version:1", "from that of Init, too")
}

func TestChangingMemory(t *testing.T) {
	m, err := NewChangingMemory(who, first)
	require.NoError(t, err)
	require.Equal(t, who, m.Identity())
	p, found, err := m.Load()
	require.NoError(t, err)
	require.False(t, found, "a new record holds no promise")
	require.Equal(t, held(0, 0, first), p)
	p, found, err = m.Restart().Load()
	require.NoError(t, err)
	require.False(t, found, "it has never started")
	require.Equal(t, held(0, 0, first), p)
	require.NoError(t, m.Save(p))
	require.NoError(t, m.Save(held(4, 8, members(4, 2, 1, 3, 5))))
	again := m.Restart()
	require.Equal(t, who, again.Identity())
	p, found, err = again.Load()
	require.NoError(t, err)
	require.True(t, found, "the record outlives a restart")
	require.Equal(t, held(4, 8, members(4, 2, 1, 3, 5)), p)
	require.ErrorContains(t, NewMemory().Save(held(0, 0, first)), "it has a configuration, and the members of this node are fixed")
	require.Zero(t, NewMemory().Identity())
}

// TestMarkerComesBackOfChanging: a crash right after the record was put in place has left no marker. Whoever opens the record makes
// one, so that its loss would be noticed: or the node would be taken for one that was never made.
func TestMarkerComesBackOfChanging(t *testing.T) {
	dir := made(t)
	marker := filepath.Join(dir, recordName+folder.MarkerSuffix)
	require.NoError(t, os.Remove(marker))
	openMade(t, dir)
	require.FileExists(t, marker)
}

// TestChangingRanks: a rank is in the record, and read again as it was; one of 0 has one form only, which is none.
func TestChangingRanks(t *testing.T) {
	for _, rank := range []uint16{1, 0x0102, spec.MaxRank} {
		c, err := spec.NewConfiguration(4, 3, []spec.Member{
			{ID: n(1), Kind: spec.Witness, Rank: rank, Address: "a:1"}, {ID: n(3), Kind: spec.Voter}, {ID: n(9), Kind: spec.Observer, Rank: rank}})
		require.NoError(t, err)
		data := encodeChanging(who, true, held(7, 1, c))
		require.Equal(t, cap(data), len(data))
		read, err := parseChanging(data)
		require.NoError(t, err)
		require.Equal(t, c, read.promise.Configuration)
		from := []byte{2 | ranked, byte(rank >> 8), byte(rank), 3, 'a'}
		require.Equal(t, 1, bytes.Count(data, from))
		_, err = parseChanging(sealed(bytes.Replace(data, from, []byte{2 | ranked, 0, 0, 3, 'a'}, 1)))
		require.ErrorContains(t, err, "the member 1 has a rank of 0, which is left out")
	}
}
