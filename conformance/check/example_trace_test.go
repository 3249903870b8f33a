package check_test

import (
	"fmt"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/check"
)

// A node alone asks nobody, and elects itself; the second time it takes an epoch that it cannot have come to.
func ExampleTrace() {
	good := `{"format":3,"spec":"2.0","members":["1"],"seed":81,"commit":"none"}
{"seq":1,"node":"1","action":"Start","sent":[],"state":{"role":"follower","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":0,"latest":1}}
{"seq":2,"node":"1","action":"PatienceTimeout","input":{"timer":"patience"},"sent":[],"state":{"role":"candidate","leader":null,"lease":0,"epoch":0,"grantee":null,"support":[],"asked":2,"latest":2}}
{"seq":3,"node":"1","action":"ElectionTimeout","input":{"timer":"election"},"sent":[],"state":{"role":"leader","leader":"1","lease":0,"epoch":1,"grantee":"1","support":[],"asked":0,"latest":3,"dated":3,"answered":[]}}
`
	bad := strings.Replace(good, `"epoch":1`, `"epoch":2`, 1)
	for _, trace := range []string{good, bad} {
		report, err := check.Trace(strings.NewReader(trace), check.Options{})
		fmt.Printf("%d events, %d reigns\n", report.Events, report.Reigns)
		if err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// 3 events, 1 reigns
	// 2 events, 0 reigns
	// line 4: R14: node 1 of {1} takes ElectionTimeout in another way than the rules
	//   before    candidate leader:none epoch:0 grantee:none support:{} asked:2 latest:2
	//   expected  leader leader:1 epoch:1 grantee:1 support:{} latest:3 dated:3
	//   got       leader leader:1 epoch:2 grantee:1 support:{} latest:3 dated:3
	//   When T_elec ends, a candidate claims if a quorum would follow and there is an epoch left, and else rests.
}
