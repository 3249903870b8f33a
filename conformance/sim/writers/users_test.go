package writers

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/conformance/history"
	"github.com/seed-fdf591db/bully/conformance/sim"
	"github.com/seed-fdf591db/bully/conformance/sim/simnet"
	"github.com/seed-fdf591db/bully/spec"
)

// The names of the resources.
const (
	File  = "file"
	Guard = "guard"
)

// Config says how much the users do. The zero Config makes a history of nothing.
type Config struct {
	Seed   uint64        // of all that is drawn: the same seed, told the same, gives the same history
	Length time.Duration // how long they write and read: each of them about 150 times
	Rules  Rules
}

// Rules are what resources and writers keep to: what a broken one replaces, one at a time. Nil is the rule as it is. The
// names are those of module Fencing.
type Rules struct {
	// Admits says whether a resource that has admitted an epoch admits a write of epoch e (R38).
	Admits func(admitted, e spec.Epoch) bool
	// Survives returns which of what a resource holds it still knows after a crash.
	Survives func(c Content) Content
	// MaySend says whether a writer sends the write that it has decided on, if it is told now that it leads, or not.
	MaySend func(leads bool) bool
	// Stamp returns the epoch that a write carries: that of the writer's reign. Highest is the highest that anybody has been
	// told of when the write is sent.
	Stamp func(reign, highest spec.Epoch) spec.Epoch
	// TwoSteps has a resource check first and write some time later, where R38.1 wants one step.
	TwoSteps bool
}

// Content is what a resource has on its disk.
type Content struct {
	Fence spec.Epoch // the highest epoch admitted
	Epoch spec.Epoch // of the value
	Value uint64     // written last; 0 if nothing was
}

// Header returns the header of a history of these resources.
func Header(source string) history.Header {
	return history.Header{Source: source, Commit: "unknown", Raises: []string{Guard}}
}

// How often things happen: once in so many times.
const (
	pauses      = 5 // a leader between its decision and its request
	detours     = 8 // a request or an answer that takes long
	lostAsked   = 25
	lostAnswers = 10
	crashes     = 60 // of a resource, at a request
)

const (
	readers = 2 // how many there are
	threads = 2 // of each leader
)

// Play returns what the users have done, in the order of their calls, and what they were told of: who led, and who
// followed. What they are told must be in the order of time, as sim.Options.Tell is.
func Play(told []sim.Notification, c Config) []history.Op {
	p := &play{config: c, net: simnet.New[struct{}](simnet.Config{Nodes: 1}), dice: rand.New(rand.NewPCG(c.Seed, 0xb011)), users: map[spec.NodeID]*user{}, pace: c.Length / 150}
	p.resources = []*resource{{name: File, play: p}, {name: Guard, play: p, raises: true}}
	for _, t := range told {
		p.at(t.At, func() { p.tell(t) })
	}
	for i := range readers {
		p.at(p.wait(), func() { p.read(fmt.Sprintf("reader %d", i+1)) })
	}
	for e := (simnet.Event[struct{}]{}); p.net.Next(&e, math.MaxInt64); {
		p.todo[e.Tag]()
	}
	p.unsaid(told)
	var ops []history.Op
	for _, op := range p.ops {
		if op.Kind != history.ReadOp || op.Return != history.Never {
			ops = append(ops, *op) // a read without an answer says nothing
		}
	}
	slices.SortStableFunc(ops, func(a, b history.Op) int { return cmp.Compare(a.Call, b.Call) })
	return ops
}

// play is one run of the users.
type play struct {
	config    Config
	dice      *rand.Rand
	pace      time.Duration
	net       *simnet.Network[struct{}] // nothing but its clock
	todo      []func()                  // by the tag of its alarm
	users     map[spec.NodeID]*user
	resources []*resource
	highest   spec.Epoch // that anybody is told of
	values    uint64     // that were written
	ops       []*history.Op
}

// user is the user of a node.
type user struct {
	sim.Notification
	life int // how often the node has gone down: what was asked in another life is not answered
}

func (p *play) now() time.Duration { return p.net.Now() }

// at has something done at a moment that is not before now; of two at the same moment that comes first which was set first.
func (p *play) at(when time.Duration, do func()) {
	p.net.At(max(when, p.now()), uint32(len(p.todo)))
	p.todo = append(p.todo, do)
}

// wait returns the next time at which somebody does something.
func (p *play) wait() time.Duration { return p.now() + p.pace/2 + p.draw(p.pace) }

// draw returns a time below the given one.
func (p *play) draw(most time.Duration) time.Duration {
	return time.Duration(p.dice.Int64N(int64(max(most, 1))))
}

// one reports true once in n times.
func (p *play) one(n int) bool { return p.dice.IntN(n) == 0 }

// delay returns how long a request or an answer takes.
func (p *play) delay() time.Duration {
	if p.one(detours) {
		return p.draw(15 * p.pace)
	}
	return p.draw(p.pace / 10)
}

// record adds an operation that is called now, and has not returned.
func (p *play) record(op history.Op) *history.Op {
	op.Call, op.Return = int64(p.now()), history.Never
	p.ops = append(p.ops, &op)
	return &op
}

// tell tells the user of a node what has changed.
func (p *play) tell(t sim.Notification) {
	u := p.users[t.Node]
	if u == nil {
		u = &user{}
		p.users[t.Node] = u
	}
	was := u.Notification
	u.Notification = t
	if !t.Up {
		u.life++
	}
	p.highest = max(p.highest, t.Epoch)
	if !t.Up || t.Leader.IsNone() || was.Up && was.Leader == t.Leader && was.Epoch == t.Epoch && was.Leading == t.Leading {
		return
	}
	op := history.Op{Client: t.Node.String(), Kind: history.FollowedOp, Epoch: t.Epoch, Leader: t.Leader}
	if t.Leading {
		op.Kind, op.Leader = history.LedOp, spec.NodeID{}
		for range threads {
			p.at(p.now()+p.draw(p.pace), func() { p.lead(u, t.Epoch) })
		}
	}
	p.record(op).Return = int64(p.now())
}

// unsaid adds that a node came to lead an epoch, where others were told so and its own user was not, because it died in the
// step in which it won, amid its messages (section 10). That was between the last that he was told and its end. If it did
// not end nothing is added, and the history will be refused.
func (p *play) unsaid(told []sim.Notification) {
	led := map[spec.Epoch]bool{}
	for _, op := range p.ops {
		led[op.Epoch] = led[op.Epoch] || op.Kind == history.LedOp
	}
	for i, t := range told {
		if t.Leader.IsNone() || led[t.Epoch] {
			continue
		}
		led[t.Epoch] = true
		last := func(before int) int {
			for before--; before >= 0 && told[before].Node != t.Leader; before-- {
			}
			return before
		}
		for j := i; j < len(told); j++ {
			if x, from := told[j], last(j); x.Node == t.Leader && !x.Up && from >= 0 {
				p.ops = append(p.ops, &history.Op{Client: t.Leader.String(), Kind: history.LedOp, Epoch: t.Epoch, Call: int64(told[from].At),
					Return: int64(x.At)})
				break
			}
		}
	}
}

// lead decides on a write, and on when to go on, as long as the user is told that the reign goes on.
func (p *play) lead(u *user, reign spec.Epoch) {
	if !u.Up || !u.Leading || u.Epoch != reign || p.now() >= p.config.Length {
		return
	}
	p.values++
	op := p.record(history.Op{Client: u.Node.String(), Kind: history.WriteOp, Epoch: reign, Value: p.values, Outcome: history.Unknown,
		Resource: p.resources[p.dice.IntN(len(p.resources))].name})
	life := u.life
	send := func() {
		if p.config.Rules.Stamp != nil {
			op.Epoch = p.config.Rules.Stamp(reign, p.highest)
		}
		mayGo := p.config.Rules.MaySend == nil || p.config.Rules.MaySend(u.Leading && u.Epoch == reign)
		if u.life == life && mayGo {
			p.send(op, func() bool { return u.life == life })
		}
		p.at(p.wait(), func() { p.lead(u, reign) })
	}
	if p.one(pauses) {
		p.at(p.now()+p.draw(40*p.pace), send)
	} else {
		send()
	}
}

// read reads a resource, and goes on.
func (p *play) read(reader string) {
	if p.now() >= p.config.Length {
		return
	}
	op := p.record(history.Op{Client: reader, Kind: history.ReadOp, Resource: p.resources[p.dice.IntN(len(p.resources))].name})
	p.send(op, func() bool { return true })
	p.at(p.wait(), func() { p.read(reader) })
}

// send takes a request to its resource. The answer is heard only by who still lives.
func (p *play) send(op *history.Op, lives func() bool) {
	if p.one(lostAsked) {
		return
	}
	r := p.resources[0]
	if op.Resource == Guard {
		r = p.resources[1]
	}
	p.at(p.now()+p.delay(), func() {
		r.ask(op, func(answer history.Op) {
			if p.one(lostAnswers) {
				return
			}
			p.at(p.now()+p.delay(), func() {
				if lives() {
					*op = answer
					op.Return = int64(p.now())
				}
			})
		})
	})
}
