// Package questions asks all election algorithms the same questions, and measures the answers: messages against the number
// of nodes, time to a new leader against loss and delay, leaders at once in a partition, elections that a flapping link
// causes. The answers come from runs, made when they are asked for; the same seeds give the same answers.
//
//	for _, q := range questions.All() {
//		answer, err := questions.Ask(ctx, &q, algorithms, questions.Options{First: 1, Seeds: 100})
//		if err != nil {
//			return err
//		}
//		fmt.Println(answer.Table())
//	}
package questions

import (
	"math"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
)

// Question is something that is measured of all algorithms alike, in several settings.
type Question struct {
	ID       string // such as "failover-loss"
	Title    string
	Asks     string // the question, as a person would ask it
	How      string // how it is measured
	X        string // what the X of a setting is, with its unit; "" if settings have no order
	Log      bool   // X is best drawn with logarithms
	Measures []Measure
	Settings []Setting
	Bounds   []Bound
	Single   bool // nothing is drawn at random: one seed says all
	Share    int  // of the seeds, one in so many does, because runs are long; 0: all
}

// Measure is a number that a run gives.
type Measure struct {
	Name string                                               // such as "time to a new leader"
	Unit string                                               // such as "ms"; "" for a count
	Stat Stat                                                 // of many runs, which number to look at
	Log  bool                                                 // it is best drawn with logarithms: what is below 1 may be drawn as 1
	Of   func(s *compare.Scenario, r *compare.Result) float64 // infinite: never
}

// Stat is a number that stands for many.
type Stat string

const (
	Median Stat = "median"
	Mean   Stat = "mean"
	Most   Stat = "most"
)

// Setting is a point of a question.
type Setting struct {
	Name string  // such as "5 %"
	X    float64 // its place on the axis
	// Scenarios returns what is run with a seed: one, or many, of which that one counts whose first measure is the least, or
	// the greatest if Worst.
	Scenarios func(seed uint64) []compare.Scenario
	Worst     bool
	Nodes     int // of each scenario
}

// Bound is a curve that is known from the literature.
type Bound struct {
	Name string
	At   func(x float64) float64
}

// All returns every question, in the order in which to ask them.
func All() []Question {
	all := messages()
	all = append(all, failoverLoss(), failoverDelay(), leaders())
	return append(all, flapping()...)
}

// milliseconds returns a time as a number.
func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// spread sums up many numbers, of which some may be infinite.
func spread(values []float64) Spread {
	sorted := slices.Sorted(slices.Values(values))
	s := Spread{Least: sorted[0], Median: quantile(sorted, 0.5), P99: quantile(sorted, 0.99), Most: sorted[len(sorted)-1]}
	for _, v := range sorted {
		s.Mean += v / float64(len(sorted))
	}
	return s
}

// quantile returns the least value that so many of all are not above.
func quantile(sorted []float64, q float64) float64 {
	return sorted[max(int(math.Ceil(q*float64(len(sorted))))-1, 0)]
}
