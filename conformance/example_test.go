package conformance_test

import (
	"fmt"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/spec"
)

// unshielded forgets the lease that it keeps when it is asked for a promise.
type unshielded struct {
	conformance.Model
}

func (u *unshielded) Step(id spec.NodeID, members []spec.NodeID, before spec.State, in spec.Input) spec.Step {
	if in.Message.Type == spec.Claim && before.Leader != id {
		before.Leader = spec.NodeID{}
	}
	return u.Model.Step(id, members, before, in)
}

// The model answers all questions of section 13 as they are answered by hand. A subject without the shield does not: the
// first wrong answers are shown.
func ExampleGroup_Check() {
	questions := conformance.Groups()[0]
	cases, err := questions.Check(&conformance.Model{})
	fmt.Println(cases, err)
	_, err = questions.Check(&unshielded{})
	fmt.Println(err)
	// Output:
	// 127 <nil>
	// 3 of 127 cases failed; the first are:
	// R17: node 2 of {1 2 3}: 3→2 CLAIM epoch:4 question:3
	//   before    electing leader:1 lease:3 epoch:4 grantee:none support:{} latest:6
	//   expected  electing leader:1 lease:3 epoch:4 grantee:none support:{} latest:6
	//             2→3 REFUSE epoch:4 question:3
	//   got       electing leader:3 lease:3 epoch:4 grantee:3 support:{} latest:6
	//             2→3 GRANT epoch:4 question:3
	//   question  1. ... promised to nobody, while it keeps a third node's lease?
	//   A CLAIM is granted unless the node keeps another's lease, claims that epoch or a higher one itself as the better, or has promised that epoch, or a higher one, already.
	// R17: node 2 of {1 2 3}: 3→2 CLAIM epoch:5 question:3
	//   before    electing leader:1 lease:3 epoch:4 grantee:1 support:{3} asked:6 latest:6
	//   expected  electing leader:1 lease:3 epoch:4 grantee:1 support:{3} asked:6 latest:6
	//             2→3 REFUSE epoch:4 question:3
	//   got       electing leader:3 lease:3 epoch:5 grantee:3 support:{} latest:6
	//             2→3 GRANT epoch:5 question:3
	//   question  2. A CLAIM of a higher epoch, while it keeps a third node's lease?
	//   A CLAIM is granted unless the node keeps another's lease, claims that epoch or a higher one itself as the better, or has promised that epoch, or a higher one, already.
	// R5: node 2 of {1 2 3}: 3→2 CLAIM epoch:5 question:2
	//   before    electing leader:3 lease:3 epoch:5 grantee:3 support:{} latest:6
	//   expected  electing leader:3 lease:3 epoch:5 grantee:3 support:{} latest:6
	//             2→3 GRANT epoch:5 question:2
	//   got       electing leader:3 lease:2 epoch:5 grantee:3 support:{} latest:6
	//             2→3 GRANT epoch:5 question:2
	//   question  A CLAIM again, of an earlier question?
	//   A node keeps one lease at a time, of the latest question that it has answered of whom it follows or has granted, and helps nobody else until it ends; its holder ends it as of no older question.
}
