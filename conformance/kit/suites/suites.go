// Package suites makes the cases that are not vectors: what only many questions, or long runs, can show of a port. They are
// put to it as all cases are:
//
//	cases := slices.Concat(suites.Silver(), suites.Gold())
//	report, err := kit.Run(ctx, cases, kit.Options{Port: port.Config{Command: command}})
//
// The model (package conformance) is what a port is compared with, step by step: the first step that differs fails the case, and
// says which rule it breaks. The suites are
//
//	steps    single steps from states that the port is given: every state and input of small clusters
//	cuts     a node crashes at every place of every list of effects, and is restarted with what it had saved by then
//	         (cuts-…: each step is compared; crashes-…: the nodes go on by themselves, and are held to the promises alone)
//	sim      short runs in simulated time under faults of every kind, one a seed
//	runs     the same requests twice, and those of two clusters in turns: a port remembers nothing but through its nodes
//	live     long runs, which must settle with the highest node as leader
//	fence    a fenced resource under writers of several epochs: is what came of it linearizable?
//	cover    paths along every edge of the state graphs of small clusters
//	isolate  runs in which each node is a program of its own
//
// What is asked in steps, sim, runs, isolate and cuts-… does not depend on what is answered, and so is asked ahead (port.AskAll). In crashes-…,
// live and cover the port's own answers decide what comes next: its messages are delivered, and what it saves is what it is restarted with.
//
// In sim there are runs besides in which leaders hand over by name, of ports with the feature names; in all others nobody is named.
//
// All but fence are of clusters whose members are fixed (Fixed), and of those whose members change (Changing), but for cover, which has
// no cases of the latter so far.
package suites

import (
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/conformance/kit"
	"github.com/seed-fdf591db/bully/conformance/paths"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/conformance/sim"
)

// The names of the suites.
const (
	StepsSuite   = "steps"
	CutsSuite    = "cuts"
	SimSuite     = "sim"
	RunsSuite    = "runs"
	LiveSuite    = "live"
	FenceSuite   = "fence"
	CoverSuite   = "cover"
	IsolateSuite = "isolate"
)

// How many seeds of the simulator a silver port has passed, from 1 on: of the profiles of fixed members in turn; and if it has the feature
// members, of the profile in which they change.
const (
	SilverSeeds   = 2000
	ChangingSeeds = 200
	namedRuns     = 60 // and of those in which leaders hand over by name, if it has the feature names
)

// Silver returns what a silver port must pass besides the vectors: a sample of steps, the crash cuts, and runs of the simulator.
func Silver() []kit.Case {
	return append(ofAll((*Kind).Sample, (*Kind).Runs, (*Kind).Cuts, func(k *Kind) []kit.Case { return k.Sim(1, k.seeds) }), Named()...)
}

// Gold returns what a gold port must pass besides: all steps, long runs, the fence, every edge, and each node by itself.
func Gold() []kit.Case {
	return slices.Concat(Fence(), ofAll((*Kind).Isolate, (*Kind).Live, (*Kind).Cover, (*Kind).Steps))
}

// Kind is a kind of clusters, and what is asked of it: each suite, but for fence, has its cases of every kind.
type Kind struct {
	needs string // the feature that its nodes must have, or ""
	mark  string // in the ids of cases that profile or script do not tell apart
	title string // before titles that say nothing of members

	profiles []sim.Profile // of its runs, in turn
	seeds    uint64        // of the simulator that a silver port has passed, from 1 on
	sizes    []int         // how many nodes these runs have, in turn

	runs, apart int    // how many runs are made twice and in turns, and how many with each node in a program of its own
	runSizes    []int  // how many nodes these have, in turn
	inTurns     string // what is at stake when a run is made in turns with one of fixed members

	liveSizes []int    // how many nodes long runs have
	liveRules []string // that these are about
	live      string   // their title: of so many nodes, and this profile

	groups  func() []conformance.Group // the single steps
	sparse  int                        // one in so many of them is in the sample; it shares no factor with the cycles in which questions come
	scripts int                        // how many scripts are drawn at random, to be cut
	draw    func(seed uint64) *cluster.Script
	graphs  func() []paths.Configuration // whose every edge is gone along
}

// Fixed is the kind whose members are fixed.
var Fixed = &Kind{
	profiles: slices.DeleteFunc(sim.Profiles(), sim.Profile.Changing),
	seeds:    SilverSeeds,
	sizes:    []int{3, 5, 4, 3, 7, 2, 5, 6, 3, 1}, // all that the simulator has, even ones too, and those most often that clusters have

	runs: 10, apart: 5, runSizes: []int{3, 5},
	inTurns: "the nodes of two clusters, which have the same ids, know nothing of each other",

	liveSizes: []int{3, 5}, liveRules: []string{"R9", "R13", "R14", "R15"},
	live: "%[1]d nodes, faults of the profile %[2]s until they end: then the highest comes to lead, and stays",

	groups: conformance.Groups, sparse: 23, scripts: 60, draw: drawFixed, graphs: paths.Small,
}

// Changing is the kind whose members change. Its ports need the feature members.
var Changing = &Kind{
	needs: port.FeatureMembers, mark: "members-", title: "members change: ",

	profiles: []sim.Profile{sim.ChangingProfile},
	seeds:    ChangingSeeds,
	sizes:    []int{4, 5, 3, 4, 6, 5, 7, 3, 4, 2},

	runs: 3, apart: 2, runSizes: []int{4},
	inTurns: "the nodes of a cluster whose members change, and those of one whose members are fixed, know nothing of each other",

	liveSizes: []int{3, 4, 5}, liveRules: []string{"R46", "R47", "R9", "R13"},
	live: "%[1]d nodes, of whom members are made and removed while faults come, until all that ends: then the highest voter comes to lead, and stays",

	groups: drawnGroup, sparse: 5, scripts: 6, draw: drawChanging,
	graphs: func() []paths.Configuration { return nil },
}

// kindOf returns the kind whose members change, or the other.
func kindOf(changing bool) *Kind {
	if changing {
		return Changing
	}
	return Fixed
}

// KindOf returns the kind that the runs of a profile are of; of no profile, it is Fixed.
func KindOf(profile sim.Profile) *Kind { return kindOf(profile.Changing()) }

// ofScript returns the kind that a script is of.
func ofScript(script *cluster.Script) *Kind { return kindOf(!script.First.IsNone()) }

// ofAll returns some cases of each kind.
func ofAll(suites ...func(*Kind) []kit.Case) (cases []kit.Case) {
	for _, k := range []*Kind{Fixed, Changing} {
		for _, suite := range suites {
			cases = append(cases, suite(k)...)
		}
	}
	return cases
}

// drawnGroup returns, of the questions about changing members, those that are drawn: they are of more nodes, and of all that there is.
func drawnGroup() []conformance.Group {
	return slices.DeleteFunc(conformance.ChangingGroups(), func(g conformance.Group) bool { return g.Name != "members" })
}
