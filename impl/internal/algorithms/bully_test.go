package algorithms_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/compare/scenarios"
	"github.com/seed-fdf591db/bully/impl/internal/algorithms"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// TestBullyTiming holds the timers of ours to the bounds of R37, for every timing that a scenario has.
func TestBullyTiming(t *testing.T) {
	require.NoError(t, algorithms.BullyTiming(compare.LAN()).Validate())
	require.Equal(t, policy.LAN(), algorithms.BullyTiming(compare.TimingOf(policy.LAN())), "that of a profile")
	for _, s := range scenarios.All() {
		require.NoError(t, algorithms.BullyTiming(s.Timing).Validate(), s.Name)
	}
}

// TestBullyMessages counts what an election costs that nothing disturbs: six messages to or from each other node.
func TestBullyMessages(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 31, 64} {
		s := &compare.Scenario{Name: "election", Nodes: n, Length: 50 * time.Second, Timing: compare.LAN(), Quiet: true,
			Faults: []compare.Fault{{Kind: compare.Suspect, Node: n}}}
		s.Timing.Patience = 100 * time.Second
		r, err := compare.Run(s, algorithms.Bully(), 1, compare.Options{})
		require.NoError(t, err)
		require.True(t, r.Agreed, "all nodes must agree on the leader at the end")
		require.Equal(t, 6*(n-1), r.Election)
		for _, kind := range []string{"ELECTION", "ASSENT", "CLAIM", "GRANT", "COORDINATOR", "ACK"} {
			require.Equal(t, n-1, r.Messages[kind], kind)
		}
	}
	_, err := compare.Run(&compare.Scenario{Nodes: 65, Length: 1, Timing: compare.LAN()}, algorithms.Bully(), 1, compare.Options{})
	require.ErrorContains(t, err, "bully can have 64 nodes")
}

// TestBullyReturns lets the leader die and return, and be paused: it waits before it takes over, and a leader that was away
// for longer than its reign leads no more before it does anything else.
func TestBullyReturns(t *testing.T) {
	const ms = time.Millisecond
	s := &compare.Scenario{Name: "returns", Nodes: 5, Length: 10 * time.Second, Timing: compare.LAN(), Work: 10 * ms, Faults: []compare.Fault{
		{Kind: compare.Crash, Node: 5, At: 2 * time.Second, For: 2 * time.Second},
		{Kind: compare.Pause, Node: compare.Leader, At: 7*time.Second + ms/2, For: time.Second},
	}}
	r, err := compare.Run(s, algorithms.Bully(), 1, compare.Options{Timeline: true})
	require.NoError(t, err)
	var leaders []int
	for _, reign := range r.Reigns {
		leaders = append(leaders, reign.Leader)
	}
	require.Equal(t, []int{5, 4, 5, 4, 5}, leaders)
	require.GreaterOrEqual(t, r.Reigns[2].Begin, 4*time.Second+s.Timing.Cooldown)
	require.Equal(t, r.Reigns[3].End, r.Reigns[3].End.Truncate(ms)+ms/2)
	require.Zero(t, r.Two)
	require.Equal(t, 1, r.Refused, "the write that the pause came amid")
	require.Zero(t, r.Stale)
	var woken []string
	for _, e := range r.Timeline {
		if e.At == 8*time.Second+ms/2 {
			woken = append(woken, e.Text)
		}
	}
	require.Equal(t, []string{"goes on", "has not heard of a quorum, and steps down"}, woken[:2])
}
