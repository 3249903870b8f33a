package interactive

import (
	"errors"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/internal/algorithms"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// What is here is of runs whose members come and go (R42 to R49).

// changes reports whether members come and go.
func (s *Run) changes() bool { return s.algorithm.Name == members }

// asked returns which leader is asked to change the members: if several act, the one of the highest epoch; 0 if none does.
func (s *Run) asked() (leader int) {
	epoch := uint64(0)
	for other := 1; other <= s.scenario.Nodes; other++ {
		if v := s.play.View(other); v.Acts && v.Status.Epoch >= epoch {
			leader, epoch = other, v.Status.Epoch
		}
	}
	return leader
}

// changeOf returns the change to make a node one of a kind, or to remove it.
func changeOf(id int, kind string) algorithms.Change {
	if kind == removed {
		return algorithms.Change{ID: id}
	}
	return algorithms.Change{ID: id, Kind: spec.MemberKind(kind)}
}

// change asks the leader to make a node one of a kind, or to remove it.
func (s *Run) change(id int, kind string) error {
	leader := s.asked()
	if leader == 0 {
		return errors.New("nobody leads now, and only a leader can change the members: go on until one does")
	}
	if err := s.play.Ask(leader, changeOf(id, kind)); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "bully: change: "))
	}
	return nil
}

// mostWait is for how many frames whoever asks for a change waits until the leader can make it.
const mostWait = 300

// wait returns for how many frames whoever asks for a change has to wait until the leader can make it: until a quorum has acknowledged
// what it asked last, or its disk has what it saves. That passes, so nobody needs to ask twice (R47). It is 0 if the leader can make it
// now, or cannot then either.
func (s *Run) wait(id int, kind string) int {
	leader := s.asked()
	if leader == 0 || !s.passes(leader, changeOf(id, kind)) {
		return 0
	}
	ahead, err := Begin(s.RunSpec())
	if err != nil {
		return 0
	}
	ahead.goOn(s.count - ahead.count)
	for !ahead.closed && ahead.count < s.count+mostWait && ahead.asked() == leader {
		ahead.goOn(1)
		if ahead.asked() == leader && ahead.mayChange(leader, changeOf(id, kind)) == nil {
			return ahead.count - s.count
		}
	}
	return 0
}

// passes reports whether a leader cannot make a change for a reason that passes by itself.
func (s *Run) passes(leader int, c algorithms.Change) bool {
	err := s.mayChange(leader, c)
	return errors.Is(err, errSaves) || errors.Is(err, bully.ErrNotSettled)
}

var errSaves = errors.New("the leader waits for its disk")

// mayChange says why a leader cannot make a change now.
func (s *Run) mayChange(leader int, c algorithms.Change) error {
	v := s.play.View(leader)
	asker, ok := v.Node.(compare.Asker)
	switch {
	case !ok || v.Paused:
		return errors.New("it cannot be asked")
	case v.Saves:
		return errSaves
	}
	return asker.MayAsk(c)
}

// newest returns the newest configuration of those that nodes have which run; none if members are fixed.
func (s *Run) newest() (newest spec.Configuration) {
	for id := 1; s.changes() && id <= s.scenario.Nodes; id++ {
		v := s.play.View(id)
		if ours, ok := v.Node.(algorithms.Ours); ok && v.Up {
			if c := ours.Case(); c.Want.State.Configuration.Newer(newest) || newest.IsNone() {
				newest = c.Want.State.Configuration
			}
		}
	}
	return newest
}

// kindIn returns what a node is in a configuration: a voter, if members are fixed; "" if it is no member.
func (s *Run) kindIn(c spec.Configuration, id int) spec.MemberKind {
	if !s.changes() {
		return spec.Voter
	}
	m, _ := c.Member(s.members[id-1])
	return m.Kind
}

// votes reports whether members of a kind count in quorums.
func votes(kind spec.MemberKind) bool { return kind == spec.Voter || kind == spec.Witness }

// votes reports whether a node counts in quorums, by the newest configuration.
func (s *Run) votes(id int) bool { return votes(s.kindIn(s.newest(), id)) }

// mayLead reports whether a node may stand, by the newest configuration.
func (s *Run) mayLead(id int) bool { return s.kindIn(s.newest(), id) == spec.Voter }

// size returns how many nodes a quorum is more than half of.
func (s *Run) size() (n int) {
	c := s.newest()
	for id := 1; id <= s.scenario.Nodes; id++ {
		if votes(s.kindIn(c, id)) {
			n++
		}
	}
	return n
}

// settle says when a configuration holds for good, and shows what tells of another one: that is no upkeep.
func (s *Run) settle(f *recording.Frame, m *compare.Moment, was *told) {
	if !s.changes() || m.Out == nil {
		return
	}
	ours, ok := s.play.View(m.Node).Node.(algorithms.Ours)
	if !ok {
		return
	}
	c := ours.Case()
	if says := s.confs.Settles(c.ID, &c.Want.State); says != "" {
		say(f, says)
		f.State.Settled, f.Upkeep = true, false
	}
	if f.State.Configuration == was.conf {
		return
	}
	for k := range f.Sends {
		f.Sends[k].Upkeep = false
	}
}
