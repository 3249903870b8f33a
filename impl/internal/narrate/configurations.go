package narrate

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// Configurations are those that have been told, each once, and what is known of them.
type Configurations struct {
	numbers map[spec.Configuration]int
	fresh   []recording.Configuration // told since Take was called last
	settled map[spec.Configuration]bool
}

// NewConfigurations returns none.
func NewConfigurations() Configurations {
	return Configurations{numbers: map[spec.Configuration]int{}, settled: map[spec.Configuration]bool{}}
}

// Number returns the number of a configuration in the recording, and tells it if it has none yet; 0 for none.
func (all *Configurations) Number(members []spec.NodeID, c spec.Configuration) int {
	if c.IsNone() {
		return 0
	}
	if number, told := all.numbers[c]; told {
		return number
	}
	all.fresh = append(all.fresh, shownAs(members, &c))
	all.numbers[c] = len(all.numbers) + 1
	return all.numbers[c]
}

// Take returns the configurations that have been told since it was called last.
func (all *Configurations) Take() []recording.Configuration {
	fresh := all.fresh
	all.fresh = nil
	return fresh
}

// shownAs returns a configuration as a recording has it.
func shownAs(members []spec.NodeID, c *spec.Configuration) recording.Configuration {
	shown := recording.Configuration{Epoch: uint64(c.Epoch), Version: c.Version, Members: []recording.Member{}}
	for _, m := range c.Members() {
		shown.Members = append(shown.Members, recording.Member{Node: slices.Index(members, m.ID), Kind: recording.MemberKind(m.Kind), Rank: int(m.Rank), Address: m.Address})
	}
	return shown
}

// shown returns the state of a node as a recording has it.
func (t *Narrator) shown(i int) *recording.State {
	n := &t.nodes[i]
	up := n.up && !n.silent
	s := State(t.members[i], t.members, &n.state, up)
	s.Configuration = t.confs.Number(t.members, n.state.Configuration)
	s.Settled = up && t.confs.Settled(&n.state)
	if t.options.Timed && up {
		s.Lease = n.asked.Lease(&n.state)
	}
	if n.unheard != "" {
		s.Role, s.Unheard, s.Disk = n.unheard, true, ""
	}
	return s
}

// Settled reports whether a node leads, and its configuration has been shown to be settled (R47).
func (all *Configurations) Settled(s *spec.State) bool {
	return s.Role == spec.Leader && all.settled[s.Configuration]
}

// Settles notes that a node leads, and that its support now shows for the first time that its configuration is settled. It
// returns what to say of that, and "" if it is not so.
func (all *Configurations) Settles(id spec.NodeID, s *spec.State) string {
	if s.Configuration.IsNone() || s.Role != spec.Leader || all.settled[s.Configuration] {
		return ""
	}
	if votes := tallyOf(0, id, s); votes.backers < votes.needs() {
		return ""
	}
	all.settled[s.Configuration] = true
	return fmt.Sprintf("so version %d is settled: it holds for good", s.Configuration.Version)
}

// tally is how many back a node, itself included, of how many.
type tally struct{ backers, all int }

// needs returns how many are a quorum (R3).
func (n tally) needs() int { return n.all/2 + 1 }

// tallyOf counts who backs a node in a state: of so many members if they are fixed, else of the electors of its configuration.
func tallyOf(members int, id spec.NodeID, s *spec.State) (n tally) {
	if s.Configuration.IsNone() {
		return tally{len(s.Support) + 1, members}
	}
	for _, m := range s.Configuration.Members() {
		if m.Kind == spec.Observer {
			continue
		}
		n.all++
		if m.ID == id || slices.Contains(s.Support, m.ID) {
			n.backers++
		}
	}
	return n
}

// RulesOf returns the rules that a step follows from, the first one first: with a newer configuration what is done with it, and
// then with the message; and with a reign the stamp (R48).
func RulesOf(c *check.Case) string {
	rule := check.RuleOf(c)
	if c.Want.State.Configuration.IsNone() {
		return rule
	}
	if rule == "R43" {
		later := *c
		later.Before.Configuration = c.Want.State.Configuration
		rule += " " + check.RuleOf(&later)
	}
	if c.Want.State.Role == spec.Leader && c.Before.Role != spec.Leader {
		rule += " R48"
	}
	return rule
}
