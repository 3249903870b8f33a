package algorithms_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/compare"
)

// textbookSizes are the numbers of nodes for which messages are counted.
func textbookSizes() (sizes []int) {
	for n := 3; n <= 31; n++ {
		sizes = append(sizes, n)
	}
	return append(sizes, 51, 75, 101)
}

// textbookElection is the result of one election among n nodes that run, in which some of them notice at the same moment that there
// is no leader, in the order given. The run ends when all follow one leader and nothing is under way.
func textbookElection(t *testing.T, n int, delay compare.Range, seed uint64, starters ...int) compare.Result {
	t.Helper()
	s := &compare.Scenario{Name: fmt.Sprintf("election-%d", n), Nodes: n, Length: time.Hour, Timing: compare.LAN(), Delay: delay, Quiet: true}
	s.Timing.Patience = time.Hour
	for _, k := range starters {
		s.Faults = append(s.Faults, compare.Fault{Kind: compare.Suspect, Node: k})
	}
	result, err := compare.Run(s, algorithm(t, "textbook"), seed, compare.Options{})
	require.NoError(t, err)
	require.True(t, result.Agreed, "all nodes must agree on the leader at the end")
	require.Len(t, result.Reigns, 1)
	require.Equal(t, n, result.Reigns[0].Leader)
	require.Zero(t, result.Two)
	return result
}

// textbookCounts are the messages of an election by type.
func textbookCounts(electionMessages, oks, coordinators int) map[string]int {
	sent := map[string]int{"ELECTION": electionMessages, "OK": oks, "COORDINATOR": coordinators}
	for kind, n := range sent {
		if n == 0 {
			delete(sent, kind)
		}
	}
	return sent
}

// TestTextbookMessages holds an election that node k of n starts, with no node dead, to take exactly (n-k)(n-k+1) + n-1
// messages: each of the n-k+1 nodes from k on asks all above it, all of those answer, and the highest tells the n-1 others.
// The best start is k = n, with n-1 messages, and the worst k = 1, with n²-1.
func TestTextbookMessages(t *testing.T) {
	runs := 0
	for _, n := range textbookSizes() {
		for k := 1; k <= n; k++ {
			asked := (n - k) * (n - k + 1) / 2
			result := textbookElection(t, n, compare.Range{}, uint64(k), k)
			require.Equal(t, textbookCounts(asked, asked, n-1), result.Messages, "%d nodes, started by %d", n, k)
			require.Equal(t, (n-k)*(n-k+1)+n-1, result.Election)
			switch k {
			case n:
				require.Equal(t, n-1, result.Election)
			case 1:
				require.Equal(t, n*n-1, result.Election)
			}
			runs++
		}
	}
	require.Equal(t, 720, runs)
}

// TestTextbookHerd holds an election that all n nodes start at the same moment to take exactly n²-1 messages, in whatever
// order they do: each holds one election, and asks all above it, as in the worst start; being asked starts no further one.
func TestTextbookHerd(t *testing.T) {
	for _, n := range textbookSizes() {
		up, down := []int{}, []int{}
		for k := 1; k <= n; k++ {
			up, down = append(up, k), append(down, n+1-k)
		}
		for _, starters := range [][]int{up, down} {
			result := textbookElection(t, n, compare.Range{}, 1, starters...)
			require.Equal(t, textbookCounts(n*(n-1)/2, n*(n-1)/2, n-1), result.Messages, "%d nodes", n)
			require.Equal(t, n*n-1, result.Election)
		}
	}
}

// TestTextbookMessagesJitter holds the counts to be the same whatever order messages come in, as long as none takes longer
// than Timing.Delay: T_elec is a round trip and more, so all have asked before the highest says that it leads.
func TestTextbookMessagesJitter(t *testing.T) {
	for seed := range uint64(50) {
		for _, n := range []int{3, 5, 9} {
			for k := 1; k <= n; k++ {
				result := textbookElection(t, n, compare.Range{Max: compare.LAN().Delay}, seed, k)
				require.Equal(t, (n-k)*(n-k+1)+n-1, result.Election, "%d nodes, started by %d, seed %d", n, k, seed)
			}
			all := []int{}
			for k := range n {
				all = append(all, k+1)
			}
			require.Equal(t, n*n-1, textbookElection(t, n, compare.Range{Max: compare.LAN().Delay}, seed, all...).Election)
		}
	}
}
