package members_test

import (
	"context"
	"fmt"

	"github.com/seed-fdf591db/bully/model/explore"
	"github.com/seed-fdf591db/bully/model/members"
)

// Two rules are off: a leader removes itself, and a crash loses its configuration (flaw B07), so that it leads again as
// the only member that it once was.
func Example() {
	m, err := members.New(explore.Configuration{
		Module:        "MCMembers",
		Specification: "Spec",
		Constants: map[string]string{
			"N": "2", "Start": "{1}", "MaxEpoch": "2", "MaxVersion": "3", "Witnesses": "{}",
		},
		Replacements: map[string]string{
			"Epoch": "UpToMaxEpoch", "Version": "UpToMaxVersion", "Witness": "Listed",
			"Survives": "ForgetsConfiguration", "StaysElector": "LeavesItself",
		},
		Invariants: []string{"OneLeaderPerEpoch"},
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
	// Invariant OneLeaderPerEpoch is violated after step 9.
	//  0. Initial state
	//     epoch = <<0, 0>>
	//     conf = <<[voters |-> {1}, witnesses |-> {}, version |-> 1, epoch |-> 0], [voters |-> {}, witnesses |-> {}, version |-> 0, epoch |-> 0]>>
	//     leads = <<FALSE, FALSE>>
	//     support = <<{}, {}>>
	//     reigns = {}
	//     made = {[voters |-> {}, witnesses |-> {}, version |-> 0, epoch |-> 0], [voters |-> {1}, witnesses |-> {}, version |-> 1, epoch |-> 0]}
	//  1. Win(1)
	//     epoch[1] = 1
	//     conf[1].epoch = 1
	//     leads[1] = TRUE
	//     reigns gains [epoch |-> 1, leader |-> 1]
	//     made gains [voters |-> {1}, witnesses |-> {}, version |-> 1, epoch |-> 1]
	//  2. Change(1)
	//     conf[1].voters gains 2
	//     conf[1].version = 2
	//     made gains [voters |-> {1, 2}, witnesses |-> {}, version |-> 2, epoch |-> 1]
	//  3. Adopt(2)
	//     epoch[2] = 1
	//     conf[2].voters gains 1
	//     conf[2].voters gains 2
	//     conf[2].version = 2
	//     conf[2].epoch = 1
	//  4. OnAck(2→1)
	//     support[1] gains 2
	//  5. Change(1)
	//     conf[1].voters loses 1
	//     conf[1].version = 3
	//     support[1] loses 2
	//     made gains [voters |-> {2}, witnesses |-> {}, version |-> 3, epoch |-> 1]
	//  6. Adopt(2)
	//     conf[2].voters loses 1
	//     conf[2].version = 3
	//  7. Crash(1)
	//     conf[1].voters loses 2
	//     conf[1].voters gains 1
	//     conf[1].version = 1
	//     conf[1].epoch = 0
	//     leads[1] = FALSE
	//  8. Win(1)
	//     epoch[1] = 2
	//     conf[1].epoch = 2
	//     leads[1] = TRUE
	//     reigns gains [epoch |-> 2, leader |-> 1]
	//     made gains [voters |-> {1}, witnesses |-> {}, version |-> 1, epoch |-> 2]
	//  9. Win(2)
	//     epoch[2] = 2
	//     conf[2].epoch = 2
	//     leads[2] = TRUE
	//     reigns gains [epoch |-> 2, leader |-> 2]
	//     made gains [voters |-> {2}, witnesses |-> {}, version |-> 3, epoch |-> 2]
}
