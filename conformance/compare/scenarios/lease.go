package scenarios

import (
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
)

// Elections against a store, under the timing of compare.LAN: a TTL is 325 ms, the store is up to 10 ms late to see its end, and
// a holder gives up 280 ms after it has sent the last renewal that was answered. The store has the id after those of the nodes;
// what befalls it, and the links to it, concerns no algorithm that has no store. Where a leader is cut off or slow, it is so
// for all, so that other algorithms have something to stand as well. 1 leads first: its CREATE is there first.

func lease() []Named {
	return []Named{{
		Scenario: compare.Scenario{Name: "lease-herd", Nodes: 9, Length: 2 * time.Second, Timing: compare.LAN(), Work: 50 * ms,
			Faults: []compare.Fault{{Kind: compare.Crash, Node: compare.Leader, At: time.Second}}},
		Title: "The leader dies, its key runs out, and all others want it at the same moment",
		Shows: "lease", Flaw: Herd, Enough: 18 + 3,
		Watch:  "The store says GONE to all eight, gets eight CREATEs, and answers HELD to seven: 24 messages. With lease-sequential it is 3, however many candidates there are, and all others keep still.",
		Cause:  "All watch the same key, since that is the only one: whoever holds it, its end concerns everybody.",
		Remedy: "None of ours: our followers lose patience together as well (R8), and their election takes more messages than this herd, though no node gets them all. What removes the herd is to watch only the one before: lease-sequential.",
	}, {
		Scenario: compare.Scenario{Name: "lease-pause", Nodes: 3, Length: 2500 * ms, Timing: compare.LAN(), Work: 10 * ms,
			Faults: []compare.Fault{{Kind: compare.Pause, Node: compare.Leader, At: time.Second + 500*time.Microsecond, For: 700 * ms}}},
		Title: "The leader looks whether it leads, is paused before it writes, and writes when it goes on",
		Shows: "lease-unfenced", Flaw: StaleWrite,
		Watch:  "While the leader is paused its lease runs out, and another leads and writes. When it goes on it gives up at once, but the write is on its way already. With lease the write carries the revision of its reign, and is refused.",
		Cause:  "A lease, like any other look at a clock, says who led when it was looked at; a write happens later, and nothing but the resource can know who has written meanwhile.",
		Remedy: "R38: every write carries the epoch of its reign, and the resource refuses those below the highest that it has admitted: the same as a revision does for lease.",
	}, {
		Scenario: compare.Scenario{Name: "lease-store-down", Nodes: 5, Length: 4 * time.Second, Timing: compare.LAN(), Work: 50 * ms,
			Faults: []compare.Fault{{Kind: compare.Crash, Node: 6, At: time.Second}}},
		Title: "The store crashes, and nobody leads while it is down, though all nodes live and hear each other",
		Shows: "lease", Flaw: NoLeader,
		Watch:  "The leader gives up when its deadline ends. From then on it asks in vain, and the others do not even know.",
		Cause:  "The store decides who leads, and candidates do not talk with each other: it must be as available as all of them together, which is why etcd and ZooKeeper are clusters that elect a leader of their own.",
		Remedy: "R3, R20: ours has no store. A quorum of the nodes themselves grants a claim, so that any minority of them may fail.",
	}, {
		Scenario: compare.Scenario{Name: "lease-slow-store", Nodes: 3, Length: 4 * time.Second, Timing: compare.LAN(), Work: 50 * ms,
			Faults: []compare.Fault{{Kind: compare.Slow, Links: leaderLinks(), At: time.Second, For: 1500 * ms,
				Delay: compare.Range{Min: 400 * ms, Max: 400 * ms}}}},
		Title: "Messages from and to the leader take longer than the TTL",
		Shows: "lease-careless", Flaw: TwoLeaders,
		Watch:  "The renewals of the leader come too late, and the store gives the key to another. The leader hears of that only when the answer to a renewal is there, 800 ms after it sent it; until then both lead. With lease it gives up by itself before the TTL is over.",
		Cause:  "Without a local deadline a leader takes no news from the store for good news.",
		Remedy: "R26: a leader of ours that a quorum has not acknowledged in time steps down by itself; R5, R37 (bound d): until then the same quorum keeps its lease, and grants no other claim.",
	}, {
		Scenario: compare.Scenario{Name: "lease-drift", Nodes: 5, Length: 3 * time.Second, Timing: compare.LAN(), Work: 50 * ms,
			Rates:  []float64{0.7, 1, 1, 1, 0.7},
			Faults: []compare.Fault{{Kind: compare.Cut, Links: leaderLinks(), At: time.Second, For: time.Second}}},
		Title: "The clock of the leader is slow, and so its local deadline comes too late",
		Shows: "lease", Flaw: TwoLeaders,
		Watch:  "The leader is cut off from all others and the store. Its 280 ms take 400 ms, by when another leads: for 67 ms there are two, and a write of the first is refused.",
		Cause:  "A deadline is safe as long as the clocks of holder and store differ by no more than its margin, a tenth of the TTL; client-go says the same of RenewDeadline and LeaseDuration. This clock loses three tenths.",
		Remedy: "R37 bounds drift too. Bound d leaves ours room for this clock, but not for one at two fifths of the speed, with which two act at once. R17 and R38 do not look at clocks: an epoch has one leader, and of two the resource refuses the earlier, as with a lease.",
	}}
}

// leaderLinks are those between the leader and everybody else, in both directions.
func leaderLinks() []compare.Link {
	return []compare.Link{{From: compare.Leader, To: 0}, {From: 0, To: compare.Leader}}
}
