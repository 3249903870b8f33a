package scenarios

import (
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
)

// raft returns the scenarios of Raft's election. In each one node is told at 10 ms that there is no leader, so that the same
// one leads first with every seed.
func raft() []Named {
	var partial []compare.Link
	for _, pair := range [][2]int{{5, 2}, {3, 2}, {5, 1}, {4, 1}, {2, 1}} {
		partial = append(partial, compare.Between(pair[0], pair[1])...)
	}
	return []Named{{
		// It is what pre-vote is for (Ongaro 2014, 9.6; hashicorp/raft#31).
		Scenario: raftOf("raft-rejoin", 5, 5, 4*time.Second,
			compare.Fault{Kind: compare.Cut, At: time.Second, For: 2 * time.Second, Links: compare.Isolate(5, 1)}),
		Title: "A follower that was cut off comes back, and deposes a leader that all others follow",
		Shows: "raft-plain", Flaw: Disrupted, Enough: 1,
		Watch:  "1 stands again and again while nobody hears it; back at 3 s, it answers the first heartbeat with its high term, and 5 steps down.",
		Cause:  "A node raises its term before it knows whether anybody would vote for it, and a higher term deposes whoever leads.",
		Remedy: "R8, R14: who asks in ELECTION binds nobody, and raises no epoch; only who has a quorum behind it claims one. In Raft, pre-vote does it.",
	}, {
		// It is B18, with the ids so that the highest leads: neither 1 nor 2 hears it, and both reach one who does.
		Scenario: raftOf("raft-partial", 5, 5, 4*time.Second,
			compare.Fault{Kind: compare.Cut, At: time.Second, For: 2 * time.Second, Links: partial}),
		Title: "2 reaches only 4, and 1 only 3: elections without end, though 3, 4 and 5 are whole",
		Shows: "raft-plain", Flaw: Disrupted, Enough: 1,
		Watch:  "1 and 2 can never win, but each time that one of them stands, 3 or 4 votes for it in a new term, and tells the leader that it is over.",
		Cause:  "A voter gives up a leader that it hears for a candidate that does not.",
		Remedy: "R5, R11: who keeps a lease refuses all others, and R14: who has no quorum behind it does not claim. In Raft, pre-vote or check-quorum does it.",
	}, {
		// It is B19. Until 3.5 s all follow 5, which hears nothing, and so could never commit anything; then one node loses
		// its patience.
		Scenario: raftOf("raft-one-way", 5, 5, 5*time.Second,
			compare.Fault{Kind: compare.Cut, At: time.Second, For: 3 * time.Second, Links: []compare.Link{{From: 0, To: 5}}},
			compare.Fault{Kind: compare.Suspect, Node: 2, At: 3500 * time.Millisecond}),
		Title: "The leader is heard by all and hears nobody, and leads on and on",
		Shows: "raft-plain", Flaw: TwoLeaders,
		Watch:  "For 2.5 s no answer comes to 5, and it leads; at 3.5 s the others elect 2 in term 2, and 5 leads term 1 until it hears again.",
		Cause:  "Heartbeats are all that followers ask of a leader, and nothing but a higher term, which it would have to hear of, ends a reign.",
		Remedy: "R26: a leader steps down that no quorum acknowledges in time. In Raft, check-quorum does it; pre-vote alone keeps the others from electing anybody.",
	}, {
		// It is B01 as terms leave it: two leaders, but never in one term.
		Scenario: raftOf("raft-minority-leader", 5, 5, 3*time.Second,
			compare.Fault{Kind: compare.Cut, At: time.Second, For: time.Second, Links: compare.Isolate(5, 4, 5)}),
		Title: "A partition leaves the leader in the minority, where it takes itself for the leader until it heals",
		Shows: "raft-plain", Flaw: TwoLeaders,
		Watch:  "5 leads term 1 and the majority elects another in term 2; from then on the resource refuses each write of 5. Without a fence all would be accepted.",
		Cause:  "Who leads asks nobody whether it still does; a term makes two leaders distinct, and does not end the reign of the first.",
		Remedy: "R26: a leader without a quorum steps down before R5 lets anybody elect another; R38: if it is late, the resource refuses its epoch. In Raft, check-quorum and a fence.",
	}, {
		// It needs its seed: in about one election of a hundred, two of the three that are left draw timeouts that end
		// within the millisecond that a message takes. Here that happens twice.
		Scenario: raftOf("raft-split-vote", 4, 4, 3*time.Second, compare.Fault{Kind: compare.Crash, Node: 4, At: time.Second}),
		Title:    "Two nodes stand at the same moment, and nobody wins, twice",
		Seed:     2939, Shows: "raft-plain", Flaw: Herd, Enough: 22,
		Watch:  "In terms 2 and 3 two vote for themselves, and the third for one of them: two of four are no quorum, and all wait for another timeout.",
		Cause:  "All candidates are alike, and only chance keeps them apart: a round without a winner costs its messages and a whole timeout.",
		Remedy: "R10, R11: of two that stand the lower gives way, and R37: the higher stands first, so no round is lost to a tie. Raft makes ties rare, not impossible.",
	}}
}

// raftOf is a scenario of so many nodes, of which first leads first, and whose leader works.
func raftOf(name string, nodes, first int, length time.Duration, faults ...compare.Fault) compare.Scenario {
	begin := compare.Fault{Kind: compare.Suspect, Node: first, At: 10 * time.Millisecond}
	return compare.Scenario{Name: name, Nodes: nodes, Length: length, Timing: compare.LAN(), Work: 100 * time.Millisecond,
		Faults: append([]compare.Fault{begin}, faults...)}
}
