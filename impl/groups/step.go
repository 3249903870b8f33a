package groups

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/seed-fdf591db/bully/impl/bully"
	"github.com/seed-fdf591db/bully/impl/host"
	"github.com/seed-fdf591db/bully/impl/storage"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// give gives an input to a group: at once, or when its promise is on disk.
func (l *loop) give(g *group, in input) {
	switch {
	case g.node == nil:
	case g.held != nil:
		if g.deferred = append(g.deferred, in); len(g.deferred) > mostDeferred {
			g.deferred = slices.Delete(g.deferred, 0, 1) // as a network may lose any message
		}
	default:
		l.take(g, in)
	}
}

// mostDeferred is how much may wait for the save of one group.
const mostDeferred = 64

// take gives an input to a group that waits for nothing. What ends what the node does as leader or claimant goes before (R37).
func (l *loop) take(g *group, in input) {
	if l.taken++; l.taken%16 == 0 { // what came was there before the clock was read, and what is said is said after that
		l.tick()
	}
	l.endUrgent(g)
	if !in.dead {
		l.hears(g)
	}
	switch {
	case g.node == nil:
	case g.held != nil:
		g.deferred = append(g.deferred, in)
	case in.dead:
		l.proved(g, in.from)
	default:
		l.endDeferral(g, in.message.From)
		switch {
		case g.node == nil || g.held != nil:
			l.give(g, in)
		case g.policy.Defers(&in.message, l.watch.Now):
			l.settle(g)
		default:
			l.passOn(g, in)
		}
	}
}

// passOn gives a group a message, unless that has to wait for the work of this node as the leader (R39.4). All messages come by here, those that were deferred too.
func (l *loop) passOn(g *group, in input) {
	if l.yields(g, &in) {
		l.settle(g)
		return
	}
	l.step(g, spec.Input{Message: in.message}, in.from)
}

// endDeferral has a group take the ELECTION that it has deferred, if it is to be no longer: what it waits for has come to pass, or something of its sender comes after it.
func (l *loop) endDeferral(g *group, from spec.NodeID) {
	if g.node == nil || g.held != nil {
		return
	}
	if m, ok := g.policy.Deferred(from, l.watch.Now); ok {
		l.passOn(g, input{message: m, from: l.placeOf(g, m.From)})
	}
}

// proved acts on a proof of death (R41).
func (l *loop) proved(g *group, dead int) {
	g.policy.Proved(dead)
	if g.leader == dead {
		l.step(g, spec.Input{Call: spec.HolderDeadCall}, dead)
	}
	if g.node != nil && g.held == nil { // else it is not about what is waited for
		g.policy.Died(l.watch.Now)
		l.endElection(g)
		l.settle(g)
	}
}

// resign is the call to lead no longer.
var resign = spec.Input{Call: spec.ResignCall}

// step takes one step, but for a start.
func (l *loop) step(g *group, what spec.Input, from int) {
	l.stepOn(g, bully.InputOf(what), what, from)
}

// stepOn takes one step. If it promises something, what is to be done for it is held until that is on disk (R4).
func (l *loop) stepOn(g *group, in bully.Input, what spec.Input, from int) {
	if g.held != nil {
		panic("groups: R4: " + g.name + " takes a step, and the promise of its last one is not on disk")
	}
	out := g.node.Step(in)
	if out.Action == "" {
		if out.Ignored != "" {
			l.stats.Ignored++
		}
		return
	}
	l.stats.Steps++
	s := stepped{at: l.watch.Now, action: out.Action, from: from, cancel: out.Cancel, arm: out.Arm, dated: out.Dated, reignEnded: out.ReignEnded, changed: out.LeaderChanged, sent: out.Send}
	if g.goesOn(&out) {
		s.role, s.leader, s.epoch, s.latest = g.role, g.leader, g.epoch, g.latest
		if out.Action == spec.HeartbeatTimeout {
			s.latest++
		}
	} else {
		g.node.CopyState(&l.state)
		if out.ConfigurationChanged {
			s.configured, s.members = new(l.state.Configuration), g.members
			if !l.state.Configuration.SameMembers(g.configuration) {
				s.members, _, _ = l.setsOf(l.state.Configuration)
			}
		}
		s.role, s.leader, s.epoch, s.latest = l.state.Role, l.placeOf(g, l.state.Leader), l.state.Epoch, l.state.Latest
	}
	if out.LeaderChanged {
		leader, epoch := g.node.Leader()
		s.known, s.knownOf = l.placeOf(g, leader), epoch
	}
	s.event = l.eventOf(g, what, &out)
	if !out.Save {
		l.perform(g, &s)
		return
	}
	s.sent = slices.Clone(out.Send)
	g.held = &s
	l.due[g.at] = policy.Never
	l.next.promises = append(l.next.promises, storage.GroupPromise{Group: g.key, Promise: l.onDisk(g, out.Promise), First: g.first})
	l.next.groups = append(l.next.groups, g)
}

// goesOn reports whether a step was one of a reign that goes on: a beat, or an answer to one, that leaves all as it is but for the numbers. Nearly all steps are, and the state need not be
// asked for.
func (g *group) goesOn(out *bully.Output) bool {
	if out.Save || out.ReignEnded || out.LeaderChanged || out.Cancel != 0 {
		return false
	}
	switch out.Action {
	case spec.OnHeartbeat:
		return g.role == spec.Follower && len(out.Send) == 1 && out.Send[0].Type == spec.Ack
	case spec.OnAck, spec.HeartbeatTimeout:
		return g.role == spec.Leader
	}
	return false
}

// perform does what is to be done for a step, in the order of duty (section 10).
func (l *loop) perform(g *group, s *stepped) {
	if s.configured != nil {
		l.adopts(g, *s.configured)
	}
	if s.reignEnded {
		l.endReign(g, ErrNotLeader)
	}
	g.policy.Follow(&policy.Step{Began: s.at, Now: s.at.Add(s.slept), Action: s.action, From: s.from, Sent: s.sent, Cancel: s.cancel, Arm: s.arm, Role: s.role,
		Leader: s.leader, Latest: s.latest, Dated: s.dated})
	if g.mourns && s.leader != none && s.leader != g.leader {
		g.mourns = false
		l.paces.ended++
	}
	g.role, g.leader, g.epoch, g.latest, g.dated = s.role, s.leader, s.epoch, s.latest, s.dated
	if s.action == spec.PreemptTimeout {
		l.preempting(g, true)
	} else if s.role != spec.Candidate && s.role != spec.Claimant {
		l.preempting(g, false)
	}
	l.record(g, s.event)
	for i := range s.sent {
		l.say(g, &s.sent[i])
	}
	if s.role == spec.Leader {
		l.beat = min(l.beat, g.policy.Due[policy.HeartbeatTimer])
	}
	if s.changed {
		l.tell(g, s.known, s.knownOf)
	}
	l.attends(g)
	l.renew(g)
	l.endElection(g)
	l.endDeferral(g, spec.NodeID{})
	l.settle(g)
}

// say notes what is to be said in the next bundle to a peer. What a group has said before in the same turn stays before.
func (l *loop) say(g *group, m *spec.Message) {
	at := l.placeOf(g, m.To)
	if at == none {
		return // there was no room for it, so that nothing of it was heard
	}
	p := l.peers[at]
	one := beat{g.key, m.Epoch, m.Question, l.states(g, m.Configuration)}
	l.stats.Messages++
	switch {
	case m.Type == spec.Heartbeat && g.spoke != l.turn:
		p.beats = append(p.beats, one)
		return
	case m.Type == spec.Ack && g.spoke != l.turn:
		p.acks = append(p.acks, one)
		return
	}
	g.spoke = l.turn
	said := item{beat: one, kind: codeOf(m.Type), keeps: l.placeOf(g, m.Keeps), granted: granted{by: none}}
	if m.Granted != (spec.Granted{}) {
		said.granted = granted{l.placeOf(g, m.Granted.By), m.Granted.Epoch, m.Granted.Question}
	}
	p.items = append(p.items, said)
}

// flush says all that there is to say: to each peer in one bundle.
func (l *loop) flush() {
	l.turn++
	saves := l.config.Storage.Number()
	for _, p := range l.peers {
		for p != nil && !p.idle() && l.err == nil {
			b := p.take(l.mostItems())
			if b.empty() {
				continue
			}
			if l.changing && (b.beats != nil || len(b.items) > 0) {
				b.names = l.members
			}
			l.buffer = b.append(l.buffer[:0])
			l.config.Transport.SendBundle(p.id, saves, l.buffer)
			l.stats.Bundles++
			l.stats.Bytes += uint64(len(l.buffer))
		}
	}
}

// read gives all that a peer has said to the groups.
func (l *loop) read(p *peer, bytes string) {
	l.stats.Heard++
	l.reader.loop, l.heard = l, append(l.heard[:0], bytes...)
	b, err := l.reader.bundle(l.heard)
	if err != nil {
		l.stats.Malformed++
		return
	}
	if b.resync {
		p.forget()
		l.introduce(p)
	}
	if !l.understands(p, &b) {
		l.stats.Malformed++
		return
	}
	beats := p.hearBeats(&b)
	for i, g := range l.groupsOf(&p.heard, beats) {
		l.receive(g, p, &item{beat: beats[i], kind: heartbeatCode, keeps: none, granted: granted{by: none}})
	}
	acks := p.hearAcks(&b)
	for i, g := range l.groupsOf(&p.said, acks) {
		if m := &acks[i]; g == nil || g.wishes || !g.isDated(m) {
			l.receive(g, p, &item{beat: *m, kind: ackCode, keeps: none, granted: granted{by: none}})
		}
	}
	for i := range b.items {
		l.receive(l.byKey[b.items[i].group], p, &b.items[i])
	}
}

// groupsOf returns the groups of a list, or of what is left of it, in its order; nil stands for one that is not here.
func (l *loop) groupsOf(of *list, beats []beat) []*group {
	if len(beats) == 0 {
		return nil
	}
	if of.changes != l.changes || len(of.groups) != len(beats) {
		of.groups, of.changes = of.groups[:0], l.changes
		for i := range beats {
			of.groups = append(of.groups, l.byKey[beats[i].group])
		}
	}
	return of.groups
}

// isDated reports whether an ACK says nothing any more: the reign is dated from that question already, or a later one (R26). A network may lose it.
func (g *group) isDated(ack *beat) bool {
	return g.role == spec.Leader && g.epoch == ack.epoch && g.dated >= ack.question && g.held == nil
}

// receive gives a message to its group.
func (l *loop) receive(g *group, p *peer, m *item) {
	if g == nil || g.node == nil {
		l.stats.Unknown++ // as what is sent to a node that is down
		return
	}
	message := spec.Message{Type: types[m.kind-1], From: l.alias(g, p.place), To: l.alias(g, l.me), Epoch: m.epoch, Question: m.question}
	if m.of != nil {
		if !l.heeds(g, p, m.of) {
			return
		}
		message.Configuration = m.of.configuration
	}
	switch {
	case m.keeps != none:
		message.Keeps = l.alias(g, m.keeps)
	case m.granted.by != none:
		if by := l.alias(g, m.granted.by); !by.IsNone() {
			message.Granted = spec.Granted{By: by, Epoch: m.granted.epoch, Question: m.granted.question}
		}
	}
	l.give(g, input{message: message, from: p.place})
}

// fail stops the node for good: nothing is sent any more, in any group, and users hear that there is no leader here (R4).
func (l *loop) fail(doing string, err error) {
	if l.err != nil {
		return
	}
	l.err = fmt.Errorf("%w: %s: %w", ErrStopped, doing, err)
	l.config.Logger.Error("stopped for good", slog.Any("err", l.err))
	if d, ok := l.config.Storage.(interface{ Disown() error }); ok && errors.Is(err, host.ErrLostDisk) {
		l.err = errors.Join(l.err, d.Disown())
	}
}
