package conformance

import (
	"fmt"
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
	for i := range askedOfMembers {
		c := askedOfMembers[i].asCase()
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
