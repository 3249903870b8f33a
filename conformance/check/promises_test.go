package check

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// drive makes a trace of what nodes do on their own, by the rules of r, and checks it by the same rules.
func drive(r *replay, steps ...spec.Event) *TraceError {
	for n := range steps {
		e := &steps[n]
		i := r.rank(e.Node)
		if e.Input.Timer != "" {
			e.Action = e.Input.Timer.Action()
		}
		if e.Action == spec.StartAction {
			r.rules.begin(i, e.State.Durable())
		}
		r.rules.step(i, r.rank(e.Input.Message.From), e)
		out := r.rules.wanted()
		e.Seq, e.State, e.Sent = uint64(n+1), out.State, out.Sent
		if fault := r.event(e); fault != nil {
			return fault
		}
	}
	return nil
}

// TestPromises replays what follows from rules that are broken, by the same rules: only the promises are left to refuse it.
func TestPromises(t *testing.T) {
	members := []spec.NodeID{spec.IntegerID(1), spec.IntegerID(2)}
	step := func(i int, action spec.Action) spec.Event { return spec.Event{Node: members[i], Action: action} }
	ends := func(i int, timer spec.Timer) spec.Event {
		return spec.Event{Node: members[i], Input: spec.Input{Timer: timer}}
	}
	alone := []spec.Event{
		step(0, spec.StartAction), step(1, spec.StartAction),
		ends(0, spec.PatienceTimer), ends(0, spec.ElectionTimer), ends(1, spec.PatienceTimer), ends(1, spec.ElectionTimer),
	}
	for _, c := range []struct {
		replacements map[string]string
		want         string
		steps        []spec.Event
	}{
		{map[string]string{"IsQuorum": "AnySet"}, "OneLeaderPerEpoch: nodes 1 and 2 have both led epoch 1", alone},
		{map[string]string{"IsQuorum": "AnySet", "Survives": "ForgetsAll"}, "EpochMonotonic: the epoch of node 1 goes back from 1 to 0",
			append(alone[:4:4], step(0, spec.CrashAction), step(0, spec.RestartAction))},
	} {
		r, err := newReplay(spec.Header{Members: members}, Options{})
		require.NoError(t, err)
		for operator, replacement := range c.replacements {
			require.NoError(t, r.rules.rules.Replace(operator, replacement, rules.Configuration{}))
		}
		fault := drive(r, c.steps...)
		require.NotNil(t, fault, c.want)
		require.Contains(t, fault.Error(), c.want)
	}
}

// TestTooManyMembers refuses more than the model has.
func TestTooManyMembers(t *testing.T) {
	for _, changing := range []bool{false, true} {
		var members []spec.NodeID
		for i := range uint64(MaxNodes + 1) {
			members = append(members, spec.IntegerID(i+1))
		}
		var text bytes.Buffer
		w := spec.NewTraceWriter(&text, spec.Header{Changing: changing, Members: members, Commit: "test"})
		require.NoError(t, w.Flush())
		_, err := Trace(&text, Options{})
		require.ErrorContains(t, err, "line 1: R40: 65 members: up to 64 can be checked")
	}
}

// TestManyFixedNodes takes as many fixed members as there may be: one of them asks all that are higher, and one answers.
func TestManyFixedNodes(t *testing.T) {
	var members []spec.NodeID
	var steps []spec.Event
	for i := range uint64(MaxNodes) {
		members = append(members, spec.IntegerID(i+1))
		steps = append(steps, spec.Event{Node: members[i], Action: spec.StartAction})
	}
	last := members[MaxNodes-1]
	steps = append(steps, spec.Event{Node: members[0], Input: spec.Input{Timer: spec.PatienceTimer}},
		spec.Event{Node: last, Action: spec.OnElection, Input: spec.Input{Message: spec.Message{Type: spec.Election, From: members[0], To: last, Question: 2}}})
	r, err := newReplay(spec.Header{Members: members}, Options{})
	require.NoError(t, err)
	fault := drive(r, steps...)
	require.Nil(t, fault)
	require.Len(t, steps[MaxNodes].Sent, MaxNodes-1)
	require.Equal(t, spec.OK, steps[MaxNodes+1].Sent[0].Type)
}
