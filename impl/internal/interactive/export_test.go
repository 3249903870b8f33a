package interactive

// SetMostFrames lets runs have so many frames until undo is called.
func SetMostFrames(most int) (undo func()) {
	was := mostFrames
	mostFrames = most
	return func() { mostFrames = was }
}

// Wrote is wrote, for the tests outside of this package.
var Wrote = wrote
