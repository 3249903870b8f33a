package interactive

// SetMostFrames lets runs have so many frames until undo is called.
func SetMostFrames(most int) (undo func()) {
	was := mostFrames
	mostFrames = most
	return func() { mostFrames = was }
}
