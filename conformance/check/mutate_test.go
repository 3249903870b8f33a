package check_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

// mutation is a way to change a trace in one place.
type mutation struct {
	name string
	// each calls try with all that event k of a trace can become: itself changed, dropped, twice, and so on. The slice has
	// room for events before and after it to change too.
	each func(members []spec.NodeID, events []spec.Event, k int, try func([]spec.Event))
	// legal says why what is left of some of these is a run all the same, and allowed reports whether that can be so of
	// event k. Where there is no reason, none may be.
	legal   string
	allowed func(members []spec.NodeID, before spec.State, events []spec.Event, k int) bool
}

// mutations are all ways.
func mutations() []mutation {
	return []mutation{
		{name: "role", each: changed(func(_ []spec.NodeID, e *spec.Event, try func()) {
			was := e.State.Role
			for _, e.State.Role = range spec.Roles() {
				if e.State.Role != was {
					try()
				}
			}
		})},
		{name: "leader", each: changed(func(members []spec.NodeID, e *spec.Event, try func()) { others(members, &e.State.Leader, try) })},
		{
			name: "grantee", each: changed(func(members []spec.NodeID, e *spec.Event, try func()) { others(members, &e.State.Grantee, try) }),
			legal: "a node of which nothing is known, and that begins with a Restart, may have any record",
			allowed: func(_ []spec.NodeID, _ spec.State, events []spec.Event, k int) bool {
				return events[k].Action == spec.RestartAction && !slices.ContainsFunc(events[:k], func(e spec.Event) bool { return e.Node == events[k].Node })
			},
		},
		{name: "epoch", each: changed(func(_ []spec.NodeID, e *spec.Event, try func()) { near(&e.State.Epoch, try) })},
		{name: "support", each: changed(mutateSupport)},
		{name: "lease", each: changed(func(_ []spec.NodeID, e *spec.Event, try func()) { near(&e.State.Lease, try) })},
		{name: "asked", each: changed(func(_ []spec.NodeID, e *spec.Event, try func()) { near(&e.State.Asked, try) })},
		{
			name: "latest", each: changed(mutateLatest),
			legal: "a node may have reserved more numbers than its trace says, and begin after them; one number less is never so",
			allowed: func(_ []spec.NodeID, _ spec.State, events []spec.Event, k int) bool {
				return events[k].Action == spec.RestartAction || events[k].Action == spec.CrashAction
			},
		},
		{name: "dated", each: changed(func(_ []spec.NodeID, e *spec.Event, try func()) { near(&e.State.Dated, try) })},
		{name: "answered", each: changed(mutateAnswered)},
		{
			name: "configuration", each: changed(func(members []spec.NodeID, e *spec.Event, try func()) {
				alterConfiguration(members, &e.State.Configuration, try)
			}),
			legal: "who starts first, and does not join, says who the first members are; and a node may join that is one of them",
			allowed: func(_ []spec.NodeID, _ spec.State, events []spec.Event, k int) bool {
				return events[k].Action == spec.StartAction
			},
		},
		{name: "sent dropped", each: changed(func(_ []spec.NodeID, e *spec.Event, try func()) {
			sent := slices.Clone(e.Sent)
			for i := range sent {
				e.Sent = slices.Delete(slices.Clone(sent), i, i+1)
				try()
			}
		})},
		{name: "sent twice", each: changed(func(_ []spec.NodeID, e *spec.Event, try func()) {
			sent := slices.Clone(e.Sent)
			for i := range sent {
				e.Sent = slices.Insert(slices.Clone(sent), i, sent[i])
				try()
			}
		})},
		{name: "sent added", each: changed(func(members []spec.NodeID, e *spec.Event, try func()) {
			sent := slices.Clone(e.Sent)
			for _, to := range members {
				e.Sent = append(slices.Clone(sent), spec.Message{
					Type: spec.Ack, From: e.Node, To: to, Epoch: e.State.Epoch, Question: max(1, e.State.Latest), Configuration: e.State.Configuration,
				})
				try()
			}
		})},
		{name: "sent swapped", each: changed(func(_ []spec.NodeID, e *spec.Event, try func()) {
			sent := slices.Clone(e.Sent)
			for i := 1; i < len(sent); i++ {
				e.Sent = slices.Clone(sent)
				e.Sent[i-1], e.Sent[i] = sent[i], sent[i-1]
				try()
			}
		})},
		{name: "sent altered", each: changed(func(members []spec.NodeID, e *spec.Event, try func()) {
			for i := range e.Sent {
				alter(members, &e.Sent[i], try)
			}
		})},
		{
			name: "node", each: changed(func(members []spec.NodeID, e *spec.Event, try func()) { others(members, &e.Node, try) }),
			legal: "another node may start, or crash, or take the same step to the same state, there as well",
			allowed: func(members []spec.NodeID, _ spec.State, events []spec.Event, k int) bool {
				before := map[spec.NodeID]spec.State{}
				for _, e := range events[:k] {
					before[e.Node] = e.State
				}
				e := events[k].Clone()
				return e.Action == spec.StartAction || slices.ContainsFunc(members, func(id spec.NodeID) bool {
					e.Node = id
					return id != events[k].Node && makes(members, before[id], &e)
				})
			},
		},
		{
			name: "input", each: changed(mutateInput),
			legal: "another message that was sent before, be it received already, or another timer, makes the same step; or what is lost is another one",
			allowed: func(_ []spec.NodeID, _ spec.State, events []spec.Event, k int) bool {
				return events[k].Input.Message != (spec.Message{}) || events[k].Input.Timer != ""
			},
		},
		{
			name: "dropped", each: func(_ []spec.NodeID, events []spec.Event, k int, try func([]spec.Event)) {
				try(slices.Delete(events, k, k+1))
			},
			legal:   "nothing later depends on it: a Lose, which need not be said; a Cut; a node's last step, or one that its next step makes up for",
			allowed: mayDrop,
		},
		{
			name: "twice", each: func(_ []spec.NodeID, events []spec.Event, k int, try func([]spec.Event)) {
				try(slices.Insert(events, k, events[k].Clone()))
			},
			legal: "it changes nothing, and can happen again: a timer, a message, which may come twice, a Lose, a Crash of a node that is down",
			allowed: func(members []spec.NodeID, _ spec.State, events []spec.Event, k int) bool {
				return events[k].Action == spec.LoseAction || events[k].Action.OfNode() && makes(members, events[k].State, &events[k])
			},
		},
		{
			name: "swapped", each: func(_ []spec.NodeID, events []spec.Event, k int, try func([]spec.Event)) {
				if k+1 < len(events) {
					events[k], events[k+1] = events[k+1], events[k]
					try(events)
				}
			},
			legal: "the two are of different nodes, or of the network, and neither needs the other to come first; or one node takes the same two steps the other way round",
			allowed: func(members []spec.NodeID, before spec.State, events []spec.Event, k int) bool {
				a, b := &events[k], &events[k+1]
				return a.Node != b.Node || makes(members, before, b) && makes(members, b.State, a)
			},
		},
	}
}

// makes reports whether an event, of a node, is its step from a state.
func makes(members []spec.NodeID, before spec.State, e *spec.Event) bool {
	if e.Action == spec.CrashAction {
		return before.Durable() == e.State.Durable()
	}
	return new(conformance.Model).Step(e.Node, members, before, e.Trigger()).Equal(spec.Step{State: e.State, Sent: e.Sent})
}

// mayDrop reports whether a trace may be a run without event k: whether the next step of its node, if there is one, would
// have been the same.
func mayDrop(members []spec.NodeID, before spec.State, events []spec.Event, k int) bool {
	next := slices.IndexFunc(events[k+1:], func(f spec.Event) bool { return f.Node == events[k].Node })
	return next < 0 || !events[k].Action.OfNode() || makes(members, before, &events[k+1+next])
}

// tally is what became of the mutants of one kind.
type tally struct{ tried, malformed, refused, legal int }

// TestMutants changes several traces in every place in every way: what is accepted must be a run, by the oracle, and of a
// kind that may be one; what is refused must be none.
func TestMutants(t *testing.T) {
	tallies, illegal := map[string]*tally{}, 0
	for name, text := range mutantSources(t) {
		header, events := readTrace(t, text)
		first, err := verdict(header.Members, events)
		require.NoError(t, err, "%s: event %d", name, first)
		for _, m := range mutations() {
			if tallies[m.name] == nil {
				tallies[m.name] = &tally{}
			}
			before := map[spec.NodeID]spec.State{}
			for k := range events {
				m.each(header.Members, slices.Clone(events), k, func(mutant []spec.Event) {
					if !m.judge(t, tallies[m.name], header, events, mutant, before[events[k].Node], k) {
						t.Errorf("%s, %s: event %d is accepted for no reason that is listed, or is not refused where it is: %s", name, m.name, k+1, events[k])
						illegal++
					}
				})
				require.Less(t, illegal, 10, "and more")
				before[events[k].Node] = events[k].State
			}
		}
	}
	report(t, tallies)
}

// judge checks one mutant, and reports whether it had to be so.
func (m *mutation) judge(t *testing.T, n *tally, h spec.Header, events, mutant []spec.Event, before spec.State, k int) bool {
	n.tried++
	for i := range mutant {
		mutant[i].Seq = uint64(i + 1)
		if mutant[i].Validate() != nil {
			n.malformed++
			return true
		}
	}
	if m.legal == "" { // The step is not that of the rules: it is refused there, whatever comes after it.
		n.refused++
		_, err := check.Trace(bytes.NewReader(writeTrace(t, h, mutant[:k+1])), check.Options{})
		var fault *check.TraceError
		return errors.As(err, &fault) && fault.Line == k+2
	}
	_, err := check.Trace(bytes.NewReader(writeTrace(t, h, mutant)), check.Options{})
	first, why := verdict(h.Members, mutant)
	switch {
	case first == 0 && err != nil:
		t.Errorf("a run is refused: %v", err)
		return false
	case first != 0 && err == nil:
		t.Errorf("what is no run is accepted: event %d: %v", first, why)
		return false
	case err != nil:
		n.refused++
		return true
	}
	n.legal++
	return m.allowed(h.Members, before, events, k)
}

// report logs what became of all mutants. None of a kind, or none refused, is a failure.
func report(t *testing.T, tallies map[string]*tally) {
	var b strings.Builder
	var all tally
	fmt.Fprintf(&b, "%-14s %8s %10s %8s %8s\n", "mutation", "tried", "malformed", "refused", "legal")
	for _, m := range mutations() {
		n := tallies[m.name]
		require.Positive(t, n.refused, "of %s none is refused", m.name)
		fmt.Fprintf(&b, "%-14s %8d %10d %8d %8d  %s\n", m.name, n.tried, n.malformed, n.refused, n.legal, m.legal)
		all = tally{all.tried + n.tried, all.malformed + n.malformed, all.refused + n.refused, all.legal + n.legal}
	}
	fmt.Fprintf(&b, "%-14s %8d %10d %8d %8d", "all", all.tried, all.malformed, all.refused, all.legal)
	t.Log("\n" + b.String())
}
