package contest

import (
	"fmt"
	"time"

	"github.com/seed-fdf591db/bully/conformance/sim/world"
)

// Options says what a run keeps. The zero Options keeps what is counted.
type Options struct {
	Timeline bool // keep what happens, in Result.Timeline
	Upkeep   bool // ... messages that are upkeep too
}

// Run runs a scenario on nodes of an algorithm. The error says what of the scenario is not valid, or what the algorithm
// does that no algorithm may: such as to send to a node that there is not.
func Run(s *Scenario, a Algorithm, seed uint64, o Options) (Result, error) {
	if err := s.Validate(); err != nil {
		return Result{}, err
	}
	if a.MaxNodes > 0 && s.Nodes > a.MaxNodes {
		return Result{}, fmt.Errorf("contest: %s can have %d nodes, and scenario %q has %d", a.Name, a.MaxNodes, s.Name, s.Nodes)
	}
	r := newRun(s, a, seed, o)
	for i := range r.hosts {
		r.step(i, func(out *Output) { r.hosts[i].node.Start(out) })
	}
	r.look()
	var e world.Event[parcel]
	for r.err == nil && !r.quiet() && !r.storm() && r.world.Next(&e, s.Length) {
		r.account()
		r.happen(&e)
		r.look()
		r.heal()
	}
	return r.finish(), r.err
}

// parcel is a message under way.
type parcel struct {
	Message
	upkeep bool
	entry  int // its place in the timeline, or -1
}

// host is what is round a node.
type host struct {
	node   Node
	status Status // what has had its effects
	saves  bool   // the effects of its last step wait for its disk
	saved  any    // what is on its disk
	random world.Random
	config Config
	reign  int // the reign that it leads, a place in Result.Reigns; or -1
	fault  int // what crashes it
	told   int // how often it is about to be told that its leader is dead
}

// write is a write that is on its way to the resource.
type write struct{ reign int }

// run is one call of Run.
type run struct {
	scenario  *Scenario
	algorithm Algorithm
	options   Options
	world     *world.World[parcel]
	hosts     []host
	out       Output
	upkeep    map[string]bool

	result  Result
	faults  []state
	waiting []int // faults that wait for a leader
	began   int   // how many faults have begun
	flying  []int // election messages under way, by link
	writes  []write
	newest  int    // the latest reign of which a write was accepted, or -1
	highest uint64 // the highest epoch that the resource has seen
	epochs  map[uint64]map[int]bool
	late    time.Duration // how long the end of a timer has waited for its node
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

// The streams of random numbers that nodes draw from: those below are the world's.
const nodeStreams = 1 << 20

// What alarms and calls are about: the kind is in the highest byte of the tag.
const (
	beginTag = iota << 24 // of a fault, whose place is below
	endTag
	workTag    // whoever leads looks whether it does
	writeTag   // of a node: a write is done
	suspectTag // of a node
	kindOfTag  = 0xff << 24
)

func newRun(s *Scenario, a Algorithm, seed uint64, o Options) *run {
	n := s.Nodes + a.Servers
	r := &run{scenario: s, algorithm: a, options: o, hosts: make([]host, n), upkeep: map[string]bool{}, flying: make([]int, n*n),
		newest: -1, epochs: map[uint64]map[int]bool{}, faults: make([]state, len(s.Faults))}
	r.result.Messages, r.result.Digest = map[string]int{}, offsetBasis
	config := world.Config{Seed: seed, Nodes: n, Timers: max(1, len(a.Timers)), Urgent: a.Urgent, Weather: s.weather(), Disk: world.Range(s.Disk)}
	if s.Rates != nil {
		config.Rates = append(append([]float64(nil), s.Rates...), make([]float64, a.Servers)...)
		for i := s.Nodes; i < n; i++ {
			config.Rates[i] = 1
		}
	}
	r.world = world.New[parcel](config)
	for _, kind := range a.Upkeep {
		r.upkeep[kind] = true
	}
	for i := range r.hosts {
		h := &r.hosts[i]
		*h = host{random: world.NewRandom(seed, nodeStreams+uint64(i)), reign: -1, fault: -1}
		h.config = Config{ID: i + 1, Nodes: s.Nodes, Order: s.order(), Timing: s.Timing, Random: &h.random, Late: func() time.Duration { return r.late }}
		h.node = a.New(h.config)
	}
	for f := range s.Faults {
		r.world.At(s.Faults[f].At, beginTag|uint32(f))
		r.result.Faults = append(r.result.Faults, FaultResult{Began: -1, Healed: -1})
	}
	if s.Work > 0 {
		r.world.At(s.Work, workTag)
	}
	return r
}

// happen lets an event of the world happen.
func (r *run) happen(e *world.Event[parcel]) {
	r.mix(uint64(r.world.Now()), uint64(e.Kind)<<32|uint64(e.Node)<<16|uint64(e.From), uint64(e.Timer)<<32|uint64(e.Tag))
	i := e.Node
	switch e.Kind {
	case world.Receive:
		r.lands(e)
		if r.told(&e.Message) {
			r.result.Timeline[e.Message.entry].Arrives = r.world.Now()
			r.tell(Entry{Kind: Receives, Node: i + 1, Other: e.From + 1, Text: e.Message.Kind})
		}
		r.step(i, func(out *Output) { r.hosts[i].node.Receive(e.From+1, e.Message.Message, out) })
	case world.Lose:
		r.lands(e)
		r.result.Lost++
	case world.TimerEnd:
		r.late = r.world.Now() - e.Since
		stood := r.hosts[i].status.Standing
		r.step(i, func(out *Output) { r.hosts[i].node.End(Timer(e.Timer), out) })
		if stood && r.algorithm.Again>>e.Timer&1 == 1 && r.hosts[i].node.Status().Standing {
			r.result.Elections++
		}
	case world.Called:
		if e.Tag&kindOfTag == suspectTag {
			r.hosts[i].told--
			r.step(i, func(out *Output) { r.hosts[i].node.Suspect(out) })
		} else {
			r.write(i, &r.writes[e.Tag&^kindOfTag])
		}
	case world.Saved:
		r.hosts[i].saves = false
		r.changed(i)
	case world.Crashed:
		r.crashed(i)
	case world.Alarm:
		switch f := int(e.Tag &^ kindOfTag); e.Tag & kindOfTag {
		case beginTag:
			r.begin(f)
		case endTag:
			r.end(f)
		case workTag:
			r.work()
		}
	}
}

// step lets a node take a step, and does what it says in the order of an Output.
func (r *run) step(i int, take func(out *Output)) {
	h, out := &r.hosts[i], &r.out
	*out = Output{Stop: out.Stop[:0], Set: out.Set[:0], Send: out.Send[:0]}
	take(out)
	if out.Note != "" {
		r.tell(Entry{Kind: Decides, Node: i + 1, Text: out.Note})
	}
	if out.Save != nil {
		r.world.Save(i)
		h.saves, h.saved = true, out.Save // a node does not crash before its disk is done
	} else {
		r.changed(i)
	}
	for _, t := range out.Stop {
		r.world.StopTimer(i, int(t))
	}
	for _, t := range out.Set {
		r.world.SetTimer(i, int(t.Timer), t.After)
	}
	for _, m := range out.Send {
		r.send(i, m)
	}
}

// send sends a message, and counts it.
func (r *run) send(i int, m Sent) {
	to := m.To - 1
	if to < 0 || to >= len(r.hosts) || to == i {
		r.fail("node %d sends %s to %d: there are other nodes from 1 to %d", i+1, m.Kind, m.To, len(r.hosts))
		return
	}
	p := parcel{Message: m.Message, upkeep: r.upkeep[m.Kind], entry: -1}
	r.result.Messages[m.Kind]++
	carried := r.world.Up(to) && !r.world.IsCut(i, to)
	if !p.upkeep {
		r.result.Election++
		if carried {
			r.flying[i*len(r.hosts)+to]++
		}
	}
	if !carried {
		r.result.Lost++
	}
	if r.options.Timeline && (r.options.Upkeep || !p.upkeep) {
		p.entry = len(r.result.Timeline)
		r.tell(Entry{Kind: Sends, Node: i + 1, Other: m.To, Text: m.Kind, Arrives: -1})
	}
	r.world.Send(i, to, p)
}

// told reports whether a message is in the timeline.
func (r *run) told(p *parcel) bool { return p.entry >= 0 }

// lands notes that a message is under way no more.
func (r *run) lands(e *world.Event[parcel]) {
	if !e.Message.upkeep {
		r.flying[e.From*len(r.hosts)+e.Node]--
	}
}

// fail ends the run, because an algorithm does what none may.
func (r *run) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("contest: %s, %s, at %s: %s", r.algorithm.Name, r.scenario.Name, r.world.Now(), fmt.Sprintf(format, args...))
	}
}

// quiet reports whether a scenario that ends when its election is over does so now.
func (r *run) quiet() bool {
	if !r.scenario.Quiet || !r.agreed || r.began < len(r.scenario.Faults) {
		return false
	}
	for _, n := range r.flying {
		if n > 0 {
			return false
		}
	}
	for i := range r.hosts {
		if r.world.Busy(i) || r.hosts[i].told > 0 || r.world.Up(i) && r.hosts[i].status.Standing {
			return false
		}
	}
	return true
}

// storm reports whether messages beget messages: there are more by far than nodes can have cause for.
func (r *run) storm() bool {
	sent, _ := r.world.Messages()
	r.result.Storm = sent > 50_000+uint64(r.world.Now()/time.Millisecond)
	return r.result.Storm
}

// tell adds an entry to the timeline.
func (r *run) tell(e Entry) {
	if r.options.Timeline {
		e.At = r.world.Now()
		if e.Node > 0 {
			e.Status = r.hosts[e.Node-1].node.Status()
		}
		r.result.Timeline = append(r.result.Timeline, e)
	}
}

// The digest is FNV-1a.
const (
	offsetBasis = 0xcbf29ce484222325
	prime       = 0x100000001b3
)

func (r *run) mix(words ...uint64) {
	for _, w := range words {
		r.result.Digest = (r.result.Digest ^ w) * prime
	}
}
