package interactive

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/compare/scenarios"
	"github.com/seed-fdf591db/bully/impl/internal/algorithms"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// lying is a node of ours that says of its last step what it has not done.
type lying struct{ algorithms.Ours }

func (n lying) Case() conformance.Case {
	c := n.Ours.Case()
	c.Want.State.Epoch++
	return c
}

// TestIndicatorsOfOursGoRed breaks what nodes of ours keep to, so that the indicators which they never turn red are seen to go red, and to
// stay so.
func TestIndicatorsOfOursGoRed(t *testing.T) {
	s, err := Begin(RunSpec{RunSpec: 1, Algorithm: "bully", Nodes: 3, Profile: "lan", Seed: 1})
	require.NoError(t, err)
	s.indicators.promises.See(2, &check.View{Epoch: 1}) // as if the node had been in epoch 1 before
	s.judge(&compare.Moment{Out: &compare.Output{}}, lying{s.play.View(1).Node.(algorithms.Ours)})
	s.Taken()
	frames, _ := s.Next(200)
	first := map[string]recording.Indicator{}
	for _, f := range frames {
		for _, l := range f.Indicators {
			_, again := first[l.Name]
			require.False(t, again && (l.Name == string(spec.EpochMonotonic) || l.Name == rules), "%s changes once", l.Name)
			first[l.Name] = l
		}
	}
	require.Equal(t, recording.Indicator{Name: string(spec.EpochMonotonic), Light: recording.Red, Says: "the epoch of node 3 goes back from 1 to 0"}, first[string(spec.EpochMonotonic)])
	require.Equal(t, recording.Red, first[rules].Light)
	require.Equal(t, "R32: "+spec.Sentence("R32"), first[rules].Says)
}

// TestHalfNeedsNoLeader has two of four nodes left, from which nobody expects a leader: the indicator is not amber for it.
func TestHalfNeedsNoLeader(t *testing.T) {
	two, three := 2, 3
	s, err := Begin(RunSpec{RunSpec: 1, Algorithm: "bully", Nodes: 4, Profile: "lan", Seed: 1,
		Do: []Intervention{{After: 4, Do: Crash, Node: &three}, {After: 5, Do: Crash, Node: &two}}})
	require.NoError(t, err)
	require.Equal(t, recording.Green, s.indicators.light[string(spec.SomeLeader)])
	s.Next(500)
	require.Equal(t, recording.Green, s.indicators.light[string(spec.SomeLeader)])
	_, err = s.Do(Intervention{After: s.count, Do: Restart, Node: &two})
	require.NoError(t, err)
	require.Equal(t, recording.Amber, s.indicators.light[string(spec.SomeLeader)])
}

// TestWhoGoesOnActsAtOnce: a leader that was paused for a moment, and none of whose timers has run out meanwhile, leads as soon as it goes on.
func TestWhoGoesOnActsAtOnce(t *testing.T) {
	s, err := Begin(RunSpec{RunSpec: 1, Algorithm: "bully", Nodes: 3, Profile: "lan", Seed: 1})
	require.NoError(t, err)
	s.Taken()
	leader := 2
	for range 2000 {
		if s.Next(1); s.seen(leader + 1).Acts {
			break
		}
	}
	_, err = s.Do(Intervention{After: s.count, Do: Pause, Node: &leader})
	require.NoError(t, err)
	require.False(t, s.seen(leader+1).Acts, "a leader that is paused does not act")
	_, err = s.Do(Intervention{After: s.count, Do: Resume, Node: &leader})
	require.NoError(t, err)
	require.True(t, s.seen(leader+1).Acts, "a leader that goes on in time acts")
}

// TestQuietScenario: a run in which somebody may intervene is not over when it is quiet.
func TestQuietScenario(t *testing.T) {
	require.False(t, ofScenario(&scenarios.Named{Scenario: compare.Scenario{Quiet: true}}).scenario.Quiet, "a run that can be changed must not end when it is quiet")
}
