package narrate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// State returns the state of a node of ours as a recording shows it. The members are ascending.
func State(id spec.NodeID, members []spec.NodeID, s *spec.State, up bool) *recording.State {
	shown := &recording.State{Look: look(id, s, up), Role: string(s.Role), Leader: slices.Index(members, s.Leader), Epoch: uint64(s.Epoch), Disk: disk(s)}
	if !up {
		shown.Role, shown.Leader = "down", -1
		return shown
	}
	shown.Fields = []recording.Field{
		{Name: "lease", Value: lease(id, s)},
		{Name: "grantee", Value: named(s.Grantee, "nobody")},
		{Name: "support", Value: support(len(members), id, s)},
		{Name: "questions", Value: questions(s)},
	}
	if s.Role == spec.Leader {
		shown.Fields = append(shown.Fields, recording.Field{Name: "reign", Value: reignOf(s)})
	}
	for timer := range conformance.Running(id, s).All() {
		shown.Timers = append(shown.Timers, recording.Due{Timer: string(timer)})
	}
	return shown
}

// look returns how to draw a node.
func look(id spec.NodeID, s *spec.State, up bool) recording.Look {
	switch {
	case !up:
		return recording.Down
	case s.Role == spec.Leader:
		return recording.Leads
	case s.Role == spec.Candidate, s.Role == spec.Claimant:
		return recording.Stands
	case s.Role == spec.Electing:
		return recording.Waits
	case s.Leader.IsNone() || s.Leader == id:
		return recording.Idle
	}
	return recording.Follows
}

// disk says what the disk of a node has kept.
func disk(s *spec.State) string {
	text := fmt.Sprintf("epoch %d, promised to %s, numbers up to %d", s.Epoch, named(s.Grantee, "nobody"), s.Latest.Reserved())
	if c := &s.Configuration; !c.IsNone() {
		text += "; " + stamp(c)
	}
	return text
}

// lease says whose lease a node keeps.
func lease(id spec.NodeID, s *spec.State) string {
	if s.Leader == id {
		return "its own"
	}
	if s.Leader.IsNone() {
		return "none"
	}
	return fmt.Sprintf("of %s, since its question %d", s.Leader, s.Lease)
}

// questions says what a node asks now, and which number it has used last.
func questions(s *spec.State) string {
	if s.Asked == 0 {
		return fmt.Sprintf("asks none; the latest was %d", s.Latest)
	}
	if s.Asked == s.Latest {
		return fmt.Sprintf("asks %d", s.Asked)
	}
	return fmt.Sprintf("asks %d; the latest was %d", s.Asked, s.Latest)
}

// reignOf says from which question a reign is dated, and what others have answered.
func reignOf(s *spec.State) string {
	text, next := "dated from question "+number(s.Dated), "; answered: "
	for _, a := range s.Answered {
		text, next = text+next+number(a.Question)+" by "+a.Node.String(), ", "
	}
	return text
}

func number(q spec.Question) string { return strconv.FormatUint(uint64(q), 10) }

func named(id spec.NodeID, none string) string {
	if id.IsNone() {
		return none
	}
	return id.String()
}

// support says who backs a node. What that is for, its role says.
func support(members int, id spec.NodeID, s *spec.State) string {
	if s.Role != spec.Candidate && s.Role != spec.Claimant && s.Role != spec.Leader && len(s.Support) == 0 {
		return "none"
	}
	n := tallyOf(members, id, s)
	count := fmt.Sprintf("%d of %d (it needs %d)", n.backers, n.all, n.needs())
	if len(s.Support) == 0 {
		return "itself: " + count
	}
	names := make([]string, len(s.Support))
	for i, other := range s.Support {
		names[i] = other.String()
	}
	return strings.Join(names, ", ") + " and itself: " + count
}

// nowIs says in a few words what a node is.
func nowIs(id spec.NodeID, s *spec.State) string {
	switch look(id, s, true) {
	case recording.Leads:
		return fmt.Sprintf("it leads epoch %d", s.Epoch)
	case recording.Follows:
		return fmt.Sprintf("it follows %s in epoch %d", s.Leader, s.Epoch)
	case recording.Stands:
		return fmt.Sprintf("it is %s, in epoch %d", s.Role, s.Epoch)
	case recording.Waits:
		return fmt.Sprintf("it waits, in epoch %d", s.Epoch)
	}
	return fmt.Sprintf("it knows of no leader, in epoch %d", s.Epoch)
}
