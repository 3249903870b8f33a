// Package trace records what a node does, and puts the records of all nodes together (section 14 of the specification).
//
// A host gives a [Recorder] every step of its node, after the promise of the step is on disk and before anything it
// sends leaves:
//
//	recorder, err := trace.NewRecorder(trace.Options{Dir: dir, Node: id, Members: members, Host: name, Commit: commit})
//	if err != nil {
//		return err
//	}
//	defer recorder.Close()
//	...
//	if err := recorder.Record(&event); err != nil {
//		log.Print(err) // the record ends here; the node goes on
//	}
//
// When the node has stopped in good order, [Recorder.Stopped] says so at the end of its record. One that just ends is of a node that was
// killed, or that runs.
//
// Each start of a node, and each file that is full, begins a new file: 3-000001.ndjson, 3-000002.ndjson and so on. All
// files of one node together are its record. [Merge] puts the records of all nodes into one trace, in which nothing is
// received before it is sent, and [Show] prints a trace for people:
//
//	if _, err := trace.Merge(merged, files...); err != nil {
//		return err // such as: 3-000002.ndjson:17: node 3 receives 5→3 HEARTBEAT epoch:4, which node 5 is not recorded to have sent
//	}
//	return trace.Show(os.Stdout, merged)
package trace
