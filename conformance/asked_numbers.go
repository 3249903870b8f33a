package conformance

import "github.com/seed-fdf591db/bully/spec"

// States of the table in which only the numbers tell something.
var (
	leaseOfNobody = spec.State{Role: follower, Latest: 1}                            // after a first start
	beaten        = latestOf(acknowledged(leads(2, 4, 1), 2, later, later, earlier)) // leads(2, 4, 1) after a heartbeat
)

// latestOf returns a state of a leader after one more question.
func latestOf(s spec.State) spec.State {
	s.Latest++
	return s
}

// alone returns the state of the only member after it has won.
func alone(epoch spec.Epoch) spec.State {
	s := leads(1, epoch)
	s.Latest, s.Dated = asks+1, asks+1
	return s
}

// restarted returns a state after a restart: all numbers that may have been used are passed over.
func restarted(s spec.State) spec.State {
	s.Latest = spec.Block + 1
	return s
}

// What an answer counts for, and what a release ends.
var askedOfNumbers = []question{
	{"R12", "An OK to an earlier ELECTION?", 1, 3, is(candidate, 0, 4, 3), hearsOf(spec.OK, 3, 4, asks-1), stays, nil},
	{"R13", "An ASSENT to an earlier ELECTION?", 3, 3, is(candidate, 0, 4, 1), hearsOf(spec.Assent, 1, 4, asks-1), stays, nil},
	{"R19", "A GRANT to an earlier CLAIM of the same epoch?", 3, 3, is(claimant, 0, 4, 1), hearsOf(spec.Grant, 1, 5, asks-1), stays, nil},
	{"R19", "... from the node whose lease is kept?", 3, 3, is(claimant, 1, 4, 1), hearsOf(spec.Grant, 1, 5, asks-1), stays, nil},
	{"R21", "A REFUSE of e to an earlier CLAIM?", 3, 3, is(claimant, 0, 4, 1), hearsOf(spec.Refuse, 1, 5, asks-1), stays, nil},
	{"R21", "... of e + 1?", 3, 3, is(claimant, 0, 4, 1), hearsOf(spec.Refuse, 1, 6, asks-1), is(follower, 0, 6, 0), nil},
	{"R7", "... while another's lease is kept?", 3, 3, is(claimant, 1, 4, 1), hearsOf(spec.Refuse, 1, 6, asks-1), stays, nil},
	{"R7", "A follower hears ELECTION of a higher epoch from a node other than its leader?", 2, 3, is(follower, 3, 4, 3),
		hears(spec.Election, 1, 9), stays, says(spec.Refuse, 4, 1)},
	{"R7", "... IM_BACK?", 2, 3, is(follower, 3, 4, 3), hears(spec.ImBack, 1, 9), stays, nil},
	{"R5", "RESIGN of a question before that of the lease?", 2, 3, is(follower, 3, 4, 3), hearsOf(spec.Resign, 3, 4, kept-1), stays, nil},
	{"R5", "... IM_BACK?", 2, 3, is(follower, 3, 4, 3), hearsOf(spec.ImBack, 3, 4, kept-1), stays, nil},
	{"R5", "... ELECTION?", 2, 3, is(follower, 3, 4, 3), hearsOf(spec.Election, 3, 4, kept-1), stays, says(spec.Assent, 4, 3)},
	{"R23", "HEARTBEAT of a later question?", 2, 3, is(follower, 3, 4, 3),
		hearsOf(spec.Heartbeat, 3, 4, kept+1), leaseOf(is(follower, 3, 4, 3), kept+1), says(spec.Ack, 4, 3)},
	{"R5", "... of an earlier one?", 2, 3, is(follower, 3, 4, 3), hearsOf(spec.Heartbeat, 3, 4, kept-1), stays, says(spec.Ack, 4, 3)},
	{"R5", "... of an earlier one, of another leader?", 2, 3, is(follower, 1, 4, 1),
		hearsOf(spec.Heartbeat, 3, 5, kept-1), leaseOf(is(follower, 3, 5, 3), kept-1), says(spec.Ack, 5, 3)},
	{"R5", "A CLAIM again, of an earlier question?", 2, 3, is(electing, 3, 5, 3), hearsOf(spec.Claim, 3, 5, kept-1), stays, says(spec.Grant, 5, 3)},
	{"R25", "An ACK of a question before the last that was answered?", 2, 3, leads(2, 4, 1), hearsOf(spec.Ack, 1, 4, 1), stays, nil},
	{"R26", "An ACK of a later one, from one of two that make a quorum?", 2, 5, leads(2, 4),
		hearsOf(spec.Ack, 1, 4, 5), fiveAfterAck, nil},
	{"R18", "A follower hears that its leader has handed over to 4?", 2, 5, is(follower, 3, 4, 3),
		handedOver(3, 4, 4, 5), leaseOf(is(electing, 4, 5, 4), 9), said{{Type: spec.Grant, To: node(4), Epoch: 5, Question: 9}}},
	{"R29", "... a candidate that does not outrank 4?", 2, 5, is(candidate, 0, 4, 3),
		handedOver(3, 4, 4, 5), leaseOf(is(electing, 4, 5, 4), 9), said{{Type: spec.Grant, To: node(4), Epoch: 5, Question: 9}}},
	{"R29", "... one that does?", 5, 5, is(candidate, 0, 4, 3), handedOver(3, 4, 4, 5), stays, nil},
	{"R29", "... 4 itself, which claims?", 4, 5, is(claimant, 3, 4, 3, 1), handedOver(3, 4, 4, 5), is(claimant, 0, 4, 3, 1), says(spec.Claim, 5, 2, 3, 5)},
	{"R29", "... one that keeps another's lease?", 2, 5, is(follower, 1, 4, 1), handedOver(3, 4, 4, 5), stays, nil},
	{"R17", "... one that has promised that epoch to another?", 2, 5, is(follower, 0, 5, 3),
		handedOver(3, 4, 4, 5), stays, said{{Type: spec.Refuse, To: node(4), Epoch: 5, Question: 9}}},
}

// fiveAfterAck is leads(2, 4) of five after an answer that is no quorum's.
var fiveAfterAck = spec.State{
	Role: leader, Leader: node(2), Epoch: 4, Grantee: node(2), Latest: asks, Dated: earlier, Support: []spec.NodeID{node(1)},
	Answered: []spec.Answered{{Node: node(1), Question: 5}, {Node: node(3), Question: earlier}, {Node: node(4), Question: earlier}, {Node: node(5), Question: earlier}},
}
