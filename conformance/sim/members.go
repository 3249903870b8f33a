package sim

import (
	"math"
	"slices"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
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

// countsMembers reports whether it counts for a step who is a member, and of which kind: where all are voters of one configuration, the
// rules of section 8 say all. What a step does with a configuration that is said or asked for, who stands, and whom it asks, is else
// for R43 to R47 to say; and R48 which configuration who wins has.
func (r *Runner) countsMembers(i rank, before, out *spec.Step, after *view) bool {
	own, m := &before.State.Configuration, &r.in.given.Message
	switch {
	case after.role == leader && r.hosts[i].view.role != leader:
		return out.State.Configuration != own.At(after.epoch, own.Version)
	case out.State.Configuration != *own, r.in.given.Call == spec.ChangeCall:
		return true
	case r.in.from != none && (m.Configuration != *own || !after.members.has(i) || !after.members.has(r.in.from)):
		return true
	}
	for k := range out.Sent {
		if t := out.Sent[k].Type; (t == spec.Election || t == spec.Claim) && !after.electors.has(r.to[k]) {
			return true
		}
	}
	asks := r.in.from
	switch m.Type {
	case "":
		return (r.in.timer == patience || r.in.timer == coordinator) && !after.voters.has(i)
	case spec.Resign:
		asks = r.members.of(&m.Granted.By) // to be granted the claim for which the sender has handed over (R29)
	case spec.Election, spec.Claim:
	default:
		return false
	}
	return !after.electors.has(i) || !after.voters.has(asks)
}

// checkMembers holds a step for which members count to the model, which is asked the same. It reports whether the two do the same.
func (r *Runner) checkMembers(i rank, before, out *spec.Step, after *view) bool {
	if !r.countsMembers(i, before, out, after) {
		return true
	}
	c := &r.asked
	*c = conformance.Case{ID: r.members[i], Members: r.members, Before: before.State, Input: r.in.given}
	var err error
	if c.Want, err = r.model.Answer(c.ID, &c.Before, &c.Input); err != nil {
		r.breaks("R5", "node %s: %v", c.ID, err)
		return false
	}
	if c.Want.Ignored == out.Ignored && c.Want.State.Equal(out.State) && slices.Equal(c.Want.Sent, out.Sent) {
		return true
	}
	if c.Rule = check.RuleOf(c); after.role == leader && out.State.Configuration.Epoch != out.State.Epoch {
		c.Rule = "R48"
	}
	r.breaks(spec.Property(c.Rule), "%s", c.Explain(out))
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
func (r *Runner) top() rank {
	newest, top := r.newest(), none
	for i := range rank(len(r.members)) {
		if newest.voters.has(i) && (top == none || newest.higher(i, top)) {
			top = i
		}
	}
	return top
}

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
