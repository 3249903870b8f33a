// Package recording is the form in which runs are shown to people: what happened, one frame after the other, in words, with all
// that a picture of it needs. A trace of our protocol becomes a recording, and so does a run of any other algorithm, and a
// counterexample of a model checker; whoever shows recordings need know none of them.
//
// A recording is NDJSON: a [Header], then a [Frame] a line. This is the loop that a user of one writes:
//
//	f, err := recording.Read(file)
//	if err != nil {
//		return err // such as: line 7: takes: message 12 has not been sent
//	}
//	for i, frame := range f.Frames {
//		fmt.Println(i+1, frame.Text)
//	}
//
// # What a frame changes
//
// Each frame says only what is other than before. Messages are numbered in the order in which they are sent; one is under
// way from the frame that Sends it until a frame Takes it, a node at either end of it crashes, or its link is cut. A node
// that no frame has said a State of has not started. Where members come and go, each configuration is told once, by the
// first frame that has a use for it, and is a number from then on. [Checker] says whether the frames of a recording fit together so, and [Read]
// and [Recording.Write] take nothing that does not.
package recording
