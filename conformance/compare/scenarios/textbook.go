package scenarios

import (
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
)

// textbook has what goes wrong with the textbook Bully, and what does not, under the timing of compare.LAN: T_elec is 25 ms,
// a round trip of 2·12 ms and 1 ms; T_coord is twice that. Messages take 1 ms where a scenario says nothing else. Each begins
// with the highest node holding an election at once: it leads after T_elec, and all follow it. Nothing is drawn, so every
// seed shows the same.
func textbook() []Named {
	return slices.Concat(textbookTakeovers(), textbookElections(), textbookLinks(), textbookReturns())
}

// textbookFirst has the highest of all nodes lead soon after the beginning.
func textbookFirst(nodes int) compare.Fault { return compare.Fault{Kind: compare.Suspect, Node: nodes} }

// textbookPatience is the timing of a network in which nobody finds a leader dead by its patience, before it is told to.
func textbookPatience() compare.Timing {
	t := compare.LAN()
	t.Patience = 1500 * ms
	return t
}

// textbookFive is a scenario of five nodes on a local network, in which a leader works and 5 leads first.
func textbookFive(name string, length time.Duration, faults ...compare.Fault) compare.Scenario {
	return compare.Scenario{Name: name, Nodes: 5, Length: length, Timing: compare.LAN(), Work: 100 * ms,
		Faults: append([]compare.Fault{textbookFirst(5)}, faults...)}
}

// textbookPatient is textbookFive, where nodes are patient, and 5 crashes at 0.5 s.
func textbookPatient(name string, faults ...compare.Fault) compare.Scenario {
	s := textbookFive(name, 5*time.Second, append([]compare.Fault{{Kind: compare.Crash, Node: 5, At: 500 * ms}}, faults...)...)
	s.Timing = textbookPatience()
	return s
}

// textbookTakeovers are those in which the highest that lives takes over, as it should.
func textbookTakeovers() []Named {
	return []Named{{
		Scenario: textbookPatient("five-nodes", compare.Fault{Kind: compare.Suspect, Node: 3, At: 700 * ms}),
		Title:    "Of five nodes, 5 crashes at 0.5 s, 3 detects it at 0.7 s, and 4 takes over",
		Shows:    "textbook", Flaw: NoFlaw,
		Watch:  "3 asks 4 and 5, only 4 answers OK, and one T_elec later 4 is answered by nobody and tells all.",
		Cause:  "Nothing goes wrong: every message takes less than the timers suppose, and who is silent is dead.",
		Remedy: "R16, R20: ours takes over too, but only with the promises of a quorum, which takes a round trip more. R5: it also waits until the leases kept for 5 have ended.",
	}, {
		Scenario: textbookPatient("cascade", compare.Fault{Kind: compare.Suspect, Node: 3, At: 700 * ms},
			compare.Fault{Kind: compare.Crash, Node: 4, At: 725*ms + 500*time.Microsecond}),
		Title: "Two leaders die one after the other: 5, and 4 just before it says that it leads",
		Shows: "textbook", Flaw: NoFlaw,
		Watch:  "3 has OK from 4, waits T_coord for its COORDINATOR in vain, and asks again: it leads about 2·T_elec after the death of 4, and 3·T_elec after it first asked.",
		Cause:  "Nothing goes wrong: T_coord is there for this. Each node that dies while it takes over costs a T_coord more.",
		Remedy: "R15: ours waits T_coord too, and then claims at once with the support that it has already, rather than ask again.",
	}}
}

// textbookElections are those in which an election goes wrong though the network is whole.
func textbookElections() []Named {
	herd := compare.Scenario{Name: "herd", Nodes: 15, Length: 4 * time.Second, Timing: compare.LAN(),
		Faults: []compare.Fault{textbookFirst(15), {Kind: compare.Crash, Node: 15, At: time.Second}}}
	return []Named{{
		Scenario: textbookPatient("late-coordinator", compare.Fault{Kind: compare.Suspect, Node: 3, At: 700 * ms},
			compare.Fault{Kind: compare.Slow, At: 710 * ms, For: 30 * ms, Links: []compare.Link{{From: 4, To: 3}},
				Delay: compare.Range{Min: 26500 * time.Microsecond, Max: 26500 * time.Microsecond}}),
		Title: "T_coord of 3 ends half a millisecond before the COORDINATOR of 4 arrives",
		Shows: "textbook", Flaw: Disrupted, Enough: 2,
		Watch:  "3 holds a second election while 4 leads; 4 is asked, holds one itself as every node must that is asked, and leads no more until its T_elec has ended.",
		Cause:  "One message takes longer than T_coord supposes, and a leader that is asked cannot say that it leads: it has to win again.",
		Remedy: "R10: a leader that is asked answers OK and COORDINATOR, and goes on leading.",
	}, {
		Scenario: herd,
		Title:    "Of fifteen nodes the highest dies, and all others detect it at the same moment",
		Shows:    "textbook", Flaw: Herd, Enough: 14 + 15,
		Watch:  "14 nodes ask at once: 105 ELECTIONs, 91 OKs and 14 COORDINATORs, where 14 alone would have needed 15 messages.",
		Cause:  "All followers have the same patience and hear the same last HEARTBEAT.",
		Remedy: "R41, R37: where the death is proved, leases end in silence, and who has none waits the longer the lower its id is: the highest stands alone. Where patience ends for all at once, as here, ours has a herd too.",
	}, {
		Scenario: textbookFive("ok-then-die", 10*time.Second, compare.Fault{Kind: compare.Crash, Node: 5, At: 500 * ms},
			compare.Fault{Kind: compare.Suspect, Node: 3, At: 700 * ms}, compare.Fault{Kind: compare.Crash, Node: 4, At: 710 * ms}),
		Title: "4 says OK and dies, and there is no T_coord: no leader for ever",
		Shows: "textbook-no-tcoord", Flaw: NoLeader,
		Watch:  "3 gives way to 4, and waits for good; 1 and 2 lose patience later, ask, are answered OK by those who wait, and wait too.",
		Cause:  "OK is a promise to deliver a COORDINATOR, and nothing looks after whether it is kept.",
		Remedy: "R15: T_coord always runs while a node waits for somebody better, and there is no way to leave it out (R36).",
	}}
}

// textbookLinks are those in which links fail.
func textbookLinks() []Named {
	halves := []compare.Link{}
	for _, a := range []int{1, 2} {
		for _, b := range []int{3, 4} {
			halves = append(halves, compare.Between(a, b)...)
		}
	}
	return []Named{{
		Scenario: textbookFive("split-brain", 3*time.Second,
			compare.Fault{Kind: compare.Cut, At: time.Second, For: time.Second, Links: compare.Isolate(5, 4, 5)}),
		Title: "A partition: 5 goes on leading 4, the others elect 3, and when it heals both go on",
		Shows: "textbook", Flaw: TwoLeaders,
		Watch:  "3 and 5 lead at once from 1.276 s to the end, though the network is whole again at 2 s; both write all the time.",
		Cause:  "Silence is taken for death, nobody counts a majority, and there is no epoch by which one of two leaders could be found to be the old one.",
		Remedy: "R3, R20, R26: to win takes a quorum, and a leader that hears of none steps down; R24: a stale leader is refused, and so learns of its successor.",
	}, {
		Scenario: textbookFive("same-stamp", 3*time.Second, compare.Fault{Kind: compare.Crash, Node: 5, At: time.Second},
			compare.Fault{Kind: compare.Cut, At: time.Second, For: time.Second, Links: halves}),
		Title: "5 dies as a partition parts 1 and 2 from 3 and 4: two leaders pick the same epoch",
		Shows: "textbook-stamp", Flaw: SameEpoch,
		Watch:  "2 and 4 have both heard of epoch 1, so both lead epoch 2, on and on after the partition has healed.",
		Cause:  "An epoch that a leader picks by itself orders nothing: nobody has promised it to one node only, and nobody compares it.",
		Remedy: "R17, R20: an epoch is won with promises of a quorum, each of which is made once and kept on disk (R4).",
	}, {
		Scenario: textbookFive("one-way", 3*time.Second,
			compare.Fault{Kind: compare.Cut, At: time.Second, For: time.Second, Links: []compare.Link{{From: 0, To: 5}}},
			compare.Fault{Kind: compare.Suspect, Node: 3, At: 1200 * ms}),
		Title: "5 can send, but hears nobody; 3 asks once, and there are two leaders",
		Shows: "textbook", Flaw: TwoLeaders,
		Watch:  "5 does not hear the ELECTIONs, nor the COORDINATOR of 4; it goes on sending heartbeats and writing, and when it hears again nothing tells it to stop.",
		Cause:  "A leader need not hear anything to go on leading.",
		Remedy: "R26: a leader that has no ACKs of a quorum steps down, however well it is heard.",
	}, {
		Scenario: textbookFive("deaf-follower", 3*time.Second,
			compare.Fault{Kind: compare.Cut, At: time.Second, For: 400 * ms, Links: []compare.Link{{From: 5, To: 3}}}),
		Title: "One link in one direction fails: 3 does not hear 5, and deposes it again and again",
		Shows: "textbook", Flaw: Disrupted, Enough: 1,
		Watch:  "Whenever T_coord of 3 ends it asks; 4 and 5 must answer and hold elections, so there is no leader half of the time.",
		Cause:  "Anybody who hears no leader may depose it, though it does well for all others.",
		Remedy: "R10, R11: who keeps the lease of a leader does not support another, so 3 finds no quorum, and 5 goes on leading.",
	}}
}

// textbookReturns are those in which a node returns, from a crash or a pause.
func textbookReturns() []Named {
	slow := func(from, to int, delay time.Duration) compare.Fault {
		return compare.Fault{Kind: compare.Slow, At: 650 * ms, For: 100 * ms, Links: []compare.Link{{From: from, To: to}},
			Delay: compare.Range{Min: delay, Max: delay}}
	}
	flap := textbookFive("top-flap", 6*time.Second)
	flap.Faults = append(flap.Faults, compare.Every(compare.Fault{Kind: compare.Crash, Node: 5, For: 500 * ms}, time.Second, 1200*ms, 4*time.Second)...)
	return []Named{{
		Scenario: textbookFive("stale-return", 3*time.Second, compare.Fault{Kind: compare.Crash, Node: 5, At: 500 * ms, For: 203 * ms},
			slow(4, 5, 8*ms), slow(4, 3, 8*ms), slow(5, 4, 10*ms), compare.Fault{Kind: compare.Suspect, Node: 4, At: 700 * ms}),
		Title: "5 returns with its old id in the middle of the election of 4, and their COORDINATORs cross",
		Shows: "textbook", Flaw: TwoLeaders,
		Watch:  "4 and 5 both lead; 1 and 2 hear 4 and then 5, and 3 hears 5 and then 4; then 4 and 5 hear each other, each follows the other, and nobody leads until 1 and 2 lose patience.",
		Cause:  "A COORDINATOR does not say which election it ends, so whoever hears two obeys the later to arrive.",
		Remedy: "R20, R23, R24: each COORDINATOR has an epoch that only one node can win, and a lower one is refused; R30: who returns first keeps silent.",
	}, {
		Scenario: textbookFive("paused-leader", 4*time.Second,
			compare.Fault{Kind: compare.Pause, Node: compare.Leader, At: time.Second + 500*time.Microsecond, For: time.Second}),
		Title: "The leader is paused, 4 takes over, and 5 wakes in the middle of a write",
		Shows: "textbook", Flaw: StaleWrite,
		Watch:  "The write that 5 had begun before its pause reaches the resource at 2.0005 s, after those of 4, and is accepted.",
		Cause:  "A node cannot know that it has slept between looking whether it leads and writing, and the resource cannot tell an old leader from a new one.",
		Remedy: "R38, R2: a write bears the epoch of its leader, and the resource refuses one below the highest that it has seen.",
	}, {
		Scenario: flap,
		Title:    "5 crashes and returns three times, and deposes a leader that does well each time",
		Shows:    "textbook", Flaw: Disrupted, Enough: 4,
		Watch:  "Seven reigns for three crashes: each time 4 takes over, and 5 comes back only to crash again; and each time both lead until 4 has heard of it.",
		Cause:  "Who returns holds an election at once and wins it, because it is the highest, not because a leader is missing.",
		Remedy: "R30, R9: who returns keeps silent, follows the leader that it hears of, and takes over from a lower one only after it has been up for a while.",
	}}
}
