package trace_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/trace"
	"github.com/seed-fdf591db/bully/spec"
)

// TestMerge merges the records of random runs, and sees that the result is a run that the rules and the links allow.
func TestMerge(t *testing.T) {
	type much struct{ nodes, steps, crashes, losses int }
	const never = 1_000_000
	for _, c := range []struct {
		clocks clocks
		much   much
	}{
		{oneClock, much{1, 60, 15, never}}, {oneClock, much{2, 200, 40, 50}}, {oneClock, much{3, 400, never, never}},
		{oneClock, much{3, 600, 60, 30}}, {oneClock, much{5, 1500, 30, 1000}}, {oneClock, much{7, 3000, 150, 100}},
		{skewed, much{2, 200, 40, 50}}, {skewed, much{3, 600, 60, 30}}, {skewed, much{5, 1500, 100, 50}}, {skewed, much{7, 3000, 150, 100}},
		{noClock, much{1, 60, 15, never}}, {noClock, much{2, 200, 40, 50}}, {noClock, much{5, 1500, never, 20}},
	} {
		for seed := range uint64(6) {
			name := fmt.Sprintf("%+v, seed %d", c, seed)
			cluster := newCluster(t, c.much.nodes, seed, c.clocks)
			cluster.run(c.much.steps, c.much.crashes, c.much.losses)
			var merged bytes.Buffer
			summary, err := trace.Merging{Step: bully.Replay}.Merge(&merged, cluster.files()...)
			require.NoError(t, err, name)
			read, err := legal(&merged)
			require.NoError(t, err, name)
			require.Equal(t, summary.Events, read, name)
			require.LessOrEqual(t, summary.Filled, cluster.missing, name)
			require.Zero(t, summary.Unsent, name)
		}
	}
}

// files returns the files of all records.
func (c *cluster) files() []string {
	files, err := trace.Files(c.dir)
	require.NoError(c.t, err)
	return files
}

// legal replays a merged trace, and returns how many events it has, or why it is no legal run: each step must be that of
// the core, and what it receives must be under way.
func legal(in io.Reader) (events int, err error) {
	reader, err := spec.NewTraceReader(in)
	if err != nil {
		return 0, err
	}
	members := reader.Header().Members
	nodes := map[spec.NodeID]*bully.Node{}
	disks := map[spec.NodeID]spec.Durable{}
	links := map[spec.Link][]spec.Message{}
	for {
		var e spec.Event
		err := reader.Read(&e)
		if err == io.EOF {
			return events, nil
		}
		if err != nil {
			return events, err
		}
		events++
		if err := takeAgain(&e, members, nodes, disks, links); err != nil {
			return events, fmt.Errorf("event %s: %w", e, err)
		}
	}
}

// takeAgain takes the step of e.
func takeAgain(e *spec.Event, members []spec.NodeID, nodes map[spec.NodeID]*bully.Node, disks map[spec.NodeID]spec.Durable,
	links map[spec.Link][]spec.Message) error {
	var in bully.Input
	node := nodes[e.Node]
	switch {
	case e.Action == spec.CrashAction:
		if node == nil || e.State.Durable() != disks[e.Node] {
			return fmt.Errorf("no such crash: the node has %v", disks[e.Node])
		}
		delete(nodes, e.Node)
		for link := range links {
			if link.From == e.Node || link.To == e.Node {
				delete(links, link)
			}
		}
		return nil
	case e.Action == spec.StartAction || e.Action == spec.RestartAction:
		disk, known := disks[e.Node]
		if node != nil || known != (e.Action == spec.RestartAction) {
			return errors.New("no such start")
		}
		node, _ = bully.New(e.Node, members)
		nodes[e.Node] = node
		if in = bully.Start(); known {
			in = bully.Restart(disk)
		}
	case node == nil:
		return errors.New("the node is down")
	case e.Action.Receipt() == "":
		in = bully.Given(e.Input)
	default:
		m := e.Input.Message
		link := spec.Link{From: m.From, To: m.To}
		i := slices.Index(links[link], m)
		if i < 0 {
			return fmt.Errorf("not under way: %v", links[link])
		}
		links[link] = links[link][i+1:]
		in = bully.Given(e.Input)
	}
	out := node.Step(in)
	if out.Action != e.Action || !slices.Equal(out.Send, e.Sent) || !node.State().Equal(e.State) {
		return fmt.Errorf("the core takes %s, sends %v and is %s", out.Action, out.Send, node.State())
	}
	disks[e.Node] = node.State().Durable()
	for _, m := range e.Sent {
		if nodes[m.To] != nil {
			link := spec.Link{From: m.From, To: m.To}
			links[link] = append(links[link], m)
		}
	}
	return nil
}
