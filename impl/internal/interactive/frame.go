package interactive

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/conformance/compare"
	"github.com/seed-fdf591db/bully/impl/internal/algorithms"
	"github.com/seed-fdf591db/bully/impl/internal/narrate"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// happened makes a frame of a moment of the run.
func (s *Run) happened(m *compare.Moment) {
	f := recording.Frame{Node: m.Node - 1}
	if m.Planned {
		f.By = recording.Plan
	}
	step := s.stepOf(m)
	f.Text, f.Note, f.Action, f.Rule = step.Text, step.Note, step.Action, step.Rule
	switch m.What {
	case compare.Started:
		f.Kind, f.Text, f.Note = recording.Start, cmp.Or(f.Text, "starts"), cmp.Or(f.Note, "knows of no leader, and waits a while to hear of one")
	case compare.Restarted:
		f.Kind, f.Text = recording.Restart, cmp.Or(f.Text, "is back")
	case compare.Took:
		f.Kind, f.Takes, f.Text = recording.Receive, m.Number, cmp.Or(f.Text, s.takes(m))
	case compare.Lost:
		f.Kind, f.Takes, f.Node = recording.Lose, m.Number, -1
		f.Text = fmt.Sprintf("%s from %s to %s is lost", m.Message.Kind, s.name(m.From), s.name(m.Node))
	case compare.Ended:
		f.Kind, f.Text = recording.Timer, cmp.Or(f.Text, "its timer "+s.algorithm.Timers[m.Timer]+" ends")
	case compare.Called:
		f.Kind = recording.Call
		if m.Call != compare.AskCall {
			f.Text = s.toldText(m)
		}
		f.Note = cmp.Or(f.Note, "nothing comes of it")
		if m.Call == compare.AskCall && s.waited {
			say(&f, "it was asked to, and waited until a quorum had acknowledged what it had asked last")
		}
	case compare.Saved:
		f.Kind = recording.Save
	case compare.Crashed:
		f.Kind, f.Text = recording.Crash, "crashes"
	case compare.Paused:
		f.Kind, f.Text = recording.Pause, "does nothing from now on"
		if m.For > 0 {
			f.Text = "does nothing for " + span(m.For)
		}
	case compare.WentOn:
		f.Kind, f.Text = recording.Resume, "goes on"
		s.nodes[m.Node-1].woke = s.play.Now()
	case compare.Linked:
		f.Kind, f.Text = recording.Links, m.Text
		s.setCut(&f)
	case compare.Wrote:
		f.Kind, f.Wrote = recording.Write, wrote(m)
	case compare.Injected:
		f.Kind, f.Text = recording.Intervene, m.Text
	}
	s.fill(&f, m)
}

// fill adds to a frame what leaves the node, what it is now, and what there is to understand.
func (s *Run) fill(f *recording.Frame, m *compare.Moment) {
	for k := range m.Sent {
		f.Sends = append(f.Sends, s.message(&m.Sent[k], spec.Action(f.Action)))
	}
	for _, a := range m.Moved {
		f.Moves = append(f.Moves, recording.Move{Number: a.Number, Due: a.Due.Microseconds()})
	}
	var was told
	s.asks(m)
	if f.Node >= 0 && (m.What != compare.Wrote || s.nodes[f.Node].writes) {
		was = s.nodes[f.Node]
		f.State = s.state(m.Node)
		s.note(f.Node, f.State)
	}
	s.record(f, m)
	s.explain(f, m, &was)
	f.Upkeep = s.isUpkeep(f, m, &was)
	s.settle(f, m, &was)
	s.add(f)
}

// stepOf returns what a node says of its step, if the moment is one.
func (s *Run) stepOf(m *compare.Moment) algorithms.Step {
	if m.Out == nil {
		return algorithms.Step{}
	}
	node := s.play.View(m.Node).Node
	teller, ok := node.(algorithms.Teller)
	if !ok {
		return algorithms.Step{Note: m.Out.Note}
	}
	step := teller.Did()
	if ours, ok := node.(algorithms.Ours); ok {
		c := ours.Case()
		switch {
		case c.Want.Ignored && m.What == compare.Called:
			return algorithms.Step{}
		case c.Want.Ignored:
			return algorithms.Step{Note: "takes no notice of it"}
		}
		step.Text, step.Note, _ = narrate.Words(&c)
		step.Rule = narrate.RulesOf(&c)
		if c.Input.Call == spec.StartCall {
			step.Note += "; the higher a node is, the sooner it asks itself"
		}
	}
	return step
}

// name is what people call a node or a server.
func (s *Run) name(id int) string { return s.header.Nodes[id-1] }

// takes says which message a node takes.
func (s *Run) takes(m *compare.Moment) string {
	text := "takes " + m.Message.Kind
	epoch, about := s.about(m.Node, m.Message)
	if epoch > 0 {
		text += fmt.Sprintf(" of %s %d", s.epochs(), epoch)
	}
	if about != "" {
		text += " (" + about + ")"
	}
	return text + " from " + s.name(m.From)
}

func (s *Run) toldText(m *compare.Moment) string {
	was := &s.nodes[m.Node-1]
	switch {
	case m.Call == compare.ResignCall:
		return "is told to lead no longer"
	case was.look == recording.Leads:
		return "is told that its leader is dead, and leads itself"
	case was.leader >= 0 && was.leader != m.Node-1:
		return "is told that " + s.header.Nodes[was.leader] + " is dead"
	}
	return "is told that its leader is dead"
}

// about tells of a message in the words of the algorithm.
func (s *Run) about(id int, m compare.Message) (epoch uint64, text string) {
	if teller, ok := s.play.View(id).Node.(algorithms.Teller); ok {
		return teller.About(m)
	}
	return 0, ""
}

func (s *Run) message(sent *compare.Flight, in spec.Action) recording.Message {
	m := recording.Message{Number: sent.Number, To: sent.To - 1, Kind: sent.Kind, Upkeep: sent.Upkeep, Lost: sent.Lost}
	if !sent.Lost {
		m.Due = sent.Due.Microseconds()
	}
	m.Epoch, m.Text = s.about(sent.From, sent.Message)
	if ours, ok := sent.Body.(spec.Message); ok {
		m.Text, m.Configuration = narrate.Says(in, &ours), s.confs.Number(s.members, ours.Configuration)
	}
	return m
}

// state returns what a node is.
func (s *Run) state(id int) *recording.State {
	v := s.play.View(id)
	state := &recording.State{Look: recording.Down, Role: "down", Leader: -1, Paused: v.Paused, Writing: v.Writes > 0}
	teller, ok := v.Node.(algorithms.Teller)
	if ok {
		state.Disk = teller.Kept(v.Saved)
	}
	if promise, is := v.Saved.(spec.Durable); is {
		state.Configuration = s.confs.Number(s.members, promise.Configuration)
	}
	if !v.Up {
		return state
	}
	var t algorithms.Telling
	if ok {
		t = teller.Tell()
	}
	state.Role, state.Epoch, state.Saving = t.Role, t.Epoch, v.Saves
	now := v.Node.Status()
	state.Leader = now.Leader - 1
	switch {
	case id > s.scenario.Nodes:
		state.Look = recording.Serves
	case now.Leading && v.Status.Leading && v.Status.Epoch == now.Epoch:
		state.Look = recording.Leads
	case v.Saves && v.Status.Leading: // it leads no more, but acts until that is on its disk
		state.Look, state.Epoch = recording.Leads, v.Status.Epoch
	case t.Waits && !now.Leading:
		state.Look = recording.Waits
	case now.Standing || t.Stands || now.Leading: // it has won, and does not act before that is on its disk
		state.Look = recording.Stands
	case now.Leader > 0:
		state.Look = recording.Follows
	default:
		state.Look = recording.Idle
	}
	for _, field := range t.Fields {
		state.Fields = append(state.Fields, recording.Field(field))
	}
	if ours, ok := v.Node.(algorithms.Ours); ok { // as a trace of it would be told
		c := ours.Case()
		state.Fields = narrate.State(c.ID, c.Members, &c.Want.State, true).Fields
		state.Configuration = s.confs.Number(s.members, c.Want.State.Configuration)
		state.Settled = s.confs.Settled(&c.Want.State)
	}
	for k, name := range s.algorithm.Timers {
		if due, runs := s.play.Due(id, compare.Timer(k)); runs {
			state.Timers = append(state.Timers, recording.Due{Timer: name, At: max(due, 0).Microseconds()})
		}
	}
	state.Lease = s.lease(id, state)
	return state
}

// note keeps what was told of a node.
func (s *Run) note(place int, state *recording.State) {
	n := &s.nodes[place]
	n.look, n.leads = state.Look, state.Look == recording.Leads
	n.leader, n.epoch, n.conf, n.writes = state.Leader, state.Epoch, state.Configuration, state.Writing
}

// setCut adds which links carry nothing, if these are others than before.
func (s *Run) setCut(f *recording.Frame) {
	cut := []recording.Link{}
	for from := range s.places() {
		for to := range s.places() {
			if from != to && s.play.IsCut(from+1, to+1) {
				cut = append(cut, recording.Link{from, to})
			}
		}
	}
	if !slices.Equal(cut, s.cut) {
		s.cut, f.Cut = cut, &cut
	}
}

// slow is how long a disk takes if people are to see it.
const slow = 20 * time.Millisecond

// isUpkeep reports whether a frame is what a reign costs: what comes and goes while nothing changes that people look for.
func (s *Run) isUpkeep(f *recording.Frame, m *compare.Moment, was *told) bool {
	if s.you || f.Node < 0 && m.What != compare.Lost || f.State != nil && (was.look != f.State.Look || was.epoch != f.State.Epoch || was.conf != f.State.Configuration) {
		return false
	}
	sends := slices.ContainsFunc(f.Sends, func(m recording.Message) bool { return !m.Upkeep })
	switch m.What {
	case compare.Took, compare.Lost:
		return slices.Contains(s.algorithm.Upkeep, m.Message.Kind) && !sends
	case compare.Ended:
		return !sends && m.Out.Save == nil
	case compare.Saved:
		return s.scenario.Disk.Max < slow
	case compare.Wrote:
		return !m.Refused && (m.Stale == 0 || s.indicators.light[staleWrite] == recording.Red) // once is enough
	}
	return false
}
