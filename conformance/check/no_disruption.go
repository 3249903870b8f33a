package check

import "github.com/seed-fdf591db/bully/spec"

// What is seen of nodes does not tell whom a leader reaches: the simulator, which knows the links, asks it of every reign that
// ends.
var noDisruption = Promise{
	Name: spec.NoDisruption, Says: "A leader that reaches a quorum is not deposed by a node that does not.", When: OnTime,
}
