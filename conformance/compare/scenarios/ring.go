package scenarios

import (
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
)

// ring returns the scenarios of the ring algorithms. In each one node is told at 10 ms that there is no leader, so that one
// election comes first, and not as many as there are nodes.
func ring() []Named { return slices.Concat(ringElections(), ringLosses()) }

// ringOf is a scenario of so many nodes that stand in the ring in ascending order; the highest begins the first election.
func ringOf(name string, nodes int, length time.Duration, faults ...compare.Fault) compare.Scenario {
	first := compare.Fault{Kind: compare.Suspect, Node: nodes, At: 10 * time.Millisecond}
	return compare.Scenario{Name: name, Nodes: nodes, Length: length, Timing: compare.LAN(), Faults: append([]compare.Fault{first}, faults...)}
}

// tenMS is how long messages take where a round has to take its time for the flaw to be seen.
var tenMS = compare.Range{Min: 10 * time.Millisecond, Max: 10 * time.Millisecond}

// ringElections are those in which more than one election is on its way.
func ringElections() []Named {
	return []Named{{
		// It is the picture that Tanenbaum and van Steen draw (§6.5.1), with ids from 1 instead of 0.
		Scenario: ringOf("ring-two-starters", 8, 3*time.Second,
			compare.Fault{Kind: compare.Crash, Node: 8, At: time.Second},
			compare.Fault{Kind: compare.Suspect, Node: 3, At: time.Second + 50*time.Millisecond},
			compare.Fault{Kind: compare.Suspect, Node: 6, At: time.Second + 50*time.Millisecond}),
		Title: "Two of eight notice at the same moment that the leader is dead",
		Shows: "ring", Flaw: NoFlaw,
		Watch:  "Two lists go round side by side, with the same nodes in them, and then two COORDINATORs, which name the same leader.",
		Cause:  "Nothing keeps a second node from beginning an election, and nothing has to: it costs 16 messages more, and does no harm.",
		Remedy: "R10: a node that is asked by a lower one stands itself only if it is idle, so the second election is not another one.",
	}, {
		Scenario: ringOf("ring-herd", 7, 3*time.Second,
			compare.Fault{Kind: compare.Crash, Node: 7, At: time.Second}),
		Title: "The leader of seven crashes, and all others notice at the same moment",
		Shows: "ring", Flaw: Herd, Enough: 14 + 14,
		Watch:  "Six lists go round at once, and six COORDINATORs: 84 messages, where one list takes 14.",
		Cause:  "All have heard the last HEARTBEAT at the same time and have the same patience, and each begins an election of its own.",
		Remedy: "R37: who keeps no lease waits the longer the more nodes are above it, so the highest stands first, and R11 keeps the others from it.",
	}, {
		Scenario: ringOf("ring-partition", 5, 4*time.Second,
			compare.Fault{Kind: compare.Cut, At: time.Second, For: 2 * time.Second, Links: compare.Isolate(5, 4, 5)}),
		Title: "The network parts 4 and 5 from 1, 2 and 3",
		Shows: "ring", Flaw: TwoLeaders,
		Watch:  "5 goes on; 3 sends its list past 4 and 5, closes a ring of three, and leads too, until the network is whole again.",
		Cause:  "Who does not answer is skipped, be it dead or out of reach; no part knows how large it is, or asks whether it may elect.",
		Remedy: "R20: who wins has been granted its epoch by a quorum, which only one part can have; R26: a leader that hears no quorum steps down.",
	}}
}

// ringLosses are those in which something is lost, or returns.
func ringLosses() []Named {
	lost := ringOf("ring-lost-ack", 5, 2*time.Second,
		compare.Fault{Kind: compare.Slow, For: 60 * time.Millisecond, Links: []compare.Link{{From: 5, To: 4}}, Delay: tenMS, Loss: 1})
	lost.Faults[0].Node = 1
	lost.Delay = tenMS
	back := ringOf("ring-return", 5, 4*time.Second,
		compare.Fault{Kind: compare.Crash, Node: 5, At: time.Second, For: time.Second},
		compare.Fault{Kind: compare.Suspect, Node: 5, At: 2700 * time.Millisecond})
	back.Delay = tenMS
	stale := ringOf("ring-stale-return", 3, 4*time.Second,
		compare.Fault{Kind: compare.Pause, Node: 3, At: time.Second + 500*time.Microsecond, For: time.Second})
	stale.Work = 5 * time.Millisecond
	return []Named{{
		Scenario: lost,
		Title:    "An ACK is lost, and a node that lives is skipped",
		Shows:    "ring", Flaw: TwoLeaders,
		Watch:  "4 passes the list on to 5, hears no ACK, and passes it on to 1 as well: two lists come back, one with 5 and one without.",
		Cause:  "A lost ACK looks like a dead neighbour. Then one election has two outcomes, and who hears of both believes the last.",
		Remedy: "R17: a node grants an epoch to one claimant only, and R20: it takes a quorum of grants to lead; a lost message delays, and no more.",
	}, {
		Scenario: ringOf("ring-lost-list", 5, 3*time.Second,
			compare.Fault{Kind: compare.Crash, Node: 5, At: time.Second},
			compare.Fault{Kind: compare.Suspect, Node: 1, At: time.Second + 50*time.Millisecond},
			compare.Fault{Kind: compare.Crash, Node: 4, At: time.Second + 60*time.Millisecond}),
		Title: "The node that holds the list dies",
		Shows: "ring-no-retry", Flaw: NoLeader,
		Watch:  "4 has the list, waits for an ACK of 5, which is dead, and dies itself: 1, 2 and 3 take part in an election of which nothing is left.",
		Cause:  "An election is one message, and whoever holds it may die; no source has a timer for that. With one, it begins anew after 0.5 s.",
		Remedy: "R14, R15, R22: every wait of an election ends by a timer of who waits, and no message is carried by others.",
	}, {
		Scenario: ringOf("ring-orphan", 5, 700*time.Millisecond,
			compare.Fault{Kind: compare.Crash, Node: 5, At: 16*time.Millisecond + 500*time.Microsecond}),
		Title: "Who is elected dies while ELECTED goes round",
		Shows: "ring-chang-roberts", Flaw: NoLeader,
		Watch:  "ELECTED goes round for ever, past the place of 5, and each time all follow 5 anew.",
		Cause:  "Only the one who is elected takes ELECTED out of the ring, and it is dead.",
		Remedy: "R23: only who leads says that it leads, and R8: who does not hear it say so in time looks for another.",
	}, {
		Scenario: back,
		Title:    "The highest returns, follows the new leader, and suspects it without reason",
		Shows:    "ring", Flaw: TwoLeaders,
		Watch:  "5 leads as soon as its list is back, and 4 until COORDINATOR has come to it, at the other end of the ring.",
		Cause:  "Who is elected does not ask who led before, and news takes a round: the larger the ring, the longer two lead.",
		Remedy: "R9 and R18: who is higher than the leader asks for a hand-over, and the leader stops before it grants that.",
	}, {
		Scenario: stale,
		Title:    "The leader pauses for a second, and writes when it goes on",
		Shows:    "ring", Flaw: StaleWrite,
		Watch:  "3 does not know that 2 has been elected meanwhile: it writes, and the resource cannot tell its writes from those of 2.",
		Cause:  "A reign has no number: there is nothing by which a resource, or a node, could see that one is over.",
		Remedy: "R2 and R38: every reign has an epoch above those before it, and the resource refuses a lower one than it has seen.",
	}}
}
