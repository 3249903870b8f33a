package check_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces"
)

// integers returns the ids 1 to n.
func integers(n int) (ids []spec.NodeID) {
	for i := range n {
		ids = append(ids, spec.IntegerID(uint64(i+1)))
	}
	return ids
}

// uuids returns n ids that are UUIDs.
func uuids(n int) (ids []spec.NodeID) {
	for i := range n {
		ids = append(ids, spec.NodeID{byte(32*i + 3), 1, 2, 3, 4, 5, 0x46, 7, 0x88, 9, 10, 11, 12, 13, 14, byte(i)})
	}
	return ids
}

// recorded returns the trace of a run of the model in which anything happens, with at least so many events.
func recorded(t testing.TB, members []spec.NodeID, seed uint64, events int) []byte {
	t.Helper()
	return recordedOf(t, &cluster.Script{Members: members}, seed, events)
}

// recordedOf is recorded for what begins as a script says.
func recordedOf(t testing.TB, s *cluster.Script, seed uint64, events int) []byte {
	t.Helper()
	var text bytes.Buffer
	w := spec.NewTraceWriter(&text, spec.Header{Changing: !s.First.IsNone(), Members: s.Members, Seed: seed, Commit: "model"})
	model := conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} })
	c, err := cluster.New(s.Members, model, cluster.Options{First: s.First, Records: s.Records, Trace: w})
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(seed, 5))
	for c.Events() < uint64(events) {
		require.NoError(t, c.Do(c.Draw(random.IntN)))
	}
	require.NoError(t, w.Flush())
	return text.Bytes()
}

// checked checks a trace that is good.
func checked(t testing.TB, text []byte, o check.Options) check.Report {
	t.Helper()
	report, err := check.Trace(bytes.NewReader(text), o)
	require.NoError(t, err)
	return report
}

// readTrace reads a trace.
func readTrace(t testing.TB, text []byte) (spec.Header, []spec.Event) {
	t.Helper()
	h, events, err := traces.Read(text)
	require.NoError(t, err)
	return h, events
}

// writeTrace writes a trace, in the canonical bytes.
func writeTrace(t testing.TB, h spec.Header, events []spec.Event) []byte {
	t.Helper()
	text, err := traces.Write(h, events)
	require.NoError(t, err)
	return text
}

// soak returns how many times as long a test is to be as it commonly is: the environment variable BULLY_SOAK, or 1.
func soak() int {
	if n, err := strconv.Atoi(os.Getenv("BULLY_SOAK")); err == nil && n > 0 {
		return n
	}
	return 1
}

// mutantSources returns traces in which much happens, of which TestMutants changes everything.
func mutantSources(t testing.TB) map[string][]byte {
	sources := map[string][]byte{
		"two nodes": recorded(t, integers(2), 3, 40), "three nodes": recorded(t, integers(3), 1, 40), "four nodes": recorded(t, uuids(4), 4, 30),
	}
	names := []string{"crash-between-save-and-send", "leader-back-unnoticed", "members-change-lost"}
	for more := range soak() - 1 {
		names = []string{"claim-lost-to-a-rival", "members-two-operators", "members-claimant-adopts", "crash-between-save-and-send", "last-epoch", "leader-back-unnoticed", "restart-silence"}
		sources[fmt.Sprintf("soak %d", more)] = recorded(t, integers(2+more%4), uint64(100+more), 80)
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(validDir, name+".ndjson"))
		require.NoError(t, err)
		sources[name] = text
	}
	return sources
}
