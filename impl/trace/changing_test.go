package trace_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/trace"
	"github.com/seed-fdf591db/bully/spec"
)

// newChanging returns n nodes of which the first so many are members at the beginning, and the others wait to be added.
func newChanging(t testing.TB, n, first int, seed uint64, kind clocks) *cluster {
	c := newCluster(t, n, seed, kind)
	c.first = members(0, 1, ids(first)...)
	return c
}

// members returns a configuration of voters.
func members(epoch spec.Epoch, version uint64, voters ...spec.NodeID) spec.Configuration {
	var all []spec.Member
	for _, id := range voters {
		all = append(all, spec.Member{ID: id, Kind: spec.Voter})
	}
	c, err := spec.NewConfiguration(epoch, version, all)
	if err != nil {
		panic(err)
	}
	return c
}

// changing returns the core of a node as its record makes it, and lets its recorder know of those whom the record names.
func (c *cluster) changing(m *member, options *trace.Options) (*bully.Node, error) {
	first, known := c.first, m.disk.Configuration
	if _, member := first.Member(m.id); m.started || !member {
		first = spec.EmptyConfiguration()
	}
	if !m.started {
		known = first
	}
	options.Changing, options.Members = true, nil
	for _, member := range known.Members() {
		options.Members = append(options.Members, member.ID)
	}
	return bully.NewChanging(m.id, first)
}

// change returns a configuration in which one member is of another kind than in that of a node, or none any more.
func (c *cluster) change(m *member) spec.Configuration {
	now := m.core.Configuration()
	k := c.members[c.random.IntN(len(c.members))]
	all := slices.DeleteFunc(now.Members(), func(member spec.Member) bool { return member.ID == k })
	if kinds := spec.MemberKinds(); c.random.IntN(3) > 0 {
		all = append(all, spec.Member{ID: k, Kind: kinds[c.random.IntN(len(kinds))]})
	}
	next, err := spec.NewConfiguration(m.core.State().Epoch, now.Version+1, all)
	if err != nil { // it would have no voter
		return now
	}
	if m.core.MayChange(next) == nil {
		c.changes++
	}
	return next
}

// TestMergeChanging merges the records of random runs in which members come and go, and sees that the result is a run that the
// rules and the links allow: of format 2, with all who were ever members.
func TestMergeChanging(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	type much struct{ nodes, first, steps, crashes, losses int }
	const never = 1_000_000
	changes := 0
	for _, c := range []struct {
		clocks clocks
		much   much
	}{
		{oneClock, much{2, 1, 300, never, never}}, {oneClock, much{3, 2, 600, 60, 30}}, {oneClock, much{6, 3, 2000, 100, 100}},
		{skewed, much{3, 1, 600, 60, 30}}, {skewed, much{10, 5, 3000, 100, 50}}, {noClock, much{3, 2, 300, 60, 50}},
	} {
		for seed := range uint64(3) {
			name := fmt.Sprintf("%+v, seed %d", c, seed)
			cluster := newChanging(t, c.much.nodes, c.much.first, seed, c.clocks)
			cluster.run(c.much.steps, c.much.crashes, c.much.losses)
			changes += cluster.changes
			var merged bytes.Buffer
			summary, err := trace.Merging{Step: bully.Replay}.Merge(&merged, cluster.files()...)
			require.NoError(t, err, name)
			require.Contains(t, merged.String()[:50], `{"format":3,"spec":"2.0","changing":true,`, name)
			read, err := legal(&merged)
			require.NoError(t, err, name)
			require.Equal(t, summary.Events, read, name)
			require.LessOrEqual(t, summary.Filled, cluster.missing, name)
		}
	}
	require.Greater(t, changes, 30)
}

// TestRecorderOfChanging: a record begins with those whom the node knows of, and another file with each that turns up.
func TestRecorderOfChanging(t *testing.T) {
	dir, one, three := t.TempDir(), spec.IntegerID(1), spec.IntegerID(3)
	first := members(0, 1, ids(2)...)
	r, err := trace.NewRecorder(trace.Options{Dir: dir, Node: one, Members: ids(2), Changing: true})
	require.NoError(t, err)
	begins := spec.Event{Node: one, Action: spec.StartAction, State: spec.State{Role: spec.Follower, Configuration: first}}
	for range 2 { // the second is of no new member
		require.NoError(t, r.Record(&begins))
	}
	hears := spec.Event{Node: one, Action: spec.OnHeartbeat, State: begins.State,
		Input: spec.Input{Message: spec.Message{Type: spec.Heartbeat, From: three, To: one, Question: 1, Configuration: first}}}
	require.NoError(t, r.Record(&hears))
	require.NoError(t, r.Close())
	require.Equal(t, []string{"1-000001.ndjson", "1-000002.ndjson"}, names(t, dir))
	header, events := read(t, filepath.Join(dir, "1-000001.ndjson"))
	require.True(t, header.Changing, "the header says that members change")
	require.Equal(t, ids(2), header.Members)
	require.Len(t, events, 2)
	require.Equal(t, first, events[0].State.Configuration)
	header, events = read(t, filepath.Join(dir, "1-000002.ndjson"))
	require.Equal(t, ids(3), header.Members)
	require.Equal(t, uint64(1), events[0].Seq)

	// Who has no members yet is in the header all the same; an event of fixed members is none here, nor the other way round.
	joins, err := trace.NewRecorder(trace.Options{Dir: dir, Node: three, Changing: true})
	require.NoError(t, err)
	require.ErrorContains(t, joins.Record(&spec.Event{Node: three, Action: spec.StartAction, State: spec.State{Role: spec.Follower}}), "configuration")
	header, _ = read(t, filepath.Join(dir, "3-000001.ndjson"))
	require.Equal(t, []spec.NodeID{three}, header.Members)
	fixed, err := trace.NewRecorder(trace.Options{Dir: dir, Node: spec.IntegerID(2), Members: ids(2)})
	require.NoError(t, err)
	begins.Node = spec.IntegerID(2)
	require.ErrorContains(t, fixed.Record(&begins), "configuration")
	start := start(2)
	fixed, err = trace.NewRecorder(trace.Options{Dir: dir, Node: spec.IntegerID(2), Members: ids(2)})
	require.NoError(t, err)
	require.NoError(t, fixed.Record(&start))
	_, err = trace.Merging{Step: bully.Replay}.Merge(&bytes.Buffer{}, filepath.Join(dir, "1-000001.ndjson"), filepath.Join(dir, "2-000002.ndjson"))
	require.Error(t, err, "a trace is of one kind of members")
}
