package vectors_test

import (
	"fmt"

	"github.com/seed-fdf591db/bully/conformance/vectors"
)

// A case is what a port is asked, and what it must answer.
func Example() {
	v := vectors.Named("R22-rests-in-silence")
	fmt.Println(v.Title)
	for _, s := range v.Steps {
		fmt.Println(">", s.Request)
		fmt.Println("<", s.Reply)
	}
	// Output:
	// A claim that lost messages have starved ends, and nothing is sent.
	// > {"id":3,"op":"load","node":"n2","me":"2","members":["1","2","3"],"state":{"role":"claimant","leader":null,"lease":0,"epoch":4,"grantee":"1","support":["3"],"asked":6,"latest":6}}
	// < {"id":3,"state":{"role":"claimant","leader":null,"lease":0,"epoch":4,"grantee":"1","support":["3"],"asked":6,"latest":6}}
	// > {"id":4,"op":"end","node":"n2","timer":"claim"}
	// < {"id":4,"effects":[{"cancel":"claim"},{"arm":"patience"}],"state":{"role":"follower","leader":null,"lease":0,"epoch":4,"grantee":"1","support":[],"asked":0,"latest":6}}
}
