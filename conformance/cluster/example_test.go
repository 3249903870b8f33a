package cluster_test

import (
	"fmt"

	"github.com/seed-fdf591db/bully/conformance/cluster"
)

// This example lets a leader crash, and says who leads then.
func Example() {
	script, err := cluster.ParseScript(`
		members 1 2 3
		end 3 patience          # the highest asks
		settle
		expect 3 leader epoch 1 leader 3
		crash 3
		dead 1
		dead 2
		end 2 patience
		settle
		end 2 election
		settle
	`)
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := script.Run(model, cluster.Options{Like: model})
	if err != nil {
		fmt.Println(err) // such as: op 3 of the script: OneLeaderPerEpoch: …
		return
	}
	for _, id := range c.Members() {
		fmt.Println(id, c.State(id), c.Timers(id))
	}
	// Output:
	// 1 follower leader:2 lease:3 epoch:2 grantee:2 support:{} latest:1 {patience}
	// 2 leader leader:2 epoch:2 grantee:2 support:{1} latest:3 dated:3 answered:{1:3} {reign heartbeat}
	// 3 follower leader:none epoch:1 grantee:3 support:{} latest:1048576 {}
}
