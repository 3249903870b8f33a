// Package stage is what the viewer of runs is made of: it plays runs of every algorithm in a simulated world, and opens every
// file that this project writes, and makes a film of each (package film).
//
// A run is begun from a [Recipe], and goes on as far as it is asked to; whoever looks on may meddle with it. This is the loop
// that its user writes:
//
//	run, err := stage.Begin(recipe)
//	if err != nil {
//		return err
//	}
//	show(run.Header(), run.Taken())
//	for !run.Ended() {
//		frames, _ := run.Next(1)
//		show(frames)
//	}
//
// A file is opened whatever it is, a trace, a film, a recipe, or what a model checker has printed:
//
//	opened := stage.Open(text, name)
//	if opened.Problem != nil {
//		fmt.Println(opened.Problem) // and the film has what comes before the line that is wrong
//	}
//	show(opened.Film.Header, opened.Film.Frames)
//
// [Look] has what there is to begin with: algorithms, golden traces, scenarios, rules.
package stage
