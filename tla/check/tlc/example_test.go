package tlc_test

import (
	"fmt"

	"github.com/seed-fdf591db/bully/tla/check/tlc"
)

// What TLC writes with its option -tool is a sequence of messages between markers.
func ExampleParse() {
	output := `@!@!@STARTMSG 2110:1 @!@!@
Invariant OneLeaderPerEpoch is violated.
@!@!@ENDMSG 2110 @!@!@
@!@!@STARTMSG 2217:4 @!@!@
1: <Initial predicate>
reigns = {}
@!@!@ENDMSG 2217 @!@!@
@!@!@STARTMSG 2217:4 @!@!@
2: <Win line 3, col 1 to line 3, col 20 of module Promises>
reigns = {[epoch |-> 1, leader |-> 2], [epoch |-> 1, leader |-> 3]}
@!@!@ENDMSG 2217 @!@!@
@!@!@STARTMSG 2199:0 @!@!@
278 states generated, 203 distinct states found, 90 states left on queue.
@!@!@ENDMSG 2199 @!@!@
@!@!@STARTMSG 2186:0 @!@!@
Finished in 332ms at (2026-01-01 00:00:00)
@!@!@ENDMSG 2186 @!@!@
`
	report := tlc.Parse(output, 12, nil)
	fmt.Println(report.Verdict, report.Property, "after", report.Depth, "states;", report.Distinct, "of", report.Generated)
	// Output: violates OneLeaderPerEpoch after 2 states; 203 of 278
}
