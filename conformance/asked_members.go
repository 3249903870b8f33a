package conformance

import (
	"slices"

	"github.com/seed-fdf591db/bully/spec"
)

// askedOfMembers is the questions about members that change (R42 to R49).
var askedOfMembers = slices.Concat(askedOfAdopting, askedOfStrangers, askedOfVoting, askedOfKinds, askedOfChanges, askedOfJoining)

// ask is a question in which all know the same members.
func ask(rule, text string, me, most int, own string, before spec.State, in spec.Input, after spec.State, sent said) memberQuestion {
	return memberQuestion{question: question{rule, text, me, most, before, in, after, sent}, own: own}
}

// who returns the question with the members that the sender knows, or to whom the node is called to change.
func (q memberQuestion) who(theirs string) memberQuestion {
	q.theirs = theirs
	return q
}

// then returns the question with the members that the node knows afterwards.
func (q memberQuestion) then(later string) memberQuestion {
	q.later = later
	return q
}

// adopts returns the question with the members that the sender knows, and the node afterwards.
func (q memberQuestion) adopts(theirs string) memberQuestion { return q.who(theirs).then(theirs) }

var askedOfAdopting = []memberQuestion{
	ask("R43", "A follower hears HEARTBEAT of its leader, of a newer version?", 2, 4, "4.2 vvv", is(follower, 3, 4, 3),
		hears(spec.Heartbeat, 3, 4), is(follower, 3, 4, 3), says(spec.Ack, 4, 3)).adopts("4.3 vvvv"),
	ask("R23", "... of an older version?", 2, 3, "4.2 vvv", is(follower, 3, 4, 3),
		hears(spec.Heartbeat, 3, 4), is(follower, 3, 4, 3), says(spec.Ack, 4, 3)).who("4.1 vv"),
	ask("R43", "... of a newer epoch, of another leader?", 2, 3, "4.2 vvv", is(follower, 3, 4, 3),
		hears(spec.Heartbeat, 1, 6), is(follower, 1, 6, 1), says(spec.Ack, 6, 1)).adopts("6.2 vvv"),
	ask("R23", "... of an older epoch, though of a greater version?", 2, 3, "4.2 vvv", is(follower, 0, 4, 3),
		hears(spec.Heartbeat, 3, 4), is(follower, 3, 4, 3), says(spec.Ack, 4, 3)).who("3.7 vvv"),
	ask("R43", "A candidate hears OK of a newer version?", 2, 3, "4.2 vvv", is(candidate, 0, 4, 1, 1),
		hears(spec.OK, 3, 4), is(follower, 0, 4, 1), nil).adopts("4.3 vvv"),
	ask("R43", "A claimant hears the GRANT that makes a quorum, of a newer version?", 2, 3, "4.2 vvv", is(claimant, 0, 4, 1),
		hears(spec.Grant, 3, 5), is(follower, 0, 5, 0), nil).adopts("4.3 vvv"),
	ask("R43", "... while it keeps a lease?", 2, 3, "4.2 vvv", is(claimant, 1, 4, 1),
		hears(spec.Grant, 3, 5), is(electing, 1, 4, 1), nil).adopts("4.3 vvv"),
	ask("R43", "An electing node hears ASSENT of a newer version?", 2, 3, "4.2 vvv", is(electing, 0, 4, 1, 1, 3),
		hears(spec.Assent, 3, 4), is(electing, 0, 4, 1), nil).adopts("4.3 vvv"),
	ask("R43", "A leader hears REFUSE of a newer epoch?", 2, 3, "4.2 vvv", leads(2, 4, 1),
		hears(spec.Refuse, 3, 5), is(follower, 0, 5, 0), nil).adopts("5.2 vvv"),
	ask("R43", "A follower hears CLAIM of a newer version?", 2, 4, "4.2 vvv", is(follower, 0, 4, 1),
		hears(spec.Claim, 3, 5), is(electing, 3, 5, 3), says(spec.Grant, 5, 3)).adopts("4.3 vvvv"),
	ask("R43", "... that keeps the lease of another?", 2, 4, "4.2 vvv", is(follower, 1, 4, 1),
		hears(spec.Claim, 3, 5), is(follower, 1, 4, 1), says(spec.Refuse, 4, 3)).adopts("4.3 vvvv"),
	ask("R43", "A follower hears RESIGN of its leader, of a newer version?", 2, 3, "4.2 vvv", is(follower, 3, 4, 3),
		hears(spec.Resign, 3, 4), is(follower, 0, 4, 3), nil).adopts("4.3 vvw"),
	ask("R34", "A message without a configuration?", 2, 3, "4.2 vvv", is(follower, 3, 4, 3), hears(spec.Heartbeat, 3, 4), ignored, nil).who("none"),
	ask("R33", "A configuration that is newer than the epoch of its message?", 2, 3, "4.2 vvv", is(follower, 3, 4, 3),
		hears(spec.Heartbeat, 3, 4), ignored, nil).who("5.2 vvv"),
}

var askedOfStrangers = []memberQuestion{
	ask("R44", "A CLAIM of who is no member any more, and does not know?", 2, 3, "4.2 vv", is(follower, 0, 4, 1),
		hears(spec.Claim, 3, 5), stays, says(spec.Refuse, 4, 3)).who("4.1 vvv"),
	ask("R44", "... ELECTION?", 2, 3, "4.2 vv", is(follower, 0, 4, 1), hears(spec.Election, 3, 4), stays, says(spec.Refuse, 4, 3)).who("4.1 vvv"),
	ask("R44", "... ELECTION of a higher epoch, to a leader?", 2, 3, "4.2 vv", leads(2, 4, 1),
		hears(spec.Election, 3, 9), stays, says(spec.Refuse, 4, 3)).who("4.1 vvv"),
	ask("R44", "... IM_BACK?", 2, 3, "4.2 vv", leads(2, 4, 1), hears(spec.ImBack, 3, 4), stays, says(spec.Refuse, 4, 3)).who("4.1 vvv"),
	ask("R44", "... HEARTBEAT of a higher epoch?", 2, 3, "4.2 vv", is(follower, 0, 4, 1), hears(spec.Heartbeat, 3, 5), stays, says(spec.Refuse, 4, 3)).who("4.1 vvv"),
	ask("R44", "... RESIGN, of the node whose lease is kept?", 2, 3, "4.2 vv", is(follower, 3, 4, 3), hears(spec.Resign, 3, 4), stays, nil).who("4.1 vvv"),
	ask("R44", "... GRANT?", 2, 3, "4.2 vv", is(claimant, 0, 4, 1), hears(spec.Grant, 3, 5), stays, nil).who("4.1 vvv"),
	ask("R44", "... ELECTION of who knows it?", 2, 3, "4.2 vv", is(follower, 0, 4, 1), hears(spec.Election, 3, 4), stays, nil),
	ask("R44", "A node hears that it is no member any more?", 3, 3, "4.1 vvv", is(candidate, 0, 4, 2, 1),
		hears(spec.Refuse, 2, 4), is(follower, 0, 4, 2), nil).adopts("4.2 vv"),
	ask("R44", "... by the ELECTION of a member?", 3, 3, "4.1 vvv", is(follower, 2, 4, 2),
		hears(spec.Election, 2, 4), is(follower, 2, 4, 2), nil).adopts("4.2 vv"),
	ask("R44", "... when it leads?", 3, 3, "4.1 vvv", leads(3, 4, 1), hears(spec.Heartbeat, 2, 5), is(follower, 0, 5, 0), nil).adopts("5.2 vv"),
	ask("R44", "Who is no member hears CLAIM of an older version?", 3, 3, "4.2 vv", is(follower, 0, 4, 2),
		hears(spec.Claim, 2, 5), stays, says(spec.Refuse, 4, 2)).who("4.1 vvv"),
	ask("R43", "... HEARTBEAT of a newer one, of which it is a member again?", 3, 3, "4.2 vv", is(follower, 0, 4, 2),
		hears(spec.Heartbeat, 2, 4), is(follower, 2, 4, 2), says(spec.Ack, 4, 2)).adopts("4.3 vvo"),
	ask("R46", "Its patience ends?", 3, 3, "4.2 vv", is(follower, 2, 4, 2), ends(spec.PatienceTimer), is(follower, 0, 4, 2), nil),
	ask("R35", "... without a lease?", 3, 3, "4.2 vv", is(follower, 0, 4, 2), ends(spec.PatienceTimer), ignored, nil),
	ask("R30", "It starts again?", 3, 3, "4.2 vv", is(follower, 0, 4, 2),
		spec.Input{Call: spec.RestartCall}, restarted(is(electing, 3, 4, 2)), says(spec.ImBack, 4, 1, 2)),
}
