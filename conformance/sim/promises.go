package sim

import (
	"time"

	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/check"
	"github.com/seed-fdf591db/bully/spec"
	"github.com/seed-fdf591db/bully/spec/policy"
)

// check holds what a node does with an input to the rules that need nothing but the node. It reports whether they hold.
func (r *Runner) check(i rank, before, out *spec.Step, after *view) bool {
	if out.Ignored {
		return r.checkIgnored(i, before, out)
	}
	if after.role == leader {
		r.expire(i)
	}
	if was := &r.hosts[i].view; !after.promisesAs(was) {
		now := r.shows(i, after)
		if breach := r.monitor.Breaks(int(i), &now); breach != nil {
			r.breaks(breach.Promise.Name, "%s, with %s", breach.Text(), &r.in)
			return false
		}
	}
	if !r.checkSent(i, out) || r.plan.changes() && !r.checkMembers(i, before, out, after) {
		return false
	}
	save, cancel, arm := conformance.Duties(r.members[i], &before.State, &r.in.given, &out.State, out.Sent)
	switch {
	case save != out.Save:
		r.breaks("R4", "node %s, %s, with %s is %s: save is %v, and must be %v", r.members[i], before.State, &r.in, out.State, out.Save, save)
	case cancel != out.Cancel || arm != out.Arm:
		r.breaks("R36", "node %s, %s, with %s is %s: it cancels %s and arms %s, and must cancel %s and arm %s",
			r.members[i], before.State, &r.in, out.State, out.Cancel, out.Arm, cancel, arm)
	default:
		return true
	}
	return false
}

// checkIgnored holds a node to what may be ignored: here only calls, which are no step of some nodes; and to doing nothing.
func (r *Runner) checkIgnored(i rank, before, out *spec.Step) bool {
	rule := spec.Property("R28")
	switch in := &r.in.given; {
	case out.Save || out.Cancel|out.Arm != 0 || len(out.Sent) > 0 || !before.State.Equal(out.State):
		r.breaks("R35", "node %s, %s, ignores %s, but saves, sets timers, sends, or is %s", r.members[i], before.State, &r.in, out.State)
		return false
	case in.Call != "" && conformance.NoStep(r.members[i], &before.State, in) != "":
		return true
	case in.Call == spec.ChangeCall:
		rule = "R47"
	case in.Timer != "":
		rule = "R36"
	case in.Call == "":
		rule = "R34"
	}
	r.breaks(rule, "node %s, %s, ignores %s, which is a step", r.members[i], before.State, &r.in)
	return false
}

// checkSent holds the messages of a step to being well formed (R33), in the node's own name and to other members (R34), and
// notes whom they are to.
func (r *Runner) checkSent(i rank, out *spec.Step) bool {
	r.to = r.to[:0]
	for k := range out.Sent {
		m := &out.Sent[k]
		to := r.members.of(&m.To)
		switch {
		case typeOf(m.Type) == noMessage || !m.Epoch.Valid():
			r.breaks("R33", "node %s sends %s with %s, which is no message", r.members[i], m, &r.in)
			return false
		case m.From != r.members[i]:
			r.breaks("R34", "node %s sends %s with %s, in the name of another", r.members[i], m, &r.in)
			return false
		case to == none || to == i:
			r.breaks("R34", "node %s sends %s with %s, which is to no other member", r.members[i], m, &r.in)
			return false
		case m.Configuration != out.State.Configuration:
			r.breaks("R43", "node %s sends %s with %s, after which its configuration is %s", r.members[i], m, &r.in, out.State.Configuration)
			return false
		}
		r.to = append(r.to, to)
	}
	return true
}

// String says what the input is, as a person would.
func (in *input) String() string {
	return in.given.String()
}

// shows returns what is seen of a node that runs. It acts as leader from the step on with which it wins, until it has saved what it
// stopped with.
func (r *Runner) shows(i rank, v *view) check.View {
	now := check.View{Up: true, Acts: r.monitor.Acts(int(i)), Epoch: v.epoch, Configuration: v.configuration}
	if v.role == leader {
		now.Acts, now.Leads = true, v.epoch
	}
	return now
}

// expire notes of all other nodes whose reign is over by their own clocks that they do not act any more: a host that is stopped, or
// late, does nothing then, and finds its reign ended when it does (R26).
func (r *Runner) expire(but rank) {
	for i := range r.hosts {
		if h := &r.hosts[i]; rank(i) != but && h.view.role == leader && r.reignIsOver(rank(i)) {
			r.stops(rank(i))
		}
	}
}

// reignIsOver reports whether the end of the reign timer of a node, or of its claim, has come by its clock.
func (r *Runner) reignIsOver(i rank) bool {
	now := policy.Instant(r.net.Reads(int(i)))
	return !now.Before(r.hosts[i].policy.Due[reign]) || !now.Before(r.hosts[i].policy.Due[claim])
}

// stops notes that a node does not act as leader any more.
func (r *Runner) stops(i rank) {
	if r.monitor.Acts(int(i)) {
		now := r.monitor.Seen(int(i))
		now.Acts = false
		r.monitor.Note(int(i), &now)
	}
}

// promises notes a step that is taken, and holds it to the promises about links and nodes.
func (r *Runner) promises(i rank, was *view) {
	now := &r.hosts[i].view
	if now.grantee != was.grantee || now.epoch != was.epoch {
		r.granted(now)
	}
	if now.promisesAs(was) && r.in.action != startAction {
		return
	}
	if now.role == leader && (was.role != leader || was.epoch != now.epoch) {
		if _, led := r.monitor.Leader(now.epoch); !led {
			r.result.Reigns = append(r.result.Reigns, Reign{now.epoch, r.members[i]})
		}
	}
	seen := r.shows(i, now)
	r.monitor.Note(int(i), &seen)
	switch {
	case now.role == claimant && was.role != claimant:
		r.claimed(i, now.epoch+1)
	case was.role == leader && now.role == leader:
		r.links.adds(i, now.members&^was.members, r.net.Now())
	}
	if was.role == leader && now.role != leader && r.in.given.Call != spec.ResignCall && r.result.Timely {
		r.deposed(i, was)
	}
}

// settle notes whether the cluster is as it should stay.
func (r *Runner) settle() {
	settled := r.unsettled() == ""
	if settled && !r.settled {
		r.since = r.net.Now()
		r.result.Settled = max(0, r.since-r.plan.Length)
	}
	r.settled = settled
}

// checkSettled holds the end of a run to SomeLeader and HighestLeads.
func (r *Runner) checkSettled() {
	bound := r.result.Bound
	if problem := r.unsettled(); problem != "" {
		r.breaks(spec.SomeLeader, "%s after all faults are over, %s", bound, problem)
		return
	}
	if top := r.top(); r.plan.Timing.Preempt >= 0 && r.hosts[top].view.role != leader {
		r.breaks(spec.HighestLeads, "%s after all faults are over, node %s leads, and not node %s", bound, r.members[r.hosts[top].view.leader], r.members[top])
		return
	}
	r.checkTold()
}

// bid is what has come of an epoch: who has claimed it, of those who were eligible when they asked, or claimed, or in between; and
// to whom it was promised.
type bid struct{ claimed, promised set }

// claimed notes who claims an epoch.
func (r *Runner) claimed(i rank, e spec.Epoch) {
	if r.links.wasEligible(r, i) {
		b := r.bids[e]
		b.claimed |= one(i)
		r.bids[e] = b
	}
}

// granted notes to whom a node has promised its epoch.
func (r *Runner) granted(v *view) {
	if v.grantee != none {
		b := r.bids[v.epoch]
		b.promised |= one(v.grantee)
		r.bids[v.epoch] = b
	}
}

// deposed holds the end of a reign, that the leader has not called for, to NoDisruption, in the words of section 3.
func (r *Runner) deposed(l rank, was *view) {
	if r.in.timer == reign {
		if r.links.undisturbed(r, l, was) {
			r.result.Stats.Deposed++
			r.disrupts(l, was, "which nothing has disturbed for so long", "")
		}
		return
	}
	if !r.links.backed(r, l, was) {
		return
	}
	r.result.Stats.Deposed++
	now, bid := &r.hosts[l].view, r.bids[r.hosts[l].view.epoch]
	rivals := bid.claimed & bid.promised &^ one(l)
	if r.in.given.Message.Type == spec.Claim { // it hands over
		rivals &= one(r.in.from)
	}
	switch {
	case now.epoch == was.epoch || rivals == 0:
		r.disrupts(l, was, "within its reach", ", though no node that was eligible has claimed that epoch, and was promised it")
	case r.rivalled(l, now.epoch):
	case r.result.Stats.Actions[cutAction] > 0:
		r.result.Stats.Stale++
	default:
		r.disrupts(l, was, "within its reach",
			", though no link was ever cut, and nobody who reaches a quorum, or is down, is promised that epoch, or a higher one")
	}
}

func (r *Runner) disrupts(l rank, was *view, quorum, though string) {
	r.breaks(spec.NoDisruption, "node %s led epoch %d with a quorum %s, and with %s is %s%s",
		r.members[l], was.epoch, quorum, &r.in, r.hosts[l].out().State, though)
}

// rivalled reports whether epoch e, or a higher one, is promised to another node that reaches a quorum now, or is down: what Cluster
// asks where links do not change. It need not be a voter any more.
func (r *Runner) rivalled(l rank, e spec.Epoch) bool {
	for j := range r.hosts {
		v := &r.hosts[j].view
		c := v.grantee
		if v.epoch < e || c == none || c == l {
			continue
		}
		if _, quorum := r.reaches(c); quorum || !r.net.Up(int(c)) {
			return true
		}
	}
	return false
}

// topology is what NoDisruption needs to know of links and nodes.
type topology struct {
	whole    [MaxNodes][MaxNodes]time.Duration // since when nothing has befallen two nodes and the links between them
	member   [MaxNodes][MaxNodes]time.Duration // when each node, as leader, made each a member: it asks it since
	eligible [MaxNodes]time.Duration           // when each node was eligible last, if it is not now
	asked    [MaxNodes]asking                  // who would follow each node, when it asked that last
	asks     [MaxNodes][]asking                // of a claimant and a leader: what may come to date its reign, ascending
}

// asking is a question of a node, and when it was asked.
type asking struct {
	question spec.Question
	at       time.Duration
}

func (t *topology) reset() {
	*t = topology{asks: t.asks}
	for i := range t.eligible {
		t.eligible[i] = -1
		t.asks[i] = t.asks[i][:0]
	}
}

// disturb notes that something has befallen a link.
func (t *topology) disturb(from, to rank, now time.Duration) {
	t.whole[from][to], t.whole[to][from] = now, now
}

// disturbAll notes that something has befallen a node.
func (t *topology) disturbAll(r *Runner, i rank) {
	t.note(r)
	for j := range t.whole {
		t.disturb(i, rank(j), r.net.Now())
	}
}

// note notes who is eligible, before that may change.
func (t *topology) note(r *Runner) {
	for i := range rank(len(r.members)) {
		if r.eligible(i) {
			t.eligible[i] = r.net.Now()
		}
	}
}

// linked reports whether two nodes run and are linked in both directions; a node is, to itself.
func (r *Runner) linked(i, j rank) bool {
	up := r.net.Up(int(i)) && r.net.Up(int(j))
	return up && !r.net.IsCut(int(i), int(j)) && !r.net.IsCut(int(j), int(i))
}

// reaches returns the newest configuration of a node and of those that are linked with it in both directions, and whether these,
// itself included, hold a quorum of it.
func (r *Runner) reaches(i rank) (newest *who, quorum bool) {
	linked, newest := set(0), &r.hosts[i].view.who
	for j := range rank(len(r.members)) {
		if r.linked(i, j) {
			linked |= one(j)
			if w := &r.hosts[j].view.who; w.configuration.Newer(newest.configuration) {
				newest = w
			}
		}
	}
	return newest, newest.quorum(linked)
}

// eligible reports whether a node runs, reaches a quorum, and is a voter.
func (r *Runner) eligible(i rank) bool {
	newest, quorum := r.reaches(i)
	return quorum && newest.voters.has(i)
}

// notes keeps what a node, which is in a state now, has asked: who would follow it; and since the question from which its reign is
// dated.
func (t *topology) notes(r *Runner, i rank, v *view, s *spec.State) {
	now := r.net.Now()
	if v.role == candidate && s.Asked != t.asked[i].question {
		t.asked[i] = asking{s.Asked, now}
		if r.eligible(i) {
			t.eligible[i] = now
		}
	}
	if v.role != claimant && v.role != leader {
		t.asks[i] = t.asks[i][:0]
		return
	}
	asks := t.asks[i]
	for len(asks) > 1 && asks[1].question <= s.Dated {
		asks = append(asks[:0], asks[1:]...)
	}
	if n := len(asks); n == 0 || asks[n-1].question < s.Latest {
		asks = append(asks, asking{s.Latest, now})
	}
	t.asks[i] = asks
}

// adds notes whom a leader has made members.
func (t *topology) adds(l rank, members set, now time.Duration) {
	for j := range t.member[l] {
		if members.has(rank(j)) {
			t.member[l][j] = now
		}
	}
}

// backed reports whether a leader is linked in both directions to a quorum of its configuration, itself included.
func (t *topology) backed(r *Runner, l rank, was *view) bool {
	return was.quorum(t.within(r, l, r.net.Now()))
}

// undisturbed reports whether one and the same quorum of a leader's configuration has run, been linked with it, with nothing lost,
// and been members, since it asked the question from which its reign is dated. Then they have answered a later one before the reign
// ended (R37 c). Who was made a member since does not count: it may have been asked too late, as a change makes no reign longer (R47).
func (t *topology) undisturbed(r *Runner, l rank, was *view) bool {
	return was.quorum(t.within(r, l, t.asks[l][0].at))
}

// within returns the nodes with which a leader has been linked since then, and which it has asked.
func (t *topology) within(r *Runner, l rank, since time.Duration) (whole set) {
	for j := range rank(len(r.members)) {
		if r.linked(l, j) && (j == l || max(t.whole[l][j], t.member[l][j]) <= since) {
			whole |= one(j)
		}
	}
	return whole
}

// wasEligible reports whether a node is eligible, or was since it asked for the support that what it does now rests upon.
func (t *topology) wasEligible(r *Runner, c rank) bool {
	return r.eligible(c) || t.eligible[c] >= t.asked[c].at
}
