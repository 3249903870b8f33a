package paths_test

import (
	"errors"
	"fmt"
	"os"

	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/conformance/paths"
	"github.com/seed-fdf591db/bully/spec"
)

// A cluster of one node that may crash once has nine edges, which three paths take. The first is written as a trace.
func ExampleTour_ReplayOne() {
	tour, err := paths.New(paths.Configuration{
		Name: "one", Nodes: 1, Cuts: "Whole", Crashes: 1,
		Pinned: paths.Counts{States: 9, Edges: 9, Paths: 3, Steps: 10},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tour.Counts)
	trace := spec.NewTraceWriter(os.Stdout, spec.Header{Members: []spec.NodeID{spec.IntegerID(1)}, Commit: "unknown"})
	err = errors.Join(tour.ReplayOne(0, model, cluster.Options{Trace: trace}), trace.Flush())
	fmt.Println(err)
	// Output:
	// 9 states, 9 edges, 3 paths of 10 steps
	// {"format":3,"spec":"2.0","members":["1"],"seed":0,"commit":"unknown"}
	// {"seq":1,"node":"1","action":"Start","sent":[],"state":{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":1}}
	// {"seq":2,"node":"1","action":"PatienceTimeout","input":{"timer":"patience"},"sent":[],"state":{"role":"candidate","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":2,"latest":2}}
	// {"seq":3,"node":"1","action":"ElectionTimeout","input":{"timer":"election"},"sent":[],"state":{"role":"leader","leader":"1","lease":0,"epoch":1,"grantee":"1","support":[],"asked":0,"latest":3,"dated":3,"answered":[]}}
	// {"seq":4,"node":"1","action":"Crash","state":{"role":"follower","leader":null,"lease":0,"epoch":1,"grantee":"1","support":[],"asked":0,"latest":1048576}}
	// {"seq":5,"node":"1","action":"Restart","sent":[],"state":{"role":"electing","leader":"1","lease":0,"epoch":1,"grantee":"1","support":[],"asked":0,"latest":1048577}}
	// {"seq":6,"node":"1","action":"CoordinatorTimeout","input":{"timer":"coordinator"},"sent":[],"state":{"role":"leader","leader":"1","lease":0,"epoch":2,"grantee":"1","support":[],"asked":0,"latest":1048578,"dated":1048578,"answered":[]}}
	// <nil>
}
