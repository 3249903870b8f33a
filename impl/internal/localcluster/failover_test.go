package localcluster

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fakeCommand is the command line of a fake node.
func fakeCommand() []string { return []string{"env", fakeVariable + "=1", os.Args[0]} }

// TestFailovers measures fakes.
func TestFailovers(t *testing.T) {
	t.Parallel()
	together(t, Faults(), func(fault Fault) string { return string(fault) }, func(t *testing.T, fault Fault) {
		if err := CanNamespace(); fault == FaultCut && err != nil {
			t.Skip("needs ip: ", err)
		}
		var rounds []int
		plan := Failovers{Config: Config{Nodes: 3, Command: fakeCommand()}, Fault: fault, Rounds: 2,
			Each: func(round int, _ Failover) { rounds = append(rounds, round) }}
		all, err := plan.Measure(t.Context())
		require.NoError(t, err)
		require.Equal(t, []int{1, 2}, rounds)
		for _, one := range all {
			require.NotEqual(t, one.Old.Leader, one.New.Leader)
			require.Greater(t, one.New.Epoch, one.Old.Epoch)
			require.Positive(t, one.Took)
			require.Positive(t, one.Messages["HEARTBEAT"])
			require.Equal(t, 4*one.Sent(), one.Bytes)
			require.Positive(t, one.Saves)
		}
		require.Greater(t, all[1].Old.Epoch, all[0].Old.Epoch)
	})
}

// TestOldLeaderBeginsAnother: a reign that the old leader begins before the fault befalls it is not the one after the fault.
func TestOldLeaderBeginsAnother(t *testing.T) {
	t.Parallel()
	c := fakes(t, Config{Nodes: 3})
	run := []int{c.watch.begin(1), c.watch.begin(2)}
	name := func(leader int, epoch uint64) {
		for i, of := range run {
			c.watch.add(of, Event{Node: i + 1, Running: true, Leader: leader, Epoch: epoch, Leading: leader == i+1})
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	at := func() (Reign, error) { return c.agreeBut(ended, 4, 3, 1, 2) } // as things stand: it waits for nothing
	name(2, 4)
	_, err := at()
	require.ErrorIs(t, err, context.Canceled)
	name(3, 5)
	_, err = at()
	require.ErrorContains(t, err, "nodes [1 2] name one leader that is not 3, in an epoch above 4")
	name(2, 6)
	reign, err := at()
	require.NoError(t, err)
	require.Equal(t, Reign{Leader: 2, Epoch: 6}, reign)
}

// TestDeposedBefore: a leader that had lost its reign before the fault is told from one that lost it by the fault.
func TestDeposedBefore(t *testing.T) {
	t.Parallel()
	c := fakes(t, Config{Nodes: 2})
	run, fault := c.watch.begin(1), time.UnixMilli(100)
	name := func(leader int, epoch uint64, at int64) {
		c.watch.add(run, Event{Node: 1, At: time.UnixMilli(at), Running: true, Leader: leader, Epoch: epoch})
	}
	old := Reign{Leader: 2, Epoch: 4}
	name(1, 3, 10)
	name(2, 4, 20)
	name(0, 4, 30)
	name(2, 5, 40)
	require.False(t, c.deposed(old, fault), "node 2 leads on, in epoch 5: %v", c.Events(0))
	name(1, 6, 110)
	require.False(t, c.deposed(old, fault), "node 1 leads after the fault: %v", c.Events(0))
	name(1, 7, 90)
	require.True(t, c.deposed(old, fault), "node 1 has led before the fault: %v", c.Events(0))
}

// TestFailoversOfInner has the fault befall what the process of a node has started, and that alone; and ends both before it starts them again.
func TestFailoversOfInner(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux: for /proc")
	}
	self := filepath.Base(os.Args[0])
	config := Config{Nodes: 3, Command: append(fakeCommand(), "-guards"), Inner: self[:min(len(self), 15)]}
	for _, fault := range []Fault{FaultKill, FaultStop} {
		all, err := Failovers{Config: config, Fault: fault, Rounds: 2}.Measure(t.Context())
		require.NoError(t, err, fault)
		for _, one := range all {
			require.NotEqual(t, one.Old.Leader, one.New.Leader)
			require.Equal(t, fault == FaultKill, one.Teardown > 0, "what is stopped does not end: nobody guards it")
		}
	}
	took, err := MeasureTeardown(within(t, patience), config, 2)
	require.NoError(t, err)
	require.Positive(t, took)

	config.Inner = "nobody"
	_, err = Failovers{Config: config, Fault: FaultKill, Rounds: 1}.Measure(t.Context())
	require.ErrorContains(t, err, "has started no nobody that runs")
}

// TestFloor adds up what a failover cannot do without.
func TestFloor(t *testing.T) {
	t.Parallel()
	f := Floor{Wait: 1000, Teardown: 100, Message: 1, Save: 10}
	require.Equal(t, time.Duration(1125), f.Total())
	all := []Failover{{Teardown: 7}, {Teardown: 9}, {Teardown: 8}}
	f, err := MeasureFloor(all, FaultKill)
	require.NoError(t, err)
	require.Equal(t, time.Duration(8), f.Teardown)
	require.Positive(t, f.Message)
	require.Positive(t, f.Save)
	f, err = MeasureFloor(all, FaultStop)
	require.NoError(t, err)
	require.Zero(t, f.Teardown, "how long a guard took is no floor")
}

// TestFailoversNot sees what is not measured.
func TestFailoversNot(t *testing.T) {
	t.Parallel()
	config := Config{Nodes: 3, Command: fakeCommand()}
	_, err := Failovers{Config: config, Fault: FaultKill}.Measure(t.Context())
	require.ErrorContains(t, err, "0 rounds measure nothing")
	_, err = Failovers{Config: config, Fault: "fire", Rounds: 1}.Measure(t.Context())
	require.ErrorContains(t, err, `unknown fault "fire"`)
	_, err = Failovers{Config: Config{Command: fakeCommand()}, Fault: FaultKill, Rounds: 1}.Measure(t.Context())
	require.ErrorContains(t, err, "a cluster has 1 to 64 nodes")
	config.Command = append(config.Command, "-fails")
	for wait := time.Second; ; wait *= 2 { // until one has been started, and has failed, within that
		_, err = Failovers{Config: config, Fault: FaultKill, Rounds: 1, Patience: wait}.Measure(t.Context())
		require.ErrorContains(t, err, "round 1: waited")
		if wait >= patience || strings.Contains(err.Error(), "this fake was told to fail") {
			break
		}
	}
	require.ErrorContains(t, err, "this fake was told to fail")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Failovers{Config: config, Fault: FaultKill, Rounds: 1}.Measure(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

// TestLeaderThatHasLostItsReign: who cannot hand over when it is called to, as it has just lost its reign, ends no measurement.
func TestLeaderThatHasLostItsReign(t *testing.T) {
	t.Parallel()
	all, err := Failovers{Config: Config{Nodes: 3, Command: fakeCommand()}, Fault: FaultResign, Rounds: 1}.Measure(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.NotEqual(t, all[0].Old.Leader, all[0].New.Leader)
}

// TestQuantile takes the least of the times that are enough.
func TestQuantile(t *testing.T) {
	t.Parallel()
	var hundred []time.Duration
	for i := range 100 {
		hundred = append(hundred, time.Duration(100-i))
	}
	require.Equal(t, time.Duration(50), Median(hundred))
	require.Equal(t, time.Duration(99), Quantile(hundred, 0.99))
	require.Equal(t, time.Duration(100), Quantile(hundred, 1))
	require.Equal(t, time.Duration(1), Quantile(hundred, 0))
	require.Equal(t, time.Duration(2), Median([]time.Duration{3, 1, 2}))
	require.Zero(t, Median(nil))
}

// TestMeasureIdle measures fakes at rest.
func TestMeasureIdle(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux: for /proc")
	}
	all := idle(t, Config{Nodes: 2, Command: fakeCommand()}, 300*time.Millisecond)
	for i, one := range all {
		require.Equal(t, i+1, one.Node)
		require.Equal(t, i == 1, one.Leading, "node %d", one.Node)
		require.Positive(t, one.CPU)
		require.Less(t, one.CPU, 1.0)
		require.Greater(t, one.Resident, int64(1<<20))
	}
}

// TestStopLate sees that a node that does not heed SIGTERM is not waited for for ever.
func TestStopLate(t *testing.T) {
	t.Parallel()
	c := fakes(t, Config{Nodes: 1, Command: []string{"-ignores-term"}})
	c.stopping = 50 * time.Millisecond
	require.NoError(t, c.Start())
	_, err := c.Agree(within(t, patience), 0, 1)
	require.NoError(t, err)
	_, err = c.Stop(1)
	require.ErrorContains(t, err, "node 1 has not stopped 50ms after SIGTERM")
}
