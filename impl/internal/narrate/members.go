package narrate

import (
	"fmt"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

// stamp names a configuration: "version 2 of epoch 1".
func stamp(c *spec.Configuration) string {
	if c.IsEmpty() {
		return "no members known"
	}
	return fmt.Sprintf("version %d of epoch %d", c.Version, c.Epoch)
}

// roll says who the members of a configuration are: "1, 2 and 3, with witness 4 and observer 5".
func roll(c *spec.Configuration) string {
	var voters, others []string
	for _, m := range c.Members() {
		if m.Kind == spec.Voter {
			voters = append(voters, m.ID.String())
		} else {
			others = append(others, fmt.Sprintf("%s %s", m.Kind, m.ID))
		}
	}
	switch {
	case len(voters) == 0:
		return "nobody"
	case len(others) == 0:
		return Listed(voters)
	}
	return Listed(voters) + ", with " + Listed(others)
}

// Listed says words with commas between them, and an "and" before the last.
func Listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// a says a kind with its article.
func a(kind spec.MemberKind) string {
	if kind == spec.Observer {
		return "an observer"
	}
	return "a " + string(kind)
}

// deeds says what makes one configuration of another: "add 4 as an observer"; with s as the end of the verbs, "adds 4 as an
// observer". A node is called what names makes of it.
func deeds(from, to *spec.Configuration, s string, names func(spec.NodeID) string) string {
	var said []string
	for _, m := range from.Members() {
		if _, is := to.Member(m.ID); !is {
			said = append(said, fmt.Sprintf("remove%s %s", s, names(m.ID)))
		}
	}
	for _, m := range to.Members() {
		switch was, is := from.Member(m.ID); {
		case !is:
			said = append(said, fmt.Sprintf("add%s %s as %s", s, names(m.ID), a(m.Kind)))
		case was.Kind != m.Kind:
			said = append(said, fmt.Sprintf("make%s %s %s", s, names(m.ID), a(m.Kind)))
		case was.Rank != m.Rank:
			said = append(said, fmt.Sprintf("give%s %s rank %d", s, names(m.ID), m.Rank))
		case was.Address != m.Address && m.Address == "":
			said = append(said, fmt.Sprintf("forget%s the address of %s", s, m.ID))
		case was.Address != m.Address:
			said = append(said, fmt.Sprintf("set%s the address of %s to %s", s, m.ID, m.Address))
		}
	}
	return strings.Join(said, ", ")
}

// calling returns what nodes are called in a sentence about one of them.
func calling(me spec.NodeID, word string) func(spec.NodeID) string {
	return func(id spec.NodeID) string {
		if id == me {
			return word
		}
		return id.String()
	}
}

// kindIn returns what a node is in a configuration; "" if it is no member.
func kindIn(c *spec.Configuration, id spec.NodeID) spec.MemberKind {
	m, _ := c.Member(id)
	return m.Kind
}

// tellChanging says a step that is another where members come and go. It has no words for all others.
func tellChanging(c *check.Case) (w words) {
	in, after := &c.Input, &c.Want.State
	own := &after.Configuration
	switch {
	case in.Call == spec.StartCall && own.IsEmpty():
		return words{text: "starts for the first time", note: "its disk is empty, and it knows no member: it waits until a leader that has added it says HEARTBEAT"}
	case in.Call == spec.StartCall:
		return words{text: "starts for the first time", note: fmt.Sprintf("one of the first members, which are %s; it waits to hear from a leader", roll(own))}
	case in.Call == spec.RestartCall && len(c.Want.Sent) == 0:
		return words{text: "is back", note: fmt.Sprintf("its disk has %s; it knows of nobody else to speak to", disk(after))}
	case in.Call == spec.ChangeCall:
		return words{text: "is called to " + deeds(&c.Before.Configuration, own, "", calling(c.ID, "itself")),
			note: fmt.Sprintf("makes that %s, and says HEARTBEAT to all who are or were members. It holds for good when a quorum has acknowledged it: %d of %d",
				stamp(own), tallyOf(0, c.ID, after).needs(), tallyOf(0, c.ID, after).all)}
	case (in.Timer == spec.PatienceTimer || in.Timer == spec.CoordinatorTimer) && !check.MayStand(c.ID, &c.Before):
		return tellSpeaking(c)
	case in.Message.Type == "":
		return won(c)
	case check.RuleOf(c) == "R44":
		return words{text: takes(&in.Message), note: outside(c)}
	}
	return w
}

// tellSpeaking says what a node does that may not stand, when it has waited long enough (R46).
func tellSpeaking(c *check.Case) (w words) {
	before := &c.Before
	w.text = "has waited long enough for a leader"
	if !before.Leader.IsNone() && before.Leader != c.ID {
		w.text = fmt.Sprintf("has not heard from %s for too long", before.Leader)
		w.note = "its lease ends"
	}
	kind := kindIn(&before.Configuration, c.ID)
	switch {
	case kind == "":
		w.note = join(w.note, "it is no member of its configuration, and so does nothing more")
	case len(c.Want.Sent) == 0:
		w.note = join(w.note, fmt.Sprintf("it is %s, and may not stand: waits for a leader", a(kind)))
	default:
		w.note = join(w.note, fmt.Sprintf("it is %s, and may not stand: says IM_BACK to all other members, so that who leads says so, and all hear of %s",
			a(kind), stamp(&before.Configuration)))
	}
	return w
}

// won says a timer by whose end a node wins; that is one more than what is told of fixed members.
func won(c *check.Case) (w words) {
	if c.Input.Timer == "" || c.Want.State.Role != spec.Leader || c.Before.Role == spec.Leader {
		return words{}
	}
	w = tellTimer(c)
	w.note = join(w.note, stamped(c))
	return w
}

// stamped says that a winner stamps its configuration (R48); "" if nobody wins.
func stamped(c *check.Case) string {
	after := &c.Want.State
	if after.Configuration.IsNone() || after.Role != spec.Leader || c.Before.Role == spec.Leader {
		return ""
	}
	return "stamps its configuration, which is now " + stamp(&after.Configuration)
}

// outside says what comes of a message of which a rule of section 8 sees nothing: somebody is no member (R44).
func outside(c *check.Case) string {
	m, own := &c.Input.Message, &c.Want.State.Configuration
	first := join(adopts(c), becomes(c))
	switch {
	case kindIn(own, c.ID) == "" && adopts(c) != "":
		return join(first, "does nothing else about the message")
	case kindIn(own, c.ID) == "":
		return join(first, "is no member itself: does nothing about it")
	case answers(c, spec.Refuse):
		return join(first, fmt.Sprintf("%s is no member: refuses, and so tells it %s", m.From, stamp(own)))
	}
	return join(first, fmt.Sprintf("%s is no member: passes it over", m.From))
}

// adopts says that a node adopts the configuration of a message (R43), and what that makes of it; "" if it does not.
func adopts(c *check.Case) string {
	m, was, now := &c.Input.Message, &c.Before.Configuration, &c.Want.State.Configuration
	if now.IsNone() || m.Type == "" || *was == *now || *now != m.Configuration {
		return ""
	}
	kind := kindIn(now, c.ID)
	switch {
	case was.IsEmpty() && kind == "":
		return fmt.Sprintf("adopts %s: the members are %s; it is none of them", stamp(now), roll(now))
	case was.IsEmpty():
		return fmt.Sprintf("adopts %s: the members are %s; so it is %s now", stamp(now), roll(now), a(kind))
	case was.SameMembers(*now):
		return fmt.Sprintf("adopts %s: the same members, in a later epoch", stamp(now))
	}
	text := fmt.Sprintf("adopts %s, which %s", stamp(now), deeds(was, now, "s", calling(c.ID, "it")))
	if kind == "" && kindIn(was, c.ID) != "" {
		text += ": it is no member any more"
	}
	return text
}

// noVote says why a node may not support whoever asks or claims, whatever its lease and its promises (R45); "" if it may.
func noVote(c *check.Case) string {
	m, own := &c.Input.Message, &c.Want.State.Configuration
	if own.IsNone() {
		return ""
	}
	me, other := kindIn(own, c.ID), kindIn(own, m.From)
	switch {
	case me == spec.Observer:
		return "it is an observer, and has no vote"
	case other != spec.Voter:
		return fmt.Sprintf("%s is %s, and may not lead", m.From, a(other))
	case own.Newer(m.Configuration):
		return fmt.Sprintf("%s has an older configuration, %s, and is told the newer", m.From, stamp(&m.Configuration))
	case *own != m.Configuration:
		return fmt.Sprintf("the configuration of %s is another", m.From)
	}
	return ""
}

// uncounted says that an answer that the node waits for is of another configuration, and so does not count (R45); "" if that is
// not so.
func uncounted(c *check.Case) string {
	if c.Want.State.Configuration.IsNone() || check.RuleOf(c) != "R45" {
		return ""
	}
	return fmt.Sprintf("does not count: it was given in %s, and its own configuration is %s", stamp(&c.Input.Message.Configuration),
		stamp(&c.Before.Configuration))
}

// whichIs says why the sender of a message is to lead, rather than the node.
func whichIs(c *check.Case) string {
	if check.MayStand(c.ID, &c.Want.State) || kindIn(&c.Want.State.Configuration, c.ID) == "" {
		return "which is higher"
	}
	return "being " + a(kindIn(&c.Want.State.Configuration, c.ID)) + " itself"
}
