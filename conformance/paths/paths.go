// Package paths leads an implementation along every edge of the state graph of a small cluster: for each reachable state, and
// each step that the cluster can take there, there is a path that takes it, and after every step the whole cluster must be where
// the explorer says: the state of each node, who runs, what is under way on each link, which links are cut. This is the test of
// an implementation:
//
//	func TestPaths(t *testing.T) {
//		paths.Run(t, newNode)
//	}
//
// The graph is that of tla/Cluster.tla, which is untimed, and leaves out what changes nothing for the cluster. Where it says
// less than a node does, the path is mended, so that what is left out cannot be told from a run in which it is lost:
//
//   - A heartbeat goes to all (R27); the graph has the heartbeats that change something alone. Each other one is lost as
//     soon as it comes first on its link, and until then it is not looked at.
//   - Questions have numbers as small as can be in the graph, given anew in each state (R50). So are those of the cluster before
//     the two are compared. Of an answer that can never count any more the number is not looked at, nor is that of a node that is
//     down: numbers are reserved in blocks, and the graph has none.
//   - The graph may begin with links cut. The path begins with the cut.
//
// All else is an op of package cluster for a step of the graph.
package paths

import (
	"fmt"
	"strconv"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/model/explore"
)

// Configuration is a small cluster, and what there is to see of it.
type Configuration struct {
	Name  string
	Nodes int
	Cuts  string // which links are cut, or may be, as in module MCCluster: Whole, Star, OneWay …
	// How often each may happen: a timer that ends early, a crash, the loss of a message, a change of the cut, a call to
	// resign.
	Early, Crashes, Losses, Changes, Resigns int
	// Proofs says that a node may be told that the holder of its lease is dead, as soon as it is (R41).
	Proofs bool
	// Pinned is what there must be of it.
	Pinned Counts
}

// Counts are the size of a graph and of the paths along it.
type Counts struct {
	States, Edges int
	Paths, Steps  int // steps of the graph, of all paths together
}

// String returns the counts as a person would say them.
func (c Counts) String() string {
	return fmt.Sprintf("%d states, %d edges, %d paths of %d steps", c.States, c.Edges, c.Paths, c.Steps)
}

// Small returns the configurations that [Run] uses: each takes a moment.
func Small() []Configuration {
	return []Configuration{
		{Name: "crash", Nodes: 3, Cuts: "Star", Crashes: 1, Proofs: true, Pinned: Counts{4237, 9101, 1582, 28785}},
		{Name: "loss", Nodes: 3, Cuts: "Star", Losses: 1, Pinned: Counts{1327, 2761, 549, 8150}},
		{Name: "early", Nodes: 2, Cuts: "Whole", Early: 1, Crashes: 1, Pinned: Counts{1129, 1843, 454, 5736}},
		{Name: "cut", Nodes: 2, Cuts: "OneWay", Early: 1, Losses: 1, Changes: 1, Pinned: Counts{3234, 6050, 1630, 25461}},
	}
}

// Large returns further ones, for when there are minutes.
func Large() []Configuration {
	return []Configuration{
		{Name: "two-resign", Nodes: 2, Cuts: "Whole", Early: 1, Crashes: 1, Resigns: 1, Pinned: Counts{3177, 5405, 1343, 23792}},
		{Name: "three", Nodes: 3, Cuts: "Whole", Crashes: 1, Pinned: Counts{87806, 283049, 60053, 1952944}},
		{Name: "three-early", Nodes: 3, Cuts: "Star", Early: 1, Crashes: 1, Pinned: Counts{116277, 293450, 67009, 1600108}},
		{Name: "three-cut", Nodes: 3, Cuts: "TopIsolated", Changes: 1, Pinned: Counts{28980, 94297, 19281, 635932}},
		{Name: "two-all", Nodes: 2, Cuts: "OneWay", Early: 1, Crashes: 1, Losses: 1, Changes: 1, Pinned: Counts{23371, 51598, 16344, 314412}},
	}
}

func (c *Configuration) explore() explore.Configuration {
	replacements := map[string]string{"Cuts": c.Cuts, "First": "All", "Wanted": "Nothing", "Stamped": "Unstamped"}
	if c.Proofs {
		replacements["MayProve"] = "Proofs"
	}
	return explore.Configuration{
		Module: "MCCluster", Specification: "Spec",
		Constants: map[string]string{
			"N": strconv.Itoa(c.Nodes), "MaxEarly": strconv.Itoa(c.Early), "MaxCrash": strconv.Itoa(c.Crashes),
			"MaxLoss": strconv.Itoa(c.Losses), "MaxCut": strconv.Itoa(c.Changes), "MaxResign": strconv.Itoa(c.Resigns),
			"MaxChange": "0",
		},
		Replacements: replacements,
	}
}

// Run leads an implementation along all paths of the small configurations, and fails t for each in which it goes astray, or
// whose counts are not those pinned.
func Run(t conformance.T, newNode conformance.Maker) {
	t.Helper()
	for _, c := range Small() {
		tour, err := New(c)
		if err == nil {
			err = tour.Replay(newNode, cluster.Options{})
		}
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		t.Logf("%-12s %s", c.Name, tour.Counts)
	}
}

// Tour is paths along every edge of one graph.
type Tour struct {
	Counts
	configuration Configuration
	graph         *graph
	paths         []path
}

// mostStates bounds the graph that is kept in memory.
const mostStates = 1_000_000

// New explores a configuration, and finds the paths: the same ones each time. It is an error if there is no such configuration,
// if it has more than a million states, or if the counts are not those that it has pinned.
func New(c Configuration) (*Tour, error) {
	g, err := explored(c.explore(), mostStates)
	if err != nil {
		return nil, err
	}
	t := &Tour{Counts: Counts{States: len(g.states), Edges: g.count}, configuration: c, graph: g, paths: g.cover()}
	t.Paths = len(t.paths)
	for _, p := range t.paths {
		t.Steps += len(p.edges)
	}
	if c.Pinned != t.Counts {
		return nil, fmt.Errorf("paths: there are %s, and there should be %s: if the change is meant, pin the new counts", t.Counts, c.Pinned)
	}
	return t, nil
}

// Replay leads an implementation along all paths. The options are those of every cluster; a trace can be of one path only, so
// use ReplayOne for that. The error says where the first path goes astray, and how to go there again.
func (t *Tour) Replay(newNode conformance.Maker, o cluster.Options) error {
	for i := range t.paths {
		if err := t.ReplayOne(i, newNode, o); err != nil {
			return err
		}
	}
	return nil
}

// ReplayOne leads an implementation along the path i, which counts from 0.
func (t *Tour) ReplayOne(i int, newNode conformance.Maker, o cluster.Options) error {
	r, err := newReplay(t, newNode, o)
	if err != nil {
		return fmt.Errorf("paths: %w", err)
	}
	p := &t.paths[i]
	if err := r.begin(p.start); err != nil {
		return fmt.Errorf("paths: %s, path %d, at its beginning: %w\n%s", t.configuration.Name, i, err, r.script())
	}
	for k, e := range p.edges {
		if err := r.step(e); err != nil {
			return fmt.Errorf("paths: %s, path %d, step %d, %s: %w\n%s", t.configuration.Name, i, k+1, e.step, err, r.script())
		}
	}
	return nil
}
