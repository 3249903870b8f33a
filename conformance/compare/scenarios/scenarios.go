// Package scenarios has the scenarios in which the election algorithms that people know go wrong, each by the name under
// which anybody can run it again.
//
//	for _, s := range scenarios.All() {
//		result, err := compare.Run(&s.Scenario, algorithm, s.Seed, compare.Options{Timeline: true})
//		if err != nil {
//			return err
//		}
//		fmt.Println(s.Title, result.Two, result.Stale)
//	}
package scenarios

import (
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
)

const ms = time.Millisecond

// Named is a scenario with what there is to see in it.
type Named struct {
	compare.Scenario
	Title string // a short sentence: what happens
	Seed  uint64 // the seed with which it is told
	Shows string // the name of the algorithm that it is about, such as "textbook"
	Flaw  Flaw   // what goes wrong there
	// Enough is what the faults call for: of Disrupted how many reigns, of Herd how many messages of elections.
	Enough int
	Watch  string // what to look at in the timeline: a sentence
	Cause  string // why it goes wrong: a sentence
	Remedy string // what our protocol does instead, with the rules: "R7: an epoch is granted by a quorum, and a quorum is …"
}

// Flaw is what goes wrong in a scenario; it is measured, not said.
type Flaw string

const (
	NoFlaw     Flaw = ""                             // the scenario shows how it should be
	TwoLeaders Flaw = "two leaders"                  // Result.Two is above 0
	SameEpoch  Flaw = "two leaders in one epoch"     // Result.SameEpoch is above 1
	StaleWrite Flaw = "a stale write"                // Result.Stale is above 0
	NoLeader   Flaw = "no leader"                    // nobody leads at the end, or not all follow
	Disrupted  Flaw = "a leader deposed for nothing" // there are more reigns than Enough
	Herd       Flaw = "a herd"                       // elections take more messages than Enough
)

// Found reports whether a result shows the flaw of the scenario. Of one without a flaw it reports whether something went wrong.
func (n *Named) Found(r *compare.Result) bool {
	switch n.Flaw {
	case TwoLeaders:
		return r.Two > 0
	case SameEpoch:
		return r.SameEpoch > 1
	case StaleWrite:
		return r.Stale > 0
	case NoLeader:
		return !r.Agreed
	case Disrupted:
		return len(r.Reigns) > n.Enough
	case Herd:
		return r.Election > n.Enough
	}
	return r.Two > 0 || r.SameEpoch > 1 || r.Stale > 0 || !r.Agreed
}

// All returns every scenario, in the order in which to read them.
func All() []Named {
	var all []Named
	for _, some := range [][]Named{textbook(), ring(), raft(), lease()} {
		all = append(all, some...)
	}
	return all
}
