package interactive

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/impl/internal/algorithms"
	"github.com/seed-fdf591db/bully/impl/internal/narrate"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// The indicators of runs that are of no promise.
const (
	staleWrite = "StaleWrite"
	rules      = narrate.Rules
)

// mostOfModel is how many members the model takes that says what the rules are.
const mostOfModel = 7

// indicators is what the indicators are computed from, and how they are.
type indicators struct {
	promises *check.Lights
	seen     []check.View // of each node: its epoch and its configuration, as its disk has them
	light    map[string]recording.Light
	// What was wrong, and for the first time; "" if nothing was. These stay: such an indicator stays red.
	stale   string // a write that was taken
	against string // the rule that a step was against
}

// indicatorsOf returns the indicators that there are for the algorithm, all green: nothing has happened.
func (s *Run) indicatorsOf() (all []recording.Indicator) {
	nodes := make([]spec.NodeID, s.scenario.Nodes)
	copy(nodes, s.members)
	s.indicators = indicators{light: map[string]recording.Light{}, seen: make([]check.View, len(nodes)), promises: check.NewLights(check.MonitorOptions{
		Members: nodes, Name: func(i int) string { return s.name(i + 1) }, Epoch: s.epochs(), Asked: s.promises,
	})}
	add := func(l recording.Indicator) {
		all = append(all, l)
		s.indicators.light[l.Name] = l.Light
	}
	named := strings.NewReplacer("an epoch", "a "+s.epochs(), "epoch", s.epochs())
	for _, p := range s.indicators.promises.Promises() {
		l := narrate.IndicatorOf(p, s.model != nil)
		if s.epochs() != "epoch" {
			l.Says = named.Replace(l.Says)
		}
		add(l)
	}
	if s.scenario.Work > 0 {
		add(recording.Indicator{Name: staleWrite, Says: "The resource takes no write of a past reign.", Light: recording.Green, Once: true})
	}
	if s.model != nil {
		add(narrate.RulesIndicator())
	}
	return all
}

// epochs returns what the algorithm calls an epoch.
func (s *Run) epochs() string { return cmp.Or(s.family.reigns, "stamp") }

// promises reports whether there is an indicator for a promise: some algorithms have no epochs, or do not keep them.
func (s *Run) promises(p *check.Promise) bool {
	switch p.Name {
	case spec.OneLeaderPerEpoch:
		return s.algorithm.Epochs
	case spec.EpochMonotonic:
		return s.members != nil
	}
	return !p.Changing || s.changes()
}

// lights returns the indicators that have changed with a frame.
func (s *Run) lights() (changed []recording.Indicator) {
	for id := 1; id <= s.scenario.Nodes; id++ {
		now := s.seen(id)
		s.indicators.promises.See(id-1, &now)
	}
	for _, l := range s.indicators.promises.Changed() {
		changed = append(changed, narrate.Turned(&l))
	}
	for _, l := range []recording.Indicator{{Name: staleWrite, Says: s.indicators.stale}, {Name: rules, Says: s.indicators.against}} {
		if l.Says != "" && s.indicators.light[l.Name] == recording.Green {
			l.Light = recording.Red
			changed = append(changed, l)
		}
	}
	for _, l := range changed {
		s.indicators.light[l.Name] = l.Light
	}
	return changed
}

// seen returns what is seen of a node.
func (s *Run) seen(id int) check.View {
	v, now := s.play.View(id), s.indicators.seen[id-1]
	now.Up, now.Acts = v.Up && !v.Paused, v.Acts && !s.wakes(id)
	if v.Status.Leading && s.algorithm.Epochs {
		now.Leads = spec.Epoch(v.Status.Epoch)
	}
	if now.Epoch == 0 {
		now.Epoch = now.Leads // of an algorithm that does not say in which epoch it is
	}
	return now
}

// wakes reports whether a node goes on after a pause, and timers that have run out meanwhile have not ended yet: they do before
// time goes on. What it acts as until then takes no time.
func (s *Run) wakes(id int) bool {
	if now := s.play.Now(); s.nodes[id-1].woke == now {
		for t := range s.algorithm.Timers {
			if due, runs := s.play.Due(id, compare.Timer(t)); runs && due <= now {
				return true
			}
		}
	}
	return false
}

// record keeps what the indicators are computed from, and what a trace has of the moment.
func (s *Run) record(f *recording.Frame, m *compare.Moment) {
	if m.What == compare.Wrote && m.Stale > 0 && s.indicators.stale == "" {
		s.indicators.stale = fmt.Sprintf("a write of %s is taken, though one of %s came before, of a later reign", s.name(m.Node), s.name(m.Stale))
	}
	if m.What != compare.Lost && m.Node > 0 {
		v := s.play.View(m.Node)
		if ours, ok := v.Node.(algorithms.Ours); ok && v.Up && !v.Saves && s.members != nil {
			now := &s.indicators.seen[m.Node-1]
			now.Epoch, now.Configuration = spec.Epoch(ours.Tell().Epoch), ours.Case().Want.State.Configuration
		}
		s.judge(m, v.Node)
	}
	s.trace(f, m)
}

// judge asks the model what the rules say to a step of ours.
func (s *Run) judge(m *compare.Moment, node compare.Node) {
	ours, ok := node.(algorithms.Ours)
	if s.model == nil || m.Out == nil || !ok {
		return
	}
	c := ours.Case()
	if c.Want.Ignored { // Suspect of a node that follows nobody gives it nothing at all
		return
	}
	if want := s.model.Step(c.ID, c.Members, c.Before, c.Input); !want.Equal(c.Want) && s.indicators.against == "" {
		s.indicators.against = fmt.Sprintf("%s: %s", check.RuleOf(&c), spec.Sentence(check.RuleOf(&c)))
	}
}

// traceBegins is the time 0 of a run in a trace, in microseconds since 1970: the beginning of the year 2026, as simulators have it.
const traceBegins = 1_767_225_600_000_000

// trace adds to the trace of a run of ours what it has of a moment (section 14 of the specification).
func (s *Run) trace(f *recording.Frame, m *compare.Moment) {
	if s.members == nil {
		return
	}
	var e spec.Event
	switch {
	case m.What == compare.Lost && m.Behind > 0: // a Lose is of the first on its link; what others do not tell is lost in silence
		return
	case m.What == compare.Lost:
		message, _ := m.Message.Body.(spec.Message)
		e = spec.Event{Action: spec.LoseAction, Input: spec.Input{Message: message}}
	case f.Cut != nil:
		e = spec.Event{Action: spec.CutAction}
		for _, l := range s.cut {
			e.Input.Cut = append(e.Input.Cut, spec.Link{From: s.members[l[0]], To: s.members[l[1]]})
		}
	case m.What == compare.Saved:
		s.nodes[m.Node-1].saves = 0
		return
	case m.What == compare.Crashed:
		var ok bool
		if e, ok = s.crash(m.Node); !ok {
			return
		}
	case m.Out != nil:
		var ok bool
		if e, ok = s.play.View(m.Node).Node.(algorithms.Ours).Event(); !ok {
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

// crash returns the crash of a node. A step whose record was not written is none: a trace does not have it, nor the crash of a node
// that has no record yet, whose first start is still to come.
func (s *Run) crash(id int) (crash spec.Event, ok bool) {
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
	promise, ok := s.play.View(id).Saved.(spec.Durable)
	return spec.Event{Node: s.members[id-1], Action: spec.CrashAction, State: spec.State{
		Role: spec.Follower, Epoch: promise.Epoch, Grantee: promise.Grantee, Latest: promise.Reserved, Configuration: promise.Configuration}}, ok
}
