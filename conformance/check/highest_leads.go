package check

import "github.com/seed-fdf591db/bully/spec"

// What is seen of nodes does not tell who is eligible: the simulator, which knows the links, asks it at the end of a run.
var highestLeads = Promise{
	Name: spec.HighestLeads, Says: "Once faults stop, it is the highest eligible node that comes to lead.", When: Eventually,
}
