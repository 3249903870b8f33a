// Package interactive plays runs of every algorithm in a simulated network, and makes a recording of each (package recording).
//
// A run is begun from a [RunSpec], and goes on as far as it is asked to; whoever looks on may intervene. This is the loop
// that its user writes:
//
//	run, err := interactive.Begin(runSpec)
//	if err != nil {
//		return err
//	}
//	show(run.Header(), run.Taken())
//	for !run.Ended() {
//		frames, _ := run.Next(1)
//		show(frames)
//	}
//
// [Algorithms] and [Profiles] are what there is to begin with.
package interactive
