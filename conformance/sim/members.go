package sim

import (
	"math"
	"math/bits"

	"github.com/seed-fdf591db/bully/conformance/cases"
	"github.com/seed-fdf591db/bully/spec"
)

// history is which configurations of a run follow on which, and what has become of them.
type history struct {
	follows map[spec.Stamp]spec.Stamp // on which a change was made, or who won stood
	settled []spec.Configuration      // in the order in which they became so
	won     []spec.Configuration      // with which a reign began
}

func (h *history) reset() {
	if h.follows == nil {
		h.follows = map[spec.Stamp]spec.Stamp{}
	}
	clear(h.follows)
	h.settled, h.won = h.settled[:0], h.won[:0]
}

// follow reports whether c follows on d, or is d.
func (h *history) follow(c, d *spec.Configuration) bool {
	at, want := c.Stamp(), d.Stamp()
	for {
		if at == want {
			return true
		}
		before, known := h.follows[at]
		if !known {
			return false
		}
		at = before
	}
}

// checkMembers holds what a node does with an input to the rules about members that need nothing but the node. It reports
// whether they hold.
func (r *Runner) checkMembers(i rank, before, out *spec.Step, after *view) bool {
	now := &out.State.Configuration
	if want, rule := r.wantedConfiguration(i, before, after); want != *now {
		r.breaks(rule, "node %s, %s, with %s has configuration %s, and must have %s", r.members[i], before.State, &r.in, now, want)
		return false
	}
	for k := range out.Sent {
		if kind := out.Sent[k].Type; (kind == spec.Election || kind == spec.Claim) && !after.electors.has(r.to[k]) {
			r.breaks("R46", "node %s, %s, with %s sends %s, which is to no elector", r.members[i], before.State, &r.in, out.Sent[k])
			return false
		}
	}
	switch {
	case r.in.given.Call == spec.ChangeCall:
		return r.checkChange(i, before, out, after)
	case (r.in.timer == patience || r.in.timer == coordinator) && !after.voters.has(i):
		return r.checkSaid(i, before, out, after)
	case r.in.from == none:
		return true
	case !after.members.has(i) || !after.members.has(r.in.from):
		return r.checkOutside(i, before, out)
	}
	return r.checkHeard(i, before, out, after)
}

// checkHeard holds a node to what it may do with a message of another member: who has claimed in an older configuration claims
// no more (R43), and only what is of the same configuration counts, as does only who votes (R45).
func (r *Runner) checkHeard(i rank, before, out *spec.Step, after *view) bool {
	m, was, now := &r.in.given.Message, &r.hosts[i].view, &out.State.Configuration
	same := m.Configuration == *now
	if after.role == claimant && *now != was.configuration {
		r.breaks("R43", "node %s, %s, with %s is %s: it claims on", r.members[i], before.State, &r.in, out.State)
		return false
	}
	if !same && was.role == leader && after.role == leader && after.support != was.support {
		r.breaks("R45", "node %s, %s, with %s is %s: it counts what is of another configuration", r.members[i], before.State, &r.in, out.State)
		return false
	}
	asks := r.in.from
	if m.Type == spec.Resign { // it may be asked to grant the claim for which the sender has handed over (R29)
		asks = r.members.of(&m.Granted.By)
	}
	mayVote := same && after.electors.has(i) && after.voters.has(asks)
	for k := range out.Sent {
		switch out.Sent[k].Type {
		case spec.OK:
			if after.role == leader { // who leads says so, to whoever asks (R10)
				continue
			}
		case spec.Assent, spec.Grant:
		default:
			continue
		}
		if !mayVote {
			r.breaks("R45", "node %s, %s, with %s sends %s, and may not", r.members[i], before.State, &r.in, out.Sent[k])
			return false
		}
	}
	return true
}

// wantedConfiguration returns which configuration a node must have after a step, and the rule that says so.
func (r *Runner) wantedConfiguration(i rank, before *spec.Step, after *view) (want spec.Configuration, rule spec.Property) {
	want, rule = before.State.Configuration, "R42"
	if m := &r.in.given.Message; r.in.from != none && m.Configuration.Newer(want) {
		want, rule = m.Configuration, "R43"
	}
	if was := &r.hosts[i].view; after.role == leader && (was.role != leader || was.epoch != after.epoch) {
		want, rule = want.At(after.epoch, want.Version), "R48"
	}
	if r.in.given.Call == spec.ChangeCall {
		want, rule = r.in.given.Configuration, "R47"
	}
	return want, rule
}

// checkChange holds a change to R47: that it may be, that the support is used up, and who hears of it.
func (r *Runner) checkChange(i rank, before, out *spec.Step, after *view) bool {
	if !cases.MayChange(r.members[i], &before.State, r.in.given.Configuration) {
		r.breaks("R47", "node %s, %s, takes %s for a step, and may not", r.members[i], before.State, &r.in)
		return false
	}
	told := (r.hosts[i].view.members | after.members) &^ one(i)
	for k := range out.Sent {
		if to := r.to[k]; out.Sent[k].Type != spec.Heartbeat || !told.has(to) {
			r.breaks("R47", "node %s, %s, with %s sends %s", r.members[i], before.State, &r.in, out.Sent[k])
			return false
		}
		told &^= one(r.to[k])
	}
	if told != 0 || after.support != 0 {
		r.breaks("R47", "node %s, %s, with %s is %s, and sends %s: members of before and after it must be told, and support is used up",
			r.members[i], before.State, &r.in, out.State, out.Sent)
		return false
	}
	return true
}

// checkSaid holds a node that may not stand to what comes when its patience ends (R46): it rests, and tells all other members, or
// nobody, if it is no member itself. That a member says nothing at all is not seen here: nobody may lead then, for ever, and
// SomeLeader says so.
func (r *Runner) checkSaid(i rank, before, out *spec.Step, after *view) bool {
	told := after.members &^ one(i)
	if !after.members.has(i) {
		told = 0
	}
	for k := range out.Sent {
		if to := r.to[k]; out.Sent[k].Type != spec.ImBack || !told.has(to) {
			r.breaks("R46", "node %s, %s, with %s sends %s, and may not", r.members[i], before.State, &r.in, out.Sent[k])
			return false
		}
		told &^= one(r.to[k])
	}
	if told != 0 && len(out.Sent) > 0 || after.role != follower || after.leader != none {
		r.breaks("R46", "node %s, %s, with %s is %s and sends %s: it rests without a lease, and all other members are told", r.members[i], before.State, &r.in, out.State, out.Sent)
		return false
	}
	return true
}

// checkOutside holds a node to what it may do with a message that no rule of section 8 sees (R44).
func (r *Runner) checkOutside(i rank, before, out *spec.Step) bool {
	m, c := &r.in.given.Message, &out.State.Configuration
	answers := 0
	if asks(m.Type) && c.Newer(m.Configuration) {
		answers = 1
	}
	answered := len(out.Sent) == answers && (answers == 0 || out.Sent[0].Type == spec.Refuse && out.Sent[0].To == m.From)
	if epoch := max(before.State.Epoch, c.Epoch); !answered || out.State.Epoch != epoch {
		r.breaks("R44", "node %s, %s, with %s is %s and sends %s, though one of the two is no member", r.members[i], before.State, &r.in, out.State, out.Sent)
		return false
	}
	return true
}

// asks reports whether a message of this type is answered if it comes from who has an older configuration (R44).
func asks(t spec.MessageType) bool {
	switch t {
	case spec.Election, spec.Claim, spec.Coordinator, spec.Heartbeat, spec.ImBack:
		return true
	}
	return false
}

// promisesOfMembers holds a step of a leader that is taken to the promises about configurations, and has the host do what follows.
func (r *Runner) promisesOfMembers(i rank, was *view) {
	h := &r.hosts[i]
	now, c := &h.view, &h.view.configuration
	begins := was.role != leader || was.epoch != now.epoch
	if begins || r.in.action == changeAction {
		r.history.follows[c.Stamp()] = was.configuration.Stamp()
	}
	if begins {
		r.history.won = append(r.history.won, *c)
		r.holds(r.history.settled, r.history.won[len(r.history.won)-1:])
	}
	if h.settled != *c && now.quorum(now.support|one(i)) {
		h.settled = *c
		r.history.settled = append(r.history.settled, *c)
		r.holds(r.history.settled[len(r.history.settled)-1:], r.history.won)
		r.tellOperators(*c)
		if !now.voters.has(i) {
			r.net.Call(int(i), 0, handTag)
		}
	}
}

// holds holds reigns to what a change is that is settled: it holds for good (R47). So who leads a higher epoch follows on it.
func (r *Runner) holds(settled, won []spec.Configuration) {
	for s := range settled {
		for w := range won {
			if won[w].Epoch > settled[s].Epoch && !r.history.follow(&won[w], &settled[s]) {
				r.breaks("R47", "the reign of epoch %d begins with configuration %s, which does not follow on %s, which was settled",
					won[w].Epoch, won[w], settled[s])
				return
			}
		}
	}
}

// unsettled says what is missing for one leader that everybody follows, by the newest configuration, or "". A node that has
// been removed may be down, and is else at rest.
func (r *Runner) unsettled() string {
	l, newest := none, r.newest()
	for i := range rank(len(r.hosts)) {
		v, name := &r.hosts[i].view, r.members[i].String()
		switch {
		case !r.net.Up(int(i)):
			if newest.members.has(i) {
				return "node " + name + " is down"
			}
		case v.role == leader && l != none:
			return "nodes " + r.members[l].String() + " and " + name + " lead"
		case v.role == leader:
			l = i
		case v.members != 0 && !v.members.has(i) && (v.role != follower || v.leader != none):
			return "node " + name + " has been removed, knows it, and is not at rest"
		}
	}
	if l == none {
		return "nobody leads"
	}
	for i := range rank(len(r.hosts)) {
		v := &r.hosts[i].view
		if newest.members.has(i) && (v.leader != l || v.epoch != r.hosts[l].view.epoch || v.configuration != newest.configuration) {
			return "node " + r.members[l].String() + " leads, and node " + r.members[i].String() + " does not keep its lease in its epoch, with the newest configuration"
		}
	}
	if !newest.voters.has(l) {
		return "node " + r.members[l].String() + " leads, and is no voter"
	}
	return ""
}

// top returns the node that is to lead: the highest voter of the newest configuration.
func (r *Runner) top() rank { return rank(bits.Len8(uint8(r.newest().voters)) - 1) }

// rests reports whether nothing can happen any more: all is as it should stay, for longer than anything is waited for. Who is to
// lead, and does, has nobody to pre-empt.
func (r *Runner) rests() bool {
	if !r.settled || !r.calm {
		return false
	}
	calmFor := r.net.Now() - max(r.since, r.plan.Length)
	return calmFor > r.longest || calmFor > r.longestAsHighest && r.hosts[r.top()].view.role == leader
}

// longestWaits notes how long at most anything is waited for when all is as it should stay: whoever leads, and if the highest does.
func (r *Runner) longestWaits() {
	t := &r.plan.Timing
	wait, besides := t.LongestWait(len(r.members)), r.plan.stand()+2*t.Reign
	r.longestAsHighest = t.Slowest(wait+besides) + r.plan.lingers()
	r.longest = t.Slowest(max(wait, t.LongestPreemption(math.MaxInt))+besides) + r.plan.lingers()
}

// checkTold holds the end of a run to what operators were told: what was settled is in the newest configuration.
func (r *Runner) checkTold() {
	newest := &r.newest().configuration
	for k := range r.told {
		if !r.history.follow(newest, &r.told[k]) {
			r.breaks("R47", "an operator was told that configuration %s is settled, and the newest, %s, does not follow on it", r.told[k], newest)
			return
		}
	}
}
