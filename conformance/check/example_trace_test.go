package check_test

import (
	"fmt"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/check"
)

// A node alone asks nobody, and elects itself; the second time it takes an epoch that it cannot have come to.
func ExampleTrace() {
	good := `{"format":1,"spec":"1.0","members":["1"],"seed":81,"commit":"none"}
{"seq":1,"node":"1","action":"Start","sent":[],"state":{"role":"follower","leader":null,"epoch":0,"grantee":null,"support":[]}}
{"seq":2,"node":"1","action":"PatienceTimeout","input":{"timer":"patience"},"sent":[],"state":{"role":"candidate","leader":null,"epoch":0,"grantee":null,"support":[]}}
{"seq":3,"node":"1","action":"ElectionTimeout","input":{"timer":"election"},"sent":[],"state":{"role":"leader","leader":"1","epoch":1,"grantee":"1","support":[]}}
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
	//   before    candidate leader:none epoch:0 grantee:none support:{}
	//   expected  leader leader:1 epoch:1 grantee:1 support:{}
	//   got       leader leader:1 epoch:2 grantee:1 support:{}
	//   When T_elec ends, a candidate claims if a quorum would follow and there is an epoch left, and else rests.
}
