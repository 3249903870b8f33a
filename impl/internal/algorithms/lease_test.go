package algorithms_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/conformance/compare/scenarios"
	"github.com/seed-fdf591db/bully/impl/internal/algorithms"
)

func leaseRun(t *testing.T, s *compare.Scenario, a compare.Algorithm) compare.Result {
	t.Helper()
	result, err := compare.Run(s, a, 1, compare.Options{Timeline: true})
	require.NoError(t, err)
	return result
}

// leaseSent counts the election messages that are sent from a time on, by kind.
func leaseSent(result *compare.Result, from time.Duration) map[string]int {
	sent := map[string]int{}
	for _, e := range result.Timeline {
		if e.Kind == compare.Sends && e.At >= from {
			sent[e.Text]++
		}
	}
	return sent
}

// leaseSum is how many messages there are of all kinds.
func leaseSum(sent map[string]int) (sum int) {
	for _, n := range sent {
		sum += n
	}
	return sum
}

// leaseHas reports whether a result has a flaw. A herd is an election, after the death of a leader, that takes more messages
// than the nodes that are left; four are enough.
func leaseHas(flaw scenarios.Flaw, s *compare.Scenario, result *compare.Result) bool {
	switch flaw {
	case scenarios.TwoLeaders:
		return result.Two > 0
	case scenarios.StaleWrite:
		return result.Stale > 0
	case scenarios.NoLeader:
		return !result.Agreed
	case scenarios.Herd:
		return leaseSum(leaseSent(result, time.Second)) > s.Nodes
	}
	return false
}

// Which form has which flaw: what removes it does so, and costs what it costs. A leader that gives up by itself leaves nobody
// to lead while the store is down, and one that does not leaves two when it is only slow.
func TestLeaseRemedies(t *testing.T) {
	for name, flawed := range map[string][]string{
		"lease-herd":       {"lease", "lease-careless", "lease-unfenced", "bully"},
		"lease-pause":      {"lease-unfenced"},
		"lease-store-down": {"lease", "lease-sequential", "lease-unfenced"},
		"lease-slow-store": {"lease-careless"},
		"lease-drift":      {"lease", "lease-sequential", "lease-careless", "lease-unfenced"},
	} {
		s := named(t, name)
		var have []string
		for _, a := range append(family(t, "lease"), algorithms.Bully()) {
			result := leaseRun(t, &s.Scenario, a)
			if leaseHas(s.Flaw, &s.Scenario, &result) {
				have = append(have, a.Name)
			}
			require.LessOrEqual(t, result.SameEpoch, 1, "%s: a revision is of one reign", a.Name)
			if a.Fences {
				require.Zero(t, result.Stale, "%s in %s", a.Name, name)
			}
		}
		require.Equal(t, flawed, have, "%s, %s", name, s.Flaw)
	}
}

// What wakes up from a pause with an old revision is refused; without the revision it is accepted.
func TestLeaseFence(t *testing.T) {
	s := named(t, "lease-pause")
	for name, want := range map[string][2]int{"lease": {1, 0}, "lease-sequential": {1, 0}, "lease-unfenced": {0, 1}} {
		result := leaseRun(t, &s.Scenario, algorithm(t, name))
		require.Equal(t, want, [2]int{result.Refused, result.Stale}, name)
		require.Len(t, result.Reigns, 2)
		require.Less(t, result.Reigns[0].Epoch, result.Reigns[1].Epoch)
	}
}

// When the leader dies, one key takes 3(n-1) messages: all others hear of it, try, and are answered. Where each watches the one
// before it takes 3, whatever n is. A first election takes an answer for each of n either way.
func TestLeaseMessages(t *testing.T) {
	sizes := 0
	for n := 2; n <= compare.MaxNodes; n += 11 {
		sizes++
		s := &compare.Scenario{Name: "crash", Nodes: n, Length: 2 * time.Second, Timing: compare.LAN(),
			Faults: []compare.Fault{{Kind: compare.Crash, Node: compare.Leader, At: time.Second}}}
		want := map[string]map[string]int{
			"lease":            {"GONE": n - 1, "CREATE": n - 1, "CREATED": 1, "HELD": n - 2},
			"lease-sequential": {"GONE": 1, "CREATE": 1, "CREATED": 1},
		}
		if n == 2 {
			delete(want["lease"], "HELD")
		}
		for name, after := range want {
			result := leaseRun(t, s, algorithm(t, name))
			require.True(t, result.Agreed, "all nodes must agree on the leader at the end (%s)", name)
			require.Len(t, result.Reigns, 2)
			require.Equal(t, after, leaseSent(&result, time.Second), "%s, %d nodes", name, n)
			require.Equal(t, 2*n+leaseSum(after), result.Election, "%s, %d nodes", name, n)
			want := 3
			if name == "lease" {
				want = 3 * (n - 1)
			}
			require.Equal(t, want, leaseSum(after))
		}
	}
	require.Equal(t, 10, sizes)
}

// The scenario lease-herd tells how many messages that is, and that ours takes more.
func TestLeaseHerdAsTold(t *testing.T) {
	s := named(t, "lease-herd")
	sum := map[string]int{}
	for _, a := range []compare.Algorithm{algorithm(t, "lease"), algorithm(t, "lease-sequential"), algorithms.Bully()} {
		result := leaseRun(t, &s.Scenario, a)
		sum[a.Name] = leaseSum(leaseSent(&result, time.Second))
	}
	require.Equal(t, 24, sum["lease"])
	require.Equal(t, 3, sum["lease-sequential"])
	require.Greater(t, sum["bully"], 24)
	require.Contains(t, s.Watch, "24 messages")
}

// Upkeep is what the sequential form pays: each of n candidates renews every time, where of one key only the holder does,
// and the others ask again with their patience to hear its end.
func TestLeaseUpkeep(t *testing.T) {
	const n, seconds = 10, 13
	s := &compare.Scenario{Name: "nothing", Nodes: n, Length: seconds * time.Second, Timing: compare.LAN()}
	one := leaseRun(t, s, algorithm(t, "lease"))
	require.InDelta(t, 10*seconds, one.Messages["RENEW"], 1)
	require.InDelta(t, (n-1)*seconds*1000/325, one.Messages["WATCH"], n)
	line := leaseRun(t, s, algorithm(t, "lease-sequential"))
	require.InDelta(t, n*10*seconds, line.Messages["RENEW"], n)
	require.InDelta(t, n*10*seconds, line.Messages["RENEWED"], n)
	require.Equal(t, n-1, line.Messages["WATCH"])
	require.Len(t, one.Reigns, 1)
	require.Len(t, line.Reigns, 1)
}

// A store that comes back has what it had saved: the same leader goes on with the same revision, in a new reign of it. One
// that is away for less than the holder can wait ends no reign.
func TestLeaseStoreComesBack(t *testing.T) {
	down := named(t, "lease-store-down").Scenario
	for _, a := range []compare.Algorithm{algorithm(t, "lease"), algorithm(t, "lease-sequential")} {
		down.Faults = []compare.Fault{{Kind: compare.Crash, Node: 6, At: time.Second, For: time.Second}}
		result := leaseRun(t, &down, a)
		require.True(t, result.Agreed, a.Name)
		require.Len(t, result.Reigns, 2, a.Name)
		require.Equal(t, result.Reigns[0].Leader, result.Reigns[1].Leader)
		require.Equal(t, result.Reigns[0].Epoch, result.Reigns[1].Epoch)
		require.Greater(t, result.None, 700*time.Millisecond)

		down.Faults[0].For = 90 * time.Millisecond
		result = leaseRun(t, &down, a)
		require.True(t, result.Agreed, a.Name)
		require.Len(t, result.Reigns, 1, a.Name)
	}
}

// A leader that crashes and comes back at once is another session: its old entry has to run out first.
func TestLeaseFormerLife(t *testing.T) {
	s := &compare.Scenario{Name: "restart", Nodes: 3, Length: 3 * time.Second, Timing: compare.LAN(),
		Faults: []compare.Fault{{Kind: compare.Crash, Node: compare.Leader, At: time.Second, For: 10 * time.Millisecond}}}
	for _, a := range []compare.Algorithm{algorithm(t, "lease"), algorithm(t, "lease-sequential")} {
		result := leaseRun(t, s, a)
		require.Len(t, result.Reigns, 2, a.Name)
		require.Less(t, result.Reigns[0].Epoch, result.Reigns[1].Epoch)
		require.Greater(t, result.Reigns[1].Begin, 1200*time.Millisecond, a.Name)
		require.True(t, result.Agreed, "all nodes must agree on the leader at the end (%s)", a.Name)
	}
}

// The margin is a tenth of the TTL, and a Delay: while a clock is slow by no more than that, there are never two. Ours has more
// room, but not for two fifths of the speed; with a fence neither costs more than refused writes.
func TestLeaseDriftMargin(t *testing.T) {
	s := named(t, "lease-drift").Scenario
	for _, c := range []struct {
		rate        float64
		lease, ours bool
	}{{1, false, false}, {0.9, false, false}, {0.87, false, false}, {0.7, true, false}, {0.5, true, false}, {0.4, true, true}} {
		s.Rates = []float64{c.rate, 1, 1, 1, c.rate}
		for name, two := range map[string]bool{"lease": c.lease, "lease-sequential": c.lease, "bully": c.ours} {
			a := algorithms.Bully()
			if name != a.Name {
				a = algorithm(t, name)
			}
			result := leaseRun(t, &s, a)
			require.Equal(t, two, result.Two > 0, "%s at %g: %s", name, c.rate, result.Two)
			require.Zero(t, result.Stale)
			require.Equal(t, 1, result.SameEpoch)
		}
	}
}

// With messages that are lost and late, crashes, pauses and cuts, no form with a deadline ever has two leaders; the one without
// has. All come to agree when that is over.
func TestLeaseUnderFaults(t *testing.T) {
	careless, reigns := 0, 0
	for seed := range uint64(60) {
		s := &compare.Scenario{Name: fmt.Sprint("faults-", seed), Nodes: 4, Length: 8 * time.Second, Timing: compare.LAN(), Work: 10 * time.Millisecond,
			Delay: compare.Range{Max: 15 * time.Millisecond}, Disk: compare.Range{Max: 5 * time.Millisecond}, Loss: 0.02,
			Rates: []float64{0.95, 1.02, 1, 1.05}}
		at := func(k uint64) time.Duration { return time.Duration(500+700*k+37*(seed*k%11)) * time.Millisecond }
		s.Faults = []compare.Fault{
			{Kind: compare.Cut, At: at(0), For: 600 * time.Millisecond, Links: compare.Between(compare.Leader, 5)},
			{Kind: compare.Pause, At: at(1), For: 500 * time.Millisecond, Node: compare.Leader},
			{Kind: compare.Crash, At: at(2), For: 200 * time.Millisecond, Node: 5},
			{Kind: compare.Slow, At: at(3), For: 900 * time.Millisecond, Links: compare.Between(compare.Leader, 5),
				Delay: compare.Range{Max: 500 * time.Millisecond}, Loss: 0.3},
			{Kind: compare.Crash, At: at(4), For: 300 * time.Millisecond, Node: compare.Leader},
			{Kind: compare.Pause, At: at(5), For: 250 * time.Millisecond, Node: 5},
			{Kind: compare.Cut, At: at(6), For: 400 * time.Millisecond, Links: []compare.Link{{From: 5, To: compare.Leader}}},
		}
		for _, a := range family(t, "lease") {
			result, err := compare.Run(s, a, seed, compare.Options{})
			require.NoError(t, err)
			require.True(t, result.Agreed, "%s, seed %d", a.Name, seed)
			require.Equal(t, 1, result.SameEpoch, "%s, seed %d", a.Name, seed)
			if a.Fences {
				require.Zero(t, result.Stale, "%s, seed %d", a.Name, seed)
			}
			reigns += len(result.Reigns)
			if a.Name == "lease-careless" {
				careless += min(1, int(result.Two))
				continue
			}
			require.Zero(t, result.Two, "%s, seed %d", a.Name, seed)
		}
	}
	require.Greater(t, reigns, 60*4*2)
	require.Greater(t, careless, 30)
}
