package trace_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/trace"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// TestMerge merges the records of random runs, and sees that the result is a run that the rules and the links allow.
func TestMerge(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	type much struct{ nodes, steps, crashes, losses int }
	const never = 1_000_000
	for _, c := range []struct {
		clocks clocks
		much   much
	}{
		{oneClock, much{1, 60, 15, never}}, {oneClock, much{2, 200, 40, 50}}, {oneClock, much{3, 400, never, never}},
		{oneClock, much{3, 600, 60, 30}}, {oneClock, much{5, 1500, 30, 1000}}, {oneClock, much{7, 3000, 150, 100}},
		{skewed, much{2, 200, 40, 50}}, {skewed, much{3, 600, 60, 30}}, {skewed, much{5, 1500, 100, 50}}, {skewed, much{7, 3000, 150, 100}},
		{noClock, much{1, 60, 15, never}}, {noClock, much{2, 200, 40, 50}}, {noClock, much{5, 1500, never, 20}},
	} {
		seeds := uint64(2)
		if slowtest.Wanted() {
			seeds = 6
		}
		for seed := range seeds {
			name := fmt.Sprintf("%+v, seed %d", c, seed)
			cluster := newCluster(t, c.much.nodes, seed, c.clocks)
			cluster.run(c.much.steps, c.much.crashes, c.much.losses)
			var merged bytes.Buffer
			summary, err := trace.Merging{Step: bully.Replay}.Merge(&merged, cluster.files()...)
			require.NoError(t, err, name)
			read, err := legal(&merged)
			require.NoError(t, err, name)
			require.Equal(t, summary.Events, read, name)
			require.LessOrEqual(t, summary.Filled, cluster.missing, name)
			require.Zero(t, summary.Unsent, name)
		}
	}
}

// TestClocksAreSetRight: where messages show that a clock is ahead or behind, what no message orders comes in the order in which it was,
// and not in that of the clocks.
func TestClocksAreSetRight(t *testing.T) {
	for _, ahead := range []int64{5_000_000, -5_000_000} {
		dir := t.TempDir()
		by := func(at int64, e spec.Event) spec.Event { // the clock of its node
			if e.Node == spec.IntegerID(2) {
				at += ahead
			}
			e.At = uint64(at)
			return e
		}
		ended := func(node uint64) spec.Event {
			return spec.Event{Node: spec.IntegerID(node), Action: spec.CoordinatorTimeout, Input: spec.Input{Timer: spec.CoordinatorTimer}, State: at(0, 0)}
		}
		back := spec.Message{Type: spec.OK, From: spec.IntegerID(1), To: spec.IntegerID(2), Question: 2}
		hears := hears()
		hears.Sent = []spec.Message{back}
		hearsBack := spec.Event{Node: spec.IntegerID(2), Action: spec.OnOk, Input: spec.Input{Message: back}, State: at(0, 0)}
		var out strings.Builder
		_, err := trace.Merge(&out,
			write(t, dir, "1-000001.ndjson", ids(2), by(10_000_000, start(1)), by(11_000_300, hears), by(12_000_000, ended(1)), by(13_000_000, ended(1))),
			write(t, dir, "2-000001.ndjson", ids(2), by(10_000_000, start(2)), by(11_000_000, asks()), by(11_000_600, hearsBack), by(12_500_000, ended(2)), by(13_500_000, ended(2))))
		require.NoError(t, err)
		var last []string
		reader, err := spec.NewTraceReader(strings.NewReader(out.String()))
		require.NoError(t, err)
		for event := (spec.Event{}); ; {
			if err = reader.Read(&event); err != nil {
				break
			}
			if event.Action == spec.CoordinatorTimeout {
				last = append(last, event.Node.String())
			}
		}
		require.ErrorIs(t, err, io.EOF)
		require.Equal(t, []string{"1", "2", "1", "2"}, last, ahead)
	}
}

// files returns the files of all records.
func (c *cluster) files() []string {
	files, err := trace.Files(c.dir)
	require.NoError(c.t, err)
	return files
}

// legal replays a merged trace by the rules of the model, and returns how many events it has, or why it is no legal run:
// each step must be that of the rules, and what it receives must be under way.
func legal(in io.Reader) (events int, err error) {
	report, err := check.Trace(in, check.Options{Strict: true})
	return int(report.Events), err
}
