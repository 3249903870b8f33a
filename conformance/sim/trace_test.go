package sim_test

import (
	"bytes"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
)

// TestSame runs plans twice, with a new Runner and with one that has run others, with a trace and without: the digest is the
// same, and so are the bytes of the trace, which the validator accepts.
func TestSame(t *testing.T) {
	used := sim.NewRunner(model)
	events := 0
	for _, profile := range sim.Profiles() {
		for _, nodes := range []int{1, 4} {
			p, err := sim.Generate(uint64(nodes), nodes, profile)
			require.NoError(t, err)
			var one, two bytes.Buffer
			first, err := sim.Run(&p, model, sim.Options{Trace: &one})
			require.NoError(t, err)
			second, err := used.Run(&p, sim.Options{})
			require.NoError(t, err)
			second.Reigns = append([]sim.Reign(nil), second.Reigns...) // the memory is the runner's, there or not
			require.Equal(t, first, second)
			third, err := used.Run(&p, sim.Options{Trace: &two})
			require.NoError(t, err)
			third.Reigns = append([]sim.Reign(nil), third.Reigns...)
			require.Equal(t, first, third)
			require.True(t, bytes.Equal(one.Bytes(), two.Bytes()))
			report, err := check.Trace(&one, check.Options{OneActing: first.Timely, Strict: true})
			require.NoError(t, err, "%s, %d nodes", profile, nodes)
			require.EqualValues(t, len(first.Reigns), report.Reigns)
			events += int(report.Events)
		}
	}
	t.Logf("%d events", events)
	require.Positive(t, events)
}

// mixedPlan has faults of many kinds, again and again, of nodes and links in turn. What they are, and in which order, is pinned.
func mixedPlan(seed uint64) *sim.Plan {
	kinds := []sim.FaultKind{
		sim.CrashFault, sim.CutFault, sim.BreakFault, sim.ConditionsFault, sim.PauseFault, sim.SlowDiskFault, sim.FailDiskFault,
		sim.JumpFault, sim.EarlyFault, sim.DeadFault, sim.ResignFault,
	}
	p := quiet(5)
	all := linksOf(1, 2, 2, 3, 3, 4, 4, 5, 5, 1, 2, 1, 5, 4)
	for k := range 60 {
		p.Faults = append(p.Faults, sim.Fault{
			At: time.Duration(k) * 97 * ms, For: time.Duration(30+k*41%500) * ms, Kind: kinds[k%11], Node: id(1 + k*3%5), Links: all[k%3 : 4+k%3],
			Point: sim.Between + sim.Point(k/11), Conditions: sim.Conditions{Delay: sim.Range{Max: 9 * ms}, Loss: 0.3}, Disk: sim.Range{Max: ms}, Kept: k%2 == 0,
		})
	}
	p.Seed, p.Length, p.Proofs = seed, 7*time.Second, true
	p.Links, p.Disk = sim.Conditions{Delay: sim.Range{Max: 5 * ms}, Loss: 0.02}, sim.Range{Max: ms}
	p.Timing.Preempt = 100 * ms
	p.Rates = []float64{1.01, 1, 0.99, 1, 1.005}
	return p
}

// TestPinned pins the digest of runs: it is the same on every machine. Whoever changes the simulator so that it is not knows
// that plans mean something else then, those that were kept because they failed too.
func TestPinned(t *testing.T) {
	digest, steps := uint64(0), uint64(0)
	for seed := range uint64(20) {
		result := run(t, mixedPlan(seed), model)
		require.Nil(t, result.Violation)
		digest, steps = digest*31+result.Digest, steps+result.Steps
	}
	require.Equal(t, []uint64{0x60d3, 0xff5737337b2bffda}, []uint64{steps, digest})
}

// goldenPlan has something of everything in it, in little time.
func goldenPlan() *sim.Plan {
	p := quiet(3,
		sim.Fault{At: 20 * ms, For: 5 * ms, Kind: sim.PauseFault, Node: id(2)},
		sim.Fault{At: 30 * ms, Kind: sim.ResignFault, Node: id(3)},
		sim.Fault{At: 66 * ms, For: 8 * ms, Kind: sim.ConditionsFault, Links: linksOf(1, 3), Conditions: sim.Conditions{Delay: sim.Range{Max: 3 * ms}, Loss: 1}},
		sim.Fault{At: 73 * ms, For: 20 * ms, Kind: sim.CrashFault, Node: id(3), Point: sim.AfterSave + 1},
		sim.Fault{At: 95 * ms, For: 10 * ms, Kind: sim.CutFault, Links: linksOf(1, 2)},
		sim.Fault{At: 110 * ms, Kind: sim.DeadFault, Node: id(2)})
	p.Length, p.Proofs = began+120*ms, true
	p.Disk, p.Links.Delay.Max = sim.Range{Max: ms}, 2*ms
	p.Rates = []float64{1, 1.01, 0.98}
	p.Timing.Drift = 0.001 // so that nothing is promised afterwards, and the run ends
	return p
}

// TestGolden holds the bytes of a trace to those of testdata/run.ndjson. BULLY_GOLDEN=write writes them.
func TestGolden(t *testing.T) {
	const name = "testdata/run.ndjson"
	var got bytes.Buffer
	_, err := sim.Run(goldenPlan(), model, sim.Options{Trace: &got, Commit: "golden"})
	require.NoError(t, err)
	if os.Getenv("BULLY_GOLDEN") == "write" {
		require.NoError(t, os.WriteFile(name, got.Bytes(), 0o644))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())
	_, err = check.Trace(&got, check.Options{Strict: true})
	require.NoError(t, err)
}

// TestTraceError reports that a trace could not be written, and a commit that no header can say.
func TestTraceError(t *testing.T) {
	_, err := sim.Run(quiet(3), model, sim.Options{Trace: full{}})
	require.ErrorContains(t, err, "no room")
	_, err = sim.Run(quiet(3), model, sim.Options{Trace: &bytes.Buffer{}, Commit: "\n"})
	require.ErrorContains(t, err, "commit")
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

// TestObserve is shown each input with the state before and what came of it, as the model has it; those that are no step too.
func TestObserve(t *testing.T) {
	p, err := sim.Generate(3, 5, sim.CrashProfile)
	require.NoError(t, err)
	var stats sim.Stats
	oracle := &conformance.Model{}
	result, err := sim.Run(&p, model, sim.Options{Observe: func(c *conformance.Case) {
		want := oracle.Step(c.ID, c.Members, c.Before.Clone(), c.Input)
		require.True(t, want.Equal(c.Want), "%s %s: %s %s", c.Before, c.Input, c.Want.State, want.State)
		switch {
		case c.Want.Ignored:
			stats.Ignored++
		case c.Input.Call == spec.StartCall:
			stats.Saves++
		case c.Input.Message.Type == spec.Heartbeat:
			stats.Torn++
		}
	}})
	require.NoError(t, err)
	require.Nil(t, result.Violation)
	require.EqualValues(t, 5, stats.Saves)
	require.Equal(t, result.Stats.Of(spec.OnHeartbeat), stats.Torn)
	require.Equal(t, result.Stats.Ignored, stats.Ignored)
}

// BenchmarkModel measures steps of the model in the simulator. (The core's are measured where the core may be imported.)
func BenchmarkModel(b *testing.B) {
	p, err := sim.Generate(1, 5, sim.CrashProfile)
	require.NoError(b, err)
	runner := sim.NewRunner(model)
	steps := uint64(0)
	b.ReportAllocs()
	b.ResetTimer()
	for steps < uint64(b.N) { // one op is one step
		result, err := runner.Run(&p, sim.Options{})
		require.NoError(b, err)
		steps += result.Steps
	}
	b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
}
