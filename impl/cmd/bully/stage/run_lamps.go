package stage

import (
	"fmt"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/contest"
	"github.com/seed-fdf591db/bully/impl/cmd/bully/contenders"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/film"
)

// The lamps of runs, by the names that traces have for the same.
const (
	oneActing  = "OneActing"
	oneLeader  = "OneLeaderPerEpoch"
	monotonic  = "EpochMonotonic"
	staleWrite = "StaleWrite"
	someLeader = "SomeLeader"
	rules      = "Rules"

	oneConfiguration = "OneConfiguration"
)

// mostOfModel is how many members the model takes that says what the rules are.
const mostOfModel = 7

// lamps is what the lamps are computed from, and how they are.
type lamps struct {
	light   map[string]film.Light
	leaders map[uint64]int // of each epoch: who has led it first
	highest []uint64       // of each node: the highest epoch that it has been in
	// What was wrong, and for the first time; "" if nothing was. These stay: such a lamp stays red.
	stale   string // a write that was taken
	against string // the rule that a step was against
	shared  string // the epoch that has had two leaders
	back    string // the node whose epoch has gone back
}

// lampsOf returns the lamps that there are for the algorithm, all green: nothing has happened.
func (s *Stage) lampsOf() (all []film.Lamp) {
	s.lamps = lamps{light: map[string]film.Light{}, leaders: map[uint64]int{}, highest: make([]uint64, s.places())}
	add := func(wanted bool, name, says string, once bool) {
		if wanted {
			all = append(all, film.Lamp{Name: name, Says: says, Light: film.Green, Once: once})
			s.lamps.light[name] = film.Green
		}
	}
	add(true, oneActing, "No two nodes act as leader at the same moment.", false)
	add(s.algorithm.Epochs, oneLeader, "No "+first(s.family.reigns, "stamp")+" has two leaders.", true)
	add(s.members != nil, monotonic, "A node's epoch never goes back, over restarts too.", true)
	add(s.scenario.Work > 0, staleWrite, "The resource takes no write of a past reign.", true)
	add(true, someLeader, "Somebody leads. Amber: nobody does just now, though more than half of the nodes run.", false)
	add(s.changes(), oneConfiguration, "An epoch and a version name one list of members.", true)
	add(s.model != nil, rules, "Every step is one that the rules of the specification allow.", true)
	return all
}

// lights returns the lamps that have changed with a frame.
func (s *Stage) lights(f *film.Frame) (changed []film.Lamp) {
	set := func(name string, wrong bool, light film.Light, once bool, says string) {
		now := film.Green
		if wrong {
			now = light
		}
		was, there := s.lamps.light[name]
		if !there || was == now {
			return
		}
		s.lamps.light[name] = now
		if now == film.Green {
			says = ""
		}
		changed = append(changed, film.Lamp{Name: name, Light: now, Says: says, Once: once})
	}
	acting, running := []int(nil), 0
	for id := 1; id <= s.scenario.Nodes; id++ {
		v := s.play.View(id)
		if v.Acts && !s.wakes(id) {
			acting = append(acting, id)
		}
		if v.Up && !v.Paused {
			running++
		}
	}
	l := &s.lamps
	set(oneActing, len(acting) > 1, film.Red, false, names(acting)+" act as leader at the same moment")
	set(oneLeader, l.shared != "", film.Red, true, l.shared)
	set(monotonic, l.back != "", film.Red, true, l.back)
	set(staleWrite, l.stale != "", film.Red, true, l.stale)
	if s.changes() {
		running = s.votersUp()
	}
	set(someLeader, len(acting) == 0 && 2*running > s.size(), film.Amber, false,
		fmt.Sprintf("nobody leads, though %d of %d nodes run", running, s.size()))
	set(oneConfiguration, s.confs.Twice() != "", film.Red, true, s.confs.Twice())
	set(rules, l.against != "", film.Red, true, l.against)
	return changed
}

// wakes reports whether a node goes on after a pause, and timers that have run out meanwhile have not ended yet: they do before
// time goes on. What it acts as until then takes no time.
func (s *Stage) wakes(id int) bool {
	if now := s.play.Now(); s.nodes[id-1].woke == now {
		for t := range s.algorithm.Timers {
			if due, runs := s.play.Due(id, contest.Timer(t)); runs && due <= now {
				return true
			}
		}
	}
	return false
}

// record keeps what the lamps are computed from, and what a trace has of the moment.
func (s *Stage) record(f *film.Frame, m *contest.Moment) {
	if m.What == contest.Wrote && m.Stale > 0 && s.lamps.stale == "" {
		s.lamps.stale = fmt.Sprintf("a write of %s is taken, though one of %s came before, of a later reign", s.name(m.Node), s.name(m.Stale))
	}
	if m.What == contest.Lost || m.Node == 0 {
		s.trace(f, m)
		return
	}
	l, v := &s.lamps, s.play.View(m.Node)
	if v.Status.Leading && s.algorithm.Epochs {
		if of, led := l.leaders[v.Status.Epoch]; !led {
			l.leaders[v.Status.Epoch] = m.Node
		} else if of != m.Node && l.shared == "" {
			l.shared = fmt.Sprintf("both %s and %s have led %s %d", s.name(of), s.name(m.Node), first(s.family.reigns, "stamp"), v.Status.Epoch)
		}
	}
	if teller, ok := v.Node.(contenders.Teller); ok && v.Up && !v.Saves && s.members != nil {
		epoch := teller.Tell().Epoch
		if high := l.highest[m.Node-1]; epoch < high && l.back == "" {
			l.back = fmt.Sprintf("the epoch of %s goes back from %d to %d", s.name(m.Node), high, epoch)
		}
		l.highest[m.Node-1] = max(l.highest[m.Node-1], epoch)
	}
	s.judge(m, v.Node)
	s.trace(f, m)
}

// judge asks the model what the rules say to a step of ours.
func (s *Stage) judge(m *contest.Moment, node contest.Node) {
	ours, ok := node.(contenders.Ours)
	if s.model == nil || m.Out == nil || !ok {
		return
	}
	c := ours.Case()
	if c.Want.Ignored { // Suspect of a node that follows nobody gives it nothing at all
		return
	}
	if want := s.model.Step(c.ID, c.Members, c.Before, c.Input); !want.Equal(c.Want) && s.lamps.against == "" {
		s.lamps.against = fmt.Sprintf("%s: %s", conformance.RuleOf(&c), conformance.Sentence(conformance.RuleOf(&c)))
	}
}

// traceBegins is the time 0 of a run in a trace, in microseconds since 1970: the beginning of the year 2026, as simulators have it.
const traceBegins = 1_767_225_600_000_000

// trace adds to the trace of a run of ours what it has of a moment (section 14 of the specification).
func (s *Stage) trace(f *film.Frame, m *contest.Moment) {
	if s.members == nil {
		return
	}
	var e spec.Event
	switch {
	case m.What == contest.Lost:
		message, _ := m.Message.Body.(spec.Message)
		e = spec.Event{Action: spec.LoseAction, Input: spec.Input{Message: message}}
	case f.Cut != nil:
		e = spec.Event{Action: spec.CutAction}
		for _, l := range s.cut {
			e.Input.Cut = append(e.Input.Cut, spec.Link{From: s.members[l[0]], To: s.members[l[1]]})
		}
	case m.What == contest.Saved:
		s.nodes[m.Node-1].saves = 0
		return
	case m.What == contest.Crashed:
		e = s.crash(m.Node)
	case m.Out != nil:
		var ok bool
		if e, ok = s.play.View(m.Node).Node.(contenders.Ours).Event(); !ok {
			return
		}
		e = e.Clone()
		if m.Out.Save != nil {
			s.nodes[m.Node-1].saves = len(s.events) + 1
		}
	default: // nothing that it has
		return
	}
	e.Seq, e.At = uint64(len(s.events)+1), traceBegins+uint64(m.At.Microseconds())
	s.events = append(s.events, e)
}

// crash returns the crash of a node. A step whose record was not written is none: a trace does not have it.
func (s *Stage) crash(id int) spec.Event {
	if saves := s.nodes[id-1].saves; saves > 0 {
		s.events = append(s.events[:saves-1], s.events[saves:]...)
		for k := saves - 1; k < len(s.events); k++ {
			s.events[k].Seq = uint64(k + 1)
		}
		for k := range s.nodes {
			if n := &s.nodes[k]; n.saves > saves {
				n.saves--
			}
		}
		s.nodes[id-1].saves = 0
	}
	promise, _ := s.play.View(id).Saved.(spec.Durable)
	return spec.Event{Node: s.members[id-1], Action: spec.CrashAction, State: spec.State{Role: spec.Follower, Epoch: promise.Epoch, Grantee: promise.Grantee, Configuration: promise.Configuration}}
}
