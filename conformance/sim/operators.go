package sim

import (
	"slices"
	"time"

	"github.com/seed-fdf591db/bully/conformance/sim/simnet"
	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// maxTries is how often an operator looks for a leader to ask.
const maxTries = 8

// The streams of random numbers that operators draw from: those below are of hosts.
const operatorStreams = 1 << 21

// operator is who sees to a change of the plan.
type operator struct {
	random simnet.Random
	tries  int
	wanted spec.Configuration // what was asked for last
	made   bool               // a leader has made it that of the cluster
	over   bool               // there is nothing more to do
}

// beginChanges gives each change of the plan an operator.
func (r *Runner) beginChanges() {
	r.operators = r.operators[:0]
	if p := r.plan; p.changes() && (r.model == nil || !r.model.Are(p.Members)) {
		r.model, _ = rules.NewNames(slices.Clone(p.Members)) // MaxNodes is far below its bound
	}
	for k := range r.plan.Changes {
		r.operators = append(r.operators, operator{random: simnet.NewRandom(r.plan.Seed, operatorStreams+uint64(k))})
		r.net.At(r.plan.Changes[k].At, lookTag|uint32(k))
	}
}

// look lets an operator look who leads, and ask it for a change, unless what it wants is there. It looks again later.
func (r *Runner) look(k int) {
	o, c := &r.operators[k], &r.plan.Changes[k]
	if o.over || r.calm || o.tries == maxTries {
		return
	}
	o.tries++
	t := &r.plan.Timing
	r.net.At(r.net.Now()+o.random.In(Range{Min: t.Heartbeat, Max: 2 * t.Patience}), lookTag|uint32(k))
	if i := r.members.of(&c.Node); c.Kind.adds() && r.hosts[i].stopped { // it is started before it is added
		r.runAgain(i)
	}
	l := r.anyLeader(&o.random)
	if l == none {
		return
	}
	wanted, there, waits := r.plan.asked(k, r.hosts[l].view.configuration, r.members[l])
	if there && !o.made {
		o.over = true // somebody else has seen to it
	}
	if there || waits {
		return
	}
	o.wanted, o.made = wanted, false
	thinks := t.Delay
	if o.random.Below(4) == 0 {
		thinks = 2 * t.Heartbeat // meanwhile others may change it
	}
	r.net.Call(int(l), o.random.In(Range{Max: thinks}), changeTag|uint32(k))
}

// anyLeader returns a node that leads, or none. If there is more than one, an operator may find either.
func (r *Runner) anyLeader(random *simnet.Random) rank {
	var leaders []rank
	for i := range r.hosts {
		if r.net.Up(i) && r.hosts[i].view.role == leader {
			leaders = append(leaders, rank(i))
		}
	}
	if len(leaders) == 0 {
		return none
	}
	return leaders[random.Below(uint64(len(leaders)))]
}

// askFor gives a node the call of an operator. When all faults are over no change is asked for any more (section 3).
func (r *Runner) askFor(i rank, k int) {
	o := &r.operators[k]
	if r.calm {
		return
	}
	r.result.Stats.Asked++
	r.in.given.Configuration = o.wanted
	o.made = true // it may be settled at once
	r.call(i, spec.ChangeCall)
	r.in.given.Configuration = spec.Configuration{}
	if v := &r.hosts[i].view; v.role != leader || v.configuration != o.wanted {
		o.made = false
	}
}

// tellOperators tells those whose change is settled that it is.
func (r *Runner) tellOperators(c spec.Configuration) {
	for k := range r.operators {
		o, change := &r.operators[k], &r.plan.Changes[k]
		if !o.made || o.wanted != c {
			continue
		}
		r.result.Stats.Settled++
		r.told = append(r.told, c)
		m, isMember := c.Member(change.Node)
		o.made, o.over = false, m.Kind == spec.MemberKind(change.Kind) || change.Kind == AddressChange || change.Kind == RankChange || !isMember
	}
}

// handOver calls a leader to resign that has been made a witness, once that is settled.
func (r *Runner) handOver(i rank) {
	if v := &r.hosts[i].view; v.role == leader && !v.voters.has(i) {
		r.call(i, spec.ResignCall)
	}
}

// isRemoved reports whether the host of a node is to stop it: it is no member of its own configuration, and was not started in
// spite of that.
func (r *Runner) isRemoved(i rank) bool {
	h := &r.hosts[i]
	switch {
	case h.view.members.has(i):
		h.lingers = false
	case h.view.members != 0 && !h.lingers:
		return true
	}
	return false
}

// stop lets a host stop its node after the step that it takes, in which all that it sends leaves.
func (r *Runner) stop(i rank, sends int) {
	r.result.Stats.Stopped++
	r.hosts[i].downBy = -1
	r.links.disturbAll(r, i)
	r.net.CrashAfter(int(i), sends)
}

// stand returns how often it is looked whether a node that its host has stopped is a member after all: it may have heard of a
// change that was lost.
func (p *Plan) stand() time.Duration { return p.Timing.Patience + p.Timing.Coordinator }

// hasStopped sees to a node that its host has stopped: when it runs again.
func (r *Runner) hasStopped(i rank) {
	now := r.net.Now()
	r.hosts[i].stopped = true
	r.net.At(now+r.plan.stand(), standTag|uint32(i))
	for k := len(r.plan.Changes) - 1; k >= 0; k-- {
		c := &r.plan.Changes[k]
		if c.Kind == RemoveChange && c.Node == r.members[i] && c.At <= now {
			if c.Back > 0 {
				r.net.At(now+c.Back, backTag|uint32(i))
			}
			return
		}
	}
}

// comesBack runs a node again that was removed, as the plan says.
func (r *Runner) comesBack(i rank) {
	if r.hosts[i].stopped && !r.calm {
		r.runAgain(i)
	}
}

// stands runs a node again that its host has stopped, if it is a member of the newest configuration after all.
func (r *Runner) stands(i rank) {
	if !r.hosts[i].stopped {
		return
	}
	if newest := r.newest(); newest.members.has(i) {
		r.runAgain(i)
		return
	}
	r.net.At(r.net.Now()+r.plan.stand(), standTag|uint32(i))
}

// runAgain starts a node that its host has stopped, with its old disk. It runs on, though it is no member.
func (r *Runner) runAgain(i rank) {
	h := &r.hosts[i]
	h.stopped, h.lingers = false, true
	r.restart(i)
}

// newest returns the newest configuration of a node that runs.
func (r *Runner) newest() *who {
	newest := &who{}
	for i := range r.hosts {
		if w := &r.hosts[i].view.who; r.net.Up(i) && (newest.configuration.IsNone() || w.configuration.Newer(newest.configuration)) {
			newest = w
		}
	}
	return newest
}
