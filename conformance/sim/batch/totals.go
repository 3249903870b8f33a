package batch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
)

// keptFailures is how many failures Totals keep for each property, those of the lowest seeds.
const keptFailures = 10

// Totals are the results of batches. Those of parts of the seeds, made on any machine, merge into those of the whole, in
// any order. In JSON they are what workbench sim -json prints, and -merge reads.
type Totals struct {
	Format   int       `json:"totals"`   // the version of this form: 1
	Jobs     []Job     `json:"jobs"`     // what was run
	Rows     []Row     `json:"rows"`     // by profile and number of nodes
	Failures []Failure `json:"failures"` // by property the ten of the lowest seeds; Row.Violations counts all
}

// Row is what came of all runs of one profile and number of nodes.
type Row struct {
	Profile    sim.Profile            `json:"profile"`
	Nodes      int                    `json:"nodes"`
	Seeds      uint64                 `json:"seeds"`
	Timely     uint64                 `json:"timely"` // seeds whose plan is
	Steps      uint64                 `json:"steps"`
	Events     uint64                 `json:"events"`
	Messages   uint64                 `json:"messages"`
	Lost       uint64                 `json:"lost"`
	Reigns     uint64                 `json:"reigns"`
	Ignored    uint64                 `json:"ignored"` // as in Stats, and so on
	Saves      uint64                 `json:"saves"`
	Torn       uint64                 `json:"torn"`
	Cut        uint64                 `json:"cut"`
	Proofs     uint64                 `json:"proofs"`
	Actions    map[spec.Action]uint64 `json:"actions"`
	Settled    []Settled              `json:"settled"` // ascending
	Worst      time.Duration          `json:"worst_ns"`
	WorstSeed  uint64                 `json:"worst_seed"`
	Violations uint64                 `json:"violations"`
	Digest     uint64                 `json:"digest,string"` // of all steps of all runs, in whatever order
	Busy       time.Duration          `json:"busy_ns"`       // how long the runs took one processor
}

// Settled says how many runs had a settled leader how long after their faults were over.
type Settled struct {
	UpTo time.Duration `json:"up_to_ns"` // and above that of the Settled before: within 3 %
	Runs uint64        `json:"runs"`
}

// Elections returns how often a follower stood: because its patience was over, or to pre-empt.
func (r *Row) Elections() uint64 {
	return r.Actions[spec.PatienceTimeout] + r.Actions[spec.PreemptTimeout]
}

// Median returns how long after the faults half of the runs had a settled leader, within 3 %.
func (r *Row) Median() time.Duration {
	var all, sum uint64
	for _, s := range r.Settled {
		all += s.Runs
	}
	for _, s := range r.Settled {
		if sum += s.Runs; 2*sum >= all {
			return s.UpTo
		}
	}
	return 0
}

// StepsPerSecond returns how many steps one processor took in a second.
func (r *Row) StepsPerSecond() float64 {
	if r.Busy <= 0 {
		return 0
	}
	return float64(r.Steps) / r.Busy.Seconds()
}

// upTo rounds a time up to one of few, at most 3 % above it.
func upTo(d time.Duration) time.Duration {
	us := uint64((d + time.Microsecond - 1) / time.Microsecond)
	if shift := bits.Len64(us) - 6; shift > 0 {
		us = (us + 1<<shift - 1) >> shift << shift
	}
	return time.Duration(us) * time.Microsecond
}

// add adds the row of other runs of the same profile and number of nodes.
func (r *Row) add(o *Row) {
	for _, sum := range []struct{ to, from *uint64 }{
		{&r.Seeds, &o.Seeds}, {&r.Timely, &o.Timely}, {&r.Steps, &o.Steps}, {&r.Events, &o.Events}, {&r.Messages, &o.Messages},
		{&r.Lost, &o.Lost}, {&r.Reigns, &o.Reigns}, {&r.Ignored, &o.Ignored}, {&r.Saves, &o.Saves},
		{&r.Torn, &o.Torn}, {&r.Cut, &o.Cut}, {&r.Proofs, &o.Proofs}, {&r.Violations, &o.Violations}, {&r.Digest, &o.Digest},
	} {
		*sum.to += *sum.from
	}
	r.Busy += o.Busy
	if r.Actions == nil {
		r.Actions = map[spec.Action]uint64{}
	}
	for a, n := range o.Actions {
		r.Actions[a] += n
	}
	for _, s := range o.Settled {
		r.settle(s.UpTo, s.Runs)
	}
	r.worse(o.Worst, o.WorstSeed)
}

// settle counts runs that had a settled leader within upTo.
func (r *Row) settle(upTo time.Duration, runs uint64) {
	i, found := slices.BinarySearchFunc(r.Settled, upTo, func(s Settled, d time.Duration) int { return cmp.Compare(s.UpTo, d) })
	if !found {
		r.Settled = slices.Insert(r.Settled, i, Settled{UpTo: upTo})
	}
	r.Settled[i].Runs += runs
}

// worse remembers the longest time to settle, and the lowest seed that has it.
func (r *Row) worse(d time.Duration, seed uint64) {
	if d > r.Worst || d == r.Worst && seed < r.WorstSeed {
		r.Worst, r.WorstSeed = d, seed
	}
}

// tally is the totals of one worker.
type tally struct {
	rows     map[rowKey]*Row
	stats    map[rowKey]*sim.Stats
	failures []Failure
}

type rowKey struct {
	profile sim.Profile
	nodes   int
}

func newTally() *tally { return &tally{rows: map[rowKey]*Row{}, stats: map[rowKey]*sim.Stats{}} }

// count counts a run.
func (t *tally) count(f Failure, result *sim.Result, took time.Duration) {
	key := rowKey{f.Profile, f.Nodes}
	r, stats := t.rows[key], t.stats[key]
	if r == nil {
		r, stats = &Row{Profile: f.Profile, Nodes: f.Nodes, WorstSeed: f.Seed}, &sim.Stats{}
		t.rows[key], t.stats[key] = r, stats
	}
	one := Row{Seeds: 1, Steps: result.Steps, Events: result.Events, Messages: result.Messages, Lost: result.Lost,
		Reigns: uint64(len(result.Reigns)), Digest: result.Digest, Busy: took, WorstSeed: f.Seed}
	if result.Timely {
		one.Timely = 1
	}
	stats.Add(&result.Stats)
	if v := result.Violation; v != nil {
		one.Violations = 1
		f.Property, f.At, f.Step, f.Explanation = v.Property, v.At, v.Step, v.Explanation
		t.failures = keepLowest(append(t.failures, f))
	} else {
		one.Worst = result.Settled
		r.settle(upTo(result.Settled), 1)
	}
	r.add(&one)
}

// keepLowest keeps, by property, the failures of the lowest seeds, in their order.
func keepLowest(failures []Failure) []Failure {
	slices.SortFunc(failures, func(f, g Failure) int { return f.Compare(&g) })
	kept := map[spec.Property]int{}
	return slices.DeleteFunc(failures, func(f Failure) bool {
		kept[f.Property]++
		return kept[f.Property] > keptFailures
	})
}

// add adds what a worker has counted.
func (t *Totals) add(o *tally) {
	for key, row := range o.rows {
		stats := o.stats[key]
		row.Ignored, row.Saves, row.Torn, row.Cut, row.Proofs = stats.Ignored, stats.Saves, stats.Torn, stats.Cut, stats.Proofs
		row.Actions = map[spec.Action]uint64{}
		for i, a := range spec.Actions() {
			if n := stats.Actions[i]; n > 0 {
				row.Actions[a] = n
			}
		}
		t.Rows = append(t.Rows, *row)
	}
	t.Failures = append(t.Failures, o.failures...)
}

// tidy puts everything in order, and rows of the same profile and number of nodes into one: so totals of the same runs are
// the same, in whatever order they were put together.
func (t *Totals) tidy() {
	t.Format = 1
	slices.SortFunc(t.Jobs, func(a, b Job) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Last, b.Last), cmp.Compare(a.Shards, b.Shards),
			cmp.Compare(a.Shard, b.Shard), slices.Compare(a.Nodes, b.Nodes), slices.Compare(a.Profiles, b.Profiles))
	})
	slices.SortStableFunc(t.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(slices.Index(sim.Profiles(), a.Profile), slices.Index(sim.Profiles(), b.Profile)), cmp.Compare(a.Nodes, b.Nodes))
	})
	var rows []Row
	for i := range t.Rows {
		r := &t.Rows[i]
		if n := len(rows) - 1; n < 0 || rows[n].Profile != r.Profile || rows[n].Nodes != r.Nodes {
			rows = append(rows, Row{Profile: r.Profile, Nodes: r.Nodes, WorstSeed: r.WorstSeed})
		}
		rows[len(rows)-1].add(r)
	}
	t.Rows, t.Failures = rows, keepLowest(t.Failures)
}

// Merge returns the totals of the runs of t and of o together. It is an error if they are of different subjects, or if
// they have a run in common.
func (t *Totals) Merge(o *Totals) (Totals, error) {
	for i := range t.Jobs {
		for k := range o.Jobs {
			a, b := &t.Jobs[i], &o.Jobs[k]
			if a.Subject != b.Subject {
				return Totals{}, fmt.Errorf("batch: runs of %s and of %s are not to be merged", a.Subject, b.Subject)
			}
			if seed, both := a.common(b); both {
				return Totals{}, fmt.Errorf("batch: the runs of seed %d are in both: %s, and %s", seed, a, b)
			}
		}
	}
	sum := Totals{Jobs: slices.Concat(t.Jobs, o.Jobs), Rows: slices.Concat(t.Rows, o.Rows), Failures: slices.Concat(t.Failures, o.Failures)}
	sum.tidy()
	return sum, nil
}

// Missing says what is not there of what the jobs are parts of: runs that were not made, and shards.
func (t *Totals) Missing() (missing []string) {
	known := map[string]bool{}
	for i := range t.Jobs {
		j := &t.Jobs[i]
		known[j.String()] = true
		if left := j.Runs() - j.Done; left > 0 {
			missing = append(missing, fmt.Sprintf("the last %d of %d runs of %s", left, j.Runs(), j))
		}
	}
	for _, sibling := range t.Jobs {
		for sibling.Shard = 1; sibling.Shard <= sibling.Shards; sibling.Shard++ {
			if text := sibling.String(); !known[text] && sibling.seeds() > 0 {
				known[text] = true
				missing = append(missing, text)
			}
		}
	}
	return missing
}

// ParseTotals reads totals that were written as JSON. Those of no run are an error, as is what is unknown or does not add up.
func ParseTotals(data []byte) (Totals, error) {
	var t Totals
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&t); err != nil {
		return Totals{}, fmt.Errorf("batch: these are no totals: %w", err)
	}
	if decoder.More() {
		return Totals{}, errors.New("batch: something comes after the totals")
	}
	if t.Format != 1 {
		return Totals{}, fmt.Errorf("batch: totals are of format %d, but this program reads 1", t.Format)
	}
	var done, seeds uint64
	for i := range t.Jobs {
		j := &t.Jobs[i]
		if err := j.Validate(); err != nil {
			return Totals{}, err
		}
		done += j.Done
	}
	for _, r := range t.Rows {
		seeds += r.Seeds
	}
	if seeds == 0 || done != seeds {
		return Totals{}, fmt.Errorf("batch: totals of %d runs have rows of %d: they must be the same, and not zero", done, seeds)
	}
	t.tidy()
	return t, nil
}
