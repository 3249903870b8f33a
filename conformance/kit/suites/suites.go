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
// All but fence are of clusters whose members are fixed (Fixed), and of those whose members change (Changing), but for cover, which has
// no cases of the latter so far.
package suites

import (
	"slices"

	"github.com/seed-fdf591db/bully/conformance/kit"
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
)

// Silver returns what a silver port must pass besides the vectors: a sample of steps, the crash cuts, and runs of the simulator.
func Silver() []kit.Case {
	return ofAll((*Kind).Sample, (*Kind).Runs, (*Kind).Cuts, func(k *Kind) []kit.Case { return k.Sim(1, k.seeds) })
}

// Gold returns what a gold port must pass besides: all steps, long runs, the fence, every edge, and each node by itself.
func Gold() []kit.Case {
	return slices.Concat(Fence(), ofAll((*Kind).Isolate, (*Kind).Live, (*Kind).Cover, (*Kind).Steps))
}
