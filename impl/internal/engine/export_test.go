package engine

// Shows and AboutGolden are for the tests.
var (
	Shows       = shows
	AboutGolden = aboutGolden
)

// SetMostFrames lets recordings have so many frames until undo is called.
func SetMostFrames(most int) (undo func()) {
	was := mostFrames
	mostFrames = most
	return func() { mostFrames = was }
}
