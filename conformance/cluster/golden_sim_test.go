package cluster_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/check"
)

// recorded are the golden traces with times: three nodes in the simulator, with timers on time. They were recorded with timers that
// the host's policy would set otherwise, within the same bounds; no rule depends on it, and so they are kept as they are.
var recorded = []struct{ name, shows string }{
	{"sim-crash-seed-1", "In simulated time: the leader crashes, is proved dead, and returns after 300 ms; later it is handed the reign back."},
	{"sim-cut-seed-2", "In simulated time: the leader is cut off for 600 ms. Its check steps it down before any other claims, so that there is never more than one acting leader; it is handed the reign back when it has followed long enough."},
	{"sim-loss-seed-3", "In simulated time: for 400 ms links to the leader and from it lose a third of what they carry. It misses the answers to its heartbeats, steps down, asks, and leads the next epoch."},
}

// recordings returns the golden traces of the simulator, each of which is a run by the rules.
func recordings(t *testing.T) (all []golden) {
	for _, r := range recorded {
		text, err := os.ReadFile(goldenTraces + r.name + ".ndjson")
		require.NoError(t, err)
		_, err = check.Trace(bytes.NewReader(text), check.Options{Strict: true})
		require.NoError(t, err, r.name)
		all = append(all, golden{name: r.name, shows: r.shows, members: 3, events: uint64(bytes.Count(text, []byte("\n")) - 1), trace: text})
	}
	return all
}
