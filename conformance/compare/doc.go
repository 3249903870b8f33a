// Package compare lets election algorithms of any kind take part in the same scenarios, on the same network (package simnet),
// and measures all of them alike: how long there is no leader, or more than one; how many lead in one epoch; whether a stale
// leader writes; what an election costs in messages. It knows nothing of any algorithm. An [Algorithm] makes nodes, and says
// what timers they have.
//
// This is the loop that its user writes:
//
//	scenario := &compare.Scenario{Nodes: 5, Length: 10 * time.Second, Timing: compare.LAN(),
//		Faults: []compare.Fault{{Kind: compare.Crash, Node: compare.Leader, At: 2 * time.Second}}}
//	for _, algorithm := range algorithms {
//		for seed := range uint64(100) {
//			result, err := compare.Run(scenario, algorithm, seed, compare.Options{})
//			if err != nil {
//				return err
//			}
//			times = append(times, result.Faults[0].Healed)
//		}
//	}
//
// # Looking on
//
// Who wants to see a run as it happens, and perhaps to inject faults, plays it one event at a time. [Options].Watch is told of
// each [Moment]; between two events a node can be crashed, a message dropped, a timer ended ([Play.Crash] and what stands with it):
//
//	play, err := compare.Begin(scenario, algorithm, seed, compare.Options{Watch: show})
//	if err != nil {
//		return err
//	}
//	for play.Next(scenario.Length) {
//		if play.Now() > 2*time.Second && play.View(5).Acts {
//			err = play.Crash(5)
//		}
//	}
//	result, err := play.Finish()
//
// The same injections between the same events give the same run. [Run] is such a loop, without any.
//
// # Nodes
//
// The nodes of a scenario have the ids 1 to Nodes: an id is its rank. An algorithm may need servers beside them, a store
// for instance. Their ids come after those of the nodes; they never lead, and no fault befalls them unless it names them.
//
// A scenario, an algorithm and a seed are a run: the same three give the same run, to the last message, on any machine.
//
// # The resource
//
// Who leads writes to a resource: every [Scenario.Work] it looks whether it leads, and if so its write is there one [WriteDelay]
// later, or when it goes on after a pause. The write carries the epoch of the reign in which it looked. If epochs of the
// algorithm are ordered (Algorithm.Fences), the resource refuses those below the highest it has seen; else it can only
// accept all. A write that is accepted after one of a later reign is a stale write.
package compare
