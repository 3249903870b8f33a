// Package writers plays the users of a simulated cluster: they write to fenced resources while they are told that they
// lead, and others read them. All that can go wrong between a leader and a resource does (R38): a leader pauses after it has
// decided to write, requests are delayed, overtake each other and are lost, and so are answers; writers die; resources
// crash, and come back with what is on their disk. What comes of it is a history, for package history. This is the loop:
//
//	var told []sim.Notification
//	result, err := sim.Run(&plan, newNode, sim.Options{Notify: func(t sim.Notification) { told = append(told, t) }})
//	if err != nil {
//		return err
//	}
//	ops := writers.Play(told, writers.Config{Seed: plan.Seed, Length: plan.Length})
//	report, err := history.Check(writers.Header("workbench sim -seeds 81"), ops, history.Options{})
//	if err != nil {
//		return err
//	}
//	return report.Err() // nil if all is linearizable
//
// The users change nothing in the cluster: they are played after its run, in the same virtual time. There are two
// resources. The file keeps its epoch and its value in one place; the guard keeps them apart, so that a crash can raise its
// fence and write nothing. What a resource or a writer does wrong is said by [Rules].
package writers
