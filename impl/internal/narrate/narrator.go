package narrate

import (
	"fmt"
	"slices"

	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/traces/recording"
)

// Options say how events are told.
type Options struct {
	// Timed makes the times of the events those of the frames, as microseconds since the first. An event without a time has
	// that of the one before, and so has one that would go back. Else a frame's time is its place.
	Timed bool
	// Middle says that the events may begin in the middle of a run, and may have gaps, as those of a live cluster have: a node
	// that has not been heard of may run, and what is received need not have been seen to be sent.
	Middle bool
	// Changing says that members come and go (R42 to R49): every state and every message has a configuration.
	Changing bool
	// Real says that the events are of real nodes, which are held up without anybody who writes it: a leader that has said nothing since a
	// higher epoch is led is not said to lead still (silence.go). In a simulated run what a node is told to be is what it is.
	Real bool
}

// Narrator tells events, one after the other.
type Narrator struct {
	options Options
	members []spec.NodeID
	nodes   []node
	links   map[recording.Link][]flight // what is under way, first sent first
	cut     map[recording.Link]bool
	lights  *check.Lights
	early   map[recording.Link][]spec.Message // what has arrived without having been seen to be sent
	confs   Configurations
	gone    map[recording.Link][]spec.Message // what is under way no more, the latest of it: the network may deliver it all the same
	sent    int                               // the number of the last message
	frames  int                               // how many there have been
	begin   uint64
	at      int64
	spare   []recording.Frame // losses that are told before the frame that shows them
}

// node is what is known of a node.
type node struct {
	state    spec.State
	up, seen bool
	unheard  string // that it is taken to be down since it is not heard: "heard no more"
	silent   bool   // it led, has said nothing since another leads a higher epoch, and may run
	since    uint64 // when that was, as Event.At; what it did before says nothing of now, though it comes late
	asked    Asked
}

// flight is a message under way.
type flight struct {
	number  int
	message spec.Message
	upkeep  bool
}

// maxUnderWay is how many messages are remembered on one link. The oldest beyond that are taken for lost.
const maxUnderWay = 1024

// maxEarly is how many messages are remembered on one link that have arrived without having been seen to be sent.
const maxEarly = 16

// New returns a narrator of what these members do, which are ascending. The error is of more than a recording can show.
func New(members []spec.NodeID, o Options) (*Narrator, error) {
	if len(members) == 0 || len(members) > recording.MaxNodes {
		return nil, fmt.Errorf("%d members: a recording shows from 1 to %d", len(members), recording.MaxNodes)
	}
	t := &Narrator{options: o, members: members, nodes: make([]node, len(members)), links: map[recording.Link][]flight{},
		cut: map[recording.Link]bool{}, lights: lightsOf(members, o.Changing), early: map[recording.Link][]spec.Message{},
		gone: map[recording.Link][]spec.Message{}, confs: NewConfigurations()}
	for i := range t.nodes {
		t.nodes[i].state.Role = spec.Follower
	}
	return t, nil
}

// lightsOf returns what indicators are of: of fixed members nothing is promised of configurations.
func lightsOf(members []spec.NodeID, changing bool) *check.Lights {
	return check.NewLights(check.MonitorOptions{Members: members, Asked: func(p *check.Promise) bool { return changing || !p.Changing }})
}

// Header returns the header of the recording; its Title, Source, Watch and Open are for who asks.
func (t *Narrator) Header() recording.Header {
	h := recording.Header{Recording: recording.Version, Algorithm: "bully", Timed: t.options.Timed, Indicators: indicatorsOf(t.lights)}
	for _, id := range t.members {
		h.Nodes = append(h.Nodes, id.String())
	}
	return h
}

// Tell tells an event, which must be well formed, and of members only. Before the frame of the event there may be frames of
// messages that it shows to be lost.
func (t *Narrator) Tell(e *spec.Event) []recording.Frame {
	t.spare = nil
	t.clock(e)
	t.silence(e)
	var f recording.Frame
	switch e.Action {
	case spec.LoseAction:
		f = t.lose(e)
	case spec.CutAction:
		f = t.change(e)
	case spec.CrashAction:
		f = t.crash(e)
	default:
		f = t.step(e)
	}
	f.Action = string(e.Action)
	f.Indicators = t.indicators(&f)
	return t.finish(f)
}

// finish returns the frames of an event, whose own is the last, with their times.
func (t *Narrator) finish(f recording.Frame) []recording.Frame {
	frames := append(t.spare, f)
	frames[0].Configurations = t.confs.Take()
	for i := range frames {
		t.frames++
		frames[i].At = t.at
		if !t.options.Timed {
			frames[i].At = int64(t.frames)
		}
	}
	return frames
}

// clock takes the time of an event.
func (t *Narrator) clock(e *spec.Event) {
	if e.At == 0 {
		return
	}
	if t.begin == 0 {
		t.begin = e.At
	}
	if e.At > t.begin {
		t.at = max(t.at, int64(e.At-t.begin))
	}
}

// place returns the place of a member, or -1.
func (t *Narrator) place(id spec.NodeID) int { return slices.Index(t.members, id) }

// step tells a step of a node.
func (t *Narrator) step(e *spec.Event) recording.Frame {
	i := t.place(e.Node)
	n := &t.nodes[i]
	if again := e.Action == spec.RestartAction || e.Action == spec.StartAction; again && n.up && t.options.Middle {
		t.unseenCrash(i)
	}
	c := t.caseOf(i, e)
	f := recording.Frame{Kind: kindOf(e), Node: i, Rule: RulesOf(&c)}
	var w words
	if !n.seen && t.options.Middle && f.Kind != recording.Start && f.Kind != recording.Restart {
		w = words{text: doing(e), note: "is seen for the first time: " + nowIs(e.Node, &e.State)}
	} else {
		w = tell(&c)
	}
	f.Text, f.Note, f.Upkeep = w.text, w.note, w.upkeep
	if e.Input.Message.Type != "" {
		arrived := t.arrive(&e.Input.Message)
		if f.Takes = arrived.number; f.Takes == 0 && slices.Contains(t.gone[t.linkOf(&e.Input.Message)], e.Input.Message) {
			f.Note, f.Upkeep = join("it was taken for lost, or comes once more: the network delays, and repeats", f.Note), false
		}
		f.Upkeep = f.Upkeep && (arrived.upkeep || arrived.number == 0)
	}
	n.asked.Note(&e.State, t.at)
	speaks := n.silent && (e.State.Role != spec.Leader || e.At == 0 || e.At > n.since)
	changed := !n.seen || !n.up || speaks || !n.state.Equal(e.State)
	n.state, n.up, n.seen = e.State.Clone(), true, true
	if speaks || !n.silent {
		n.unheard, n.silent = "", false
	}
	if says := t.confs.Settles(e.Node, &n.state); says != "" {
		f.Note, f.Upkeep = join(f.Note, says), false
	}
	if changed {
		f.State = t.shown(i)
	}
	f.Sends = t.send(e, c.Before.Configuration != e.State.Configuration)
	return f
}

// caseOf returns an event as a case of package conformance.
func (t *Narrator) caseOf(i int, e *spec.Event) check.Case {
	in := e.Trigger()
	before := t.nodes[i].state
	if in.Call == spec.RestartCall && !t.nodes[i].seen {
		before.Epoch, before.Grantee = e.State.Epoch, e.State.Grantee
	}
	if before.Configuration.IsNone() {
		before.Configuration = e.State.Configuration
	}
	return check.Case{ID: e.Node, Members: t.members, Before: before, Input: in, Want: spec.Step{State: e.State, Sent: e.Sent}}
}

func kindOf(e *spec.Event) recording.Kind {
	switch {
	case e.Action == spec.StartAction:
		return recording.Start
	case e.Action == spec.RestartAction:
		return recording.Restart
	case e.Input.Timer != "":
		return recording.Timer
	case e.Input.Call != "":
		return recording.Call
	}
	return recording.Receive
}

// send puts what an event sends on its way. What goes over a link that is cut, or to a node that does not run, is lost. If it
// tells of another configuration than before, it is no upkeep.
func (t *Narrator) send(e *spec.Event, tells bool) (sends []recording.Message) {
	from := t.place(e.Node)
	for _, m := range e.Sent {
		to := t.place(m.To)
		link := recording.Link{from, to}
		if t.wasEarly(link, &m) {
			continue
		}
		t.sent++
		told := recording.Message{Number: t.sent, To: to, Kind: string(m.Type), Epoch: uint64(m.Epoch), Text: Says(e.Action, &m),
			Upkeep: !tells && (m.Type == spec.Heartbeat || m.Type == spec.Ack && e.Action == spec.OnHeartbeat), Configuration: t.confs.Number(t.members, m.Configuration)}
		receiver := &t.nodes[to]
		told.Lost = t.cut[link] || !receiver.up && (receiver.seen || !t.options.Middle)
		if told.Lost {
			t.gone[link] = append(t.gone[link], m)
		} else {
			if q := t.links[link]; len(q) >= maxUnderWay {
				t.pass(link, 1, "it has not arrived for so long that it is taken for lost")
			}
			t.links[link] = append(t.links[link], flight{t.sent, m, told.Upkeep})
		}
		sends = append(sends, told)
	}
	return sends
}

// wasEarly reports whether a message has been seen to arrive before it was seen to be sent, as the clocks of two nodes may
// have it. A recording cannot show that: there is no arrow.
func (t *Narrator) wasEarly(link recording.Link, m *spec.Message) bool {
	at := slices.Index(t.early[link], *m)
	if at >= 0 {
		t.early[link] = slices.Delete(t.early[link], at, at+1)
	}
	return at >= 0
}

// arrive takes a message off its link, and returns it; a zero flight if nobody has seen it sent, or if it was taken for lost. What was
// sent before it on that link is taken for lost: links keep their order, mostly.
func (t *Narrator) arrive(m *spec.Message) (arrived flight) {
	link := recording.Link{t.place(m.From), t.place(m.To)}
	at := slices.IndexFunc(t.links[link], func(f flight) bool { return f.message == *m })
	if at < 0 {
		if t.options.Middle {
			early := append(t.early[link], *m)
			t.early[link] = early[max(0, len(early)-maxEarly):]
		}
		return flight{}
	}
	t.pass(link, at, "what was sent after it has arrived")
	arrived = t.links[link][0]
	t.end(link, 1)
	return arrived
}

// linkOf returns the link of a message.
func (t *Narrator) linkOf(m *spec.Message) recording.Link {
	return recording.Link{t.place(m.From), t.place(m.To)}
}

// end takes the first k messages off a link, of which nothing is under way any more.
func (t *Narrator) end(link recording.Link, k int) {
	gone := t.gone[link]
	for _, f := range t.links[link][:k] {
		gone = append(gone, f.message)
	}
	t.gone[link] = gone[max(0, len(gone)-maxUnderWay):]
	t.links[link] = t.links[link][k:]
}

// pass tells that the first k messages of a link are lost.
func (t *Narrator) pass(link recording.Link, k int, why string) {
	for _, lost := range t.links[link][:k] {
		t.spare = append(t.spare, recording.Frame{Kind: recording.Lose, Node: -1, Text: whole(&lost.message) + " is lost", Note: why, Takes: lost.number,
			Upkeep: lost.message.Type == spec.Heartbeat || lost.message.Type == spec.Ack})
	}
	t.end(link, k)
}

// lose tells that the network loses a message.
func (t *Narrator) lose(e *spec.Event) recording.Frame {
	m := &e.Input.Message
	link := recording.Link{t.place(m.From), t.place(m.To)}
	f := recording.Frame{Kind: recording.Lose, Node: -1, Text: whole(m) + " is lost"}
	at := slices.IndexFunc(t.links[link], func(f flight) bool { return f.message == *m })
	if at < 0 { // Nobody has seen it sent: there is no message to end.
		f.Kind = recording.Step
		return f
	}
	f.Takes = t.links[link][at].number
	t.gone[link] = append(t.gone[link], *m)
	t.links[link] = slices.Delete(t.links[link], at, at+1)
	return f
}

// change tells that other links are cut than before.
func (t *Narrator) change(e *spec.Event) recording.Frame {
	cut := make([]recording.Link, 0, len(e.Input.Cut))
	clear(t.cut)
	for _, l := range e.Input.Cut {
		link := recording.Link{t.place(l.From), t.place(l.To)}
		cut = append(cut, link)
		t.cut[link] = true
		t.end(link, len(t.links[link]))
	}
	f := recording.Frame{Kind: recording.Links, Node: -1, Cut: &cut}
	f.Text, f.Note = cutWords(t.members, cut)
	return f
}

// unseenCrash tells that a node must have crashed, for it starts again.
func (t *Narrator) unseenCrash(i int) {
	f := t.crash(&spec.Event{Node: t.members[i], State: survives(&t.nodes[i].state)})
	f.Action, f.Text = string(spec.CrashAction), "has crashed, or was stopped, and nobody saw it"
	f.Indicators = t.indicators(&f)
	t.spare = append(t.spare, f)
}

// crash tells that a node crashes. What is under way to it and from it is lost.
func (t *Narrator) crash(e *spec.Event) recording.Frame {
	i := t.place(e.Node)
	n := &t.nodes[i]
	f := recording.Frame{Kind: recording.Crash, Node: i, Rule: "R4", Text: "crashes", Note: "only what is on its disk is left: " + disk(&e.State)}
	if t.options.Real { // to the rules an end is an end (R4)
		f.Text = "crashes, or is stopped"
	}
	if n.seen && !n.up {
		f.Text, f.Note = "crashes again, before it was back", "its disk is as it was: "+disk(&e.State)
	}
	n.state, n.up, n.seen, n.unheard, n.silent = e.State.Clone(), false, true, "", false
	for j := range t.members {
		t.end(recording.Link{i, j}, len(t.links[recording.Link{i, j}]))
		t.end(recording.Link{j, i}, len(t.links[recording.Link{j, i}]))
	}
	f.State = t.shown(i)
	return f
}
