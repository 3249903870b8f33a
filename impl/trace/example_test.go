package trace_test

import (
	"bytes"
	"fmt"
	"os"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/trace"
	"github.com/seed-fdf591db/bully/spec"
)

// A node alone elects itself; what it did is recorded, merged and shown.
func Example() {
	dir, err := os.MkdirTemp("", "trace")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	id := spec.IntegerID(7)
	members := []spec.NodeID{id}
	recorder, err := trace.NewRecorder(trace.Options{Dir: dir, Node: id, Members: members, Host: "example", Commit: "none"})
	if err != nil {
		fmt.Println(err)
		return
	}
	node, err := bully.New(id, members)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, in := range []bully.Input{bully.Start(), bully.Timeout(spec.PatienceTimer), bully.Timeout(spec.ElectionTimer)} {
		out := node.Step(in)
		e := spec.Event{At: uint64(1000 + 300*i), Node: id, Action: out.Action, Sent: out.Send, State: node.State()}
		e.Input.Timer = out.Action.Timer()
		if err := recorder.Record(&e); err != nil {
			fmt.Println(err)
		}
	}
	if err := recorder.Close(); err != nil {
		fmt.Println(err)
	}

	files, err := trace.Files(dir)
	if err != nil {
		fmt.Println(err)
	}
	var merged bytes.Buffer
	summary, err := trace.Merge(&merged, files...)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(summary)
	reigns, err := trace.Reigns(&merged)
	if err != nil {
		fmt.Println(err)
	}
	for _, r := range reigns {
		fmt.Printf("node %s leads epoch %d from %d on\n", r.Leader, r.Epoch, r.From)
	}
	// Output:
	// events: 3, nodes: 1, crashes: 0
	// node 7 leads epoch 1 from 1600 on
}
