package conformance

import (
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// fixedQuestions is the questions of section 13 of the specification, in its order, and then others.
var fixedQuestions = slices.Concat(questionsOfTable, questionsOfElections, questionsOfReigns, questionsOfNumbers)

var questionsOfTable = []question{
	{"R17", "1. A CLAIM of its own epoch, promised to nobody?", 2, 3, is(electing, 0, 4, 0),
		hears(spec.Claim, 3, 4), is(electing, 3, 4, 3), says(spec.Grant, 4, 3)},
	{"R17", "1. ... promised to the sender?", 2, 3, is(electing, 0, 4, 3),
		hears(spec.Claim, 3, 4), is(electing, 3, 4, 3), says(spec.Grant, 4, 3)},
	{"R17", "1. ... promised to another?", 2, 3, is(electing, 0, 4, 1),
		hears(spec.Claim, 3, 4), stays, says(spec.Refuse, 4, 3)},
	{"R17", "1. ... promised to nobody, while it keeps a third node's lease?", 2, 3, is(electing, 1, 4, 0),
		hears(spec.Claim, 3, 4), stays, says(spec.Refuse, 4, 3)},
	{"R17", "2. A CLAIM of a higher epoch, while it keeps a third node's lease?", 2, 3, is(electing, 1, 4, 1, 3),
		hears(spec.Claim, 3, 5), stays, says(spec.Refuse, 4, 3)},
	{"R17", "3. A claimant of e, with no lease, hears CLAIM of e from a lower node?", 3, 3, is(claimant, 0, 4, 2, 2),
		hears(spec.Claim, 1, 5), stays, says(spec.Refuse, 4, 1)},
	{"R17", "3. ... from a higher one?", 2, 3, is(claimant, 0, 4, 1, 1),
		hears(spec.Claim, 3, 5), is(electing, 3, 5, 3), says(spec.Grant, 5, 3)},
	{"R17", "3. ... of e + 1 from a lower one?", 3, 3, is(claimant, 0, 4, 2, 2),
		hears(spec.Claim, 1, 6), is(electing, 1, 6, 1), says(spec.Grant, 6, 1)},
	{"R17", "4. A granter hears the same CLAIM again?", 2, 3, is(electing, 3, 5, 3),
		hears(spec.Claim, 3, 5), stays, says(spec.Grant, 5, 3)},
	{"R21", "5. A claimant of e hears REFUSE of e?", 2, 3, is(claimant, 0, 4, 1, 1),
		hears(spec.Refuse, 3, 5), is(follower, 0, 5, 0), nil},
	{"R21", "5. ... while it keeps a lease?", 2, 3, is(claimant, 1, 4, 1, 1),
		hears(spec.Refuse, 3, 5), is(electing, 1, 5, 0), nil},
	{"R21", "6. A claimant of e hears REFUSE of e - 1?", 2, 3, is(claimant, 0, 4, 1, 1), hears(spec.Refuse, 3, 4), stays, nil},
	{"R7", "7. A claimant of e hears OK of e?", 2, 3, is(claimant, 0, 4, 1), hears(spec.OK, 3, 5), stays, nil},
	{"R7", "7. ... ASSENT?", 2, 3, is(claimant, 0, 4, 1), hears(spec.Assent, 1, 5), stays, nil},
	{"R7", "7. ... ACK?", 2, 3, is(claimant, 0, 4, 1), hears(spec.Ack, 1, 5), stays, nil},
	{"R7", "7. ... IM_BACK?", 2, 3, is(claimant, 0, 4, 1), hears(spec.ImBack, 3, 5), stays, nil},
	{"R11", "8. A claimant of e hears ELECTION of e from a higher node, and keeps no lease?", 2, 3, is(claimant, 0, 4, 1, 1),
		hears(spec.Election, 3, 5), stays, says(spec.Assent, 4, 3)},
	{"R19", "9. A claimant of e hears GRANT of e + 1 from the node whose lease it keeps?", 2, 3, is(claimant, 1, 4, 1, 3),
		hears(spec.Grant, 1, 6), stays, nil},
	{"R20", "10. A claimant has a quorum of grants, and keeps a lease. Does it win?", 2, 3, is(claimant, 1, 4, 1),
		hears(spec.Grant, 3, 5), is(claimant, 1, 4, 1, 3), nil},
	{"R29", "11. Its lease then ends by a RESIGN?", 2, 3, is(claimant, 1, 4, 1, 3),
		hears(spec.Resign, 1, 4), wins(2, 5, 3), says(spec.Coordinator, 5, 1, 3)},
	{"R31", "11. ... by an IM_BACK?", 2, 3, is(claimant, 1, 4, 1, 3), hears(spec.ImBack, 1, 4), is(claimant, 0, 4, 1, 3), nil},
	{"R10", "11. ... by an ELECTION?", 2, 3, is(claimant, 1, 4, 1, 3),
		hears(spec.Election, 1, 4), is(claimant, 0, 4, 1, 3), says(spec.OK, 4, 1)},
	{"R41", "11. ... by a proof of death?", 2, 3, is(claimant, 1, 4, 1, 3),
		called(spec.HolderDeadCall), is(claimant, 0, 4, 1, 3), nil},
	{"R20", "11. ... and the next GRANT?", 2, 3, is(claimant, 0, 4, 1, 3),
		hears(spec.Grant, 3, 5), wins(2, 5, 3), says(spec.Coordinator, 5, 1, 3)},
	{"R29", "12. A claimant hears RESIGN from a node whose lease it does not keep?", 5, 5, is(claimant, 0, 4, 3, 4),
		hears(spec.Resign, 3, 4), stays, says(spec.Claim, 5, 1, 2, 3)},
	{"R18", "13. A leader hears CLAIM of a higher epoch from a lower node?", 2, 3, leads(2, 4, 1),
		hears(spec.Claim, 1, 5), stays, says(spec.Refuse, 4, 1)},
	{"R18", "14. A leader hears CLAIM of its own epoch from a higher node?", 2, 3, leads(2, 4, 1),
		hears(spec.Claim, 3, 4), stays, says(spec.Refuse, 4, 3)},
	{"R18", "15. Node 3 of 1 to 5 leads epoch 4, and hears CLAIM of 5 from 4. What does it send?", 3, 5, leads(3, 4, 1, 2),
		hears(spec.Claim, 4, 5), is(electing, 4, 5, 4), says(spec.Grant, 5, 4).then(spec.Resign, 4, 1, 2, 4, 5)},
	{"R11", "16. A leader hears ELECTION of its epoch from a higher node that keeps its lease?", 2, 3, leads(2, 4, 1),
		keeping(3, 4, 2), stays, says(spec.Assent, 4, 3)},
	{"R11", "16. ... that keeps none?", 2, 3, leads(2, 4, 1), hears(spec.Election, 3, 4), stays, says(spec.Refuse, 4, 3)},
	{"R10", "17. ... from a lower node?", 2, 3, leads(2, 4, 1),
		hears(spec.Election, 1, 4), stays, says(spec.OK, 4, 1).then(spec.Coordinator, 4, 1)},
	{"R10", "18. A leader hears ELECTION of a higher epoch from a lower node?", 2, 3, leads(2, 4, 1),
		hears(spec.Election, 1, 6), anew(is(candidate, 0, 6, 0)), says(spec.OK, 6, 1).then(spec.Election, 6, 1, 3)},
	{"R25", "19. A leader hears an ACK of a higher epoch?", 2, 3, leads(2, 4, 1), hears(spec.Ack, 1, 5), is(follower, 0, 5, 0), nil},
	{"R31", "20. A leader hears IM_BACK of a higher epoch?", 2, 3, leads(2, 4, 1),
		hears(spec.ImBack, 1, 5), is(follower, 0, 5, 0), nil},
	{"R11", "21. A follower of 3 hears ELECTION of its epoch from 5, which keeps the lease of 3 too?", 2, 5, is(follower, 3, 4, 3),
		keeping(5, 4, 3), stays, says(spec.Assent, 4, 5)},
	{"R11", "21. ... which keeps no lease?", 2, 5, is(follower, 3, 4, 3), hears(spec.Election, 5, 4), stays, says(spec.Refuse, 4, 5)},
	{"R11", "21. ... which keeps that of 4?", 2, 5, is(follower, 3, 4, 3), keeping(5, 4, 4), stays, says(spec.Refuse, 4, 5)},
	{"R10", "22. A follower of 3 hears ELECTION of its epoch from 1, and is 2?", 2, 3, is(follower, 3, 4, 3),
		hears(spec.Election, 1, 4), stays, says(spec.Refuse, 4, 1)},
	{"R11", "23. A follower hears ELECTION from its own leader, a higher node?", 2, 3, is(follower, 3, 4, 3),
		hears(spec.Election, 3, 4), is(electing, 0, 4, 3), says(spec.Assent, 4, 3)},
	{"R12", "24. A follower that keeps a lease hears OK of a higher epoch?", 1, 3, is(follower, 3, 4, 3),
		hears(spec.OK, 2, 5), stays, nil},
	{"R24", "25. A follower hears HEARTBEAT of a lower epoch?", 2, 3, is(follower, 3, 4, 3),
		hears(spec.Heartbeat, 1, 3), stays, says(spec.Refuse, 4, 1)},
	{"R23", "26. A node hears COORDINATOR of its own epoch, which it had promised to another?", 2, 3, is(follower, 0, 4, 1),
		hears(spec.Coordinator, 3, 4), is(follower, 3, 4, 1), says(spec.Ack, 4, 3)},
	{"R23", "27. A candidate that pre-empts l hears HEARTBEAT of l in its own epoch?", 2, 3, is(candidate, 1, 4, 1, 3),
		hears(spec.Heartbeat, 1, 4), stays, says(spec.Ack, 4, 1)},
	{"R23", "27. ... in a higher?", 2, 3, is(candidate, 1, 4, 1, 3),
		hears(spec.Heartbeat, 1, 5), is(follower, 1, 5, 1), says(spec.Ack, 5, 1)},
	{"R17", "28. A restarted node hears CLAIM of any epoch, before T_coord ends?", 2, 3, is(electing, 2, 4, 1),
		hears(spec.Claim, 3, 9), stays, says(spec.Refuse, 4, 3)},
	{"R11", "28. ... ELECTION from a higher node?", 2, 3, is(electing, 2, 4, 1),
		hears(spec.Election, 3, 5), is(electing, 2, 5, 0), says(spec.Refuse, 5, 3)},
	{"R10", "28. ... ELECTION from a lower node?", 2, 3, is(electing, 2, 4, 1),
		hears(spec.Election, 1, 4), stays, says(spec.Refuse, 4, 1)},
	{"R23", "29. ... and HEARTBEAT of its own epoch?", 2, 3, is(electing, 2, 4, 0),
		hears(spec.Heartbeat, 3, 4), is(follower, 3, 4, 3), says(spec.Ack, 4, 3)},
	{"R13", "30. A candidate, not the highest member, has a quorum of ASSENT before T_elec ends?", 2, 3, is(candidate, 0, 4, 1),
		hears(spec.Assent, 1, 4), is(candidate, 0, 4, 1, 1), nil},
	{"R15", "31. T_coord ends, and those who said OK are a quorum with me?", 2, 3, is(electing, 3, 4, 3, 3),
		ends(spec.CoordinatorTimer), anew(is(claimant, 0, 4, 3)), says(spec.Claim, 5, 1, 3)},
	{"R30", "32. What has a claimant on disk about the epoch that it claims?", 2, 3, is(claimant, 0, 4, 1, 1, 3),
		spec.Input{Call: spec.RestartCall}, restarted(is(electing, 2, 4, 1)), says(spec.ImBack, 4, 1, 3)},
	{"R29", "33. Does the epoch of a RESIGN matter? A lower one?", 2, 3, is(follower, 3, 4, 3),
		hears(spec.Resign, 3, 1), is(follower, 0, 4, 3), nil},
	{"R29", "33. ... a higher one?", 2, 3, is(follower, 3, 4, 3), hears(spec.Resign, 3, 9), is(follower, 0, 4, 3), nil},
	{"R2", "34. A candidate's T_elec ends with a quorum of support, its epoch being 2^53-1?", 2, 3, is(candidate, 0, last, 1, 1, 3),
		ends(spec.ElectionTimer), is(follower, 0, last, 1), nil},
	{"R35", "35. The patience timer ends in a node that has just become electing?", 2, 3, is(electing, 3, 4, 3),
		ends(spec.PatienceTimer), ignored, nil},
	{"R34", "36. A CLAIM comes from an id that is no member?", 2, 3, is(follower, 0, 4, 1), hears(spec.Claim, 4, 5), ignored, nil},
}

var questionsOfElections = []question{
	{"R8", "A follower's patience ends?", 2, 3, is(follower, 3, 4, 3),
		ends(spec.PatienceTimer), anew(is(candidate, 0, 4, 3)), says(spec.Election, 4, 1, 3)},
	{"R9", "A lower leader has led long enough?", 2, 3, is(follower, 1, 4, 1),
		ends(spec.PreemptTimer), anew(is(candidate, 1, 4, 1)), says(spec.Election, 4, 1, 3)},
	{"R35", "... and a higher one?", 2, 3, is(follower, 3, 4, 3), ends(spec.PreemptTimer), ignored, nil},
	{"R35", "... and there is no leader?", 2, 3, is(follower, 0, 4, 3), ends(spec.PreemptTimer), ignored, nil},
	{"R10", "Who has nothing to do hears a lower candidate?", 2, 3, is(follower, 0, 4, 3),
		hears(spec.Election, 1, 2), anew(is(candidate, 0, 4, 3)), says(spec.OK, 4, 1).then(spec.Election, 4, 1, 3)},
	{"R12", "A candidate hears OK?", 1, 3, is(candidate, 0, 4, 3, 2), hears(spec.OK, 3, 4), is(electing, 0, 4, 3, 2, 3), nil},
	{"R12", "... of a lower epoch?", 1, 3, is(candidate, 0, 4, 3), hears(spec.OK, 3, 2), is(electing, 0, 4, 3, 3), nil},
	{"R13", "The highest member hears the ASSENT that makes a quorum?", 3, 3, is(candidate, 0, 4, 1),
		hears(spec.Assent, 1, 4), anew(is(claimant, 0, 4, 1)), says(spec.Claim, 5, 1, 2)},
	{"R13", "... that makes half of four?", 4, 4, is(candidate, 0, 4, 1), hears(spec.Assent, 1, 4), is(candidate, 0, 4, 1, 1), nil},
	{"R13", "... while it is electing?", 3, 3, is(electing, 0, 4, 1, 2), hears(spec.Assent, 1, 4), is(electing, 0, 4, 1, 1, 2), nil},
	{"R13", "... and asks nothing?", 3, 3, is(electing, 0, 4, 1), hears(spec.Assent, 1, 4), stays, nil},
	{"R2", "... its epoch being 2^53-1?", 3, 3, is(candidate, 0, last, 1), hears(spec.Assent, 1, 4), is(candidate, 0, last, 1, 1), nil},
	{"R2", "... one below?", 3, 3, is(candidate, 0, last-1, 1),
		hears(spec.Assent, 1, 4), anew(is(claimant, 0, last-1, 1)), says(spec.Claim, last, 1, 2)},
	{"R14", "T_elec ends with a quorum of support, while the node pre-empts?", 2, 3, is(candidate, 1, 4, 1, 3),
		ends(spec.ElectionTimer), anew(is(claimant, 1, 4, 1)), says(spec.Claim, 5, 1, 3)},
	{"R14", "... with half of the members?", 2, 4, is(candidate, 1, 4, 1, 3), ends(spec.ElectionTimer), is(electing, 1, 4, 1), nil},
	{"R14", "... of the only member?", 1, 1, is(candidate, 0, 4, 1), ends(spec.ElectionTimer), alone(5), nil},
	{"R15", "T_coord ends without a quorum of support?", 2, 3, is(electing, 3, 4, 3),
		ends(spec.CoordinatorTimer), anew(is(candidate, 0, 4, 3)), says(spec.Election, 4, 1, 3)},
	{"R2", "... with one, the epoch being 2^53-1?", 2, 3, is(electing, 3, last, 3, 1),
		ends(spec.CoordinatorTimer), anew(is(candidate, 0, last, 3)), says(spec.Election, last, 1, 3)},
	{"R17", "A follower without a lease hears CLAIM of an epoch promised to another?", 2, 3, is(follower, 0, 4, 1),
		hears(spec.Claim, 3, 4), stays, says(spec.Refuse, 4, 3)},
	{"R17", "... of a lower epoch?", 2, 3, is(follower, 0, 4, 3), hears(spec.Claim, 3, 3), stays, says(spec.Refuse, 4, 3)},
	{"R19", "A GRANT of an earlier claim, from the node whose lease is kept?", 2, 3, is(claimant, 1, 4, 1, 3),
		hears(spec.Grant, 1, 4), stays, nil},
	{"R20", "... of this claim: it has handed over?", 3, 3, is(claimant, 2, 4, 2),
		hears(spec.Grant, 2, 5), wins(3, 5, 2), says(spec.Coordinator, 5, 1, 2)},
	{"R20", "A grant that makes half of four?", 3, 4, is(claimant, 0, 4, 2), hears(spec.Grant, 2, 5), is(claimant, 0, 4, 2, 2), nil},
	{"R20", "The same node grants twice?", 3, 5, is(claimant, 0, 4, 2, 2), hears(spec.Grant, 2, 5), stays, nil},
	{"R2", "A grant of the last epoch?", 3, 3, is(claimant, 0, last-1, 1),
		hears(spec.Grant, 1, last), wins(3, last, 1), says(spec.Coordinator, last, 1, 2)},
	{"R22", "The claim timer ends?", 2, 3, is(claimant, 0, 4, 1, 3), ends(spec.ClaimTimer), is(follower, 0, 4, 1), nil},
	{"R22", "... while a lease is kept?", 2, 3, is(claimant, 1, 4, 1, 3), ends(spec.ClaimTimer), is(electing, 1, 4, 1), nil},
}

var questionsOfReigns = []question{
	{"R23", "A claimant hears HEARTBEAT of the epoch that it claims?", 2, 3, is(claimant, 0, 4, 1, 1),
		hears(spec.Heartbeat, 3, 5), is(follower, 3, 5, 3), says(spec.Ack, 5, 3)},
	{"R23", "A leader hears COORDINATOR of a higher epoch from a lower node?", 2, 3, leads(2, 4, 1),
		hears(spec.Coordinator, 1, 5), is(follower, 1, 5, 1), says(spec.Ack, 5, 1)},
	{"R25", "A leader hears an ACK of an earlier reign?", 2, 3, leads(2, 4, 1), hears(spec.Ack, 3, 3), stays, nil},
	{"R25", "... of this one?", 2, 3, leads(2, 4, 1), hears(spec.Ack, 3, 4), acknowledged(leads(2, 4, 1, 3), 2, asks, later, asks), nil},
	{"R26", "The reign timer ends, and a quorum has acknowledged?", 2, 3, leads(2, 4, 1), ends(spec.ReignTimer), is(follower, 0, 4, 2), nil},
	{"R26", "... and half of four, with the leader?", 2, 4, leads(2, 4, 1), ends(spec.ReignTimer), is(follower, 0, 4, 2), nil},
	{"R26", "... and the leader is the only member?", 1, 1, leads(1, 4), ends(spec.ReignTimer), is(follower, 0, 4, 1), nil},
	{"R27", "The heartbeat timer ends?", 2, 3, leads(2, 4, 1), ends(spec.HeartbeatTimer), beaten, says(spec.Heartbeat, 4, 1, 3)},
	{"R28", "A leader is called to resign?", 2, 3, leads(2, 4, 1),
		called(spec.ResignCall), is(follower, 0, 4, 2), says(spec.Resign, 4, 1, 3)},
	{"R28", "A claimant is called to resign?", 2, 3, is(claimant, 0, 4, 1), called(spec.ResignCall), ignored, nil},
	{"R29", "An electing node hears RESIGN of the node whose lease it keeps?", 2, 3, is(electing, 3, 4, 3, 1),
		hears(spec.Resign, 3, 4), is(follower, 0, 4, 3), nil},
	{"R31", "A leader hears IM_BACK of a lower epoch?", 2, 3, leads(2, 4, 1),
		hears(spec.ImBack, 3, 1), stays, says(spec.Coordinator, 4, 3)},
	{"R32", "A first start?", 2, 3, is(follower, 0, 0, 0), spec.Input{Call: spec.StartCall}, leaseOfNobody, nil},
	{"R33", "An epoch above the bound?", 2, 3, is(follower, 3, 4, 3), hears(spec.Heartbeat, 3, last+1), ignored, nil},
	{"R41", "The leader of a follower is proved dead?", 2, 3, is(follower, 3, 4, 3), called(spec.HolderDeadCall), is(follower, 0, 4, 3), nil},
	{"R41", "The node that an electing one has granted?", 2, 3, is(electing, 3, 5, 3, 1),
		called(spec.HolderDeadCall), is(follower, 0, 5, 3), nil},
	{"R41", "The leader that a candidate pre-empts?", 2, 3, is(candidate, 1, 4, 1, 3),
		called(spec.HolderDeadCall), is(candidate, 0, 4, 1, 3), nil},
	{"R41", "Somebody, during the silence after a restart?", 2, 3, is(electing, 2, 4, 1), called(spec.HolderDeadCall), ignored, nil},
	{"R41", "Somebody, when no lease is kept?", 2, 3, is(follower, 0, 4, 1), called(spec.HolderDeadCall), ignored, nil},
	{"R41", "Somebody, when the node leads?", 2, 3, leads(2, 4, 1), called(spec.HolderDeadCall), ignored, nil},
}

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
var questionsOfNumbers = []question{
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
