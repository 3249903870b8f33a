package kit

// sentences say what those rules come to that no input is for, and that package conformance has none for.
var sentences = map[string]string{
	"R1":  "Ids are compared as 16 unsigned bytes: integers by their value up to 2^64-1, and every UUID is higher than every integer.",
	"R3":  "A quorum is more than half of all members, the node itself counted: half is none.",
	"R4":  "A step that changes epoch or grantee saves both before anything of it leaves; what it has not saved, a crash takes away.",
	"R5":  "A node keeps one lease at a time, that of whom it follows or has granted, and helps nobody else until it ends.",
	"R6":  "To rest is to empty the support, and to become a follower without a lease, or electing with one.",
	"R16": "To claim is to become a claimant without support, to keep the lease, and to say CLAIM of the next epoch to all; nothing is saved.",
	"R36": "Which timers run follows from the state: what runs no more is cancelled, what runs now is armed, and some begin anew.",
	"R37": "Timers are set so that one that ends is on time; a host must refuse bounds that do not hold.",
	"R38": "A resource admits a write of the highest epoch that it has admitted, or of a higher one, and refuses a lower one; it never forgets.",
	"R39": "A user is told who leads once it is so, with the epoch, and that a reign is over before any message of that step leaves.",
	"R40": "The members are given once, and do not change; who is none of them is a stranger.",
}
