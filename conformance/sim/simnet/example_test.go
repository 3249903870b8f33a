package simnet_test

import (
	"fmt"
	"time"

	"github.com/seed-fdf591db/bully/conformance/sim/simnet"
)

// Two nodes pass a ball, until the link is cut in one direction.
func Example() {
	const ms = time.Millisecond
	w := simnet.New[string](simnet.Config{Seed: 81, Nodes: 2, Timers: 1, Conditions: simnet.Conditions{Delay: simnet.Range{Min: 2 * ms, Max: 2 * ms}}})
	w.SetTimer(0, 0, 10*ms)
	w.At(15*ms, 0)
	var e simnet.Event[string]
	for w.Next(&e, time.Second) {
		switch e.Kind {
		case simnet.TimerEnd:
			fmt.Println(w.Now(), "node", e.Node, "serves")
			w.Send(0, 1, "ball")
		case simnet.Receive:
			fmt.Println(w.Now(), "node", e.Node, "has the", e.Message, "from", e.From)
			w.Send(e.Node, e.From, e.Message)
		case simnet.Alarm:
			w.Cut(1, 0)
		}
	}
	sent, lost := w.Messages()
	fmt.Println(w.Now(), sent, "sent,", lost, "lost")
	// Output:
	// 10ms node 0 serves
	// 12ms node 1 has the ball from 0
	// 14ms node 0 has the ball from 1
	// 16ms node 1 has the ball from 0
	// 1s 4 sent, 1 lost
}
