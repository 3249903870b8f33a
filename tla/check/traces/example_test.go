package traces_test

import (
	"fmt"

	"github.com/seed-fdf591db/bully/tla/check/traces"
)

func Example() {
	v := traces.Verdict{File: "cold-start.ndjson", Refused: &traces.Refusal{
		Line: 10, Part: traces.StatePart, Problem: "OnClaim of node 1 (3→1 CLAIM epoch:1): the state after is not what the rules say",
		Before:   "electing leader:none epoch:0 grantee:none support:{}",
		Expected: "electing leader:3 epoch:1 grantee:3 support:{}\n1→3 GRANT epoch:1",
		Got:      "electing leader:3 epoch:2 grantee:3 support:{}\n1→3 GRANT epoch:1",
	}}
	fmt.Println(v.OK(), &v)

	v.Expect = &traces.Expect{Line: 10, Rule: "R17"}
	fmt.Println(v.OK())
	v.Expect.Line = 11
	fmt.Println(v.OK())
	// Output:
	// false cold-start.ndjson: refused at line 10: state: OnClaim of node 1 (3→1 CLAIM epoch:1): the state after is not what the rules say
	//   before    electing leader:none epoch:0 grantee:none support:{}
	//   expected  electing leader:3 epoch:1 grantee:3 support:{}
	//             1→3 GRANT epoch:1
	//   got       electing leader:3 epoch:2 grantee:3 support:{}
	//             1→3 GRANT epoch:1
	// true
	// false
}
