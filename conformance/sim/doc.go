// Package sim runs a cluster of nodes of any implementation in simulated time, and holds it to every promise of
// spec/README.md at every step. What goes wrong in a run is a [Plan]: which messages take how long and are lost, which links
// are cut, who crashes at which point of which step, whose disk fails, whose clock is wrong. The same plan on the same
// implementation gives the same run, to the byte, on any machine. This is the loop of a test:
//
//	for seed := range uint64(1000) {
//		plan, err := sim.Generate(seed, 5, sim.SwarmProfile)
//		if err != nil {
//			return err
//		}
//		result, err := sim.Run(&plan, mine.NewNode, sim.Options{})
//		if err != nil {
//			return err // the plan says something that means nothing
//		}
//		if result.Violation != nil {
//			return result.Violation // such as: OneLeaderPerEpoch: nodes 2 and 3 have both led epoch 4
//		}
//	}
//
// Who makes many runs makes a [Runner], which uses its memory again.
//
// # What is checked
//
// At each step of each run: that at most one node leads an epoch (OneLeaderPerEpoch); that no node's epoch goes back, over
// restarts too (EpochMonotonic); that what the node asks its host to save, cancel and arm is what R4 and R36 say; that its
// messages are well formed, in its own name and to members (R33, R34); that its state is one of section 6; that an input
// which is no step changes nothing; that it does not panic, nor drown the others in messages (flood).
//
// While clocks keep ρ ([Plan.Steady]): that no two nodes act as leader at once (OneActing).
//
// While the plan, and what comes of it, stays within the bounds of R37 ([Plan.Timely]): that a leader which reaches a quorum of its
// configuration stops leading only by a call, or because of another node that was eligible at some moment since it asked, and until
// it claimed, and to which somebody has promised the epoch that it claimed: the leader, which hands over to it, or others, of whom it
// learns that epoch (NoDisruption). While no link was ever cut, such a node reaches a quorum still, or is down. And that its reign does not
// end if the same quorum has run, been linked with it in both directions, with no message lost, and been members of its
// configuration, since it asked the question from which the reign is dated.
//
// And at the end, when all faults have been over for [Plan.SettleBound]: that there is one leader, whom everybody follows
// (SomeLeader), and that it is the highest (HighestLeads, if pre-emption is on).
//
// # Members that come and go
//
// A plan with [Plan.First] is of changing members (R42 to R49): the nodes that are not among the first start with
// the empty configuration, and operators ask for [Change]s, each of whoever leads then, again if nothing comes of it, and each
// for the configuration that follows on the one that it has seen. [ChangingProfile] draws such plans.
//
// Then what is said above goes by configurations, and there is more at each step: that no node's
// configuration gets older, over restarts too (ConfigurationMonotonic); that an epoch and a version name one list of members
// (OneConfiguration); that a leader is an elector ([LeaderIsElector]); that a node has the configuration that R43, R47 and R48
// say, that it is what every message of the step carries, and that it is saved (R42); that a message of or to a node that is no
// member does nothing (R44); that only what is of the same configuration counts, and only voters are voted for, by electors
// (R45); that only voters stand, that another member which speaks tells all, and who is no member nobody (R46); that a leader
// changes nothing that it may not, and tells those of before and after (R47). And that what is settled holds for good (R47):
// whoever comes to lead a higher epoch has a configuration that follows on every one that a leader of a lower epoch knew a quorum
// to hold.
//
// At the end the newest configuration of a node that runs says who is to lead and to follow, and who has been removed, and knows
// it, is at rest; and every change of which an operator was told that it is settled is in that configuration.
//
// A host calls its node to resign when it leads, and is a witness, and that is settled; it stops it when it is no member of its
// own configuration. A plan may say that such a node runs again, with its old disk; and it does if it is added again, or if it is
// seen after a while to be a member after all, since the change was lost.
//
// # The host of a node
//
// How long timers run (R36, R37) is decided by package spec/policy, which the host of this project runs too: what ships is what is
// simulated. When deaths are proved (R41) and connections come up, and which faults there are, is the simulator's.
package sim
