package cluster_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/spec"
)

var model = conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} })

func id(i int) spec.NodeID { return spec.IntegerID(uint64(i)) }

func integers(n int) (ids []spec.NodeID) {
	for i := range n {
		ids = append(ids, id(i+1))
	}
	return ids
}

func started(t *testing.T, n int, o cluster.Options) *cluster.Cluster {
	c, err := cluster.New(integers(n), model, o)
	require.NoError(t, err)
	return c
}

// do does ops that are written as text, and returns the error of the last.
func do(t *testing.T, c *cluster.Cluster, ops string) (err error) {
	for line := range strings.SplitSeq(ops, ";") {
		require.NoError(t, err)
		op, parsing := cluster.ParseOp(line)
		require.NoError(t, parsing)
		err = c.Do(op)
	}
	return err
}

func TestNewRefuses(t *testing.T) {
	one := &spec.Durable{Epoch: 1, Grantee: id(1)}
	for _, test := range []struct {
		members []spec.NodeID
		records []*spec.Durable
		problem string
	}{
		{nil, nil, "there are no members"},
		{[]spec.NodeID{{}}, nil, "member 1 is no id"},
		{[]spec.NodeID{id(2), id(1)}, nil, "the members must be ascending, each once: 1 comes after 2"},
		{[]spec.NodeID{id(2), id(2)}, nil, "the members must be ascending, each once: 2 comes after 2"},
		{integers(2), []*spec.Durable{one}, "there are 1 records for 2 members"},
		{integers(2), []*spec.Durable{one, {Epoch: spec.MaxEpoch + 1}}, "the record of 2: epoch: 9007199254740992 is above 2^53-1"},
		{integers(2), []*spec.Durable{nil, {Grantee: id(3)}}, "the record of 2: 3 is no member"},
	} {
		_, err := cluster.New(test.members, model, cluster.Options{Records: test.records})
		require.EqualError(t, err, test.problem)
	}
	list := func(e spec.Epoch, version uint64, of ...int) spec.Configuration {
		var members []spec.Member
		for _, i := range of {
			members = append(members, spec.Member{ID: id(i), Kind: spec.Voter})
		}
		c, err := spec.NewConfiguration(e, version, members)
		require.NoError(t, err)
		return c
	}
	for _, test := range []struct {
		first   spec.Configuration
		record  spec.Durable
		problem string
	}{
		{list(1, 1, 1), *one, "the first members: a configuration of version 1 and epoch 0 is wanted, not epoch:1 version:1 {1}"},
		{spec.EmptyConfiguration(), *one, "the first members: a configuration of version 1 and epoch 0 is wanted, not epoch:0 version:0 {}"},
		{list(0, 1, 1, 3), *one, "the first members: 3 is no member"},
		{list(0, 1, 1), *one, "the record of 1: it has no configuration, and members change"},
		{list(0, 1, 1), spec.Durable{Configuration: list(0, 1, 3)}, "the record of 1: 3 is no member"},
		{spec.Configuration{}, spec.Durable{Configuration: list(0, 1, 1)}, "the record of 1: it has a configuration, and members are fixed"},
	} {
		_, err := cluster.New(integers(2), model, cluster.Options{First: test.first, Records: []*spec.Durable{&test.record, nil}})
		require.EqualError(t, err, test.problem)
	}
}

// TestLinks shows what becomes of messages: first sent first, and lost with a cut link, and with either end.
func TestLinks(t *testing.T) {
	c := started(t, 3, cluster.Options{})
	require.NoError(t, do(t, c, "end 1 patience; deliver 1 2; deliver 1 3"))
	from2 := spec.Link{From: id(2), To: id(1)}
	types := func() (types []spec.MessageType) {
		for _, m := range c.UnderWay(nil, from2) {
			types = append(types, m.Type)
		}
		return types
	}
	require.Equal(t, []spec.MessageType{spec.OK, spec.Election}, types())
	require.NoError(t, do(t, c, "lose 2 1"))
	require.Equal(t, []spec.MessageType{spec.Election}, types())
	require.Len(t, c.Busy(nil), 4)
	require.NoError(t, do(t, c, "cut 2-1 3-2"))
	require.Equal(t, []spec.Link{from2, {From: id(3), To: id(2)}}, c.CutLinks())
	require.Empty(t, types())
	require.NoError(t, do(t, c, "deliver 2 3; deliver 3 1; deliver 3 1; heal; deliver 1 3; deliver 3 1; deliver 1 3; crash 1; settle"))
	require.Equal(t, spec.Leader, c.State(id(3)).Role)
	require.Equal(t, map[spec.Epoch]spec.NodeID{1: id(3)}, c.Leaders())
	require.Empty(t, c.Busy(nil), "what is sent to a node that is down is lost")
	require.Empty(t, c.UnderWay(nil, spec.Link{From: id(9), To: id(1)}))
	require.False(t, c.Up(id(1)))
	require.False(t, c.Up(id(9)))
	require.Equal(t, spec.State{}, c.State(id(9)))
}

// TestCrashWithinAStep crashes a node before its promise is on disk, after it, and between two messages.
func TestCrashWithinAStep(t *testing.T) {
	for _, test := range []struct {
		crash string
		epoch spec.Epoch
		steps int
	}{{"", 1, 1}, {" crash before", 0, 0}, {" crash after 0", 1, 1}, {" crash after 1", 1, 1}, {" crash after 9", 1, 1}} {
		steps := 0
		c := started(t, 3, cluster.Options{})
		require.NoError(t, do(t, c, "end 3 patience; deliver 3 1; deliver 1 3; deliver 3 1"))
		before := c.Events()
		require.NoError(t, do(t, c, "deliver 1 3"+test.crash))
		if c.Leaders()[1] == id(3) {
			steps++
		}
		require.Equal(t, test.steps, steps, test.crash)
		record, found := c.Record(id(3))
		require.True(t, found)
		require.Equal(t, test.epoch, record.Epoch, test.crash)
		require.Equal(t, test.crash == "", c.Up(id(3)))
		wantEvents := uint64(test.steps)
		if test.crash != "" {
			wantEvents++
			require.Equal(t, spec.TimerSet(0), c.Timers(id(3)))
			require.Empty(t, c.UnderWay(nil, spec.Link{From: id(3), To: id(2)}))
			require.NoError(t, do(t, c, "restart 3"))
			require.Equal(t, test.epoch, c.State(id(3)).Epoch, "it restarts with its record")
		}
		require.Equal(t, before+wantEvents, c.Events()-map[bool]uint64{true: 0, false: 1}[test.crash == ""], test.crash)
	}
}

func TestNotPossible(t *testing.T) {
	c := started(t, 3, cluster.Options{})
	require.NoError(t, do(t, c, "crash 1"))
	done, events := len(c.Done()), c.Events()
	for op, reason := range map[string]string{
		"deliver 2 3": "nothing is under way there", "lose 9 3": "nothing is under way there", "end 1 patience": "it is down",
		"end 2 claim": "the timer does not run", "late 2 patience": "the timer runs", "crash 9": "it is no member",
		"restart 2": "it runs", "start 1": "it has a record: this would be a restart", "heal": "it is so already",
		"change 2 to 2": "members are fixed", "cut 2-9": "there is no such link", "expect 9 down epoch 0 leader none": "it is no member",
	} {
		err := do(t, c, op)
		var not *cluster.NotPossible
		require.ErrorAs(t, err, &not, op)
		require.EqualError(t, err, op+": "+reason)
	}
	require.Error(t, c.Do(cluster.Op{Kind: "sing", Node: id(2)}))
	require.Len(t, c.Done(), done)
	require.Equal(t, events, c.Events(), "nothing has happened")
	unstarted := started(t, 2, cluster.Options{Unstarted: true})
	require.EqualError(t, do(t, unstarted, "restart 2"), "restart 2: it has no record: this would be a first start")
	require.NoError(t, do(t, unstarted, "start 2 crash before; start 2 crash after 0; restart 2"))
}

// TestViolationsLast shows that a cluster that has broken a promise goes no further.
func TestViolationsLast(t *testing.T) {
	c := started(t, 2, cluster.Options{})
	first := do(t, c, "expect 2 leader epoch 1 leader 2")
	require.EqualError(t, first, "expect: expect 2 leader epoch 1 leader 2: it is follower leader:none epoch:0 grantee:none support:{} latest:1 (op 1)")
	require.Equal(t, first, do(t, c, "end 2 patience"))
	require.Len(t, c.Done(), 1)
	full := errors.New("the disk is full")
	trace := spec.NewTraceWriter(failing{full}, spec.Header{Members: integers(1), Commit: "test"})
	c = started(t, 1, cluster.Options{Trace: trace})
	var err error
	require.NoError(t, do(t, c, "end 1 patience; end 1 election"))
	for i := 0; err == nil && i < 10_000; i++ {
		err = do(t, c, "end 1 heartbeat")
	}
	require.ErrorIs(t, err, full)
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestSettleEnds shows that nodes that answer each other for ever are found out.
func TestSettleEnds(t *testing.T) {
	echo := fault{step: func(_ *conformance.Model, c *conformance.Case, got *spec.Step) {
		if m := c.Input.Message; m.Validate() == nil {
			*got = spec.Step{State: c.Before, Sent: []spec.Message{{Type: spec.OK, From: c.ID, To: m.From}}}
		}
	}}
	c, err := cluster.New(integers(2), echo.node, cluster.Options{})
	require.NoError(t, err)
	require.ErrorContains(t, do(t, c, "end 2 patience; settle"), "R36: 10000 messages have been delivered without the end of a timer")
}

// TestEnabled shows that each op of Enabled is possible, and that those of Draw are too, and all that is drawn is the same
// from the same choices.
func TestEnabled(t *testing.T) {
	run := func(seed uint64) (string, map[cluster.Kind]int) {
		choose := rand.New(rand.NewPCG(seed, 7)).IntN
		script := cluster.DrawScript(choose)
		if seed%4 == 0 {
			script = cluster.DrawScript(choose).DrawFirst(choose)
		}
		kinds := map[cluster.Kind]int{}
		var trace bytes.Buffer
		w := spec.NewTraceWriter(&trace, spec.Header{Changing: !script.First.IsNone(), Members: script.Members, Commit: "test"})
		c, err := cluster.New(script.Members, model, cluster.Options{First: script.First, Records: script.Records, Trace: w})
		require.NoError(t, err)
		for range 100 {
			op := c.Draw(choose)
			if enabled := c.Enabled(nil); choose(3) == 0 {
				op = enabled[choose(len(enabled))]
			}
			kinds[op.Kind]++
			require.NoError(t, c.Do(op))
		}
		require.NoError(t, w.Flush())
		require.Equal(t, int(c.Events())+1, bytes.Count(trace.Bytes(), []byte("\n")))
		return trace.String(), kinds
	}
	all := map[cluster.Kind]int{}
	for seed := range uint64(40) {
		trace, kinds := run(seed)
		again, _ := run(seed)
		require.Equal(t, trace, again)
		for kind, n := range kinds {
			all[kind] += n
		}
	}
	for _, kind := range []cluster.Kind{
		cluster.Deliver, cluster.Lose, cluster.End, cluster.Late, cluster.Resign, cluster.Dead, cluster.Crash, cluster.Restart,
		cluster.Cut, cluster.Heal, cluster.Settle, cluster.Change,
	} {
		require.Greater(t, all[kind], 3, kind)
	}
}
