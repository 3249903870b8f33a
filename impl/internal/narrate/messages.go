package narrate

import (
	"fmt"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
)

// tellMessage says what a node makes of a message.
func tellMessage(c *check.Case) (note string, upkeep bool) {
	m, before, after := &c.Input.Message, &c.Before, &c.Want.State
	switch m.Type {
	case spec.OK, spec.Assent, spec.Grant, spec.Ack:
		if why := uncounted(c); why != "" {
			return join(why, becomes(c)), false
		}
	}
	switch m.Type {
	case spec.Election:
		return election(c), false
	case spec.OK:
		if late := answersNothing(c); late != "" {
			return late, false
		}
		if after.Role == spec.Electing {
			return join(fmt.Sprintf("%s is higher, and has it in hand: waits for it to lead", m.From), learned(c)), false
		}
		return join("that is too late to matter", becomes(c)), false
	case spec.Assent:
		return assent(c), false
	case spec.Claim:
		return claim(c), false
	case spec.Grant:
		return grant(c), false
	case spec.Refuse:
		if note := join(becomes(c), unlearned(c)); note != "" {
			return note, false
		}
		return "it knew that already: nothing changes", false
	case spec.Coordinator, spec.Heartbeat:
		return reign(c)
	case spec.Ack:
		if before.Role == spec.Leader && m.Epoch == before.Epoch {
			note = fmt.Sprintf("%s follows: that is %s", m.From, count(c, after))
			if after.Dated > before.Dated {
				note = join(note, fmt.Sprintf("its reign is dated from question %d now", after.Dated))
			}
			return note, true
		}
		return join("does not count: it is not of a reign of now", becomes(c)), false
	case spec.Resign:
		return resign(c), false
	}
	return imBack(c), false
}

// learned says that a node has learned an epoch. A leader that has leads no more, and a claimant gives up.
func learned(c *check.Case) string {
	if c.Want.State.Epoch > c.Before.Epoch {
		switch c.Before.Role {
		case spec.Leader:
			return fmt.Sprintf("learns of epoch %d, and so leads no more", c.Want.State.Epoch)
		case spec.Claimant:
			return fmt.Sprintf("learns of epoch %d, and so gives up its claim", c.Want.State.Epoch)
		}
		return fmt.Sprintf("learns of epoch %d", c.Want.State.Epoch)
	}
	return ""
}

// unlearned says that a node does not learn an epoch: what binds nobody teaches who keeps another's lease none (R7).
func unlearned(c *check.Case) string {
	if m := &c.Input.Message; m.Epoch > c.Want.State.Epoch && !c.Want.State.Leader.IsNone() && c.Want.State.Role != spec.Claimant {
		return fmt.Sprintf("does not learn of epoch %d, for it keeps the lease of %s", m.Epoch, c.Want.State.Leader)
	}
	return ""
}

// answersNothing says that an OK or an ASSENT is not to what the node asks now; "" if it is.
func answersNothing(c *check.Case) string {
	m, before := &c.Input.Message, &c.Before
	asks := before.Role == spec.Candidate || before.Role == spec.Electing
	switch {
	case asks && before.Asked == m.Question:
		return ""
	case asks && before.Asked != 0:
		return join(fmt.Sprintf("does not count: it answers question %d, and %d is asked now", m.Question, before.Asked), join(becomes(c), unlearned(c)))
	}
	return join("comes too late: nothing is asked now that it would answer", join(becomes(c), unlearned(c)))
}

// released says that the lease of a sender ends with its message.
func released(c *check.Case) string {
	m := &c.Input.Message
	if c.Before.Leader == m.From && c.Want.State.Leader != m.From {
		return fmt.Sprintf("%s does not lead, then: its lease ends", m.From)
	}
	if c.Before.Leader == m.From && m.Question < c.Before.Lease {
		return fmt.Sprintf("that was before question %d, whose lease it keeps: the lease goes on", c.Before.Lease)
	}
	return ""
}

// election says what a node makes of ELECTION (R10, R11).
func election(c *check.Case) string {
	m, before, after := &c.Input.Message, &c.Before, &c.Want.State
	first := join(released(c), join(learned(c), unlearned(c)))
	switch {
	case answers(c, spec.Refuse) && noVote(c) != "":
		return join(first, "refuses: "+noVote(c))
	case answers(c, spec.Refuse) && after.Leader == c.ID && after.Role != spec.Leader:
		return join(first, "refuses: it has restarted, and may have forgotten whom it follows")
	case answers(c, spec.Refuse):
		return join(first, fmt.Sprintf("refuses: it keeps the lease of %s still", after.Leader))
	case answers(c, spec.Coordinator):
		return join(first, fmt.Sprintf("is higher than %s, and leads: says so", m.From))
	case answers(c, spec.OK) && after.Role == spec.Candidate && before.Role != spec.Candidate:
		return join(first, fmt.Sprintf("is higher than %s: says OK, and asks all others itself", m.From))
	case answers(c, spec.OK):
		return join(first, fmt.Sprintf("is higher than %s: says OK, it has it in hand", m.From))
	case after.Role == spec.Claimant && before.Role == spec.Follower:
		return join(first, fmt.Sprintf("it is named: claims epoch %d at once, and asks nobody", after.Epoch+1))
	case after.Role == spec.Claimant:
		return join(first, fmt.Sprintf("would grant a claim of %s, %s, and says so; but goes on with its own", m.From, whichIs(c)))
	case after.Role == spec.Electing && before.Role != spec.Electing:
		return join(first, fmt.Sprintf("gives way to %s, %s: would grant its claim, and says so", m.From, whichIs(c)))
	case before.Role == spec.Leader && after.Role == spec.Leader:
		return join(first, fmt.Sprintf("would hand over to %s, %s: says so, and leads until it claims", m.From, whichIs(c)))
	}
	return join(first, fmt.Sprintf("would grant a claim of %s, %s, and says so", m.From, whichIs(c)))
}

func assent(c *check.Case) string {
	after := &c.Want.State
	if said := claims(c); said != "" {
		return said
	}
	if late := answersNothing(c); late != "" {
		return late
	}
	if after.Role == spec.Candidate || after.Role == spec.Electing {
		return join(fmt.Sprintf("%s would follow it: that is %s", c.Input.Message.From, count(c, after)), learned(c))
	}
	return join("that is too late to matter", becomes(c))
}

// claim says what a node makes of CLAIM (R17, R18).
func claim(c *check.Case) string {
	m, before := &c.Input.Message, &c.Before
	switch {
	case answers(c, spec.Refuse) && noVote(c) != "":
		return "refuses: " + noVote(c)
	case answers(c, spec.Grant) && before.Role == spec.Leader:
		return fmt.Sprintf("hands over to %s, %s: leads no more, grants it epoch %d, and says RESIGN to all", m.From, whichIs(c), m.Epoch)
	case answers(c, spec.Grant):
		why := "nobody was promised it"
		switch {
		case m.Epoch == before.Epoch && before.Grantee == m.From:
			why = "it has promised it to " + m.From.String() + " before"
		case before.Role == spec.Claimant:
			why = "it is above the one that it claimed itself"
			if m.Epoch <= before.Epoch+1 {
				why = "nobody was promised it, and its own claim is given up"
			}
		}
		return fmt.Sprintf("grants epoch %d to %s: %s. The promise is on disk before it says so", m.Epoch, m.From, why)
	case before.Role == spec.Claimant && before.Configuration.Higher(c.ID, m.From) && m.Epoch <= before.Epoch+1 && m.Epoch > before.Epoch:
		return "refuses: it claims that epoch itself, and is higher"
	case before.Role == spec.Leader && before.Configuration.Higher(c.ID, m.From):
		return "refuses: it leads, and hands over to a higher node only"
	case before.Role == spec.Leader:
		return fmt.Sprintf("refuses: it leads epoch %d, and the claim is not of a higher one", before.Epoch)
	case before.Leader == c.ID:
		return "refuses: it has restarted, and may have forgotten whom it follows"
	case !before.Leader.IsNone() && before.Leader != m.From:
		return fmt.Sprintf("refuses: it keeps the lease of %s still, and helps nobody else", before.Leader)
	case m.Epoch == before.Epoch:
		return fmt.Sprintf("refuses: it has promised epoch %d to %s", m.Epoch, before.Grantee)
	}
	return fmt.Sprintf("refuses: epoch %d is past, its own is %d", m.Epoch, before.Epoch)
}

// grant says what a node makes of GRANT (R19, R20).
func grant(c *check.Case) string {
	m, before, after := &c.Input.Message, &c.Before, &c.Want.State
	switch {
	case after.Role == spec.Leader && before.Role != spec.Leader:
		n := tallyOf(len(c.Members), c.ID, before)
		return fmt.Sprintf("has the promises of %d of %d, itself included: leads epoch %d, and tells all", n.backers+1, n.all, after.Epoch)
	case before.Role == spec.Claimant && m.Epoch == before.Epoch+1 && m.Question == before.Asked:
		said := "that is " + count(c, after)
		if n := tallyOf(len(c.Members), c.ID, after); n.backers >= n.needs() && !after.Leader.IsNone() {
			said += fmt.Sprintf(", and it waits until the lease of %s ends", after.Leader)
		}
		return join(said, released(c))
	case before.Role == spec.Claimant:
		return join("does not count: it is of another claim", becomes(c))
	case before.Role == spec.Leader:
		return join("it leads already: nothing changes", learned(c))
	}
	return join("comes too late: it claims nothing now", becomes(c))
}

func reign(c *check.Case) (note string, upkeep bool) {
	m, before, after := &c.Input.Message, &c.Before, &c.Want.State
	heartbeat := m.Type == spec.Heartbeat
	switch {
	case m.Epoch < before.Epoch:
		return fmt.Sprintf("refuses: epoch %d is past, its own is %d", m.Epoch, before.Epoch), false
	case after.Role != spec.Follower:
		return fmt.Sprintf("says ACK, and goes on standing to take over from %s", m.From), heartbeat
	case before.Role == spec.Follower && before.Leader == m.From && before.Epoch == m.Epoch:
		return fmt.Sprintf("goes on following %s", m.From), heartbeat
	case before.Role == spec.Leader:
		return fmt.Sprintf("leads no more: follows %s in epoch %d", m.From, m.Epoch), false
	}
	return fmt.Sprintf("follows %s in epoch %d", m.From, m.Epoch), false
}

func resign(c *check.Case) string {
	before, after := &c.Before, &c.Want.State
	first := released(c)
	switch {
	case after.Role == spec.Leader && before.Role != spec.Leader:
		return join(first, fmt.Sprintf("and that was all it waited for: leads epoch %d", after.Epoch))
	case answers(c, spec.Grant):
		g := &c.Input.Message.Granted
		return join(first, fmt.Sprintf("grants epoch %d to %s at once, to which it has handed over", g.Epoch, g.By))
	case after.Role == spec.Claimant && before.Role != spec.Claimant:
		return join(first, fmt.Sprintf("it is named: claims epoch %d at once, and asks nobody", after.Epoch+1))
	case after.Role == spec.Claimant:
		return join(first, fmt.Sprintf("claims epoch %d again, from all who have not granted it", after.Epoch+1))
	case first == "":
		return "it keeps no lease of it: nothing changes"
	}
	return first
}

func imBack(c *check.Case) string {
	m := &c.Input.Message
	first := join(released(c), join(becomes(c), unlearned(c)))
	switch {
	case answers(c, spec.Coordinator):
		return join(first, fmt.Sprintf("leads, and says so to %s", m.From))
	case first == "":
		return fmt.Sprintf("%s leads nothing: nothing changes", m.From)
	}
	return first
}
