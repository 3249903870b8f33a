package rules

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/spec"
)

// dice draws states of a node and inputs, of nodes 1 to 4. Not every state is one that the node can come to.
type dice struct {
	*rand.Rand
	configurations []Configuration
}

func newDice() *dice {
	d := &dice{Rand: rand.New(rand.NewPCG(18, 1))}
	for _, c := range []Configuration{of(1, 1, 1, 2, 3, 4), of(1, 1, 1, 2).witness(3).observer(4), of(1, 1, 2, 3, 4), of(1, 1, 1, 2, 3).observer(4), of(1, 1, 1, 2, 3, 4).ranked(0, 2, 1)} {
		next := c
		next.Version++
		d.configurations = append(d.configurations, c, next)
	}
	return d
}

// node draws one, or None.
func (d *dice) node() ID { return ID(d.IntN(5)) }

func (d *dice) configuration() Configuration { return d.configurations[d.IntN(len(d.configurations))] }

func (d *dice) state(i ID) State {
	s := numbered(i, State{
		Role: Role(d.IntN(int(Leader) + 1)), Leader: d.node(), Grantee: d.node(), Epoch: spec.Epoch(d.IntN(2)),
		Support: Set(d.IntN(1<<4)) & UpTo(4).Without(i), Conf: d.configuration(),
	})
	if s.Role == Leader {
		s.Dated = 2
		s.Answered = s.Answered.With(1+ID(d.IntN(4)), Question(d.IntN(9)))
	}
	return s
}

// input draws what a node takes a step on; messages most often.
func (d *dice) input() func(r *Rules, i ID, s State) Step {
	switch d.IntN(10) {
	case 0, 1:
		return ends(Timer(d.IntN(Timers)))
	case 2:
		return asked(d.configuration())
	case 3:
		calls := []func(r *Rules, i ID, s State) Step{(*Rules).Resign, (*Rules).HolderDead, (*Rules).Restart,
			func(r *Rules, _ ID, s State) Step { return quietly(r.Survives(s)) }}
		return calls[d.IntN(len(calls))]
	}
	m := Message{
		Type: MessageType(d.IntN(int(ImBack) + 1)), From: d.node(), Epoch: spec.Epoch(d.IntN(3)), Keeps: d.node(),
		Granted: Granted{d.node(), spec.Epoch(d.IntN(3)), Question(1 + d.IntN(9))}, Names: d.node(), Conf: d.configuration(),
	}
	which := d.IntN(5)
	return func(r *Rules, i ID, s State) Step {
		m := m
		m.To, m.Question = i, max([...]Question{s.Asked, s.Lease, s.Lease + 1, s.Latest - 1, 2}[which], 1)
		return r.Hear(i, s, m)
	}
}

// differ reports whether some step of q is another than that of r.
func differ(q, r *Rules) bool {
	d := newDice()
	for range 300_000 {
		i := 1 + ID(d.IntN(4))
		s, step := d.state(i), d.input()
		if step(q, i, s) != step(r, i, s) {
			return true
		}
	}
	return false
}

// A replacement that changes no step would be a mutant that cannot fail.
func TestEachReplacementOfARuleChangesSomeStep(t *testing.T) {
	require.False(t, differ(New(), New()))
	for operator, names := range replacements {
		for name := range names {
			replaced := New()
			require.NoError(t, replaced.Replace(operator, name, first))
			require.True(t, differ(New(), replaced), "%s <- %s", operator, name)
		}
	}
}

func TestReplaceRefusesWhatThereIsNot(t *testing.T) {
	require.EqualError(t, New().Replace("Whatever", "AnySet", first), "rules: Whatever is not a rule that can be replaced")
	require.EqualError(t, New().Replace("IsQuorum", "GrantsTwice", first), "rules: GrantsTwice is no replacement of IsQuorum")
}
