package check

import "github.com/seed-fdf591db/bully/spec"

// heardBy says by which rule a message is taken, where there is only one.
var heardBy = map[spec.MessageType]string{
	spec.OK: "R12", spec.Assent: "R13", spec.Grant: "R19", spec.Refuse: "R21", spec.Ack: "R25", spec.Resign: "R29", spec.ImBack: "R31",
}

// endedBy says by which rule the end of a timer is taken.
var endedBy = map[spec.Timer]string{
	spec.PatienceTimer: "R8", spec.PreemptTimer: "R9", spec.ElectionTimer: "R14", spec.CoordinatorTimer: "R15",
	spec.ClaimTimer: "R22", spec.ReignTimer: "R26", spec.HeartbeatTimer: "R27",
}

// RuleOf returns the first rule that the answer to a case follows from, such as R17; the Rule of the case is not read.
func RuleOf(c *Case) string {
	in := &c.Input
	if rule := ruleOfMembers(c); rule != "" {
		return rule
	}
	switch {
	case in.Call == spec.StartCall:
		return "R32"
	case in.Call == spec.RestartCall:
		return "R30"
	case in.Call == spec.ResignCall && !in.Names.IsNone():
		return "R51"
	case in.Call == spec.ResignCall:
		return "R28"
	case in.Call == spec.HolderDeadCall:
		return "R41"
	case in.Timer != "" && c.Want.Ignored:
		return "R35"
	case in.Timer != "":
		return endedBy[in.Timer]
	case in.Message.Validate() != nil:
		return "R33"
	case c.Want.Ignored: // a message with a configuration is, too, where members are fixed, and one without where they change
		return "R34"
	}
	return ruleOfMessage(c)
}

// ruleOfMessage is RuleOf for a message that is not ignored.
func ruleOfMessage(c *Case) string {
	m := &c.Input.Message
	switch m.Type {
	case spec.Election:
		if !Outranked(&c.Want.State.Configuration, c.ID, m.From) {
			return "R10"
		}
		return "R11"
	case spec.Claim:
		if c.Before.Role == spec.Leader {
			return "R18"
		}
		return "R17"
	case spec.Resign:
		if m.Names == c.ID && c.Before.Role != spec.Claimant && c.Want.State.Role == spec.Claimant {
			return "R51"
		}
	case spec.Grant:
		if c.Before.Role != spec.Leader && c.Want.State.Role == spec.Leader {
			return "R20"
		}
	case spec.Coordinator, spec.Heartbeat:
		if m.Epoch < c.Before.Epoch {
			return "R24"
		}
		return "R23"
	}
	return heardBy[m.Type]
}

// ruleOfMembers returns which of R42 to R49 the answer to a case follows from before any other, or "" if
// there is none.
func ruleOfMembers(c *Case) string {
	in, own := &c.Input, &c.Before.Configuration
	switch {
	case in.Call == spec.ChangeCall:
		return "R47"
	case own.IsNone():
		return ""
	case in.Call == spec.StartCall:
		return "R49"
	case in.Timer == spec.PatienceTimer || in.Timer == spec.CoordinatorTimer:
		if !c.Want.Ignored && !MayStand(c.ID, &c.Before) {
			return "R46"
		}
	case in.OfMessage() && !c.Want.Ignored:
		return ruleOfMixed(c.ID, &c.Before, &in.Message)
	}
	return ""
}

// ruleOfMixed is ruleOfMembers of a message that is heard: what it says of members is looked at before anything else.
func ruleOfMixed(id spec.NodeID, before *spec.State, m *spec.Message) string {
	now, newer := &before.Configuration, m.Configuration.Newer(before.Configuration)
	if newer {
		now = &m.Configuration
	}
	_, isMember := now.Member(id)
	_, isKnown := now.Member(m.From)
	same := m.Configuration == *now
	switch {
	case !isMember || !isKnown:
		return "R44"
	case newer:
		return "R43"
	}
	switch m.Type {
	case spec.Election, spec.Claim:
		if !same || !Votes(now, id) || !mayLead(now, m.From) {
			return "R45"
		}
	case spec.Ack:
		if !same && before.Role == spec.Leader && m.Epoch == before.Epoch {
			return "R45"
		}
	}
	return ""
}
