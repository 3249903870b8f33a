package questions

import (
	"fmt"
	"math"
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/sim/simnet"
)

const ms = time.Millisecond

// nodes is how many nodes there are, where that is not what is asked.
const nodes = 5

// failover is a scenario in which the leader dies, at a time that the seed draws, and does not come back.
func failover(n int, seed uint64) compare.Scenario {
	random := simnet.NewRandom(seed, 1<<24)
	at := 3*time.Second + random.In(simnet.Range{Max: 200 * ms})
	return compare.Scenario{Name: "the leader dies", Nodes: n, Length: at + 10*time.Second, Timing: compare.LAN(), Work: 10 * ms,
		Delay:  compare.Range{Min: ms / 2, Max: 3 * ms / 2},
		Faults: []compare.Fault{{Kind: compare.Crash, Node: compare.Leader, At: at}}}
}

// healed is how long it took until all followed a new leader.
func healed(_ *compare.Scenario, r *compare.Result) float64 {
	if r.Faults[0].Healed < 0 || r.Faults[0].Began < 0 {
		return math.Inf(1)
	}
	return milliseconds(r.Faults[0].Healed)
}

// failoverMeasures are what is measured of a failover.
func failoverMeasures() []Measure {
	return []Measure{
		{Name: "time to a new leader", Unit: "ms", Stat: Median, Log: true, Of: healed},
		{Name: "more than one leader", Unit: "ms", Stat: Most, Of: func(_ *compare.Scenario, r *compare.Result) float64 { return milliseconds(r.Two) }},
		{Name: "reigns", Stat: Mean, Of: func(_ *compare.Scenario, r *compare.Result) float64 { return float64(len(r.Reigns)) }},
	}
}

// failoverLoss asks how long a failover takes on links that lose messages.
func failoverLoss() Question {
	q := Question{ID: "failover-loss", Title: "Time to a new leader, by loss", X: "messages lost, %", Measures: failoverMeasures(),
		Asks: "The leader of five nodes dies, on links that lose messages. How long does it take until all that live follow one new leader?",
		How:  "From the death until all living nodes name one leader that leads, and go on to do so for as long as their patience. Each message is lost with the same chance, before the death too."}
	for _, loss := range []float64{0, 1, 2, 5, 10, 20, 30} {
		q.Settings = append(q.Settings, Setting{Name: fmt.Sprintf("%g%%", loss), X: loss, Nodes: nodes, Scenarios: func(seed uint64) []compare.Scenario {
			s := failover(nodes, seed)
			s.Loss = loss / 100
			return []compare.Scenario{s}
		}})
	}
	return q
}

// failoverDelay asks how long a failover takes on slow links.
func failoverDelay() Question {
	q := Question{ID: "failover-delay", Title: "Time to a new leader, by delay", X: "delay, ms", Log: true, Measures: failoverMeasures(),
		Asks: "The leader of five nodes dies, on links that are slower than the timers were chosen for, or faster. How long does it take until all that live follow one new leader?",
		How:  "Never is also said where no leader came up that could die. Delays are drawn evenly from half to one and a half of what is said. All timers allow for 12 ms, and stay as they are. A run is given up when messages beget messages: more than 50,000, and one more each millisecond."}
	for _, delay := range []time.Duration{ms / 2, ms, 2 * ms, 5 * ms, 10 * ms, 20 * ms, 50 * ms, 100 * ms} {
		q.Settings = append(q.Settings, Setting{Name: fmt.Sprintf("%gms", milliseconds(delay)), X: milliseconds(delay), Nodes: nodes,
			Scenarios: func(seed uint64) []compare.Scenario {
				s := failover(nodes, seed)
				s.Delay = compare.Range{Min: delay / 2, Max: delay * 3 / 2}
				return []compare.Scenario{s}
			}})
	}
	return q
}
