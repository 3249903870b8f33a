package paths_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/conformance/paths"
	"github.com/seed-fdf591db/bully/spec"
)

var model = conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} })

func TestModel(t *testing.T) {
	paths.Run(t, model)
}

// TestTraces shows that what happens along a path is a trace that the rules allow: what is left out of the graph is lost in
// it, as it may be.
func TestTraces(t *testing.T) {
	for _, c := range paths.Small() {
		tour, err := paths.New(c)
		require.NoError(t, err)
		header := spec.Header{Commit: "unknown"}
		for i := range c.Nodes {
			header.Members = append(header.Members, spec.IntegerID(uint64(i+1)))
		}
		events := uint64(0)
		for i := 0; i < tour.Paths; i += 5 {
			var trace bytes.Buffer
			w := spec.NewTraceWriter(&trace, header)
			require.NoError(t, tour.ReplayOne(i, model, cluster.Options{Trace: w}))
			require.NoError(t, w.Flush())
			report, err := check.Trace(&trace, check.Options{Strict: true})
			require.NoError(t, err, "%s, path %d", c.Name, i)
			events += report.Events
		}
		require.Greater(t, events, uint64(1000))
	}
}

// faulty is the model with a fault.
type faulty struct {
	conformance.Model
	fault func(id spec.NodeID, in spec.Input, out *spec.Step)
}

func (f *faulty) Step(id spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) spec.Step {
	out := f.Model.Step(id, members, before, in)
	out.State, out.Sent = out.State.Clone(), append([]spec.Message(nil), out.Sent...)
	f.fault(id, in, &out)
	return out
}

// recorder is a T that keeps what it is told.
type recorder struct{ texts []string }

func (*recorder) Helper()             {}
func (*recorder) Logf(string, ...any) {}
func (r *recorder) Errorf(format string, args ...any) {
	r.texts = append(r.texts, fmt.Sprintf(format, args...))
}

// TestFaultsLeadAstray breaks the model in ways that break no promise in a single step, and shows that the paths are left.
func TestFaultsLeadAstray(t *testing.T) {
	for name, fault := range map[string]func(id spec.NodeID, in spec.Input, out *spec.Step){
		"says HEARTBEAT under a number that it has used": func(_ spec.NodeID, in spec.Input, out *spec.Step) {
			if in.Timer == spec.HeartbeatTimer {
				out.State.Latest--
				for i := range out.Sent {
					out.Sent[i].Question--
				}
			}
		},
		"answers another question": func(_ spec.NodeID, in spec.Input, out *spec.Step) {
			if in.Message.Type == spec.Claim && in.Message.Question > 1 {
				out.Sent[0].Question--
			}
		},
		"keeps the lease of another question": func(_ spec.NodeID, in spec.Input, out *spec.Step) {
			if in.Message.Type == spec.Heartbeat && out.State.Lease > 1 {
				out.State.Lease--
			}
		},
		"is silent after a restart, and says nothing": func(_ spec.NodeID, in spec.Input, out *spec.Step) {
			if in.Call == spec.RestartCall {
				out.Sent = nil
			}
		},
		"does not answer who is back": func(_ spec.NodeID, in spec.Input, out *spec.Step) {
			if in.Message.Type == spec.ImBack {
				out.Sent = nil
			}
		},
		"says REFUSE with a low epoch": func(_ spec.NodeID, _ spec.Input, out *spec.Step) {
			for i := range out.Sent {
				if out.Sent[i].Type == spec.Refuse {
					out.Sent[i].Epoch = 0
				}
			}
		},
		"sends heartbeats to the highest only": func(_ spec.NodeID, in spec.Input, out *spec.Step) {
			if in.Timer == spec.HeartbeatTimer {
				out.Sent = out.Sent[len(out.Sent)-1:]
			}
		},
		"forgets the OK": func(_ spec.NodeID, in spec.Input, out *spec.Step) {
			if in.Message.Type == spec.OK {
				out.State.Support = nil
			}
		},
	} {
		told := &recorder{}
		paths.Run(told, conformance.NodeOf(func() conformance.Subject { return &faulty{fault: fault} }))
		require.NotEmpty(t, told.texts, name)
		require.Contains(t, told.texts[0], "members 1 2", name)
	}
}

// TestAstray shows what is said of an implementation that leaves a path.
func TestAstray(t *testing.T) {
	tour, err := paths.New(paths.Small()[0])
	require.NoError(t, err)
	err = tour.Replay(conformance.NodeOf(func() conformance.Subject {
		return &faulty{fault: func(_ spec.NodeID, in spec.Input, out *spec.Step) {
			if in.Message.Type == spec.Election && len(out.Sent) > 1 {
				out.Sent = out.Sent[:1]
			}
		}}
	}), cluster.Options{})
	require.ErrorContains(t, err, "from 2 to 1 there is under way [2→1 OK epoch:0 question:1], and there should be [2→1 OK epoch:0 question:1 2→1 ELECTION epoch:0 question:1]")
	lines := strings.Split(err.Error(), "\n")
	_, err = cluster.ParseScript(lines[len(lines)-1])
	require.NoError(t, err, "the last line is a script that goes there")
}

func TestPinned(t *testing.T) {
	c := paths.Small()[0]
	c.Pinned.Paths++
	_, err := paths.New(c)
	require.ErrorContains(t, err, "if the change is meant, pin the new counts")
	_, err = paths.New(paths.Configuration{Nodes: 2, Cuts: "Whole"})
	require.Error(t, err, "nothing is pinned")
	_, err = paths.New(paths.Configuration{Nodes: 2, Cuts: "Nowhere"})
	require.EqualError(t, err, "cluster: Nowhere is no replacement of Cuts")
}
