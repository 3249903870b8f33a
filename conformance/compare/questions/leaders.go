package questions

import (
	"math"
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/sim/simnet"
)

// count makes a measure of a number of a result.
func count(name, unit string, stat Stat, of func(r *compare.Result) float64) Measure {
	return Measure{Name: name, Unit: unit, Stat: stat, Of: func(_ *compare.Scenario, r *compare.Result) float64 { return of(r) }}
}

// atLeastOne returns a number, and that it was not measured if it is 0.
func atLeastOne(n int) float64 {
	if n == 0 {
		return math.NaN()
	}
	return float64(n)
}

// leaders asks how many lead at once, and in one epoch.
func leaders() Question {
	q := Question{ID: "leaders", Title: "Leaders at once",
		Asks: "How many nodes lead at the same moment, and in the same epoch, when something goes wrong? Do stale leaders write?",
		How: "Five nodes for 20 seconds. partition: the leader and the lowest other, and the three others. deaf-leader: it can send and not hear; mute-leader: the other way round. " +
			"pause: the leader stands still for two seconds, amid a write, three times over. drift: clocks are wrong by so much, and the leader is cut off again and again. " +
			"A node that is paused does not count, nor the time before the first reign. Without epochs that rise there is nothing by which a resource could refuse a write.",
		Measures: []Measure{
			count("leaders at once", "", Most, func(r *compare.Result) float64 { return float64(r.AtOnce) }),
			count("more than one leader", "ms", Mean, func(r *compare.Result) float64 { return milliseconds(r.Two) }),
			count("leaders of one epoch", "", Most, func(r *compare.Result) float64 { return atLeastOne(r.SameEpoch) }),
			count("stale writes", "", Mean, func(r *compare.Result) float64 { return float64(r.Stale) }),
			count("nobody leads", "ms", Mean, func(r *compare.Result) float64 { return milliseconds(r.None) }),
		}}
	for _, trouble := range troubles() {
		q.Settings = append(q.Settings, Setting{Name: trouble.name, Nodes: nodes, Scenarios: func(seed uint64) []compare.Scenario {
			random := simnet.NewRandom(seed, 1<<24)
			s := compare.Scenario{Name: trouble.name, Nodes: nodes, Length: 20 * time.Second, Timing: compare.LAN(), Work: 10 * ms,
				Delay: compare.Range{Min: ms / 2, Max: 3 * ms / 2}}
			trouble.befall(&s, &random)
			return []compare.Scenario{s}
		}})
	}
	return q
}

// trouble is something that goes wrong, at a time that is drawn.
type trouble struct {
	name   string
	befall func(s *compare.Scenario, r *simnet.Random)
}

func troubles() []trouble {
	begin := func(r *simnet.Random) time.Duration { return 5*time.Second + r.In(simnet.Range{Max: time.Second}) }
	return []trouble{
		{"partition", func(s *compare.Scenario, r *simnet.Random) {
			s.Faults = []compare.Fault{{Kind: compare.Cut, Aside: 1, At: begin(r), For: 6 * time.Second}}
		}},
		{"leader-cut-off", func(s *compare.Scenario, r *simnet.Random) {
			s.Faults = []compare.Fault{{Kind: compare.Cut, Links: []compare.Link{{From: compare.Leader}, {To: compare.Leader}}, At: begin(r), For: 6 * time.Second}}
		}},
		{"pause", func(s *compare.Scenario, r *simnet.Random) {
			first := begin(r)/s.Work*s.Work + compare.WriteDelay/2 // amid a write
			s.Faults = compare.Every(compare.Fault{Kind: compare.Pause, Node: compare.Leader, For: 2 * time.Second}, first, 3*time.Second, 15*time.Second)
		}},
		{"deaf-leader", func(s *compare.Scenario, r *simnet.Random) {
			s.Faults = []compare.Fault{{Kind: compare.Cut, Links: []compare.Link{{To: compare.Leader}}, At: begin(r), For: 6 * time.Second}}
		}},
		{"mute-leader", func(s *compare.Scenario, r *simnet.Random) {
			s.Faults = []compare.Fault{{Kind: compare.Cut, Links: []compare.Link{{From: compare.Leader}}, At: begin(r), For: 6 * time.Second}}
		}},
		{"drift-1%", func(s *compare.Scenario, r *simnet.Random) { drift(s, r, 10) }},
		{"drift-30%", func(s *compare.Scenario, r *simnet.Random) { drift(s, r, 300) }},
	}
}

// drift gives each node a clock that is wrong by so many thousandths at most, and lets the leader be cut off from all, again
// and again.
func drift(s *compare.Scenario, r *simnet.Random, thousandths uint64) {
	for range nodes {
		s.Rates = append(s.Rates, 1+(float64(r.Below(2*thousandths+1))-float64(thousandths))/1000)
	}
	s.Faults = compare.Every(compare.Fault{Kind: compare.Cut, Links: []compare.Link{{From: compare.Leader}, {To: compare.Leader}}, For: 1500 * ms},
		5*time.Second+r.In(simnet.Range{Max: time.Second}), 3*time.Second, 18*time.Second)
}
