package interactive

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/impl/internal/algorithms"
	"github.com/seed-fdf591db/bully/impl/internal/narrate"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// What is here says who leads, and who leads next, and why: what a visitor is to understand.

// names says who is meant, as people do.
func names(ids []int) string {
	var text []string
	for _, id := range ids {
		text = append(text, strconv.Itoa(id))
	}
	return narrate.Listed(text)
}

// say adds a sentence to the note of a frame.
func say(f *recording.Frame, sentence string) {
	switch {
	case sentence == "":
	case f.Note == "":
		f.Note = sentence
	default:
		f.Note += ". " + strings.ToUpper(sentence[:1]) + sentence[1:]
	}
}

// explain adds to a frame what there is to understand.
func (s *Run) explain(f *recording.Frame, m *compare.Moment, was *told) {
	switch m.What {
	case compare.Saved:
		f.Text = "has it on disk"
		if f.State.Disk != "" {
			f.Text = "has on disk: " + f.State.Disk
		}
		if f.State.Look != recording.Leads {
			f.Note = "what it had to say leaves now"
		}
	case compare.Wrote:
		s.explainWrite(f, m)
		return
	case compare.Crashed, compare.Paused:
		if was.leads {
			say(f, s.gone(m, was))
		} else if leader := s.leader(); leader > 0 {
			say(f, s.name(leader)+" leads on")
		}
	case compare.WentOn:
		f.Note = "what has waited for it comes now, and timers that have run out end now"
	case compare.Linked:
		switch {
		case f.Cut == nil:
		case len(*f.Cut) > 0:
			say(f, s.parted())
		default:
			say(f, "all links carry again")
		}
	}
	if f.State != nil && f.State.Saving && f.State.Look == recording.Stands && f.State.Leader == f.Node {
		say(f, "it acts as leader once that is on its disk")
	}
	if f.State != nil && f.State.Look == recording.Leads && (!was.leads || was.epoch != f.State.Epoch) {
		if m.What == compare.Saved {
			f.Text += ", and leads"
		}
		say(f, s.why(m.Node, f.State.Epoch))
	}
}

// leader returns who acts as leader: the highest, if more than one do; or 0.
func (s *Run) leader() (leader int) {
	for id := 1; id <= s.scenario.Nodes; id++ {
		if s.play.View(id).Acts {
			leader = id
		}
	}
	return leader
}

// why says why a node leads, which has just come to it.
func (s *Run) why(id int, epoch uint64) string {
	text := s.name(id) + " LEADS"
	if s.family.reigns != "" && epoch > 0 {
		text += fmt.Sprintf(" %s %d", s.family.reigns, epoch)
	}
	if who := s.grantors(id); who != "" {
		text += ": " + who + " have promised it, more than half"
	}
	if !s.family.ranked {
		if s.family.quorum {
			return text + ": it asked first, and more than half have voted for it"
		}
		return text + ": it was the first to have the key"
	}
	if gone := s.above(id); gone != "" {
		return text + ". " + gone
	}
	return text
}

// grantors says who has promised a node of ours the epoch that it has won.
func (s *Run) grantors(id int) string {
	ours, ok := s.play.View(id).Node.(algorithms.Ours)
	if !ok {
		return ""
	}
	c := ours.Case()
	some := map[string]bool{c.ID.String(): true}
	for _, backer := range c.Before.Support {
		some[backer.String()] = true
	}
	if c.Input.Message.Type != "" {
		some[c.Input.Message.From.String()] = true
	}
	var ids []int
	for other := 1; other <= s.scenario.Nodes; other++ {
		if some[strconv.Itoa(other)] {
			ids = append(ids, other)
		}
	}
	if 2*len(ids) <= s.size() {
		return ""
	}
	return names(ids)
}

// above says what has become of the nodes that are higher than one.
func (s *Run) above(id int) string {
	if id == s.scenario.Nodes && !s.changes() {
		return fmt.Sprintf("%d is the highest of all", id)
	}
	var gone []string
	for higher := s.scenario.Nodes; higher > id; higher-- {
		switch v := s.play.View(higher); {
		case !s.mayLead(higher):
		case !v.Up:
			gone = append(gone, s.name(higher)+" is down")
		case v.Paused:
			gone = append(gone, s.name(higher)+" is paused")
		case s.play.IsCut(higher, id) || s.play.IsCut(id, higher):
			gone = append(gone, s.name(higher)+" is cut off from it")
		default:
			return fmt.Sprintf("%d runs, and is higher: it may take over later", higher)
		}
	}
	if len(gone) == 0 {
		return fmt.Sprintf("%d is the highest voter", id)
	}
	return strings.Join(gone, ", ") + fmt.Sprintf(": %d is the highest that is left", id)
}

// gone says what comes after the end of a leader.
func (s *Run) gone(m *compare.Moment, was *told) string {
	text := "it led"
	if was.epoch > 0 && s.family.reigns != "" {
		text += fmt.Sprintf(" %s %d", s.family.reigns, was.epoch)
	}
	if m.What == compare.Paused {
		text += ", and nobody knows that it does nothing now"
	} else {
		text += ", and nobody knows yet that it is gone"
	}
	missed := cmp.Or(s.family.missed, "when the others have heard nothing from it for about %s, they look for another")
	text += ": " + fmt.Sprintf(missed, span(s.scenario.Timing.Patience))
	if next := s.next(); next != "" {
		text += ". " + next
	}
	return text
}

// span says how long something takes, as people do.
func span(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%g ms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%g s", d.Seconds())
}

// runs reports whether a node takes steps.
func (s *Run) runs(id int) bool {
	v := s.play.View(id)
	return v.Up && !v.Paused
}

// reaches returns how many nodes that run a node is linked with in both directions, itself included.
func (s *Run) reaches(id int) (n int) {
	for other := 1; other <= s.scenario.Nodes; other++ {
		if s.runs(other) && s.votes(other) && (other == id || !s.play.IsCut(id, other) && !s.play.IsCut(other, id)) {
			n++
		}
	}
	return n
}

// highest returns the highest node that runs, and reaches more than half of all if that is asked for; or 0.
func (s *Run) highest(quorum bool) int {
	for id := s.scenario.Nodes; id > 0; id-- {
		if s.runs(id) && s.mayLead(id) && (!quorum || 2*s.reaches(id) > s.size()) {
			return id
		}
	}
	return 0
}

// next says who should lead next.
func (s *Run) next() string {
	need, highest := s.size()/2+1, s.highest(s.family.quorum)
	switch {
	case highest == 0 && s.family.quorum:
		return fmt.Sprintf("Nobody can: that takes %d nodes that reach each other, more than half", need)
	case highest == 0:
		return "Nobody is left to lead"
	case s.family.next != "":
		return s.family.next
	case s.family.quorum:
		return fmt.Sprintf("%d should lead next: it is the highest that is left, and reaches %d of %d, more than half", highest, s.reaches(highest), s.size())
	}
	return fmt.Sprintf("%d should lead next: it is the highest that is left", highest)
}

// parted says what a cut comes to.
func (s *Run) parted() string {
	const lost = "what was under way there is lost"
	leader := s.leader()
	if leader == 0 {
		return lost
	}
	reached := s.reaches(leader)
	switch running := s.highest(false); {
	case !s.family.quorum && s.family.ranked && s.heard(leader) < s.running():
		return lost + fmt.Sprintf(". %d leads on, and who cannot hear it will choose another: nobody counts how many it reaches", leader)
	case !s.family.quorum && s.family.ranked && reached < s.running():
		return lost + fmt.Sprintf(". %d leads on: all hear it still, though it does not hear all", leader)
	case !s.family.quorum || running == 0:
		return lost
	case 2*reached > s.size():
		return lost + fmt.Sprintf(". %d still reaches %d of %d, more than half, and leads on", leader, reached, s.size())
	}
	text := lost + fmt.Sprintf(". %d reaches only %d of %d, no more than half: it will find out, and lead no more", leader, reached, s.size())
	if s.family.prefix == "raft" {
		return text
	}
	return text + ". " + s.next()
}

// heard returns how many nodes that run hear a node, itself included.
func (s *Run) heard(id int) (n int) {
	for other := 1; other <= s.scenario.Nodes; other++ {
		if s.runs(other) && (other == id || !s.play.IsCut(id, other)) {
			n++
		}
	}
	return n
}

// running returns how many nodes take steps.
func (s *Run) running() (n int) {
	for id := 1; id <= s.scenario.Nodes; id++ {
		if s.runs(id) {
			n++
		}
	}
	return n
}

// explainWrite says what became of a write.
func (s *Run) explainWrite(f *recording.Frame, m *compare.Moment) {
	reign := ""
	if s.algorithm.Epochs && m.Epoch > 0 {
		reign = fmt.Sprintf(" of %s %d", s.epochs(), m.Epoch)
	}
	f.Text = "has its write" + reign + " taken by the resource"
	switch {
	case m.Refused:
		f.Text = "has its write" + reign + " refused by the resource"
		f.Note = "the resource has seen a higher one: this reign is over, though the node did not know it"
	case m.Stale > 0:
		f.Note = fmt.Sprintf("that is wrong: %s leads since, and has written before", s.name(m.Stale))
	}
}
