package writers_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/seed-fdf591db/bully/conformance/history"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/conformance/sim/writers"
	"github.com/seed-fdf591db/bully/spec"
)

// model makes nodes of the model.
var model = conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} })

// soak returns how many times as long a test is to be as it commonly is: the environment variable BULLY_SOAK, or 1.
func soak() int {
	if n, err := strconv.Atoi(os.Getenv("BULLY_SOAK")); err == nil && n > 0 {
		return n
	}
	return 1
}

// ran is what nodes have told their users in a run, and how long it was.
type ran struct {
	name   string
	told   []sim.Notification
	config writers.Config
}

// run runs one plan.
func run(t testing.TB, seed uint64, nodes int, profile sim.Profile) ran {
	t.Helper()
	plan, err := sim.Generate(seed, nodes, profile)
	require.NoError(t, err)
	r := ran{name: fmt.Sprintf("workbench sim -seeds %d-%d -nodes %d -profile %s", seed, seed, nodes, profile)}
	result, err := sim.Run(&plan, model, sim.Options{Notify: func(told sim.Notification) { r.told = append(r.told, told) }})
	require.NoError(t, err)
	require.Nil(t, result.Violation, r.name)
	r.config = writers.Config{Seed: seed, Length: plan.Length}
	return r
}

// check plays the users of a run, and returns what the checks find.
func (r ran) check(t testing.TB, rules writers.Rules) ([]history.Op, history.Report) {
	t.Helper()
	c := r.config
	c.Rules = rules
	ops := writers.Play(r.told, c)
	report, err := history.Check(writers.Header(r.name), ops, history.Options{Timeout: 10 * time.Second})
	require.NoError(t, err, r.name)
	return ops, report
}

// made are the runs that some has made.
var made = map[string]ran{}

// some returns runs of every profile in which reigns begin and end. What they were told must not be changed.
func some(t testing.TB, each int) (runs []ran) {
	t.Helper()
	for _, profile := range []sim.Profile{sim.CrashProfile, sim.PartitionProfile, sim.SwarmProfile} {
		for seed := range uint64(each) {
			key := fmt.Sprint(profile, seed)
			if _, known := made[key]; !known {
				made[key] = run(t, seed+1, 3+2*int(seed%2), profile)
			}
			runs = append(runs, made[key])
		}
	}
	return runs
}

// TestSimulated checks the histories of many runs.
func TestSimulated(t *testing.T) {
	var count struct{ ops, led, followed, done, fenced, unknown, reads int }
	var took time.Duration
	runs := some(t, 15*soak())
	for _, r := range runs {
		ops, report := r.check(t, writers.Rules{})
		require.NoError(t, report.Err(), r.name)
		for _, f := range report.Findings {
			took += f.Took
		}
		count.ops += len(ops)
		for _, op := range ops {
			switch {
			case op.Kind == history.LedOp:
				count.led++
			case op.Kind == history.FollowedOp:
				count.followed++
			case op.Kind == history.ReadOp:
				count.reads++
			case op.Outcome == history.Done:
				count.done++
			case op.Outcome == history.Fenced:
				count.fenced++
			default:
				count.unknown++
			}
		}
	}
	t.Logf("%d runs, %+v; checked in %s", len(runs), count, took.Round(time.Millisecond))
	for what, n := range map[string]int{"led": count.led, "followed": count.followed, "done": count.done, "unknown": count.unknown,
		"reads": count.reads} {
		require.Greater(t, n, len(runs), what)
	}
	require.Greater(t, count.fenced, len(runs)/4, "fenced")
}

// TestTraced takes who led and who followed from the traces of runs, and not from what users were told.
func TestTraced(t *testing.T) {
	for seed := range uint64(3) {
		plan, err := sim.Generate(seed+1, 5, sim.CrashProfile)
		require.NoError(t, err)
		var trace bytes.Buffer
		_, err = sim.Run(&plan, model, sim.Options{Trace: &trace})
		require.NoError(t, err)
		ops, err := history.TraceOps(&trace)
		require.NoError(t, err)
		report, err := history.Check(writers.Header("a trace"), ops, history.Options{})
		require.NoError(t, err)
		require.NoError(t, report.Err())
		require.Positive(t, report.Findings[0].Parts, "epochs that were led")
	}
}

// TestSame sees that a history is its seed.
func TestSame(t *testing.T) {
	r := run(t, 3, 5, sim.CrashProfile)
	first, _ := r.check(t, writers.Rules{})
	again, _ := r.check(t, writers.Rules{})
	require.Equal(t, first, again)
	r.config.Seed++
	other, _ := r.check(t, writers.Rules{})
	require.NotEqual(t, first, other)
	require.Empty(t, writers.Play(nil, writers.Config{}))
}

// TestBroken breaks one rule at a time. Each must be refused, by the checks that are named.
func TestBroken(t *testing.T) {
	runs := some(t, 8)
	always := func(spec.Epoch, spec.Epoch) bool { return true }
	for name, c := range map[string]struct {
		rules  writers.Rules
		checks []string // that must refuse it, in some run; no other may
	}{
		"B11: no fence": {writers.Rules{Admits: always}, []string{"NoStaleWrite", "fence"}},
		"B11: the leader looks, the resource does not": {writers.Rules{Admits: always, MaySend: func(leads bool) bool { return leads }},
			[]string{"NoStaleWrite", "fence"}},
		"B12: check, then write": {writers.Rules{TwoSteps: true}, []string{"NoStaleWrite", "fence"}},
		"admits one epoch below": {writers.Rules{Admits: func(admitted, e spec.Epoch) bool { return e+1 >= admitted }},
			[]string{"NoStaleWrite", "fence"}},
		"> for >=": {writers.Rules{Admits: func(admitted, e spec.Epoch) bool { return e > admitted }}, []string{"fence"}},
		"forgets its fence": {writers.Rules{Survives: func(c writers.Content) writers.Content { return writers.Content{Epoch: c.Epoch, Value: c.Value} }},
			[]string{"NoStaleWrite", "fence"}},
		"forgets all": {writers.Rules{Survives: func(writers.Content) writers.Content { return writers.Content{} }}, []string{"NoStaleWrite", "fence"}},
		"its fence goes back": {writers.Rules{Survives: func(c writers.Content) writers.Content {
			c.Fence = max(c.Fence, 1) - 1
			return c
		}}, []string{"NoStaleWrite", "fence"}},
		"writes with the epoch of a later leader": {writers.Rules{Stamp: func(_, highest spec.Epoch) spec.Epoch { return highest }},
			[]string{"registers"}},
	} {
		t.Run(name, func(t *testing.T) {
			refused := map[string]int{}
			said := ""
			for _, r := range runs {
				_, report := r.check(t, c.rules)
				for _, f := range report.Findings {
					if f.Verdict == history.Refused {
						refused[f.Check]++
						said = f.Broken + ": " + f.Explanation
					} else {
						require.Equal(t, history.Linearizable, f.Verdict, r.name)
					}
				}
			}
			t.Logf("of %d runs refused: %v; such as %s", len(runs), refused, said)
			require.Len(t, refused, len(c.checks), "%v", refused)
			for _, name := range c.checks {
				require.Positive(t, refused[name], name)
			}
		})
	}
}

// TestBrokenCluster is told of a cluster that elects badly.
func TestBrokenCluster(t *testing.T) {
	for name, c := range map[string]struct {
		spoil  func(told *sim.Notification)
		broken string
	}{
		"a take-over keeps the epoch (B08)": {func(told *sim.Notification) { told.Epoch = (told.Epoch + 1) / 2 }, "OneLeaderPerEpoch"},
		"told of itself": {func(told *sim.Notification) {
			if !told.Leader.IsNone() && !told.Leading {
				told.Leader = told.Node
			}
		}, "OneLeaderPerEpoch"},
	} {
		t.Run(name, func(t *testing.T) {
			refused := 0
			for _, r := range some(t, 4) {
				r.told = slices.Clone(r.told)
				for i := range r.told {
					c.spoil(&r.told[i])
				}
				_, report := r.check(t, writers.Rules{})
				if f := report.Findings[0]; f.Verdict == history.Refused {
					require.Equal(t, c.broken, f.Broken)
					refused++
				}
			}
			require.Positive(t, refused)
		})
	}
}

func Example() {
	plan, err := sim.Generate(4, 5, sim.CrashProfile)
	if err != nil {
		fmt.Println(err)
		return
	}
	var told []sim.Notification
	if _, err := sim.Run(&plan, model, sim.Options{Notify: func(t sim.Notification) { told = append(told, t) }}); err != nil {
		fmt.Println(err)
		return
	}
	ops := writers.Play(told, writers.Config{Seed: plan.Seed, Length: plan.Length})
	report, err := history.Check(writers.Header("an example"), ops, history.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range report.Findings {
		fmt.Printf("%s: %s\n", f.Check, f.Verdict)
	}
	// Output:
	// registers: linearizable
	// NoStaleWrite: linearizable
	// fence: linearizable
}
