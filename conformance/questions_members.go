package conformance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/spec"
)

// memberQuestion is a question where members change. Who they are is written as of says.
type memberQuestion struct {
	question
	own    string // as the node knows it before
	theirs string // as the sender of the message knows it, or what the node is called to change to; "" if it is own
	later  string // as the node knows it after the step; "" if it is own
}

// questionsOfMembers yields the cases of the table, as questions does.
func questionsOfMembers(yield func(*Case) bool) {
	for i := range memberQuestions {
		c := memberQuestions[i].asCase()
		if !yield(&c) {
			return
		}
	}
}

// asCase returns the case that a question is.
func (q *memberQuestion) asCase() Case {
	own := of(q.own)
	theirs, later := own, own
	if q.theirs != "" {
		theirs = of(q.theirs)
	}
	if q.later != "" {
		later = of(q.later)
	}
	c := Case{Rule: q.rule, Question: q.text, ID: node(q.me), Members: integers(q.of), Input: q.in}
	c.Before = ofMembers(c.ID, c.Members, own, q.before)
	switch m := &c.Input.Message; {
	case c.Input.OfMessage():
		m.To, m.Configuration = c.ID, theirs
	case c.Input.Call == spec.ChangeCall:
		c.Input.Configuration = theirs
	}
	switch c.Want.State = ofMembers(c.ID, c.Members, later, q.after); q.after.Role {
	case stays.Role:
		c.Want.State = c.Before
	case ignored.Role:
		c.Want.State, c.Want.Ignored = c.Before, true
	}
	for _, m := range q.sent {
		m = filled(&c, m)
		m.Configuration = later
		c.Want.Sent = append(c.Want.Sent, m)
	}
	return c
}

// ofMembers returns a state of the table with a configuration, and with numbers unless it says them.
func ofMembers(id spec.NodeID, nodes []spec.NodeID, c spec.Configuration, s spec.State) spec.State {
	s.Configuration = c
	if s.Latest != 0 {
		return s
	}
	return Numbered(id, nodes, s)
}

// of returns the configuration that a text says: epoch, version, and of the nodes 1, 2 and so on what each is: v for a voter, w for a
// witness, o for an observer, and - for who is no member. So 4.2 vvw- is of epoch 4 and version 2, and 3 is a witness of it. The empty
// one is "empty", and "none" is none.
func of(text string) spec.Configuration {
	switch text {
	case "empty":
		return spec.EmptyConfiguration()
	case "none":
		return spec.Configuration{}
	}
	var e spec.Epoch
	var version uint64
	var kinds string
	if _, err := fmt.Sscanf(text, "%d.%d %s", &e, &version, &kinds); err != nil {
		panic(fmt.Sprintf("conformance: configuration %q: %v", text, err))
	}
	var members []spec.Member
	for i, letter := range kinds {
		for _, kind := range spec.MemberKinds() {
			if strings.HasPrefix(string(kind), string(letter)) {
				members = append(members, spec.Member{ID: node(i + 1), Kind: kind})
			}
		}
	}
	c, err := spec.NewConfiguration(e, version, members)
	if err != nil {
		panic(fmt.Sprintf("conformance: configuration %q: %v", text, err))
	}
	return c
}

// memberQuestions is the questions about members that change (R42 to R49).
var memberQuestions = slices.Concat(questionsOfAdopting, questionsOfNonMembers, questionsOfVoting, questionsOfKinds, questionsOfChanges, questionsOfJoining)

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

var questionsOfAdopting = []memberQuestion{
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

var questionsOfNonMembers = []memberQuestion{
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

// Who may vote for whom (R45), and what each kind of member does (R46).
var questionsOfVoting = []memberQuestion{
	ask("R45", "ELECTION of an older version?", 3, 3, "4.2 vvv", is(follower, 0, 4, 1), hears(spec.Election, 1, 4), stays, says(spec.Refuse, 4, 1)).who("4.1 vvv"),
	ask("R45", "... from a lower node, to a leader?", 2, 3, "4.2 vvv", leads(2, 4, 1),
		hears(spec.Election, 1, 4), stays, says(spec.OK, 4, 1).then(spec.Coordinator, 4, 1)).who("4.1 vvv"),
	ask("R45", "... from a higher one?", 2, 3, "4.2 vvv", leads(2, 4, 1), hears(spec.Election, 3, 4), stays, says(spec.Refuse, 4, 3)).who("4.1 vvv"),
	ask("R46", "... which is a witness now?", 2, 3, "4.2 vvw", leads(2, 4, 1), hears(spec.Election, 3, 4), stays, says(spec.Refuse, 4, 3)).who("4.1 vvv"),
	ask("R45", "CLAIM of an older version?", 2, 3, "4.2 vvv", is(follower, 0, 4, 1), hears(spec.Claim, 3, 5), stays, says(spec.Refuse, 4, 3)).who("4.1 vvv"),
	ask("R45", "... to a leader?", 2, 3, "4.2 vvv", leads(2, 4, 1), hears(spec.Claim, 3, 5), stays, says(spec.Refuse, 4, 3)).who("4.1 vvv"),
	ask("R12", "OK of an older version?", 1, 3, "4.2 vvv", is(candidate, 0, 4, 3), hears(spec.OK, 3, 4), is(electing, 0, 4, 3, 3), nil).who("4.1 vv"),
	ask("R20", "GRANT of an older version, that makes a quorum?", 3, 3, "4.2 vvv", is(claimant, 0, 4, 1),
		hears(spec.Grant, 2, 5), wins(3, 5, 2), says(spec.Coordinator, 5, 1, 2)).who("4.1 vvv").then("5.2 vvv"),
	ask("R45", "ACK of an older version?", 2, 3, "4.2 vvv", leads(2, 4), hears(spec.Ack, 3, 4), acknowledged(leads(2, 4), 2, asks, earlier, asks), nil).who("4.1 vvv"),
	ask("R25", "... of this one?", 2, 3, "4.2 vvv", leads(2, 4), hears(spec.Ack, 3, 4), acknowledged(leads(2, 4, 3), 2, asks, earlier, asks), nil),
	ask("R29", "RESIGN of an older version, that hands over to 4?", 2, 4, "4.2 vvvv", is(follower, 3, 4, 3),
		handedOver(3, 4, 4, 5), is(follower, 0, 4, 3), nil).who("4.1 vvvv"),
	ask("R29", "... of this one?", 2, 4, "4.2 vvvv", is(follower, 3, 4, 3),
		handedOver(3, 4, 4, 5), leaseOf(is(electing, 4, 5, 4), 9), said{{Type: spec.Grant, To: node(4), Epoch: 5, Question: 9}}),
}

var questionsOfKinds = []memberQuestion{
	ask("R45", "A voter hears CLAIM of a witness?", 2, 3, "4.2 vvw", is(follower, 0, 4, 1), hears(spec.Claim, 3, 5), stays, says(spec.Refuse, 4, 3)),
	ask("R45", "... of an observer?", 2, 3, "4.2 vvo", is(follower, 0, 4, 1), hears(spec.Claim, 3, 5), stays, says(spec.Refuse, 4, 3)),
	ask("R45", "... ELECTION of a witness?", 2, 3, "4.2 vvw", is(follower, 0, 4, 1), hears(spec.Election, 3, 4), stays, says(spec.Refuse, 4, 3)),
	ask("R17", "A witness hears CLAIM of a lower node?", 3, 3, "4.2 vvw", is(follower, 0, 4, 1), hears(spec.Claim, 1, 5), is(electing, 1, 5, 1), says(spec.Grant, 5, 1)),
	ask("R11", "... ELECTION?", 3, 3, "4.2 vvw", is(follower, 0, 4, 1), hears(spec.Election, 1, 4), is(electing, 0, 4, 1), says(spec.Assent, 4, 1)),
	ask("R45", "An observer hears CLAIM?", 3, 3, "4.2 vvo", is(follower, 0, 4, 1), hears(spec.Claim, 1, 5), stays, says(spec.Refuse, 4, 1)),
	ask("R45", "... ELECTION?", 3, 3, "4.2 vvo", is(follower, 0, 4, 1), hears(spec.Election, 1, 4), stays, says(spec.Refuse, 4, 1)),
	ask("R23", "... HEARTBEAT?", 3, 3, "4.2 vvo", is(follower, 0, 4, 1), hears(spec.Heartbeat, 1, 4), is(follower, 1, 4, 1), says(spec.Ack, 4, 1)),
	ask("R18", "A leader that is a witness hears CLAIM of a lower node?", 3, 3, "4.2 vvw", leads(3, 4, 1),
		hears(spec.Claim, 1, 5), is(electing, 1, 5, 1), says(spec.Grant, 5, 1).then(spec.Resign, 4, 1, 2)),
	ask("R11", "... ELECTION of a lower node that follows it?", 3, 3, "4.2 vvw", leads(3, 4, 1), keeping(1, 4, 3), stays, says(spec.Assent, 4, 1)),
	ask("R45", "A leader hears CLAIM of a higher witness?", 2, 3, "4.2 vvw", leads(2, 4, 1), hears(spec.Claim, 3, 5), stays, says(spec.Refuse, 4, 3)),
	ask("R46", "A witness's patience ends?", 3, 3, "4.2 vvw", is(follower, 2, 4, 2), ends(spec.PatienceTimer), is(follower, 0, 4, 2), says(spec.ImBack, 4, 1, 2)),
	ask("R46", "An observer's, without a lease?", 1, 3, "4.2 ovw", is(follower, 0, 4, 2), ends(spec.PatienceTimer), stays, says(spec.ImBack, 4, 2, 3)),
	ask("R46", "T_coord of a witness ends?", 3, 3, "4.2 vvw", is(electing, 2, 5, 2), ends(spec.CoordinatorTimer), is(follower, 0, 5, 2), says(spec.ImBack, 5, 1, 2)),
	ask("R9", "The follower of a witness has followed it long enough?", 1, 3, "4.2 vvw", is(follower, 3, 4, 3),
		ends(spec.PreemptTimer), anew(is(candidate, 3, 4, 3)), says(spec.Election, 4, 2, 3)),
	ask("R35", "A witness has followed a lower node long enough?", 3, 3, "4.2 vvw", is(follower, 1, 4, 1), ends(spec.PreemptTimer), ignored, nil),
	ask("R46", "Whom does a voter ask?", 2, 4, "4.2 vvow", is(follower, 1, 4, 1), ends(spec.PatienceTimer), anew(is(candidate, 0, 4, 1)), says(spec.Election, 4, 1, 4)),
	ask("R46", "To whom does a leader say HEARTBEAT?", 2, 3, "4.2 vvo", leads(2, 4, 1),
		ends(spec.HeartbeatTimer), latestOf(acknowledged(leads(2, 4, 1), 2, later, later, earlier)), says(spec.Heartbeat, 4, 1, 3)),
	ask("R13", "The highest voter, which is not the highest node, hears the ASSENT that makes a quorum?", 2, 3, "4.2 vvw", is(candidate, 0, 4, 1),
		hears(spec.Assent, 3, 4), anew(is(claimant, 0, 4, 1)), says(spec.Claim, 5, 1, 3)),
	ask("R14", "T_elec ends, and an observer would follow?", 2, 4, "4.2 vvvo", is(candidate, 0, 4, 1, 4), ends(spec.ElectionTimer), is(follower, 0, 4, 1), nil),
	ask("R20", "A claimant of three electors hears GRANT of an observer?", 3, 4, "4.2 vvvo", is(claimant, 0, 4, 1), hears(spec.Grant, 4, 5), is(claimant, 0, 4, 1, 4), nil),
	ask("R48", "Who wins has a configuration of an older epoch?", 2, 3, "2.7 vvw", is(claimant, 0, 4, 1),
		hears(spec.Grant, 3, 5), wins(2, 5, 3), says(spec.Coordinator, 5, 1, 3)).then("5.7 vvw"),
	ask("R20", "T_elec of the only elector ends?", 1, 3, "4.2 voo", is(candidate, 0, 4, 1),
		ends(spec.ElectionTimer), alone(5), says(spec.Coordinator, 5, 2, 3)).then("5.2 voo"),
}

// What a leader is called to change (R47), and who begins without members (R49).
var questionsOfChanges = []memberQuestion{
	ask("R47", "A leader is called to add a voter?", 2, 4, "4.2 vvv", leads(2, 4, 1), called(spec.ChangeCall), changed(2, 1, 3), says(spec.Heartbeat, 4, 1, 3, 4)).adopts("4.3 vvvv"),
	ask("R47", "... to remove one?", 2, 3, "4.2 vvv", leads(2, 4, 1), called(spec.ChangeCall), changed(2, 1), says(spec.Heartbeat, 4, 1, 3)).adopts("4.3 vv"),
	ask("R47", "... to become a witness?", 2, 3, "4.2 vvv", leads(2, 4, 1), called(spec.ChangeCall), changed(2, 1, 3), says(spec.Heartbeat, 4, 1, 3)).adopts("4.3 vwv"),
	ask("R47", "... to become an observer?", 2, 3, "4.2 vvv", leads(2, 4, 1), called(spec.ChangeCall), ignored, nil).who("4.3 vov"),
	ask("R47", "... to remove itself?", 2, 3, "4.2 vvv", leads(2, 4, 1), called(spec.ChangeCall), ignored, nil).who("4.3 v-v"),
	ask("R47", "... to change nothing?", 2, 3, "4.2 vvv", leads(2, 4, 1), called(spec.ChangeCall), ignored, nil).who("4.3 vvv"),
	ask("R47", "... two members?", 2, 4, "4.2 vvv", leads(2, 4, 1), called(spec.ChangeCall), ignored, nil).who("4.3 vvwv"),
	ask("R47", "... to one in the place of another?", 2, 4, "4.2 vvv", leads(2, 4, 1), called(spec.ChangeCall), ignored, nil).who("4.3 vv-v"),
	ask("R47", "... to the version after the next?", 2, 4, "4.2 vvv", leads(2, 4, 1), called(spec.ChangeCall), ignored, nil).who("4.4 vvvv"),
	ask("R47", "... to its own version?", 2, 4, "4.2 vvv", leads(2, 4, 1), called(spec.ChangeCall), ignored, nil).who("4.2 vvvv"),
	ask("R47", "... in the epoch before?", 2, 4, "4.2 vvv", leads(2, 4, 1), called(spec.ChangeCall), ignored, nil).who("3.3 vvvv"),
	ask("R47", "... when nobody has acknowledged?", 2, 4, "4.2 vvv", leads(2, 4), called(spec.ChangeCall), ignored, nil).who("4.3 vvvv"),
	ask("R47", "... when an observer has?", 2, 4, "4.2 vvvo", leads(2, 4, 4), called(spec.ChangeCall), ignored, nil).who("4.3 vvvv"),
	ask("R47", "... when a witness has?", 2, 3, "4.2 vvw", leads(2, 4, 3), called(spec.ChangeCall), changed(2, 3, 1), says(spec.Heartbeat, 4, 1, 3)).adopts("4.3 vvv"),
	ask("R47", "A follower is called to change?", 2, 4, "4.2 vvv", is(follower, 3, 4, 3), called(spec.ChangeCall), ignored, nil).who("4.3 vvvv"),
}

var questionsOfJoining = []memberQuestion{
	ask("R49", "A first start of a first member?", 2, 3, "0.1 vvv", is(follower, 0, 0, 0), called(spec.StartCall), leaseOfNobody, nil),
	ask("R49", "... of a node that is to be added?", 3, 3, "empty", is(follower, 0, 0, 0), called(spec.StartCall), leaseOfNobody, nil),
	ask("R35", "Its patience ends?", 3, 3, "empty", is(follower, 0, 0, 0), ends(spec.PatienceTimer), ignored, nil),
	ask("R43", "It hears HEARTBEAT of a leader that has added it?", 3, 3, "empty", is(follower, 0, 0, 0),
		hears(spec.Heartbeat, 2, 4), is(follower, 2, 4, 2), says(spec.Ack, 4, 2)).adopts("4.3 vvo"),
	ask("R44", "... of one that has not?", 3, 3, "empty", is(follower, 0, 0, 0), hears(spec.Heartbeat, 2, 4), is(follower, 0, 4, 0), nil).adopts("4.3 vv"),
	ask("R30", "It starts again?", 3, 3, "empty", is(follower, 0, 0, 0), called(spec.RestartCall), restarted(is(electing, 3, 0, 0)), nil),
	ask("R30", "A member starts again, and there is an observer?", 2, 3, "4.2 vvo", is(follower, 1, 4, 1),
		called(spec.RestartCall), restarted(is(electing, 2, 4, 1)), says(spec.ImBack, 4, 1, 3)),
}

// changed returns the state of a leader after a change: one other has answered later than the rest, and nobody is known to hold what
// the leader has changed to.
func changed(me, answered int, rest ...int) spec.State {
	s := leads(me, 4)
	s.Latest, s.Dated = asks+1, later
	s.Answered = []spec.Answered{{Node: node(answered), Question: later}}
	for _, i := range rest {
		s.Answered = append(s.Answered, spec.Answered{Node: node(i), Question: earlier})
	}
	slices.SortFunc(s.Answered, func(a, b spec.Answered) int { return a.Node.Compare(b.Node) })
	return s
}
