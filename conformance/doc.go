// Package conformance asks any implementation of spec/README.md what it does, and compares that with the model. What is
// asked is a [Subject]: one method, which takes one step from a state that it is given. [Run] puts it through every state
// and every input of one, two and three members, a sample of those of four to seven, every step that a node takes in
// the small configurations of folder tla, and the questions of section 13, whose answers are written by hand. Then members change: it
// is asked what two nodes do, of every kind or none, when they hear what is said in older, newer and other configurations, and
// what more of them do. [RunFixed] leaves that out. This is the loop of a test of an implementation:
//
//	func TestConformance(t *testing.T) {
//		conformance.Run(t, func() conformance.Subject { return subject{} })
//	}
//
//	type subject struct{}
//
//	func (subject) Step(id spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) spec.Step {
//		node := mine.NodeIn(before) // or a new one, if in is a start or a restart
//		…
//	}
//
// A failure names the rule, and prints the state before, the input, what was expected and what came:
//
//	R17: node 2 of {1 2 3}: 1→2 CLAIM epoch:4
//	  before    follower leader:3 epoch:3 grantee:3 support:{}
//	  expected  follower leader:3 epoch:3 grantee:3 support:{}
//	            2→1 REFUSE epoch:3
//	  got       electing leader:1 epoch:4 grantee:1 support:{}
//	            2→1 GRANT epoch:4
//	  A CLAIM is granted unless the node keeps another's lease, or has promised that epoch, or a higher one, already.
//
// For a part of it, or without package testing, take the [Groups] and [ChangingGroups] one by one. The model is itself a subject, [Model].
//
// What a Subject does not show is not asked here: the order of duties within a step (section 10), and which timers are
// armed and cancelled (R36). A [Node] shows it: the packages cluster, paths and sim make clusters of Nodes.
package conformance
