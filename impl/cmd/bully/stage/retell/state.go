package retell

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/film"
)

// State returns the state of a node of ours as a film shows it. The members are ascending.
func State(id spec.NodeID, members []spec.NodeID, s *spec.State, up bool) *film.State {
	shown := &film.State{Look: look(id, s, up), Role: string(s.Role), Leader: slices.Index(members, s.Leader), Epoch: uint64(s.Epoch), Disk: disk(s)}
	if !up {
		shown.Role, shown.Leader = "down", -1
		return shown
	}
	shown.Fields = []film.Field{
		{Name: "lease", Value: lease(id, s)},
		{Name: "grantee", Value: named(s.Grantee, "nobody")},
		{Name: "support", Value: support(len(members), id, s)},
	}
	for timer := range conformance.Running(id, s).All() {
		shown.Timers = append(shown.Timers, film.Due{Timer: string(timer)})
	}
	return shown
}

// look returns how to draw a node.
func look(id spec.NodeID, s *spec.State, up bool) film.Look {
	switch {
	case !up:
		return film.Down
	case s.Role == spec.Leader:
		return film.Leads
	case s.Role == spec.Candidate, s.Role == spec.Claimant:
		return film.Stands
	case s.Role == spec.Electing:
		return film.Waits
	case s.Leader.IsNone() || s.Leader == id:
		return film.Idle
	}
	return film.Follows
}

// disk says what the disk of a node has kept.
func disk(s *spec.State) string {
	text := fmt.Sprintf("epoch %d, promised to %s", s.Epoch, named(s.Grantee, "nobody"))
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
	return named(s.Leader, "none")
}

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
	case film.Leads:
		return fmt.Sprintf("it leads epoch %d", s.Epoch)
	case film.Follows:
		return fmt.Sprintf("it follows %s in epoch %d", s.Leader, s.Epoch)
	case film.Stands:
		return fmt.Sprintf("it is %s, in epoch %d", s.Role, s.Epoch)
	case film.Waits:
		return fmt.Sprintf("it waits, in epoch %d", s.Epoch)
	}
	return fmt.Sprintf("it knows of no leader, in epoch %d", s.Epoch)
}
