package host

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/transport"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// batch is how many events are taken before timers that can wait are looked at: nobody can keep them from ending.
const batch = 256

// loop runs the node until it is to stop.
func (h *Host) loop(ctx context.Context) {
	for h.err == nil {
		h.tick()
		h.watched.turns(h.watch.Read)
		h.notePause()
		more := h.drain()
		h.notePause() // a step may have waited for the disk
		h.endDeferral(spec.NodeID{})
		h.endPatience()
		h.endReignInTime()
		h.carryOn()
		h.resignIfAsked()
		h.leave()
		if h.err != nil || h.stopping && h.reign == nil {
			return
		}
		if !h.wait(ctx, more) {
			return
		}
	}
}

// tick reads the clock.
func (h *Host) tick() {
	if asleep := h.watch.Tick(); asleep > 0 {
		h.alarm.rang() // it stood still as well, and would ring too late
		h.policy.Slept(asleep)
	}
}

// wait waits for something to do, or only looks if there is more already. It reports whether to go on.
func (h *Host) wait(ctx context.Context, more bool) bool {
	if !more {
		h.tick()
		h.alarm.ringBy(min(h.policy.Due.First(), h.policy.DeferredUntil(), h.leaves, h.watched.rousesBy(h.watch.Now)), h.watch.Now)
		h.watched.rests(h.alarm.set, h.watch.Now)
	}
	stop := ctx.Done()
	if h.stopping {
		stop = nil
	}
	var now chan struct{}
	if more {
		now = closed
	}
	select {
	case <-h.closing:
		h.watched.turns(h.watch.Read)
		h.endReign(ErrClosed)
		h.take(spec.Input{Call: spec.ResignCall})
		return false
	case <-stop:
		h.stopping = true
		if h.reign != nil {
			h.reign.Close(ErrClosed)
		}
	case f := <-h.calls:
		h.watched.turns(h.watch.Read)
		f()
	case <-h.idle:
	case <-h.config.Transport.Wake():
	case <-h.alarm.timer.C():
		h.alarm.rang()
	case <-now:
	}
	return true
}

// closed is a channel that can always be received from.
var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// drain takes what the transport has, and reports whether it may have more.
func (h *Host) drain() (more bool) {
	for range batch {
		h.endUrgent()
		if h.err != nil {
			return false
		}
		event, ok := h.config.Transport.Next()
		if !ok {
			return false
		}
		h.hear(event)
		h.tick()
		h.endDeferral(spec.NodeID{})
	}
	return true
}

// hear takes one event.
func (h *Host) hear(event transport.Event) {
	i := h.links.place(event.Node)
	if i < 0 || i == h.links.who.Me {
		i = -1 // a non-member, as a transport should not tell of; the core ignores what it says
	}
	switch event.Kind {
	case transport.Received:
		if i >= 0 {
			h.links.heardFrom(i, h.watch.Read)
			if h.policy.Peers().Dead.Has(i) {
				h.policy.Heard(i)
				h.links.show(h.policy.Peers())
			}
		}
		if h.state.Role == "" {
			return // lost: it has not taken its first step, though the transport listens already
		}
		h.receive(&event.Message)
	case transport.Up:
		if i >= 0 {
			h.links.remembers(i)
			h.policy.Connected(i, h.watch.Now)
			h.links.show(h.policy.Peers())
		}
	case transport.Down:
		if i >= 0 {
			h.policy.Broken(i)
			h.links.show(h.policy.Peers())
		}
	case transport.LostDisk:
		h.lostDisk(i, event.Node)
	case transport.Twice:
		if i >= 0 {
			h.links.remembers(i)
		}
	case transport.Disowned:
		h.disowned(event.Node)
	case transport.Dead:
		if i >= 0 {
			h.policy.Proved(i)
			h.links.show(h.policy.Peers())
			h.proved(event.Node)
		}
	}
}

// receive takes a message, or defers it.
func (h *Host) receive(m *spec.Message) {
	count(h.counters.received, m.Type)
	h.config.Metrics.Received(m.Type)
	h.endDeferral(m.From)
	if !h.policy.Defers(m, h.watch.Now) {
		h.give(m)
	}
}

// endDeferral gives the node the message that was deferred, if it is to be no longer.
func (h *Host) endDeferral(from spec.NodeID) {
	if m, ok := h.policy.Deferred(from, h.watch.Now); ok {
		h.give(&m)
	}
}

// give gives a message to the node, unless it is to be lost.
func (h *Host) give(m *spec.Message) {
	if h.heeds(m) && !h.holds(m) && !h.yields(m) {
		h.take(spec.Input{Message: *m})
	}
}

// proved acts on the proof that a node is dead (R41). It is the holder of the lease as it was then: a lease that began
// later began with a message, and the transport tells of those in the same order.
func (h *Host) proved(dead spec.NodeID) {
	h.config.Logger.Debug("proved dead", slog.String("dead", dead.String()))
	if h.state.Leader == dead {
		h.take(spec.Input{Call: spec.HolderDeadCall})
	}
	h.policy.Died(h.watch.Now)
	h.endElection()
}

// notePause acts on having been held up: stopped, suspended, starved, or waiting for a disk. What waits for others gets
// time to hear of them; what a leader waits for is given at once, by endUrgent.
func (h *Host) notePause() {
	by := h.policy.HeldUp(h.watch.Now)
	if by == 0 {
		return
	}
	h.counters.pauses.Add(1)
	h.config.Logger.Warn("the host was held up", slog.Duration("for", by), slog.Duration("allowed", h.config.Timing.Delay))
	h.detector.paused(h.watch.Read.Add(2 * h.config.Timing.Heartbeat))
}

// endUrgent gives the timers that go before any message: those that end what the node does as leader or claimant. Late
// ends of others are safe, but a leader whose reign has ended must not act, nor a claimant win whose claim has (R26, R37).
func (h *Host) endUrgent() {
	for _, t := range policy.Urgent() {
		if h.err == nil && !h.watch.Now.Before(h.policy.Due[t]) {
			h.endTimer(t)
		}
	}
}

// endReignInTime ends a reign that is over before the node does as leader what it was not told to by a message.
func (h *Host) endReignInTime() {
	if h.reign != nil {
		h.tick()
		h.notePause()
		h.endUrgent()
	}
}

// endPatience gives the timers that wait for messages, after those that there are.
func (h *Host) endPatience() {
	for _, t := range policy.Patient() {
		if h.err == nil && !h.watch.Now.Before(h.policy.Due[t]) {
			h.endTimer(t)
		}
	}
}

// endTimer gives the node the end of a timer.
func (h *Host) endTimer(t policy.Timer) {
	h.policy.Ended(t)
	h.take(spec.Input{Timer: t.Name()})
}

// take gives an input to the node, and after it the end of an election that need not be waited for.
func (h *Host) take(in spec.Input) {
	if h.err != nil {
		return
	}
	h.step(bully.InputOf(in), in)
	h.endElection()
}

// endElection ends the election of a candidate that has nothing more to wait for.
func (h *Host) endElection() {
	if h.err == nil && h.state.Role == spec.Candidate && h.policy.ElectionOver(h.links.backs(&h.state)) {
		h.policy.Ended(policy.ElectionTimer)
		h.step(bully.Timeout(spec.ElectionTimer), spec.Input{Timer: spec.ElectionTimer})
	}
}

// step takes one step, and does its duties in their order (section 10).
func (h *Host) step(in bully.Input, what spec.Input) {
	began := h.watch.Now // read before: a reign runs from there, of what is asked now
	out := h.node.Step(in)
	if out.Ignored != "" {
		count(h.counters.ignored, out.Ignored)
		h.config.Metrics.Ignored(string(out.Ignored))
	}
	if out.Action == "" {
		return
	}
	if out.Save && !h.save(out.Promise) {
		return // nothing of this step, and nothing ever after (R4)
	}
	h.state = h.node.State()
	h.numbers.note(&h.state)
	h.noteExhausted()
	if out.ConfigurationChanged {
		h.reconfigure()
	}
	if out.ReignEnded {
		h.endReign(ErrNotLeader)
	}
	h.setTimers(began, what, &out)
	h.noteNaming(&what)
	h.record(what, &out)
	for _, m := range out.Send {
		h.config.Transport.Send(m)
		count(h.counters.sent, m.Type)
		h.config.Metrics.Sent(m.Type)
	}
	if out.ConfigurationChanged {
		h.connectMembers()
	}
	h.noteBacking(&what.Message)
	h.renew()
	if out.LeaderChanged {
		h.tell()
	}
	h.noteMembers()
	h.show()
	count(h.counters.actions, out.Action)
	h.config.Metrics.Stepped(out.Action)
}

// save makes a promise durable, and reports whether it is. If not, the host stops for good.
func (h *Host) save(promise spec.Durable) bool {
	began := h.config.Clock.Now()
	h.watched.mayStandStill()
	if err := h.config.Storage.Save(promise); err != nil {
		h.fail("saving the promise", err)
		return false
	}
	h.tick() // a disk takes its time, and timers run from now on
	h.watched.turns(h.watch.Read)
	took := h.watch.Read.Sub(began)
	h.counters.saves.add(took)
	h.config.Metrics.Saved(took)
	if took > h.config.Timing.Delay {
		h.counters.slowSaves.Add(1)
		h.config.Logger.Warn("the disk is slower than Timing.Delay: elections may fail", slog.Duration("took", took), slog.Duration("delay", h.config.Timing.Delay))
	}
	return true
}

// fail stops the host for good: nothing is sent or answered any more, and users hear that there is no leader here (R4).
func (h *Host) fail(doing string, err error) {
	h.err = fmt.Errorf("%w: %s: %w", ErrStopped, doing, err)
	h.endReign(h.err)
	h.config.Logger.Error("stopped for good", slog.Any("err", h.err))
}

// outlive waits while work of a reign that has ended acts until its deadline: others take an address that refuses for the proof that nobody
// acts here (R41). Close does not wait.
func (h *Host) outlive() {
	h.watched.mayStandStill()
	for h.outlived.Acts() {
		select {
		case <-h.idle:
		case <-h.closing:
			return
		}
	}
}

// record writes the step as an event of a trace. That it fails is said once.
func (h *Host) record(what spec.Input, out *bully.Output) {
	if h.config.Trace == nil {
		return
	}
	event := spec.Event{Node: h.config.ID, Action: out.Action, Input: what, Sent: out.Send, State: h.state}
	if err := h.config.Trace.Record(&event); err != nil {
		h.counters.traceErrors.Add(1)
		if !h.traceBad {
			h.traceBad = true
			h.config.Logger.Error("a step could not be recorded; more of this is only counted", slog.Any("err", err))
		}
	}
}

// endReign makes the reign, if there is one, over for its users, before anybody else hears of it (R39).
func (h *Host) endReign(cause error) {
	if h.reign != nil {
		if h.reign.Deadline().Sub(h.watch.Read) > 0 {
			h.outlived = h.reign
		}
		h.reign.End(cause)
		h.reign = nil
		h.seat.Set(nil)
	}
	if h.told.Leading || h.ended && !h.told.Leader.IsNone() {
		h.publish(Leadership{})
	}
	h.show()
}

// tell tells users who leads (R39).
func (h *Host) tell() {
	leader, epoch := h.node.Leader()
	l := Leadership{Leader: leader, Epoch: epoch, Leading: h.state.Role == spec.Leader}
	if l.same(h.told) {
		return // the end of a reign has been told
	}
	if l.Leading && h.isHung() {
		return // it is not to be known as the leader, and ends
	}
	if l.Leading {
		h.detector.forget()
		h.reign = h.keeper.New(epoch, h.tellLoop)
		h.renew()
		if h.stopping {
			h.reign.Close(ErrClosed)
		}
		h.seat.Set(h.reign)
	}
	h.publish(l)
}

// renew moves the deadline of the reign on: to when the leader steps down if nobody answers what it asks any more. That is Quorum after
// it has asked the latest question that a quorum has answered (R26).
func (h *Host) renew() {
	if h.reign != nil {
		h.reign.Renew(h.policy.Due[policy.ReignTimer], h.watch)
	}
}
