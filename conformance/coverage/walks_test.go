package coverage_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/conformance/coverage"
	"github.com/seed-fdf591db/bully/spec"
)

var model = conformance.NodeOf(func() conformance.Subject { return &conformance.Model{} })

// How many walks there are, and of how many ops.
const walks, walkOps = 60, 250

// walk returns what runs of the untimed cluster visit: those drawn at random, from fixed seeds, whose nodes are pestered; and
// the rare ones.
func walk(t *testing.T) *coverage.Coverage {
	seen := coverage.New()
	for seed := range uint64(walks * (1 + 10*soak)) {
		choose := rand.New(rand.NewPCG(seed, 1)).IntN
		s := cluster.DrawScript(choose)
		c, err := cluster.New(s.Members, pestered(t, seen), cluster.Options{Records: s.Records, Observe: seen.Observe})
		require.NoError(t, err)
		for range walkOps {
			require.NoError(t, c.Do(c.Draw(choose)), "seed %d", seed)
		}
		sawOps(seen, c)
	}
	for _, s := range rareRuns(t) {
		c, err := s.Run(model, cluster.Options{Observe: seen.Observe})
		require.NoError(t, err, s.Comment)
		sawOps(seen, c)
	}
	return seen
}

// changingWalk returns what runs of the untimed cluster visit in which members change, drawn at random from fixed seeds.
func changingWalk(t *testing.T) *coverage.Coverage {
	seen := coverage.New()
	for seed := range uint64(150 * (1 + 10*soak)) {
		choose := rand.New(rand.NewPCG(seed, 2)).IntN
		s := cluster.DrawScript(choose).DrawFirst(choose)
		c, err := cluster.New(s.Members, model, cluster.Options{First: s.First, Records: s.Records, Observe: seen.Observe})
		require.NoError(t, err)
		for range walkOps {
			require.NoError(t, c.Do(c.Draw(choose)), "seed %d", seed)
		}
		sawOps(seen, c)
	}
	return seen
}

// sawOps counts what is no step of a node.
func sawOps(seen *coverage.Coverage, c *cluster.Cluster) {
	for _, op := range c.Done() {
		switch {
		case op.Kind == cluster.Crash, op.Crash != cluster.Whole:
			seen.Saw(spec.CrashAction, 1)
		case op.Kind == cluster.Lose:
			seen.Saw(spec.LoseAction, 1)
		case op.Kind == cluster.Cut, op.Kind == cluster.Heal:
			seen.Saw(spec.CutAction, 1)
		}
	}
}

// rareRuns reads the runs that are kept because they come to what is rare.
func rareRuns(t *testing.T) (runs []*cluster.Script) {
	rare, err := os.ReadFile("../vectors/scripts/rare.txt")
	require.NoError(t, err)
	for _, text := range strings.Split(string(rare), "\n\n")[1:] {
		s, err := cluster.ParseScript(text)
		require.NoError(t, err)
		runs = append(runs, s)
	}
	require.NotEmpty(t, runs)
	return runs
}

// TestRareRuns shows that each run comes to the branch that its first line names, in its last step, and not before.
func TestRareRuns(t *testing.T) {
	branches := coverage.Branches()
	for _, s := range rareRuns(t) {
		i := slices.IndexFunc(branches, func(b coverage.Branch) bool { return b.String() == s.Comment })
		require.GreaterOrEqual(t, i, 0, "there is no branch %q", s.Comment)
		all, before := coverage.New(), coverage.New()
		_, err := s.Run(model, cluster.Options{Observe: all.Observe})
		require.NoError(t, err, s.Comment)
		s.Ops = s.Ops[:len(s.Ops)-1]
		_, err = s.Run(model, cluster.Options{Observe: before.Observe})
		require.NoError(t, err, s.Comment)
		require.EqualValues(t, []uint64{1, 0}, []uint64{all.Branch(i), before.Branch(i)}, s.Comment)
	}
}

// pester gives a node something to ignore before each of its inputs.
type pester struct {
	conformance.Node
	t    *testing.T
	seen *coverage.Coverage
	c    check.Case // its Before is the state of the node
	turn int
	out  spec.Step
}

func pestered(t *testing.T, seen *coverage.Coverage) conformance.Maker {
	return func(id spec.NodeID, members []spec.NodeID) conformance.Node {
		return &pester{Node: model(id, members), t: t, seen: seen, c: check.Case{ID: id, Members: members}}
	}
}

func (p *pester) Start(first spec.Configuration, out *spec.Step) {
	p.Node.Start(first, out)
	p.c.Before = out.State.Clone()
}

func (p *pester) Restart(promise spec.Durable, out *spec.Step) {
	p.Node.Restart(promise, out)
	p.c.Before = out.State.Clone()
}

func (p *pester) Step(in *spec.Input, out *spec.Step) {
	bad := p.bad()
	p.Node.Step(&bad, &p.out)
	require.True(p.t, p.out.Ignored && p.out.State.Equal(p.c.Before), "%s in %s: %s", p.c.ID, p.c.Before, p.out.State)
	p.c.Input = spec.Input{Message: bad.Message, Timer: bad.Timer, Call: bad.Call}
	p.c.Want = spec.Step{Ignored: true, State: p.c.Before}
	p.seen.Observe(&p.c)
	p.Node.Step(in, out)
	p.c.Before = out.State.Clone()
}

// bad returns what the node must ignore in its state: bad messages and, where they are none of its business, timers and calls.
func (p *pester) bad() spec.Input {
	p.turn++
	me, s := p.c.ID, &p.c.Before
	nonMember, another := spec.IntegerID(1<<40), p.c.Members[0]
	if another == me {
		another = p.c.Members[len(p.c.Members)-1]
	}
	timer := spec.Timers()[p.turn/10%len(spec.Timers())]
	message := spec.Message{Type: spec.Heartbeat, From: another, To: me, Epoch: s.Epoch, Question: 1}
	switch p.turn % 10 {
	case 0:
		if !conformance.Running(me, s).Has(timer) {
			return spec.Input{Timer: timer}
		}
	case 1:
		if s.Role != spec.Leader {
			return spec.Input{Call: spec.ResignCall}
		}
	case 2:
		if s.Leader.IsNone() || s.Leader == me {
			return spec.Input{Call: spec.HolderDeadCall}
		}
	case 3:
		message.Epoch = spec.MaxEpoch + 1
	case 4:
		message.From = spec.NodeID{}
	case 5:
		message.From = me
	case 6:
		message.Type = "VOTE"
	case 7:
		message.To = nonMember
	case 8:
		message.Question = 0
	case 9:
		message.Keeps = another
	}
	if message.Validate() == nil && message.To == me {
		message.From = nonMember
	}
	return spec.Input{Message: message}
}
