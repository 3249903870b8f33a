// Package port speaks with ports: programs, in any language, that are the transition function of nodes. A port reads a
// [Request] a line from its standard input, and writes a [Reply] a line to its standard output, in the same order; it has
// no clock, no randomness and no disk. conformance/README.md is the normative text of this protocol.
//
// This is the loop that an asker writes:
//
//	process, err := port.Start(ctx, port.Config{Command: []string{"python3", "port.py"}})
//	if err != nil {
//		return err // it did not start, or does not speak the protocol
//	}
//	defer process.Close()
//	result, err := sim.Run(&plan, process.Maker(), sim.Options{})
//
// What [Process.Maker] makes are nodes for the packages sim, cluster and paths, and [Process.Subject] is a subject for
// conformance.Groups. A port that dies, hangs, floods or talks nonsense is a [*Failure]: nodes and subjects panic with it,
// and [Guard] turns that into an error.
//
// [Serve] is the other side: it makes a port of an implementation in Go.
package port
