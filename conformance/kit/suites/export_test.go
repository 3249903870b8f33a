package suites

import (
	"context"

	"github.com/seed-fdf591db/bully/conformance/cluster"
	"github.com/seed-fdf591db/bully/conformance/port"
)

// Crash is what the case of a known script does, without the step by step: with the promises alone. If it is lenient, messages may leave
// before what they say is saved, and only what comes of that is an error.
func Crash(ctx context.Context, p *port.Process, script *cluster.Script, lenient bool) error {
	return (&crasher{ctx: ctx, script: script, lenient: lenient}).all(p)
}

// OfScript returns the kind that a script is of.
var OfScript = ofScript
