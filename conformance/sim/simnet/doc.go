// Package simnet is a simulated network for nodes to run in, with a clock of its own: links that delay and lose messages, break and are
// cut; nodes that crash, at any point of a step, and are paused; disks that take their time; clocks that are fast or slow,
// and jump. It knows nothing of what the nodes do. The same nodes in a network of the same seed do the same, on any machine.
//
// A [Network] is a queue of what will happen, and its user is the nodes. Nodes are numbered from 0, and so are the timers of
// a node. This is the loop that runs them:
//
//	w := simnet.New[string](simnet.Config{Seed: 81, Nodes: 3, Timers: 1, Conditions: simnet.Conditions{Delay: simnet.Range{Max: time.Millisecond}}})
//	w.SetTimer(0, 0, time.Second)
//	var e simnet.Event[string]
//	for w.Next(&e, time.Minute) {
//		switch e.Kind {
//		case simnet.TimerEnd:
//			w.Send(e.Node, 1, "hello")
//		case simnet.Receive:
//			fmt.Println(w.Now(), e.From, e.Message)
//		}
//	}
//
// # Steps
//
// What the user does between two calls of Next is a step of the node that the event names, and takes no time, unless the
// node saves something first. Then the node is busy until the disk is done: what it sends leaves, and the timers that it
// sets begin, at that time. Messages, calls and ends of timers that come meanwhile, or while the node is paused, wait:
// first come the timers that are urgent, then messages and calls in the order of their arrival, then the other timers.
//
// # Links
//
// A link is one direction between two nodes. It is first in, first out: a message never overtakes another one. A message
// is under way until it is taken, be it that it waits for a busy node. What is under way on a link that breaks or is cut,
// and to or from a node that crashes, is lost; so is what is sent over a link that is cut, and to a node that is down. A
// message that the conditions of the link lose takes its place on the link, and is lost when it should have arrived: [Lose] says so.
//
// # Intervention
//
// Between two calls of Next anybody may change what is under way ([Network.Hurry], [Network.Hold], [Network.Drop]), end a timer before
// its time ([Network.EndTimer]), or crash and pause nodes. No random number is drawn for it, and links stay first in, first out.
package simnet
