package narrate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// words are what a frame says.
type words struct {
	text, note string
	upkeep     bool
}

// Words says what a node of ours does in a case, and what it makes of it. upkeep is what a reign costs: heartbeats, their
// receipt and their answers.
func Words(c *check.Case) (text, note string, upkeep bool) {
	w := tell(c)
	return w.text, w.note, w.upkeep
}

// Says is what a message says that is sent in an action, to people.
func Says(a spec.Action, m *spec.Message) string {
	text := sayings[m.Type]
	if m.Type == spec.ImBack && a != spec.RestartAction {
		text = "I do not lead: who does?"
	}
	switch {
	case !m.Keeps.IsNone():
		text += fmt.Sprintf(" I keep the lease of %s", m.Keeps)
	case m.Granted != (spec.Granted{}):
		text += fmt.Sprintf(": I have granted epoch %d to %s, which asked %d", m.Granted.Epoch, m.Granted.By, m.Granted.Question)
	case !m.Names.IsNone() && m.Type == spec.Claim:
		text += fmt.Sprintf(": %s has resigned, and named me", m.Names)
	case !m.Names.IsNone():
		text += fmt.Sprintf(": %s is to stand first", m.Names)
	}
	switch m.Type {
	case spec.OK, spec.Assent, spec.Grant, spec.Refuse, spec.Ack:
		return fmt.Sprintf("to question %d: %s", m.Question, text)
	case spec.Resign, spec.ImBack:
		return fmt.Sprintf("as of question %d: %s", m.Question, text)
	}
	return fmt.Sprintf("question %d: %s", m.Question, text)
}

var sayings = map[spec.MessageType]string{
	spec.Election:    "who is there, and would follow me?",
	spec.OK:          "I am higher, and have it in hand",
	spec.Assent:      "I would grant your claim",
	spec.Claim:       "promise this epoch to me",
	spec.Grant:       "I have promised it to you, and have that on disk",
	spec.Refuse:      "no",
	spec.Coordinator: "I lead this epoch",
	spec.Heartbeat:   "I lead still",
	spec.Ack:         "I follow you",
	spec.Resign:      "I do not lead",
	spec.ImBack:      "I have restarted, and lead no more",
}

// whole says a message with both its ends.
func whole(m *spec.Message) string {
	return fmt.Sprintf("%s of epoch %d from %s to %s", m.Type, m.Epoch, m.From, m.To)
}

// doing says what a node is given, if nothing is known of it before.
func doing(e *spec.Event) string {
	switch {
	case e.Input.Message.Type != "":
		return takes(&e.Input.Message)
	case e.Input.Timer != "":
		return "its timer " + string(e.Input.Timer) + " ends"
	case e.Input.Call == spec.HolderDeadCall:
		return "is told that the node whose lease it keeps is dead"
	case e.Input.Call == spec.ResignCall && !e.Input.Names.IsNone():
		return fmt.Sprintf("is called to hand over to %s", e.Input.Names)
	case e.Input.Call == spec.ResignCall:
		return "is called to resign"
	case e.Input.Call == spec.ChangeCall:
		return "is called to change its members to " + roll(&e.Input.Configuration)
	}
	return "starts"
}

func takes(m *spec.Message) string {
	return fmt.Sprintf("takes %s of epoch %d from %s (question %d)", m.Type, m.Epoch, m.From, m.Question)
}

// cutWords says which links carry nothing.
func cutWords(members []spec.NodeID, cut []recording.Link) (text, note string) {
	if len(cut) == 0 {
		return "all links carry again", ""
	}
	of := map[recording.Link]bool{}
	for _, l := range cut {
		of[l] = true
	}
	var both, oneWay []string
	for _, l := range cut {
		from, to := members[l[0]], members[l[1]]
		switch back := of[recording.Link{l[1], l[0]}]; {
		case !back:
			oneWay = append(oneWay, fmt.Sprintf("%s to %s", from, to))
		case l[0] < l[1]:
			both = append(both, fmt.Sprintf("%s and %s", from, to))
		}
	}
	if len(both) > 0 {
		text = "nothing passes between " + strings.Join(both, ", ")
	}
	if len(oneWay) > 0 {
		if text != "" {
			text += "; "
		}
		text += "nothing gets from " + strings.Join(oneWay, ", ")
	}
	return text, "what was under way there is lost"
}

// tell says a step of a node in words.
func tell(c *check.Case) words {
	in, after := &c.Input, &c.Want.State
	if !after.Configuration.IsNone() {
		if w := tellChanging(c); w.text != "" {
			return w
		}
	}
	switch {
	case in.Call == spec.StartCall:
		return words{text: "starts for the first time", note: "its disk is empty; it waits to hear from a leader"}
	case in.Call == spec.RestartCall:
		return words{text: "is back", note: fmt.Sprintf("its disk has %s; it says IM_BACK, and is silent for a while, for it has forgotten whom it followed", disk(after))}
	case in.Call == spec.ResignCall && !in.Names.IsNone():
		return words{text: fmt.Sprintf("is called to hand over to %s", in.Names), note: fmt.Sprintf("leads no more, and names %s, which is to claim at once; the others wait for that", in.Names)}
	case in.Call == spec.ResignCall:
		return words{text: "is called to resign", note: "leads no more, and says so to all: nobody need wait for its lease to end"}
	case in.Call == spec.HolderDeadCall:
		return words{text: fmt.Sprintf("is told that %s is dead", c.Before.Leader), note: join(fmt.Sprintf("the lease of %s ends", c.Before.Leader), becomes(c))}
	case in.Timer != "":
		return tellTimer(c)
	}
	w := words{text: takes(&in.Message)}
	w.note, w.upkeep = tellMessage(c)
	if news := adopts(c); news != "" {
		w.note, w.upkeep = join(news, w.note), false
	}
	w.note = join(w.note, stamped(c))
	return w
}

// tellTimer says the end of a timer.
func tellTimer(c *check.Case) words {
	before, after := &c.Before, &c.Want.State
	switch c.Input.Timer {
	case spec.PatienceTimer:
		if before.Leader.IsNone() {
			return words{text: "has waited long enough for a leader", note: "holds an election: asks all others who is there, and would follow it"}
		}
		return words{text: fmt.Sprintf("has not heard from %s for too long", before.Leader), note: "its lease ends, and it holds an election: asks all others who would follow it"}
	case spec.PreemptTimer:
		why := "which is lower"
		if before.Configuration.Higher(before.Leader, c.ID) {
			why = "which is no voter any more"
		}
		return words{text: fmt.Sprintf("has followed %s, %s, for long enough", before.Leader, why),
			note: "stands itself, and goes on acknowledging it: the reign is to be handed over"}
	case spec.ElectionTimer:
		w := words{text: "has waited long enough for answers"}
		w.note = claims(c)
		if w.note == "" {
			w.note = join(count(c, before)+": claims nothing", rests(after))
		}
		return w
	case spec.CoordinatorTimer:
		w := words{text: "has waited long enough for a better node to lead"}
		w.note = claims(c)
		if w.note == "" {
			w.note = "asks all others again who would follow it"
		}
		return w
	case spec.ClaimTimer:
		return words{text: "has waited long enough for grants",
			note: join(fmt.Sprintf("has %s: gives up its claim of epoch %d", count(c, before), before.Epoch+1), rests(after))}
	case spec.ReignTimer:
		return words{text: "has had no answer of a quorum for too long",
			note: fmt.Sprintf("its reign is dated from question %d, and the latest is %d: leads no more, for it could be alone", before.Dated, before.Latest)}
	}
	return words{text: "says HEARTBEAT to all", note: "so that they go on following it", upkeep: true}
}

// count says how many back a node, and how many it needs.
func count(c *check.Case, s *spec.State) string {
	n := tallyOf(len(c.Members), c.ID, s)
	return fmt.Sprintf("%d of %d, itself included (it needs %d)", n.backers, n.all, n.needs())
}

// claims says that a node claims, or wins at once; "" if it does not.
func claims(c *check.Case) string {
	before, after := &c.Before, &c.Want.State
	switch {
	case after.Role == spec.Claimant && before.Role != spec.Claimant:
		n := tallyOf(len(c.Members), c.ID, before)
		return fmt.Sprintf("%d of %d would follow it: claims epoch %d, and needs the promises of %d", max(n.backers, n.needs()), n.all, after.Epoch+1, n.needs())
	case after.Role == spec.Leader && before.Role != spec.Leader:
		return fmt.Sprintf("leads epoch %d", after.Epoch)
	}
	return ""
}

// rests says what a node that gives up does.
func rests(after *spec.State) string {
	switch {
	case after.Role == spec.Electing:
		return fmt.Sprintf("waits until the lease of %s ends", after.Leader)
	case after.Role == spec.Follower && after.Leader.IsNone():
		return "waits for a leader"
	}
	return ""
}

// becomes says how the state of a node has changed; "" if not in a way that people look for.
func becomes(c *check.Case) string {
	before, after := &c.Before, &c.Want.State
	var said []string
	if after.Epoch > before.Epoch && after.Role != spec.Leader {
		said = append(said, fmt.Sprintf("learns of epoch %d", after.Epoch))
	}
	switch {
	case before.Role == after.Role:
		if after.Role == spec.Follower && after.Leader.IsNone() && !before.Leader.IsNone() {
			said = append(said, "follows nobody now")
		}
	case after.Role == spec.Leader:
		said = append(said, fmt.Sprintf("leads epoch %d", after.Epoch))
	case before.Role == spec.Leader:
		said = append(said, "leads no more")
	case after.Role == spec.Candidate:
		said = append(said, "asks all others who would follow it")
	case after.Role == spec.Claimant:
		said = append(said, fmt.Sprintf("claims epoch %d", after.Epoch+1))
	case before.Role == spec.Claimant:
		said = append(said, join("gives up its claim", rests(after)))
	case before.Role == spec.Candidate:
		said = append(said, join("gives up standing", rests(after)))
	default:
		if r := rests(after); r != "" {
			said = append(said, r)
		}
	}
	return strings.Join(said, ", ")
}

// join puts two halves of a sentence together.
func join(first, second string) string {
	switch {
	case first == "":
		return second
	case second == "":
		return first
	}
	return first + "; " + second
}

// answers reports whether a case sends a message of a type.
func answers(c *check.Case, t spec.MessageType) bool {
	return slices.ContainsFunc(c.Want.Sent, func(m spec.Message) bool { return m.Type == t })
}
