package conformance

import "github.com/seed-fdf591db/bully/spec"

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
	case in.Timer == spec.HeartbeatTimer || in.Timer == spec.CoordinatorTimer:
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
		if !same || !votes(now, id) || !mayLead(now, m.From) {
			return "R45"
		}
	case spec.OK, spec.Assent, spec.Grant, spec.Ack:
		if !same && waitsFor(before, m) {
			return "R45"
		}
	}
	return ""
}

// waitsFor reports whether an answer would count if it were of the node's configuration.
func waitsFor(s *spec.State, m *spec.Message) bool {
	switch m.Type {
	case spec.Grant:
		return s.Role == spec.Claimant
	case spec.Ack:
		return s.Role == spec.Leader && m.Epoch == s.Epoch
	}
	return s.Role == spec.Candidate || s.Role == spec.Electing
}
