// Package check says whether what was recorded of a run is what the specification allows.
//
// [Trace] reads a trace (section 14 of the specification), whoever wrote it: a simulator, a test, or real machines whose
// records were merged. It takes every step again by the rules of the model, and looks at the links, the crashes and the
// promises. This is the loop that its user writes:
//
//	for _, name := range names {
//		file, err := os.Open(name)
//		if err != nil {
//			return err
//		}
//		report, err := check.Trace(file, check.Options{})
//		_ = file.Close()
//		if err != nil {
//			return fmt.Errorf("%s: %w", name, err)
//		}
//		fmt.Printf("%s: %d events, %d reigns\n", name, report.Events, report.Reigns)
//	}
//
// The error says in which line the trace departs from the specification, which rule that breaks, what was expected there
// and what came:
//
//	line 12: R17: node 2 of {1 2 3} takes OnClaim (1→2 CLAIM epoch:4) in another way than the rules
//	  before    follower leader:3 epoch:3 grantee:3 support:{}
//	  expected  follower leader:3 epoch:3 grantee:3 support:{}
//	            2→1 REFUSE epoch:3
//	  got       electing leader:1 epoch:4 grantee:1 support:{}
//	            2→1 GRANT epoch:4
//	  A CLAIM is granted unless the node keeps another's lease, or has promised that epoch, or a higher one, already.
//
// Members may be fixed or change (R40); the header of a trace says so. A trace is read once, from its beginning to its
// end, in memory that does not grow with its length. Each concept has a file of its own: the steps of nodes (replay.go), the
// rules by which they are taken (fixed.go, changing.go), what is under way (links.go), ends and starts (crashes.go), who has led
// (leaders.go), who leads now (acting.go), and which members have been named (configurations.go).
//
// [History] looks from outside: at what the clients of a cluster, and of what it guards, have seen.
package check
