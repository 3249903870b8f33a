package compare

import (
	"fmt"
	"time"

	"github.com/seed-fdf591db/bully/conformance/sim/simnet"
)

// packet is a message under way.
type packet struct {
	Message
	upkeep bool
	number int // of those that have been sent, from 1 on
	entry  int // its place in the timeline, or -1
}

// host is what is round a node.
type host struct {
	node   Node
	status Status // what has had its effects
	saves  bool   // the effects of its last step wait for its disk
	saving any    // what is on its disk once that is done
	saved  any    // what is on its disk
	random simnet.Random
	config Config
	reign  int // the reign that it leads, a place in Result.Reigns; or -1
	fault  int // what crashes it
	told   int // how often it is about to be told that its leader is dead
	writes int // how many of its writes are on their way
}

// write is a write that is on its way to the resource.
type write struct {
	reign  int
	looked time.Duration // when its leader has looked whether it leads
}

// Play is a run that goes on one event at a time, for those who look on: [Begin], then [Play.Next] until it reports false, then
// [Play.Finish]. Between two events faults can be injected: see [Play.Crash] and what stands with it. It is for one goroutine.
type Play struct {
	scenario  *Scenario
	algorithm Algorithm
	options   Options
	network   *simnet.Network[packet]
	hosts     []host
	out       Output
	upkeep    map[string]bool
	started   int    // how many nodes have started
	sent      int    // how many messages have been sent
	alarms    int    // how many faults are planned to begin or to end
	moment    Moment // what happens now

	result  Result
	faults  []state
	waiting []int // faults that wait for a leader
	began   int   // how many faults have begun
	flying  []int // election messages under way, by link
	writes  []write
	newest  int    // the latest reign of which a write was accepted, or -1
	highest uint64 // the highest epoch that the resource has seen
	epochs  map[uint64]map[int]bool
	last    time.Duration // until when time is accounted for
	leading []int         // who leads since the last event
	shown   []int         // who led before, as the timeline has it
	agreed  bool
	since   time.Duration // since when, if they agree
	err     error
}

// state is how far a fault has come.
type state struct {
	broken, closed bool
	links          []Link // that it has cut or slowed
}

// The streams of random numbers that nodes draw from: those below are of the network.
const nodeStreams = 1 << 20

// What alarms and calls are about: the kind is in the highest byte of the tag.
const (
	beginTag = iota << 24 // of a fault, whose place is below
	endTag
	workTag    // whoever leads looks whether it does
	writeTag   // of a node: a write is done
	suspectTag // of a node, as is planned
	calledTag  // of a node, by who looks on
	resignTag  // of a node, by who looks on
	kindOfTag  = 0xff << 24
)

// newPlay makes a run of a scenario that is valid: its nodes, its network, and all that is planned.
func newPlay(s *Scenario, a Algorithm, seed uint64, o Options) *Play {
	n := s.Nodes + a.Servers
	p := &Play{scenario: s, algorithm: a, options: o, hosts: make([]host, n), upkeep: map[string]bool{}, flying: make([]int, n*n),
		newest: -1, epochs: map[uint64]map[int]bool{}, faults: make([]state, len(s.Faults))}
	p.result.Messages, p.result.Digest = map[string]int{}, offsetBasis
	config := simnet.Config{Seed: seed, Nodes: n, Timers: max(1, len(a.Timers)), Urgent: a.Urgent, Conditions: s.conditions(), Disk: simnet.Range(s.Disk)}
	if s.Rates != nil {
		config.Rates = append(append([]float64(nil), s.Rates...), make([]float64, a.Servers)...)
		for i := s.Nodes; i < n; i++ {
			config.Rates[i] = 1
		}
	}
	p.network = simnet.New[packet](config)
	for _, kind := range a.Upkeep {
		p.upkeep[kind] = true
	}
	for i := range p.hosts {
		h := &p.hosts[i]
		*h = host{random: simnet.NewRandom(seed, nodeStreams+uint64(i)), reign: -1, fault: -1}
		h.config = Config{ID: i + 1, Nodes: s.Nodes, Order: s.order(), Timing: s.Timing, Random: &h.random,
			Clock: func() time.Duration { return p.network.Clock(i) }}
		h.node = a.New(h.config)
	}
	for f := range s.Faults {
		p.plan(s.Faults[f].At, beginTag, f)
		p.result.Faults = append(p.result.Faults, FaultResult{Began: -1, Healed: -1})
	}
	if s.Work > 0 {
		p.network.At(s.Work, workTag)
	}
	return p
}

// Begin begins a run. Nothing has happened yet: the first calls of [Play.Next] start the nodes. The error is as of [Run].
func Begin(s *Scenario, a Algorithm, seed uint64, o Options) (*Play, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if a.MaxNodes > 0 && s.Nodes > a.MaxNodes {
		return nil, fmt.Errorf("compare: %s can have %d nodes, and scenario %q has %d", a.Name, a.MaxNodes, s.Name, s.Nodes)
	}
	return newPlay(s, a, seed, o), nil
}

// Next goes on to the next event, which need not be one that who watches is told of. It reports false if there is none until
// then, and lets time go on to there; and if the run is over: it was quiet, there is a storm, or an algorithm does what none may.
func (p *Play) Next(until time.Duration) bool {
	if p.started < len(p.hosts) {
		i := p.started
		p.started++
		p.moment = Moment{What: Started, Node: i + 1, Sent: p.moment.Sent[:0]}
		p.step(i, func(out *Output) { p.hosts[i].node.Start(out) })
		p.look()
		p.tellWatch()
		return true
	}
	var e simnet.Event[packet]
	if p.err != nil || p.quiet() || p.storm() || !p.network.Next(&e, until) {
		return false
	}
	p.after(&e)
	return true
}

// after lets an event of the network happen, and measures what has come of it.
func (p *Play) after(e *simnet.Event[packet]) {
	p.account()
	p.happen(e)
	p.look()
	p.heal()
	p.tellWatch()
}

// Finish returns what has been measured until now; the run may go on. The error says what the algorithm does that no algorithm
// may.
func (p *Play) Finish() (Result, error) { return p.finish(), p.err }

// happen lets an event of the network happen.
func (p *Play) happen(e *simnet.Event[packet]) {
	p.mix(uint64(p.network.Now()), uint64(e.Kind)<<32|uint64(e.Node)<<16|uint64(e.From), uint64(e.Timer)<<32|uint64(e.Tag))
	i := e.Node
	p.moment = Moment{Sent: p.moment.Sent[:0]}
	switch e.Kind {
	case simnet.Receive:
		p.notice(Took, e)
		p.lands(e)
		if p.told(&e.Message) {
			p.result.Timeline[e.Message.entry].Arrives = p.network.Now()
			p.tell(Entry{Kind: Receives, Node: i + 1, Other: e.From + 1, Text: e.Message.Kind})
		}
		p.step(i, func(out *Output) { p.hosts[i].node.Receive(e.From+1, e.Message.Message, out) })
	case simnet.Lose:
		p.notice(Lost, e)
		p.lands(e)
		p.result.Lost++
	case simnet.TimerEnd:
		p.notice(Ended, e)
		stood := p.hosts[i].status.Standing
		p.step(i, func(out *Output) { p.hosts[i].node.End(Timer(e.Timer), out) })
		if stood && p.algorithm.Again>>e.Timer&1 == 1 && p.hosts[i].node.Status().Standing {
			p.result.Elections++
		}
	case simnet.Called:
		p.called(i, e.Tag)
	case simnet.Saved:
		p.notice(Saved, e)
		p.hosts[i].saves, p.hosts[i].saved = false, p.hosts[i].saving
		p.changed(i)
	case simnet.Crashed:
		p.notice(Crashed, e)
		p.crashed(i)
	case simnet.Alarm:
		switch f := int(e.Tag &^ kindOfTag); e.Tag & kindOfTag {
		case beginTag:
			p.alarms--
			p.begin(f)
		case endTag:
			p.alarms--
			p.end(f)
		case workTag:
			p.work()
		}
	}
}

// called does what a node was called for.
func (p *Play) called(i int, tag uint32) {
	switch tag & kindOfTag {
	case writeTag:
		p.write(i, &p.writes[tag&^kindOfTag])
	case resignTag:
		p.call(i, ResignCall)
	case calledTag:
		p.call(i, SuspectCall)
	case suspectTag:
		p.moment.Planned = true
		p.hosts[i].told--
		p.call(i, SuspectCall)
	}
}

// call tells a node something.
func (p *Play) call(i int, c Call) {
	p.moment.What, p.moment.Node, p.moment.Call = Called, i+1, c
	p.step(i, func(out *Output) {
		if resigner, ok := p.hosts[i].node.(Resigner); ok && c == ResignCall {
			resigner.Resign(out)
		} else if c == SuspectCall {
			p.hosts[i].node.Suspect(out)
		}
	})
}

// step lets a node take a step, and does what it says in the order of an Output.
func (p *Play) step(i int, take func(out *Output)) {
	h, out := &p.hosts[i], &p.out
	*out = Output{Stop: out.Stop[:0], Set: out.Set[:0], Send: out.Send[:0]}
	take(out)
	if out.Note != "" {
		p.tell(Entry{Kind: Decides, Node: i + 1, Text: out.Note})
	}
	if out.Save != nil {
		p.network.Save(i)
		h.saves, h.saving = true, out.Save
	} else {
		p.changed(i)
	}
	for _, t := range out.Stop {
		p.network.StopTimer(i, int(t))
	}
	for _, t := range out.Set {
		p.network.SetTimer(i, int(t.Timer), t.After)
	}
	for _, m := range out.Send {
		p.send(i, m)
	}
	p.moment.Out = out
}

// send sends a message, and counts it.
func (p *Play) send(i int, m Sent) {
	to := m.To - 1
	if to < 0 || to >= len(p.hosts) || to == i {
		p.fail("node %d sends %s to %d: there are other nodes from 1 to %d", i+1, m.Kind, m.To, len(p.hosts))
		return
	}
	p.sent++
	sent := packet{Message: m.Message, upkeep: p.upkeep[m.Kind], number: p.sent, entry: -1}
	p.result.Messages[m.Kind]++
	carried := p.network.Up(to) && !p.network.IsCut(i, to)
	if !sent.upkeep {
		p.result.Election++
		if carried {
			p.flying[i*len(p.hosts)+to]++
		}
	}
	if !carried {
		p.result.Lost++
	}
	if p.options.Timeline && (p.options.Upkeep || !sent.upkeep) {
		sent.entry = len(p.result.Timeline)
		p.tell(Entry{Kind: Sends, Node: i + 1, Other: m.To, Text: m.Kind, Arrives: -1})
	}
	due, leaves := p.network.Send(i, to, sent)
	if p.options.Watch != nil {
		p.moment.Sent = append(p.moment.Sent, Flight{Number: sent.number, From: i + 1, To: m.To, Message: m.Message, Upkeep: sent.upkeep, Due: due, Lost: !leaves})
	}
}

// told reports whether a message is in the timeline.
func (p *Play) told(m *packet) bool { return m.entry >= 0 }

// lands notes that a message is under way no more.
func (p *Play) lands(e *simnet.Event[packet]) {
	if !e.Message.upkeep {
		p.flying[e.From*len(p.hosts)+e.Node]--
	}
}

// fail ends the run, because an algorithm does what none may.
func (p *Play) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("compare: %s, %s, at %s: %s", p.algorithm.Name, p.scenario.Name, p.network.Now(), fmt.Sprintf(format, args...))
	}
}

// quiet reports whether a scenario that ends when its election is over does so now.
func (p *Play) quiet() bool {
	if !p.scenario.Quiet || !p.agreed || p.began < len(p.scenario.Faults) {
		return false
	}
	for _, n := range p.flying {
		if n > 0 {
			return false
		}
	}
	for i := range p.hosts {
		if p.network.Busy(i) || p.hosts[i].told > 0 || p.network.Up(i) && p.hosts[i].status.Standing {
			return false
		}
	}
	return true
}

// storm reports whether messages beget messages: there are more by far than nodes can have cause for.
func (p *Play) storm() bool {
	sent, _ := p.network.Messages()
	p.result.Storm = sent > 50_000+uint64(p.network.Now()/time.Millisecond)
	return p.result.Storm
}

// tell adds an entry to the timeline.
func (p *Play) tell(e Entry) {
	if p.options.Timeline {
		e.At = p.network.Now()
		if e.Node > 0 {
			e.Status = p.hosts[e.Node-1].node.Status()
		}
		p.result.Timeline = append(p.result.Timeline, e)
	}
}

// The digest is FNV-1a.
const (
	offsetBasis = 0xcbf29ce484222325
	prime       = 0x100000001b3
)

func (p *Play) mix(words ...uint64) {
	for _, w := range words {
		p.result.Digest = (p.result.Digest ^ w) * prime
	}
}
