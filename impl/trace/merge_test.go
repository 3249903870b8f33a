package trace_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/trace"
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
		for seed := range uint64(6) {
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
