package questions

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
)

// messagesName is the name of the measure of what an election costs.
const messagesName = "messages"

// sizes are the numbers of nodes for which messages are counted.
func sizes() []int { return []int{3, 5, 7, 11, 17, 25, 35, 51, 64, 75, 101} }

// electionMessages is what an election costs, if it comes to an end.
func electionMessages(_ *compare.Scenario, r *compare.Result) float64 {
	if !r.Agreed {
		return math.Inf(1)
	}
	return float64(r.Election)
}

// messages are the questions what an election costs, from a start without a leader: by one node alone, whichever that is,
// and by all at once; and in the course of things, when a leader has died.
func messages() []Question {
	bully := []Bound{{"n\u00a0−\u00a01", func(n float64) float64 { return n - 1 }}, {"n²\u00a0−\u00a01", func(n float64) float64 { return n*n - 1 }}}
	ring := []Bound{{"2n\u00a0−\u00a01", func(n float64) float64 { return 2*n - 1 }}, {"n²", func(n float64) float64 { return n * n }}}
	both := append(slices.Clone(bully), ring...)
	make := func(id, title, asks string, worst bool, scenarios func(n int) []compare.Scenario, notes ...string) Question {
		q := Question{ID: id, Title: title, Asks: asks, X: "nodes", Log: true, Single: true, Bounds: both,
			How: "All messages until all follow one leader and none is under way. Not counted: heartbeats and their ACKs, renewals and watches of leases, and the ACK of each hop of a ring (as many again). " +
				"Nothing is lost, nobody is dead, and nobody knows of a leader before. Candidates for a lease all ask when they start, whoever else does. " +
				"Rings are tried in both orders of ids; of more than 31 nodes only some are tried as starters. n − 1 and n² − 1 are known of the Bully, 2n − 1 of the ELECTIONs of Chang and Roberts, and n² of those of lists.",
			Measures: []Measure{{Name: messagesName, Stat: Most, Log: true, Of: electionMessages}, tookMeasure}}
		q.How = strings.Join(append([]string{q.How}, notes...), " ")
		for _, n := range sizes() {
			q.Settings = append(q.Settings, Setting{Name: strconv.Itoa(n), X: float64(n), Nodes: n, Worst: worst,
				Scenarios: func(uint64) []compare.Scenario { return scenarios(n) }})
		}
		return q
	}
	return []Question{
		make("messages-best", "Messages of an election: the best start", "One node starts an election, the one that makes it cheapest. How many messages are sent?", false, starts),
		make("messages-worst", "Messages of an election: the worst start", "One node starts an election, the one that makes it most expensive. How many messages are sent?", true, starts),
		make("messages-herd", "Messages of an election: the herd", "All nodes start an election at the same moment. How many messages are sent?", true, herds, herdNote),
		failoverMessages(),
	}
}

// herdNote says why some never end.
const herdNote = "Whoever needs a random wait to get out of a tie has none here: the votes of Raft are split for as long as nobody's patience ends."

// tookMeasure is how long a run that ends with its election took.
var tookMeasure = Measure{Name: "time", Unit: "ms", Stat: Median, Of: func(_ *compare.Scenario, r *compare.Result) float64 {
	if !r.Agreed {
		return math.Inf(1)
	}
	return milliseconds(r.Ended)
}}

// silent is a scenario in which nothing happens by itself.
func silent(n int, faults ...compare.Fault) compare.Scenario {
	timing := compare.LAN()
	timing.Patience, timing.TTL = 1000*time.Second, 1000*time.Second
	timing.Heartbeat = 100 * time.Second
	return compare.Scenario{Name: "election", Nodes: n, Length: 100 * time.Second, Timing: timing, Quiet: true, Faults: faults}
}

// orders are the rings in which ids rise, and fall.
func orders(n int, s compare.Scenario) []compare.Scenario {
	falling := s
	falling.Order = nil
	for id := n; id > 0; id-- {
		falling.Order = append(falling.Order, id)
	}
	return []compare.Scenario{s, falling}
}

// starts are elections that one node begins: each, or of many nodes some.
func starts(n int) (all []compare.Scenario) {
	step := max(1, n/16)
	for k := 1; k <= n; k++ {
		if k == 1 || k >= n-1 || k%step == 0 {
			s := silent(n, compare.Fault{Kind: compare.Suspect, Node: k})
			s.Name = fmt.Sprintf("node %d of %d starts", k, n)
			all = append(all, orders(n, s)...)
		}
	}
	return all
}

// herds are elections that all begin.
func herds(n int) []compare.Scenario {
	s := silent(n)
	s.Name = fmt.Sprintf("all %d start", n)
	for k := 1; k <= n; k++ {
		s.Faults = append(s.Faults, compare.Fault{Kind: compare.Suspect, Node: k})
	}
	return orders(n, s)
}

// failoverMessages asks what an election costs in the course of things.
func failoverMessages() Question {
	q := Question{ID: "messages-failover", Title: "Messages of a failover", X: "nodes", Log: true,
		Asks: "The leader dies, and its followers find out in their own time. How many messages are sent until all follow the next, and for ten seconds after?",
		How:  "As above, but with timers as they are, and a leader that dies. What is sent to it counts.",
		Measures: []Measure{{Name: messagesName, Stat: Median, Log: true, Of: func(s *compare.Scenario, r *compare.Result) float64 {
			if !r.Agreed || r.Faults[0].Healed < 0 {
				return math.Inf(1)
			}
			return float64(r.Election - r.Faults[0].Election)
		}}}}
	for _, n := range []int{3, 5, 7, 11, 17, 25} {
		q.Settings = append(q.Settings, Setting{Name: strconv.Itoa(n), X: float64(n), Nodes: n, Scenarios: func(seed uint64) []compare.Scenario {
			return []compare.Scenario{failover(n, seed)}
		}})
	}
	return q
}
