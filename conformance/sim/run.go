package sim

import (
	"time"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/sim/simnet"
	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// Runner makes runs, one after the other, and uses its memory again. It is for one goroutine.
type Runner struct {
	newNode conformance.Maker
	net     *simnet.Network[spec.Message]
	event   simnet.Event[spec.Message]
	plan    *Plan
	options Options
	members ranks
	hosts   []host
	in      input
	to      []rank // whom the messages of a step go to

	result  Result
	monitor *check.Monitor     // of the promises
	bids    map[spec.Epoch]bid // for each epoch
	active  []bool
	calm    bool // all faults are over
	settled bool
	since   time.Duration // when it came to be settled

	longest, longestAsHighest time.Duration // that anything is waited for: see longestWaits

	operators []operator // where members change; so all that follows
	history   history
	told      []spec.Configuration // of which an operator was told that they are settled
	model     *rules.Names         // answers what nodes are asked about members
	asked     conformance.Case     // what it was asked last

	links topology
	trace *tracer
	seen  conformance.Case // what Observe is shown
}

// NewRunner returns a Runner whose nodes are made by newNode.
func NewRunner(newNode conformance.Maker) *Runner {
	return &Runner{newNode: newNode, monitor: check.NewMonitor(check.MonitorOptions{}), bids: map[spec.Epoch]bid{}}
}

// urgent has a bit for each timer whose end goes before messages that wait.
var urgent = func() (timers uint64) {
	for _, t := range policy.Urgent() {
		timers |= 1 << t
	}
	return timers
}()

// The streams of random numbers that hosts draw from: those below are the network's.
const hostStreams = 1 << 20

// What alarms and calls are about: the kind is in the highest byte of the tag.
const (
	beginTag    = iota << 24 // of a fault, whose place in the plan is below
	endTag                   // of a fault
	againTag                 // the restart of a node that went down when its fault was over already
	calmTag                  // all faults are over
	probeTag                 // a host tries whether another node lives: 16 times the one, and the other
	resignTag                // a call of the user
	handOverTag              // one that names a node
	deadTag                  // a false proof of death, or a true one by chance
	proofTag                 // a proof of the death of a node
	lookTag                  // an operator looks for a leader to ask; whose change is below
	changeTag                // the call of an operator
	handTag                  // the host of a leader that is a witness lets it resign
	backTag                  // a node that was removed runs again
	linkTag                  // two hosts may be connected: 16 times the one, and the other
	upTag                    // a host learns that it is connected to another
	standTag                 // it is looked whether a node was removed at all
	kindOfTag   = 0xff << 24
)

// Run runs a plan, like the function Run. The memory of Result.Reigns is good until the next run.
func (r *Runner) Run(p *Plan, o Options) (Result, error) {
	if err := p.Validate(); err != nil {
		return Result{}, err
	}
	r.begin(p, o)
	for i := range r.hosts {
		r.start(rank(i))
	}
	for i := range rank(len(r.hosts)) {
		for j := range i {
			r.connectSoon(i, j)
		}
	}
	for most := p.mostEvents(p.Length + r.result.Bound); !r.broken() && !r.rests() && r.net.Next(&r.event, p.Length+r.result.Bound); {
		if r.result.Events++; r.result.Events > most {
			r.breaks("flood", "%d events are more than nodes have cause for: messages beget messages", most)
		}
		r.happen(&r.event)
	}
	if !r.broken() && r.result.Bound > 0 {
		r.checkSettled()
	}
	r.result.Messages, r.result.Lost = r.net.Messages()
	return r.result, r.trace.flush()
}

// begin makes everything new for a plan.
func (r *Runner) begin(p *Plan, o Options) {
	n := len(p.Members)
	config := simnet.Config{Seed: p.Seed, Nodes: n, Timers: timerCount, Urgent: urgent, Conditions: p.Links, Disk: p.Disk, Rates: p.Rates}
	if r.net == nil {
		r.net = simnet.New[spec.Message](config)
	} else {
		r.net.Reset(config)
	}
	if len(r.hosts) != n {
		r.hosts = make([]host, n)
	}
	r.plan, r.options, r.members = p, o, p.Members
	for i := range r.hosts {
		r.hosts[i].reset(p, rank(i))
		r.newWaits(rank(i))
	}
	r.history.reset()
	r.monitor.Reset(p.Members)
	if !p.sound() {
		r.monitor.Late()
	}
	for i := range r.hosts {
		r.monitor.Note(i, &check.View{Configuration: r.hosts[i].durable.Configuration})
	}
	r.result = Result{Reigns: r.result.Reigns[:0], Timely: p.Timely(), Bound: p.SettleBound(), Digest: offsetBasis}
	clear(r.bids)
	r.longestWaits()
	r.calm, r.settled, r.since = false, false, 0
	r.told = r.told[:0]
	r.links.reset()
	r.trace = newTracer(p, &o)
	r.active = append(r.active[:0], make([]bool, len(p.Faults))...)
	for f := range p.Faults {
		r.net.At(p.Faults[f].At, beginTag|uint32(f))
		r.net.At(p.Faults[f].end(), endTag|uint32(f))
	}
	r.net.At(p.Length, calmTag)
	r.beginChanges()
}

// happen lets an event of the network happen.
func (r *Runner) happen(e *simnet.Event[spec.Message]) {
	i := rank(e.Node)
	switch e.Kind {
	case simnet.Receive:
		r.receive(i, e)
	case simnet.TimerEnd:
		r.timerEnds(i, e)
	case simnet.Called:
		r.called(i, e)
	case simnet.Saved:
		r.saved(i)
	case simnet.Crashed:
		r.crashed(i)
	case simnet.Lose:
		r.links.disturb(rank(e.From), i, r.net.Now())
		r.lose(&e.Message)
	case simnet.Alarm:
		switch f := int(e.Tag &^ kindOfTag); e.Tag & kindOfTag {
		case beginTag:
			r.beginFault(f)
		case endTag:
			r.endFault(f)
		case againTag:
			r.restartAfter(f)
		case probeTag:
			r.probe(rank(f>>4), rank(f&15))
		case linkTag:
			r.connect(rank(f>>4), rank(f&15))
		case calmTag:
			r.becomeCalm()
		case lookTag:
			r.look(f)
		case backTag:
			r.comesBack(rank(f))
		case standTag:
			r.stands(rank(f))
		}
	}
}

// late notes that a message or a timer that waited since then has waited too long: the bounds of R37 do not hold any more.
func (r *Runner) late(since time.Duration) {
	if r.net.Now()-since >= r.plan.Timing.Delay {
		r.result.Timely = false
	}
}

// receive gives a node a message.
func (r *Runner) receive(i rank, e *simnet.Event[spec.Message]) {
	if e.Echo {
		r.result.Timely = false
	} else {
		r.late(e.Since)
	}
	h := &r.hosts[i]
	r.wake(i)
	if r.endReign(i); r.broken() || !r.net.Up(int(i)) {
		return
	}
	h.hears(e.From, e.Since)
	r.in.action, r.in.from = uint8(firstOnType+typeOf(e.Message.Type)), rank(e.From)
	r.in.given.Message = e.Message
	r.step(i)
	r.in.from = none
	r.in.given.Message = spec.Message{}
}

// timerEnds gives a node the end of a timer.
func (r *Runner) timerEnds(i rank, e *simnet.Event[spec.Message]) {
	r.late(e.Since)
	h, t := &r.hosts[i], policy.Timer(e.Timer)
	if r.wake(i) && r.clock(i).Before(h.policy.Due[t]) {
		return // it is put off
	}
	h.policy.Ended(t)
	h.ends[t] = policy.Never
	r.in.action, r.in.timer = timerAction[e.Timer], int8(e.Timer)
	r.in.given.Timer = timers[e.Timer]
	r.step(i)
	r.in.timer = -1
	r.in.given.Timer = ""
}

// endReign gives a node the end of its reign, or of its claim, before a message that came no earlier (R26).
func (r *Runner) endReign(i rank) {
	for _, t := range [...]policy.Timer{reign, claim} {
		h := &r.hosts[i]
		if h.policy.Due[t] == policy.Never || policy.Instant(r.net.Reads(int(i))).Before(h.policy.Due[t]) {
			continue
		}
		h.policy.Ended(t)
		h.ends[t] = policy.Never
		r.net.StopTimer(int(i), int(t))
		r.in.action, r.in.timer, r.in.given.Timer = timerAction[t], int8(t), timers[t]
		r.step(i)
		r.in.timer, r.in.given.Timer = -1, ""
	}
}

// called gives a node a call.
func (r *Runner) called(i rank, e *simnet.Event[spec.Message]) {
	r.wake(i)
	switch e.Tag & kindOfTag {
	case resignTag:
		r.call(i, spec.ResignCall)
	case handOverTag:
		r.named(i, rank(e.Tag&^kindOfTag))
	case deadTag:
		r.call(i, spec.HolderDeadCall)
	case proofTag:
		r.proved(i, rank(e.Tag&15))
	case upTag:
		r.connected(i, rank(e.Tag&15))
	case changeTag:
		r.askFor(i, int(e.Tag&^kindOfTag))
	case handTag:
		r.handOver(i)
	}
}

func (r *Runner) call(i rank, call spec.Call) {
	switch call {
	case spec.HolderDeadCall:
		r.in.action = deadAction
	case spec.ChangeCall:
		r.in.action = changeAction
	default:
		r.in.action = resignAction
	}
	r.in.given.Call = call
	r.step(i)
	r.in.given.Call = ""
}

// start starts a node for the first time (R32).
func (r *Runner) start(i rank) {
	r.in = input{action: startAction, from: none, timer: -1}
	r.in.given.Call = spec.StartCall
	r.make(i)
	r.step(i)
	r.in.given.Call = ""
}

// restart starts a node with what its disk has kept (R30).
func (r *Runner) restart(i rank) {
	r.net.Restart(int(i))
	r.links.disturbAll(r, i)
	r.in.action = restartAction
	r.in.given.Call = spec.RestartCall
	h := &r.hosts[i]
	h.begins(h.durable)
	h.view, _, _ = r.members.viewOf(i, &h.out().State, &h.view.who)
	r.newWaits(i) // a host forgets, too
	r.make(i)
	r.step(i)
	r.in.given.Call = ""
	r.connectAll(i)
	if r.plan.Proofs {
		r.probeAll(i)
	}
}
