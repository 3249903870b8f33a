package questions

import (
	"fmt"
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/sim/simnet"
)

// flapping asks what a fault that comes again and again does to a cluster in which a quorum is well.
func flapping() []Question {
	measures := []Measure{
		count("reigns an hour", "", Mean, func(r *compare.Result) float64 { return 6 * float64(max(len(r.Reigns)-1, 0)) }),
		count("elections an hour", "", Mean, func(r *compare.Result) float64 { return 6 * float64(max(r.Elections-1, 0)) }),
		count("nobody leads, of an hour", "s", Mean, func(r *compare.Result) float64 { return 6 * r.None.Seconds() }),
		count("more than one leader, of an hour", "s", Mean, func(r *compare.Result) float64 { return 6 * r.Two.Seconds() }),
	}
	long := func(name string, fault compare.Fault, each time.Duration, seed uint64) []compare.Scenario {
		random := simnet.NewRandom(seed, 1<<24)
		s := compare.Scenario{Name: name, Nodes: nodes, Length: 10*time.Minute + 20*time.Second + each, Timing: compare.LAN(), Delay: compare.Range{Min: ms / 2, Max: 3 * ms / 2}}
		first := 10*time.Second + random.In(simnet.Range{Max: each})
		s.Faults = compare.Every(fault, first, each, first+10*time.Minute)
		return []compare.Scenario{s}
	}
	link := Question{ID: "flapping-link", Title: "Elections caused by a flapping link", X: "cuts an hour", Share: 20, Measures: measures,
		Asks: "The link between the leader and the lowest other node is cut for two seconds, again and again. How many elections does that cause?",
		How: "Ten minutes of each run, times six, with a twentieth of the seeds. All other links are well. An election is a node that comes to stand, or begins another round, whether it wins or not. " +
			"Nodes with a lease in a store do not speak with each other, and do not notice."}
	rejoin := Question{ID: "rejoining", Title: "Elections caused by a node that rejoins", X: "crashes an hour", Share: 20, Measures: measures,
		Asks: "The highest node crashes, and returns after a second and a half, again and again. How many elections does that cause?",
		How:  "Ten minutes of each run, times six, with a twentieth of the seeds. The four others are well. To an algorithm that does not look at ids it is a node like any other, unless it leads."}
	for _, each := range []time.Duration{60 * time.Second, 30 * time.Second, 10 * time.Second, 5 * time.Second} {
		name, x := fmt.Sprintf("%gs", each.Seconds()), float64(time.Hour/each)
		link.Settings = append(link.Settings, Setting{Name: "every-" + name, X: x, Nodes: nodes, Scenarios: func(seed uint64) []compare.Scenario {
			return long("a link flaps every "+name, compare.Fault{Kind: compare.Cut, Links: compare.Between(compare.Leader, compare.Lowest), For: 2 * time.Second}, each, seed)
		}})
		rejoin.Settings = append(rejoin.Settings, Setting{Name: "every-" + name, X: x, Nodes: nodes, Scenarios: func(seed uint64) []compare.Scenario {
			return long("the highest rejoins every "+name, compare.Fault{Kind: compare.Crash, Node: nodes, For: 1500 * ms}, each, seed)
		}})
	}
	return []Question{link, rejoin}
}
