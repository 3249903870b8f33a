package algorithms_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/compare"
)

// ringSizes are the numbers of nodes for which messages are counted.
func ringSizes() (sizes []int) {
	for n := 3; n <= 31; n++ {
		sizes = append(sizes, n)
	}
	return append(sizes, 51, 75, 101)
}

// ringMessages holds one election in a ring, which the starters begin at the same moment, and returns its messages by kind,
// but for heartbeats. There is an ACK for each message, and as many messages are in Result.Election as are not ACKs.
func ringMessages(t *testing.T, a compare.Algorithm, delay compare.Range, order []int, starters ...int) map[string]int {
	t.Helper()
	s := &compare.Scenario{Name: "count", Nodes: len(order), Order: order, Length: 10 * time.Second, Timing: compare.LAN(), Delay: delay, Quiet: true}
	s.Timing.Patience = s.Length // nobody suspects on its own
	for _, k := range starters {
		s.Faults = append(s.Faults, compare.Fault{Kind: compare.Suspect, Node: k})
	}
	result, err := compare.Run(s, a, 1, compare.Options{})
	require.NoError(t, err)
	require.True(t, result.Agreed, "all nodes must agree on the leader at the end")
	require.Len(t, result.Reigns, 1)
	require.Equal(t, len(order), result.Reigns[0].Leader)
	require.Zero(t, result.Two)
	require.Equal(t, result.Election, result.Messages["ACK"])
	delete(result.Messages, "ACK")
	delete(result.Messages, "HEARTBEAT")
	sum := 0
	for _, n := range result.Messages {
		sum += n
	}
	require.Equal(t, sum, result.Election)
	return result.Messages
}

// ringOrders returns rings of n nodes: ids ascend in the direction in which messages go, they descend, and any.
func ringOrders(n int) (up, down, mixed []int) {
	for k := 1; k <= n; k++ {
		up, down = append(up, k), append(down, n+1-k)
	}
	mixed = slices.Clone(up)
	rand.New(rand.NewPCG(uint64(n), 0)).Shuffle(n, func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	return up, down, mixed
}

// ringHops returns how many hops it is in a ring from a node to the next for which yes holds.
func ringHops(order []int, from int, yes func(id int) bool) int {
	at := slices.Index(order, from)
	for d := 1; d < len(order); d++ {
		if yes(order[(at+d)%len(order)]) {
			return d
		}
	}
	return len(order)
}

// ringAllStart returns how many ELECTION it takes if all start: each id goes to the next higher, the highest all round.
func ringAllStart(order []int) (sum int) {
	for _, id := range order {
		sum += ringHops(order, id, func(other int) bool { return other > id })
	}
	return sum
}

// TestChangRobertsOneStarter holds an election that one node begins to n+d ELECTION, where d is how many hops it is from the
// starter to the highest, and n ELECTED. Best is d = 0, the highest itself: n ELECTION, 2n in all. Worst is d = n−1, the
// neighbour after the highest: 2n−1 ELECTION, 3n−1 in all.
func TestChangRobertsOneStarter(t *testing.T) {
	best, worst := 0, 0
	for _, n := range ringSizes() {
		up, down, mixed := ringOrders(n)
		for i, order := range [][]int{up, down, mixed} {
			for k, starter := range order {
				if n > 11 && k%10 != 0 && starter < n-1 && k < n-1 {
					continue // of many nodes some will do: the first and the last, the highest two, and every tenth
				}
				d := ringHops(order, starter, func(id int) bool { return id == n }) % n
				require.Equal(t, map[string]int{"ELECTION": n + d, "ELECTED": n},
					ringMessages(t, algorithm(t, "ring-chang-roberts"), compare.Range{}, order, starter), "%d nodes, ring %d, %d starts", n, i, starter)
				switch d {
				case 0:
					best++
				case n - 1:
					worst++
				}
			}
		}
	}
	require.Equal(t, 3*len(ringSizes()), best, "the best start of each ring was seen")
	require.GreaterOrEqual(t, worst, 2*len(ringSizes()), "and the worst, where it was not left out")
}

// TestChangRobertsAllStart holds an election that all begin to 2n−1 ELECTION in the best order, in which ids ascend, to
// n(n+1)/2 in the worst, in which they descend, and to the sum of all ways to the next higher id in any. Then come n ELECTED.
func TestChangRobertsAllStart(t *testing.T) {
	for _, n := range ringSizes() {
		up, down, mixed := ringOrders(n)
		for _, c := range []struct {
			order    []int
			election int
		}{{up, 2*n - 1}, {down, n * (n + 1) / 2}, {mixed, ringAllStart(mixed)}} {
			require.Equal(t, map[string]int{"ELECTION": c.election, "ELECTED": n},
				ringMessages(t, algorithm(t, "ring-chang-roberts"), compare.Range{}, c.order, c.order...), "%d nodes", n)
		}
	}
}

// TestChangRobertsBounds holds no order to take fewer than 2n−1 or more than n(n+1)/2 ELECTION if all start: every order of
// three to six nodes is run.
func TestChangRobertsBounds(t *testing.T) {
	rings := 0
	for n := 3; n <= 6; n++ {
		least, most := 1<<30, 0
		var each func(order []int)
		each = func(order []int) {
			if len(order) == n {
				messages := ringMessages(t, algorithm(t, "ring-chang-roberts"), compare.Range{}, order, order...)["ELECTION"]
				require.Equal(t, ringAllStart(order), messages)
				least, most, rings = min(least, messages), max(most, messages), rings+1
				return
			}
			for id := 1; id < n; id++ {
				if !slices.Contains(order, id) {
					each(append(slices.Clone(order), id))
				}
			}
		}
		each([]int{n}) // a ring may be turned so that the highest comes first
		require.Equal(t, 2*n-1, least)
		require.Equal(t, n*(n+1)/2, most)
	}
	require.Equal(t, 2+6+24+120, rings)
}

// TestListsMessages holds an election of lists to n ELECTION and n COORDINATOR for each node that begins one, in any order:
// 2n for one, 2n² for all. So it is the lists, as the ring of Le Lann, that take the n² ELECTION which are known as the
// bound of the ring; what Chang and Roberts take is between 2n−1 and n(n+1)/2 if all start.
func TestListsMessages(t *testing.T) {
	for _, n := range ringSizes() {
		up, down, mixed := ringOrders(n)
		for _, order := range [][]int{up, down, mixed} {
			for _, k := range []int{1, 2, min(n, 5)} {
				require.Equal(t, map[string]int{"ELECTION": n * k, "COORDINATOR": n * k},
					ringMessages(t, algorithm(t, "ring"), compare.Range{}, order, order[:k]...), "%d nodes, %d start", n, k)
			}
		}
		require.Equal(t, map[string]int{"ELECTION": n * n, "COORDINATOR": n * n},
			ringMessages(t, algorithm(t, "ring"), compare.Range{}, mixed, mixed...), "%d nodes, all start", n)
	}
}

// TestRingMessagesJitter holds the counts to be the same however long messages take, up to Timing.Delay: an ACK comes in
// time, and links are first in, first out.
func TestRingMessagesJitter(t *testing.T) {
	jitter := compare.Range{Min: time.Millisecond, Max: compare.LAN().Delay}
	for n := 3; n <= 20; n++ {
		_, _, order := ringOrders(n)
		require.Equal(t, map[string]int{"ELECTION": ringAllStart(order), "ELECTED": n},
			ringMessages(t, algorithm(t, "ring-chang-roberts"), jitter, order, order...))
		require.Equal(t, map[string]int{"ELECTION": n * n, "COORDINATOR": n * n},
			ringMessages(t, algorithm(t, "ring"), jitter, order, order...))
	}
}
