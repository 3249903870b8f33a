package questions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/seed-fdf591db/bully/conformance/compare"
)

// Answer is what came of a question.
type Answer struct {
	ID    string   `json:"id"`
	Title string   `json:"title"`
	Asks  string   `json:"asks"`
	X     string   `json:"x,omitempty"`
	First uint64   `json:"first_seed"`
	Seeds int      `json:"seeds"`
	Names []string `json:"measures"` // with their units
	Rows  []Row    `json:"rows"`
}

// Row is one algorithm in one setting.
type Row struct {
	Algorithm string   `json:"algorithm"`
	Setting   string   `json:"setting"`
	X         float64  `json:"x"`
	Runs      int      `json:"runs"`          // 0: the algorithm cannot have so many nodes
	Values    []Spread `json:"values"`        // one for each measure
	Worst     uint64   `json:"worst"`         // the seed with the greatest first measure
	Digest    uint64   `json:"digest,string"` // of all runs
}

// Spread is what many runs say of one measure. A number that is infinite is "never" in JSON, and one that is none is null.
type Spread struct{ Least, Median, Mean, P99, Most float64 }

// Of returns the number that stands for all.
func (s Spread) Of(stat Stat) float64 {
	switch stat {
	case Median:
		return s.Median
	case Mean:
		return s.Mean
	}
	return s.Most
}

// MarshalJSON implements json.Marshaler.
func (s Spread) MarshalJSON() ([]byte, error) {
	number := func(v float64) any {
		switch {
		case math.IsInf(v, 0):
			return "never"
		case math.IsNaN(v):
			return nil
		}
		return v
	}
	return json.Marshal(struct {
		Least  any `json:"least"`
		Median any `json:"median"`
		Mean   any `json:"mean"`
		P99    any `json:"p99"`
		Most   any `json:"most"`
	}{number(s.Least), number(s.Median), number(s.Mean), number(s.P99), number(s.Most)})
}

// Options says how much is run.
type Options struct {
	First    uint64             // the first seed
	Seeds    int                // how many seeds; at least 1
	Workers  int                // how many runs at once; 0: as many as there are processors
	Progress func(done, of int) // called from any of the workers; nil: nobody is told
}

// Ask runs a question on algorithms, and returns the answer. It ends early, with an error, if ctx does.
func Ask(ctx context.Context, q *Question, algorithms []compare.Algorithm, o Options) (Answer, error) {
	if o.Seeds < 1 {
		return Answer{}, errors.New("questions: no seeds: nothing would be measured")
	}
	if q.Single {
		o.Seeds = 1
	}
	if q.Share > 1 {
		o.Seeds = (o.Seeds + q.Share - 1) / q.Share
	}
	a := Answer{ID: q.ID, Title: q.Title, Asks: q.Asks, X: q.X, First: o.First, Seeds: o.Seeds}
	for _, m := range q.Measures {
		a.Names = append(a.Names, m.name())
	}
	a.Rows = make([]Row, len(algorithms)*len(q.Settings))
	var (
		next, done atomic.Int64
		all        sync.WaitGroup
		failed     = make([]error, len(a.Rows))
	)
	for range min(workers(o), len(a.Rows)) {
		all.Go(func() {
			for k := int(next.Add(1)) - 1; k < len(a.Rows) && ctx.Err() == nil; k = int(next.Add(1)) - 1 {
				a.Rows[k], failed[k] = q.row(ctx, &algorithms[k/len(q.Settings)], &q.Settings[k%len(q.Settings)], o)
				if o.Progress != nil {
					o.Progress(int(done.Add(1)), len(a.Rows))
				}
			}
		})
	}
	all.Wait()
	return a, errors.Join(append(failed, ctx.Err())...)
}

func workers(o Options) int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// name returns the name of a measure with its unit.
func (m *Measure) name() string {
	if m.Unit == "" {
		return m.Name
	}
	return m.Name + ", " + m.Unit
}

// row measures one algorithm in one setting.
func (q *Question) row(ctx context.Context, a *compare.Algorithm, s *Setting, o Options) (Row, error) {
	row := Row{Algorithm: a.Name, Setting: s.Name, X: s.X}
	if a.MaxNodes > 0 && s.Nodes > a.MaxNodes {
		return row, nil
	}
	values := make([][]float64, len(q.Measures))
	worst := math.Inf(-1)
	for k := range o.Seeds {
		if err := ctx.Err(); err != nil {
			return row, err
		}
		seed := o.First + uint64(k)
		run, err := q.run(a, s, seed)
		if err != nil {
			return row, fmt.Errorf("%s, %s, seed %d: %w", q.ID, s.Name, seed, err)
		}
		for m, v := range run.Values {
			values[m] = append(values[m], v)
		}
		if v := run.Values[0]; k == 0 || v > worst {
			worst, row.Worst = v, seed
		}
		row.Digest = row.Digest*31 + run.Result.Digest
		row.Runs++
	}
	for _, v := range values {
		row.Values = append(row.Values, spread(v))
	}
	return row, nil
}

// Run is one run, and what it gave.
type Run struct {
	Scenario compare.Scenario
	Result   compare.Result
	Values   []float64 // one for each measure
}

// Replay runs one setting of a question once more, with its timeline. The error says which settings there are, if there is
// none of that name.
func (q *Question) Replay(a *compare.Algorithm, setting string, seed uint64, o compare.Options) (Run, error) {
	names := ""
	for k := range q.Settings {
		s := &q.Settings[k]
		if s.Name == setting {
			run, err := q.run(a, s, seed)
			if err == nil {
				run.Result, err = compare.Run(&run.Scenario, *a, seed, o)
			}
			return run, err
		}
		names += " " + strconv.Quote(s.Name)
	}
	return Run{}, fmt.Errorf("question %s has no setting %q; it has%s", q.ID, setting, names)
}

// run runs a setting with one seed: all its scenarios, of which one counts.
func (q *Question) run(a *compare.Algorithm, s *Setting, seed uint64) (chosen Run, err error) {
	for k, scenario := range s.Scenarios(seed) {
		result, err := compare.Run(&scenario, *a, seed, compare.Options{})
		if err != nil {
			return chosen, err
		}
		run := Run{Scenario: scenario, Result: result}
		for _, m := range q.Measures {
			run.Values = append(run.Values, m.Of(&scenario, &result))
		}
		if k == 0 || run.Values[0] != chosen.Values[0] && (run.Values[0] > chosen.Values[0]) == s.Worst {
			chosen = run
		}
	}
	return chosen, nil
}
