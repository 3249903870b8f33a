package sim

import (
	"fmt"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/conformance/sim/simnet"
	"github.com/seed-fdf591db/bully/spec"
)

// host is what is round a node.
type host struct {
	node    conformance.Node
	outs    [2]spec.Step       // of the last step, and of the one before
	last    int                // which of outs is that of the last step
	view    view               // the state after the last step
	durable spec.Durable       // what is on disk
	settled spec.Configuration // the last one that a quorum was known to hold

	crash  int // the fault that crashes the node within its next step, or -1
	fail   int // the fault that fails its next save, or -1
	downBy int // the fault that has crashed it
	told   Notification
	owes   bool // what it tells its user waits for the save

	stopped bool          // it has stopped its node, which was removed
	lingers bool          // it does not stop its node, though it is no member
	random  simnet.Random // of what a host draws; it is not forgotten
	waits
}

// reset makes the host of member i new.
func (h *host) reset(p *Plan, i rank) {
	*h = host{outs: h.outs, crash: -1, fail: -1, downBy: -1, random: simnet.NewRandom(p.Seed, hostStreams+uint64(i))}
	first := p.first(p.Members[i])
	h.durable.Configuration = first // which is put on disk before the first start (R49)
	h.begins(spec.Durable{Configuration: first})
	h.view = view{leader: none, grantee: none, who: ranks(p.Members).first(&first)}
}

// begins gives a node that is to start the state of one that has this on disk.
func (h *host) begins(promise spec.Durable) {
	state := &h.out().State
	support, answered := state.Support[:0], state.Answered[:0]
	*state = check.Survivor(promise)
	state.Support, state.Answered = support, answered
}

// out is what the node did last.
func (h *host) out() *spec.Step { return &h.outs[h.last] }

// guard turns a panic of a node into a violation.
func (r *Runner) guard(i rank) {
	if p := recover(); p != nil {
		r.breaks("panic", "node %s: %v", r.members[i], p)
	}
}

// make makes the node of member i.
func (r *Runner) make(i rank) {
	defer r.guard(i)
	r.hosts[i].node = r.newNode(r.members[i], r.members)
}

// ask gives the input to the node.
func (r *Runner) ask(i rank, out *spec.Step) {
	defer r.guard(i)
	switch h := &r.hosts[i]; {
	case r.in.given.Call == spec.StartCall:
		h.node.Start(h.durable.Configuration, out)
	case r.in.given.Call == spec.RestartCall:
		h.node.Restart(h.durable, out)
	default:
		h.node.Step(&r.in.given, out)
	}
}

// breaks notes that a promise is broken. The first one counts.
func (r *Runner) breaks(p spec.Property, format string, args ...any) {
	if r.result.Violation == nil {
		r.result.Violation = &Violation{Property: p, At: r.net.Now(), Step: r.result.Steps, Seed: r.plan.Seed, Explanation: fmt.Sprintf(format, args...)}
	}
}

// broken reports whether a promise is broken.
func (r *Runner) broken() bool { return r.result.Violation != nil }

// step gives the input to a node, checks what it does, and does its duties in their order (section 10). Where a save takes
// time, the network holds back what comes after it; the step itself is as good as taken, unless it is known to fail.
func (r *Runner) step(i rank) {
	h := &r.hosts[i]
	if r.broken() {
		return
	}
	before, out, began := h.out(), &h.outs[1-h.last], r.clock(i)
	r.result.Steps++
	r.ask(i, out)
	if r.broken() {
		return
	}
	after, ok := r.viewAfter(i, before, out)
	if !ok {
		return
	}
	if !r.check(i, before, out, &after) {
		return
	}
	if out.Ignored {
		r.result.Steps--
		r.result.Stats.Ignored++
		r.observe(i, before, out)
		return
	}
	torn, sends := r.fate(i, out)
	if torn {
		return
	}
	r.observe(i, before, out)
	was := h.view
	if after.configuration != was.configuration {
		r.links.note(r)
	}
	h.last, h.view = 1-h.last, after
	r.commit(i, &was, out)
	if r.broken() {
		return
	}
	r.follow(i, &was, out, began)
	if sends >= 0 {
		r.cutShort(i, sends, len(out.Sent))
	} else if r.isRemoved(i) {
		r.stop(i, len(out.Sent))
	}
	for k := range out.Sent {
		r.net.Send(int(i), int(r.to[k]), out.Sent[k])
	}
	if h.owes = out.Save; !h.owes {
		r.takeOver(i)
	}
}

// viewAfter returns the state after a step in ranks. It reports whether it is one that an input can lead to.
func (r *Runner) viewAfter(i rank, before, out *spec.Step) (after view, ok bool) {
	h := &r.hosts[i]
	if !r.in.given.Starts() && out.State.Equal(before.State) { // as after most steps: a lease is renewed, or acknowledged
		return h.view, true
	}
	after, rule, problem := r.members.viewOf(i, &out.State, &h.view.who)
	if problem != "" {
		r.breaks(rule, "node %s is %s, a state that no input leads to: %s", r.members[i], out.State, problem)
	}
	return after, problem == ""
}

// fate returns what becomes of a step: torn, if it ends before its promise is on disk; else how many of its messages leave,
// or -1 if all do and the node goes on.
func (r *Runner) fate(i rank, out *spec.Step) (torn bool, sends int) {
	h := &r.hosts[i]
	sends = -1
	if out.Save {
		r.net.Save(int(i))
	}
	switch {
	case h.fail >= 0 && out.Save:
		h.downBy, h.fail, h.crash = h.fail, -1, -1
		torn, sends = !r.plan.Faults[h.downBy].Kept, 0
	case h.crash >= 0:
		h.downBy, h.crash = h.crash, -1
		point := r.plan.Faults[h.downBy].Point
		torn, sends = point == BeforeSave, int(max(point, AfterSave))
	}
	if torn {
		r.result.Steps--
		r.result.Stats.Torn++
		r.links.disturbAll(r, i)
		r.net.Crash(int(i))
	}
	return torn, sends
}

// cutShort crashes a node within its step, so that only some of its messages leave.
func (r *Runner) cutShort(i rank, sends, of int) {
	if sends < of {
		r.result.Stats.Cut++
	}
	r.links.disturbAll(r, i)
	r.net.CrashAfter(int(i), sends)
}

// commit notes a step that is taken: on disk, in the trace, and against the promises.
func (r *Runner) commit(i rank, was *view, out *spec.Step) {
	h := &r.hosts[i]
	if out.Save {
		r.result.Stats.Saves++
		h.durable = out.State.Durable()
	}
	r.result.Stats.Actions[r.in.action]++
	r.digest(i, out)
	r.writeEvent(func() spec.Event {
		return spec.Event{Node: r.members[i], Action: actions[r.in.action], Input: r.in.given.Written(), Sent: out.Sent, State: out.State}
	})
	r.promises(i, was)
	r.links.notes(r, i, &h.view, &out.State)
	if h.view.role == leader {
		r.promisesOfMembers(i, was)
	}
	if r.calm && (was.role != h.view.role || was.leader != h.view.leader || was.epoch != h.view.epoch || was.configuration != h.view.configuration) {
		r.settle()
	}
}

// saved lets a step have its effects, after its save.
func (r *Runner) saved(i rank) {
	if r.hosts[i].owes {
		r.hosts[i].owes = false
		r.takeOver(i)
	}
}

// takeOver tells the user of a node what has changed (R39). Of a node that crashes amid what it sends, he only hears, before
// that, that its reign is over.
func (r *Runner) takeOver(i rank) {
	h := &r.hosts[i]
	if h.view.role != leader {
		r.stops(i)
	}
	if !r.net.Doomed(int(i)) {
		r.tell(i, h.view.told)
	} else if h.told.Leading && h.view.role != leader {
		r.tell(i, nobody)
	}
}

// nobody is what there is to tell of a node that knows of no leader.
func nobody() (rank, spec.Epoch) { return none, 0 }

// tell tells the user of a node what has changed (R39): which leader there is to tell of, or that it is down.
func (r *Runner) tell(i rank, told func() (rank, spec.Epoch)) {
	if r.options.Notify == nil {
		return
	}
	h := &r.hosts[i]
	t := Notification{Node: r.members[i]}
	if told != nil {
		l, e := told()
		t.Epoch, t.Leading, t.Up = e, l == i, true
		if l != none {
			t.Leader = r.members[l]
		}
	}
	if t != h.told {
		h.told = t
		t.At = r.net.Now()
		r.options.Notify(t)
	}
}

// observe shows an input and what came of it.
func (r *Runner) observe(i rank, before, out *spec.Step) {
	if r.options.Observe == nil {
		return
	}
	r.seen = conformance.Case{ID: r.members[i], Members: r.members, Before: before.State, Input: r.in.given,
		Want: spec.Step{Ignored: out.Ignored, State: out.State, Sent: out.Sent}}
	r.options.Observe(&r.seen)
}

// crashed notes that a node is down.
func (r *Runner) crashed(i rank) {
	h := &r.hosts[i]
	r.stops(i)
	h.owes, h.crash, h.fail = false, -1, -1
	r.result.Stats.Actions[crashAction]++
	r.writeEvent(func() spec.Event {
		return spec.Event{Node: r.members[i], Action: spec.CrashAction, State: check.Survivor(h.durable)}
	})
	r.tell(i, nil)
	if r.calm {
		r.settle()
	}
	if f := h.downBy; f < 0 {
		r.hasStopped(i)
	} else if r.plan.Faults[f].end() <= r.net.Now() {
		r.net.At(r.net.Now(), againTag|uint32(f))
	}
	if r.plan.Proofs {
		for j := range rank(len(r.hosts)) {
			r.probeSoon(j, i)
		}
	}
}
