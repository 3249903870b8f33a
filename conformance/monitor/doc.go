// Package monitor has what is promised (section 3 of the specification), each promise in a file of its own: its name, its
// sentence, and what is asked of a run. Checkers, simulators, suites of tests and indicators of recordings range over [Promises]: a new
// promise is one new file here, and a line in that list, besides what TLA+ and the model ask.
//
// A [Monitor] is fed with what is seen of nodes, and knows no rule, no message and no time:
//
//	m := monitor.New(monitor.Options{Members: members})
//	…
//	now := monitor.ViewOf(&state) // of node i after a step
//	if breach := m.Breaks(i, &now); breach != nil {
//		return breach // such as: OneLeaderPerEpoch: nodes 2 and 3 have both led epoch 4
//	}
//	m.Note(i, &now)
//
// Who goes on after a breach, to show what holds just now, uses [Lights].
package monitor
