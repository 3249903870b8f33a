package sim

import (
	"github.com/seed-fdf591db/bully/conformance"
	"github.com/seed-fdf591db/bully/conformance/cases"
	"github.com/seed-fdf591db/bully/conformance/monitor"
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
	v := &r.hosts[i].view
	switch {
	case out.Save || out.Cancel|out.Arm != 0 || len(out.Sent) > 0 || !before.State.Equal(out.State):
		r.breaks("R35", "node %s, %s, ignores %s, but saves, sets timers, sends, or is %s", r.members[i], before.State, &r.in, out.State)
	case r.in.given.Call == spec.ResignCall && v.role != leader, r.in.given.Call == spec.HolderDeadCall && (v.leader == none || v.leader == i):
		return true
	case r.in.given.Call == spec.ChangeCall:
		if !cases.MayChange(r.members[i], &before.State, r.in.given.Configuration) {
			return true
		}
		r.breaks("R47", "node %s, %s, ignores %s", r.members[i], before.State, &r.in)
	case r.in.timer >= 0:
		r.breaks("R36", "node %s, %s, ignores %s, whose timer runs", r.members[i], before.State, &r.in)
	case r.in.from >= 0:
		r.breaks("R34", "node %s, %s, ignores %s, which a member has sent", r.members[i], before.State, &r.in)
	default:
		r.breaks("R28", "node %s, %s, ignores %s", r.members[i], before.State, &r.in)
	}
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
func (r *Runner) shows(i rank, v *view) monitor.View {
	now := monitor.View{Up: true, Acts: r.monitor.Acts(int(i)), Epoch: v.epoch, Configuration: v.configuration}
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
