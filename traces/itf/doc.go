// Package itf reads and writes the Informal Trace Format (ITF) of Apalache and Quint, a sequence of states in JSON:
// https://apalache-mc.org/docs/adr/015adr-trace.html. So a recorded trace (spec/trace.md) can be looked at, and handed on, with the tools
// that read counterexamples.
//
//	text, err := itf.Export(header, events)          // what has been recorded, as states of tla/Cluster.tla
//	header, events, err := itf.Import(text)          // and back: the same events
//	file, err := itf.Read(text)                      // any file of that format: variables and their values
//
// # A trace as states
//
// State 0 is that before the first event, and state k that after event k. The variables are those of module Cluster; the ids of nodes are
// their places among the members, from 1. The event is in "#meta" of the state after it, in the words of a trace. The header of the trace is in "#meta" of the file.
//
//	node     the state of each node; of one that has not started, a blank one, and of one that is down, what survives
//	up       the nodes that run
//	net      of each link what was sent and is heard later in the trace, first sent first, each message once
//	cut      the links that carry nothing
//	budget   no fault is limited
//	reigns   who has led which epoch
//	since    of who keeps a lease, the latest question of each other node when its patience began
//
// Where members have addresses a configuration has them too, as in module TraceCluster, here as texts.
//
// # What Import looks at
//
// The states must be those that Export writes of the events in "#meta". Whether the rules allow these is not looked at here: that is what checking a
// trace is for. The variables budget and since are not read.
package itf
