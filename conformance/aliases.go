package conformance

import "github.com/seed-fdf591db/bully/spec"

// What these were until every caller says spec.Step, spec.Input and spec.TimerSet. They go.
type (
	Output  = spec.Step
	Outcome = spec.Step
	Input   = spec.Input
	Timers  = spec.TimerSet
)
