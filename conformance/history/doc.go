// Package history says whether what the clients of a cluster, and of what it guards, have seen can be: who led, who was told of it, and what
// was written and read for which epoch. It looks from outside; a trace, which says what nodes did, is for package check.
//
//	header, ops, err := history.Read(file)
//	if err != nil {
//		return err // such as: line 3: epoch: …
//	}
//	report, err := history.Check(header, ops, history.Options{})
//	if err != nil {
//		return err
//	}
//	return report.Err() // such as: NoStaleWrite: printer had admitted epoch 5 …
//
// [TraceOps] makes the operations of a trace, and [Visualise] draws those of a history.
package history
