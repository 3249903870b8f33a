package recording_test

import (
	"fmt"
	"strings"

	"github.com/seed-fdf591db/bully/traces/recording"
)

// A node asks another, which answers; then somebody says that a message arrives which nobody has sent.
func Example() {
	text := `{"recording":1,"title":"two nodes","source":"trace","nodes":["1","2"],"timed":false}
{"at":1,"kind":"timer","node":0,"text":"asks","sends":[{"number":1,"to":1,"kind":"ELECTION"}]}
{"at":2,"kind":"receive","node":1,"text":"takes ELECTION from 1","takes":1,"sends":[{"number":2,"to":0,"kind":"OK"}]}
{"at":3,"kind":"receive","node":0,"text":"takes OK from 2","takes":3}
`
	f, err := recording.Read(strings.NewReader(text))
	for _, frame := range f.Frames {
		fmt.Println(f.Nodes[frame.Node], frame.Text)
	}
	fmt.Println(err)
	// Output:
	// 1 asks
	// 2 takes ELECTION from 1
	// line 4: takes: message 3 has not been sent
}
