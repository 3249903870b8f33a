package batch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/conformance/sim/batch"
	"github.com/seed-fdf591db/bully/spec"
)

func Example() {
	model := conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} })
	job := batch.Job{Subject: "model", First: 1, Last: 10, Shard: 1, Shards: 1, Nodes: []int{3}, Profiles: []sim.Profile{sim.CrashProfile}}
	totals, err := batch.Run(context.Background(), job, model, batch.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range totals.Rows {
		fmt.Println(row.Profile, row.Nodes, "nodes:", row.Seeds, "seeds,", row.Violations, "violations")
	}
	// Output:
	// crash 3 nodes: 10 seeds, 0 violations
}

var model = conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} })

// forgetful makes nodes of the model that forget what they have promised.
func forgetful(id spec.NodeID, members []spec.NodeID) conformance.Node {
	return &forgetfulNode{model(id, members)}
}

type forgetfulNode struct{ conformance.Node }

func (n *forgetfulNode) Restart(_ spec.Durable, out *spec.Step) {
	n.Node.Restart(spec.Durable{}, out)
}

// job returns a small job.
func job(first, last uint64, shard, shards int) batch.Job {
	return batch.Job{Subject: "model", First: first, Last: last, Shard: shard, Shards: shards, Nodes: []int{2, 3},
		Profiles: []sim.Profile{sim.CrashProfile, sim.SwarmProfile}}
}

// made runs a job. How long it took is left out: it is never the same.
func made(t require.TestingT, j batch.Job, maker conformance.Maker, workers int) batch.Totals {
	totals, err := batch.Run(context.Background(), j, maker, batch.Options{Workers: workers})
	require.NoError(t, err)
	return timeless(totals)
}

func timeless(totals batch.Totals) batch.Totals {
	for i := range totals.Rows {
		totals.Rows[i].Busy = 0
	}
	return totals
}

// TestRun runs a batch with one worker and with three: the same comes out, and every run is counted.
func TestRun(t *testing.T) {
	one := made(t, job(1, 8, 1, 1), model, 1)
	require.Equal(t, one, made(t, job(1, 8, 1, 1), model, 3))
	require.Len(t, one.Rows, 4)
	require.EqualValues(t, 32, one.Jobs[0].Done)
	require.Empty(t, one.Missing())
	require.Empty(t, one.Failures)
	for _, r := range one.Rows {
		require.EqualValues(t, 8, r.Seeds)
		require.Positive(t, r.Elections())
		require.Positive(t, r.Reigns)
		require.GreaterOrEqual(t, r.Worst, r.Median()*31/32)
		var actions, settled uint64
		for a, n := range r.Actions {
			if a.OfNode() {
				actions += n
			}
		}
		for _, s := range r.Settled {
			settled += s.Runs
		}
		require.Equal(t, r.Steps, actions-r.Actions[spec.CrashAction], "each step is an action: %v", r.Actions)
		require.EqualValues(t, 8, settled)
	}
}

// TestRow adds up the runs of a row one by one: the row says the same.
func TestRow(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	totals := made(t, job(3, 10, 1, 1), model, 2)
	for _, got := range totals.Rows {
		want := batch.Row{Profile: got.Profile, Nodes: got.Nodes, Actions: map[spec.Action]uint64{}}
		for seed := uint64(3); seed <= 10; seed++ {
			plan, err := sim.Generate(seed, got.Nodes, got.Profile)
			require.NoError(t, err)
			one, err := sim.Run(&plan, model, sim.Options{})
			require.NoError(t, err)
			want.Seeds++
			if one.Timely {
				want.Timely++
			}
			want.Steps += one.Steps
			want.Events += one.Events
			want.Messages += one.Messages
			want.Lost += one.Lost
			want.Reigns += uint64(len(one.Reigns))
			want.Ignored += one.Stats.Ignored
			want.Saves += one.Stats.Saves
			want.Torn += one.Stats.Torn
			want.Cut += one.Stats.Cut
			want.Proofs += one.Stats.Proofs
			want.Digest += one.Digest
			if one.Settled > want.Worst || seed == 3 {
				want.Worst, want.WorstSeed = one.Settled, seed
			}
			for _, a := range spec.FixedActions() {
				if n := one.Stats.Of(a); n > 0 {
					want.Actions[a] += n
				}
			}
		}
		got.Settled = nil
		require.Equal(t, want, got)
	}
}

// TestFailures runs nodes that are wrong: all failures are counted, and ten of each property kept, those of the lowest
// seeds.
func TestFailures(t *testing.T) {
	totals := made(t, job(1, 20, 1, 1), forgetful, 2)
	require.Greater(t, totals.Rows[0].Violations, uint64(10))
	kept := map[spec.Property]int{}
	for i, f := range totals.Failures {
		kept[f.Property]++
		require.True(t, i == 0 || totals.Failures[i-1].Compare(&f) < 0)
		plan, err := sim.Generate(f.Seed, f.Nodes, f.Profile)
		require.NoError(t, err)
		result, err := sim.Run(&plan, forgetful, sim.Options{})
		require.NoError(t, err)
		require.NotNil(t, result.Violation)
		require.Equal(t, f.Explanation, result.Violation.Explanation)
		require.Contains(t, f.Error(), fmt.Sprintf("%s: %s — workbench sim -seeds %d -nodes %d -profile %s", f.Property, f.Explanation, f.Seed, f.Nodes, f.Profile))
	}
	require.Equal(t, 10, kept[spec.EpochMonotonic])
}

// TestMerge splits a batch at random, and merges the parts in a random order, as JSON: always the same comes out, which is
// the whole.
func TestMerge(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	whole := made(t, job(5, 16, 1, 1), forgetful, 2)
	var parts []batch.Totals
	for shard := range 3 {
		parts = append(parts, made(t, job(5, 16, 1+shard, 3), forgetful, 1))
	}
	first, err := json.Marshal(merged(t, parts))
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		shuffled := rapid.Permutation(parts).Draw(t, "order")
		if rapid.Bool().Draw(t, "right first") { // a + (b + c)
			shuffled[1] = merged(t, shuffled[1:])
			shuffled = shuffled[:2]
		}
		all := merged(t, shuffled)
		text, err := json.Marshal(all)
		require.NoError(t, err)
		require.Equal(t, string(first), string(text))
		require.Equal(t, whole.Rows, all.Rows)
		require.Equal(t, whole.Failures, all.Failures)
		require.Empty(t, all.Missing())
	})
}

// merged merges totals, each by way of JSON.
func merged(t require.TestingT, parts []batch.Totals) (sum batch.Totals) {
	for i := range parts {
		text, err := json.Marshal(parts[i])
		require.NoError(t, err)
		part, err := batch.ParseTotals(text)
		require.NoError(t, err)
		if i == 0 {
			sum = part
			continue
		}
		sum, err = sum.Merge(&part)
		require.NoError(t, err)
	}
	return sum
}

// TestMergeRefuses sees that no run is counted twice, and that different things are not added.
func TestMergeRefuses(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	one := made(t, job(5, 16, 2, 3), model, 0)
	for want, other := range map[string]batch.Job{
		"batch: the runs of seed 7 are in both: seeds 5-16, shard 2/3, nodes 2 3, crash swarm, and seeds 1-7": job(1, 7, 1, 1),
		"the runs of seed 13 are in both": job(10, 17, 2, 4),
		"the runs of seed 16 are in both": job(14, 18, 2, 3),
	} {
		part := made(t, other, model, 0)
		_, err := one.Merge(&part)
		require.ErrorContains(t, err, want)
	}
	other := made(t, job(17, 19, 1, 3), model, 0)
	_, err := one.Merge(&other)
	require.NoError(t, err)
	other.Jobs[0].Subject = "core"
	_, err = one.Merge(&other)
	require.EqualError(t, err, "batch: runs of model and of core are not to be merged")
}

// TestMissing names the shards that are not there, and the runs that were not made.
func TestMissing(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	totals := made(t, job(5, 16, 2, 3), model, 0)
	require.Equal(t, []string{"seeds 5-16, shard 1/3, nodes 2 3, crash swarm", "seeds 5-16, shard 3/3, nodes 2 3, crash swarm"}, totals.Missing())

	ctx, cancel := context.WithCancel(t.Context())
	var once sync.Once
	stopped, err := batch.Run(ctx, job(1, 1_000_000, 1, 1), model, batch.Options{Workers: 2, Every: time.Millisecond,
		Progress: func(p batch.Progress) {
			require.EqualValues(t, 4_000_000, p.Runs)
			require.Contains(t, p.String(), " of 4000000 runs, ")
			if p.Done > 10 {
				once.Do(cancel)
			}
		}})
	require.NoError(t, err, "being stopped is none")
	done := stopped.Jobs[0].Done
	require.Greater(t, done, uint64(10))
	require.Less(t, done, uint64(4_000_000))
	require.Contains(t, stopped.Missing(), fmt.Sprintf("the last %d of 4000000 runs of seeds 1-1000000, nodes 2 3, crash swarm", 4_000_000-done))
	var runs uint64
	for _, r := range stopped.Rows {
		runs += r.Seeds
	}
	require.Equal(t, done, runs)
}

func TestJobRefuses(t *testing.T) {
	for want, change := range map[string]func(j *batch.Job){
		"batch: seeds 3 to 2: there is none":                               func(j *batch.Job) { j.First, j.Last = 3, 2 },
		"batch: the seed 9007199254740992 is above 9007199254740991":       func(j *batch.Job) { j.Last = sim.MaxSeed + 1 },
		"batch: shard 0 of 1: they are from 1 to at most 100000":           func(j *batch.Job) { j.Shard = 0 },
		"batch: shard 3 of 2: they are from 1 to at most 100000":           func(j *batch.Job) { j.Shard, j.Shards = 3, 2 },
		"batch: no number of nodes":                                        func(j *batch.Job) { j.Nodes = nil },
		"batch: no profile":                                                func(j *batch.Job) { j.Profiles = nil },
		"batch: none of the seeds 1 to 9 is in shard 1 of 10":              func(j *batch.Job) { j.Last, j.Shards = 9, 10 },
		"batch: numbers of nodes [8]: each is from 1 to 7, and there once": func(j *batch.Job) { j.Nodes = []int{8} },
		"batch: numbers of nodes [3 3]":                                    func(j *batch.Job) { j.Nodes = []int{3, 3} },
		"batch: profiles [rain]: each is one of [lossy ":                   func(j *batch.Job) { j.Profiles = []sim.Profile{"rain"} },
	} {
		j := job(1, 10, 1, 1)
		change(&j)
		_, err := batch.Run(t.Context(), j, model, batch.Options{})
		require.ErrorContains(t, err, want)
	}
}

// TestParseTotalsRefuses changes good totals: what is wrong is said.
func TestParseTotalsRefuses(t *testing.T) {
	text, err := json.Marshal(made(t, job(1, 2, 1, 1), model, 0))
	require.NoError(t, err)
	for _, c := range []struct{ old, new, want string }{
		{`"totals":1`, `"totals":2`, "batch: totals are of format 2, but this program reads 1"},
		{`"totals":1`, `"totals":1,"extra":2`, `unknown field "extra"`},
		{`"done":8`, `"done":9`, "batch: totals of 9 runs have rows of 8: they must be the same, and not zero"},
		{`"shards":1`, `"shards":0`, "batch: shard 1 of 0"},
		{`}]`, `}`, "batch: these are no totals: "},
	} {
		require.Contains(t, string(text), c.old)
		_, err := batch.ParseTotals([]byte(strings.Replace(string(text), c.old, c.new, 1)))
		require.ErrorContains(t, err, c.want)
	}
	for _, text := range []string{"", "{}", `{"totals":1,"jobs":[],"rows":[],"failures":[]}`, string(text) + "{}"} {
		_, err := batch.ParseTotals([]byte(text))
		require.Error(t, err, text)
	}
}

// TestChangingRows runs seeds of changing members: changes are counted among the actions, and totals come back from JSON.
func TestChangingRows(t *testing.T) {
	if testing.Short() {
		t.Skip("long: it runs without the race detector, and shorter tests race the same code")
	}
	job := batch.Job{Subject: "model", First: 1, Last: 6, Shard: 1, Shards: 1, Nodes: []int{4}, Profiles: sim.Profiles()}
	totals, err := batch.Run(t.Context(), job, model, batch.Options{})
	require.NoError(t, err)
	require.Len(t, totals.Rows, len(sim.Profiles()))
	for _, row := range totals.Rows[:len(totals.Rows)-1] {
		require.Zero(t, row.Actions[spec.ChangeAction], row.Profile)
	}
	last := totals.Rows[len(totals.Rows)-1]
	require.Equal(t, sim.ChangingProfile, last.Profile)
	require.Positive(t, last.Actions[spec.ChangeAction])
	require.Positive(t, last.Actions[spec.CrashAction])
	require.Empty(t, totals.Failures)
	text, err := json.Marshal(totals)
	require.NoError(t, err)
	again, err := batch.ParseTotals(text)
	require.NoError(t, err)
	require.Equal(t, totals, again)
}
