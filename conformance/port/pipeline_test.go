package port_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/port"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/slowtest"
)

// heartbeats are requests: a node is started, and its timer ends again and again.
func heartbeats(n int) []port.Request {
	me := members()[1]
	requests := []port.Request{{Op: port.Begin, Node: "a", Me: &me, Members: members()}}
	for len(requests) < n {
		requests = append(requests, port.Request{Op: port.End, Node: "a", Timer: spec.HeartbeatTimer})
	}
	return requests
}

// TestAskAll asks far more than is under way at a time: the replies are told in order.
func TestAskAll(t *testing.T) {
	p, err := start(t, "model")
	require.NoError(t, err)
	defer p.Close()
	const n = 3000
	told := 0
	err = p.AskAll(slices.Values(heartbeats(n)), func(k int, request *port.Request, reply *port.Reply) error {
		require.Equal(t, told, k)
		require.Equal(t, request.ID, reply.ID)
		require.Equal(t, k > 0, reply.Ignored != "")
		told++
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, n, told)

	enough := errors.New("enough")
	err = p.AskAll(slices.Values(heartbeats(n)), func(k int, _ *port.Request, _ *port.Reply) error {
		if k == 700 {
			return enough
		}
		require.Less(t, k, 700)
		return nil
	})
	require.ErrorIs(t, err, enough)
	require.True(t, p.Usable(), "the replies that were to come have been taken")
	_, err = p.Ask(&port.Request{Op: port.Reset})
	require.NoError(t, err)
	again, err := p.Again(t.Context())
	require.NoError(t, err)
	defer again.Close()
	require.NoError(t, again.AskAll(slices.Values(heartbeats(9)), func(int, *port.Request, *port.Reply) error { return nil }))
}

// TestAskAllFails asks ports that fail, much at once: the failure is that of the port, and comes soon.
func TestAskAllFails(t *testing.T) {
	for how, kind := range map[string]port.Kind{
		"dies": port.Died, "hangs": port.Hung, "floods": port.Flooded, `{"id":7}`: port.Nonsense,
	} {
		p, err := start(t, how)
		require.NoError(t, err)
		err = p.AskAll(slices.Values(heartbeats(20_000)), func(int, *port.Request, *port.Reply) error { return nil })
		var failure *port.Failure
		require.ErrorAs(t, err, &failure, how)
		require.Equal(t, kind, failure.Kind, how)
		require.False(t, p.Usable())
		require.ErrorAs(t, p.AskAll(slices.Values(heartbeats(2)), nil), &failure, "it is of no more use")
		p.Close()
	}
}

// TestAnswers puts questions to the model ahead; the answers are those that it gives one by one.
func TestAnswers(t *testing.T) {
	p, err := start(t, "model")
	require.NoError(t, err)
	defer p.Close()
	asked := 0
	group := conformance.Groups()[2] // the small one of those that ask for all
	if slowtest.Wanted() {
		group = conformance.Groups()[3]
	}
	require.NoError(t, p.Answers(group.All, func(c *conformance.Case, got spec.Step, wrong *port.Failure) error {
		asked++
		require.Nil(t, wrong)
		if !got.Equal(c.Want) {
			return fmt.Errorf("%+v", c)
		}
		return nil
	}))
	require.Equal(t, group.Pinned, asked)
}

// TestReplay records a run of the model, and gives it to a port; and to one that says that it has failed.
func TestReplay(t *testing.T) {
	plan, err := sim.Generate(2, 3, sim.CrashProfile)
	require.NoError(t, err)
	var run []*port.TakenStep
	_, err = sim.Run(&plan, port.Record("r", model().Make, func(g *port.TakenStep) { run = append(run, g.Clone()) }), sim.Options{})
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(run, func(g *port.TakenStep) bool { return g.Crashed }), "some node has crashed")
	require.Equal(t, "r/1", run[0].Name)

	p, err := start(t, "model")
	require.NoError(t, err)
	defer p.Close()
	k := 0
	require.NoError(t, p.Replay(slices.Values(run), func(g *port.TakenStep, did *spec.Step, wrong *port.Failure) error {
		require.Nil(t, wrong)
		require.Same(t, run[k], g)
		require.True(t, g.Did.State.Equal(did.State))
		require.Equal(t, g.Did.Save, did.Save)
		require.Equal(t, [2]spec.TimerSet{g.Did.Cancel, g.Did.Arm}, [2]spec.TimerSet{did.Cancel, did.Arm})
		k++
		return nil
	}))
	require.Len(t, run, k)

	bad, err := start(t, `{"id":2,"error":"no idea"}`)
	require.NoError(t, err)
	defer bad.Close()
	err = bad.Replay(slices.Values(run[:1]), func(_ *port.TakenStep, _ *spec.Step, wrong *port.Failure) error { return wrong })
	var failure *port.Failure
	require.ErrorAs(t, err, &failure)
	require.Equal(t, port.Erred, failure.Kind)
	require.Equal(t, "R32", failure.Rule)
}
