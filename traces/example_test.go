package traces_test

import (
	"fmt"

	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces"
)

// This example shows the reigns of one trace: who leads, and from which event on.
func Example() {
	file, err := traces.Valid.Open("failover.ndjson")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	trace, err := spec.NewTraceReader(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	var event spec.Event
	led := spec.Epoch(0)
	for trace.Read(&event) == nil {
		if event.State.Role == spec.Leader && event.State.Epoch > led {
			led = event.State.Epoch
			fmt.Println(event)
		}
	}
	// Output:
	// 11 OnGrant 1→3 GRANT epoch:1 question:3 | 3→1 COORDINATOR epoch:1 question:3 | 3→2 COORDINATOR epoch:1 question:3 | 3 is leader leader:3 epoch:1 grantee:3 support:{} latest:3 dated:3 answered:{1:3}
	// 29 OnGrant 1→2 GRANT epoch:2 question:4 | 2→1 COORDINATOR epoch:2 question:4 | 2→3 COORDINATOR epoch:2 question:4 | 2 is leader leader:2 epoch:2 grantee:2 support:{} latest:4 dated:4 answered:{1:4}
}
