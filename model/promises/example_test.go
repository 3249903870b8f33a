package promises_test

import (
	"context"
	"fmt"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/promises"
)

// A crash loses to whom node 1 promised the epoch (flaw B06), and it promises it again.
func Example() {
	m, err := promises.New(explore.Configuration{
		Module:        "MCPromises",
		Specification: "Spec",
		Constants:     map[string]string{"N": "3", "MaxEpoch": "1", "Claimants": "{2, 3}"},
		Replacements:  map[string]string{"MayClaim": "Within", "Survives": "ForgetsGrantee"},
		Invariants:    []string{"OneLeaderPerEpoch"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := explore.Run(context.Background(), m, explore.Options{Workers: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(result.Violation)
	// Output:
	// Invariant OneLeaderPerEpoch is violated after step 7.
	// 0. Initial state
	//    epoch = <<0, 0, 0>>
	//    grantee = <<0, 0, 0>>
	//    messages = {}
	// 1. Claim(3)
	//    messages gains [type |-> "CLAIM", from |-> 3, epoch |-> 1]
	// 2. OnClaim(3→1)
	//    epoch[1] = 1
	//    grantee[1] = 3
	//    messages gains [type |-> "GRANT", from |-> 1, to |-> 3, epoch |-> 1]
	// 3. Claim(2)
	//    messages gains [type |-> "CLAIM", from |-> 2, epoch |-> 1]
	// 4. Restart(1)
	//    grantee[1] = 0
	// 5. OnClaim(2→1)
	//    grantee[1] = 2
	//    messages gains [type |-> "GRANT", from |-> 1, to |-> 2, epoch |-> 1]
	// 6. Win(3)
	//    epoch[3] = 1
	//    grantee[3] = 3
	//    messages gains [type |-> "COORDINATOR", from |-> 3, epoch |-> 1]
	// 7. Win(2)
	//    epoch[2] = 1
	//    grantee[2] = 2
	//    messages gains [type |-> "COORDINATOR", from |-> 2, epoch |-> 1]
}
