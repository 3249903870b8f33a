// Package narrate tells what nodes of our protocol did as a recording: each event of a trace (section 14 of the specification) as a
// frame, in words for people who see an election for the first time.
//
//	narrator, err := narrate.New(members, narrate.Options{})
//	if err != nil {
//		return err
//	}
//	for {
//		var e spec.Event
//		if err := trace.Read(&e); err != nil {
//			return err
//		}
//		frames = append(frames, narrator.Tell(&e)...)
//	}
//
// A [Narrator] takes events at their word: whether they are what the rules allow, package check says. It remembers only what
// the words need: the state of each node, and what is under way on each link.
package narrate
