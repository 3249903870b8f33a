package check

import "github.com/seed-fdf591db/bully/spec"

// What is seen of nodes does not tell what a resource admits: package history holds what its clients have seen to it.
var noStaleWrite = Promise{
	Name: spec.NoStaleWrite, Says: "A fenced resource admits no epoch below the highest that it has admitted.", When: Always,
}
