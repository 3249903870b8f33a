package cluster

import (
	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

// timeouts are the actions of timers, in the order of Next.
var timeouts = [rules.Timers]struct {
	timer rules.Timer
	take  func(*stepper, rules.ID)
}{
	{rules.PatienceTimer, (*stepper).patienceTimeout},
	{rules.PreemptTimer, (*stepper).preemptTimeout},
	{rules.ElectionTimer, (*stepper).electionTimeout},
	{rules.CoordinatorTimer, (*stepper).coordinatorTimeout},
	{rules.ClaimTimer, (*stepper).claimTimeout},
	{rules.ReignTimer, (*stepper).reignTimeout},
	{rules.HeartbeatTimer, (*stepper).heartbeatTimeout},
}

// due begins an action of a timer of node i, and reports whether it may happen: a timer that is not on time costs one of the
// budget.
func (p *stepper) due(i rules.ID, onTime bool) bool {
	if onTime {
		p.begin()
		return true
	}
	return p.timing.mayBeEarly(&p.now, i) && p.spend(early)
}

// runs reports whether node i is up, and its timer t runs.
func (p *stepper) runs(i rules.ID, t rules.Timer) bool {
	return p.now.up.Has(i) && p.rules.Runs(i, p.now.node[i], t)
}

// ends has timer t of node i end.
func (p *stepper) ends(i rules.ID, t rules.Timer) {
	step := p.rules.Timeout(i, p.now.node[i], t)
	if p.affords(i, &step) {
		p.take(i, &step)
		p.end(t.Spec().Action(), i)
	}
}

func (p *stepper) patienceTimeout(i rules.ID) {
	s := &p.now
	if !p.runs(i, rules.PatienceTimer) || !p.due(i, p.patienceOver(s, i)) {
		return
	}
	step := p.rules.Timeout(i, s.node[i], rules.PatienceTimer)
	p.keepHeeded(s, i, &step)
	if step.Len() == 0 && step.State.Is(s.node[i]) {
		return // it would be no step
	}
	if p.affords(i, &step) {
		p.take(i, &step)
		p.end(spec.PatienceTimeout, i)
	}
}

func (p *stepper) preemptTimeout(i rules.ID) {
	if p.runs(i, rules.PreemptTimer) && p.due(i, p.arrived(&p.now, i)) {
		p.ends(i, rules.PreemptTimer)
	}
}

func (p *stepper) electionTimeout(i rules.ID) {
	if p.runs(i, rules.ElectionTimer) && p.due(i, p.timing.answered(p.cluster, &p.now, i)) {
		p.ends(i, rules.ElectionTimer)
	}
}

func (p *stepper) coordinatorTimeout(i rules.ID) {
	s := &p.now
	if !p.runs(i, rules.CoordinatorTimer) || !p.due(i, p.coordinationOver(s, i)) {
		return
	}
	step := p.rules.Timeout(i, s.node[i], rules.CoordinatorTimer)
	p.keepHeeded(s, i, &step)
	if p.affords(i, &step) {
		p.take(i, &step)
		p.end(spec.CoordinatorTimeout, i)
	}
}

func (p *stepper) claimTimeout(i rules.ID) {
	if p.runs(i, rules.ClaimTimer) && p.due(i, p.arrived(&p.now, i)) {
		p.ends(i, rules.ClaimTimer)
	}
}

// The check of a leader that is not backed, or one that ends before the ACKs are in.
func (p *stepper) reignTimeout(i rules.ID) {
	s := &p.now
	if p.runs(i, rules.ReignTimer) && p.due(i, p.free || s.around(p.cluster, i) && !p.backed(s, i)) {
		step := p.rules.Timeout(i, s.node[i], rules.ReignTimer)
		p.take(i, &step)
		p.end(spec.ReignTimeout, i)
	}
}

// Heartbeats that change nothing are left out.
func (p *stepper) heartbeatTimeout(i rules.ID) {
	s := &p.now
	if !p.runs(i, rules.HeartbeatTimer) {
		return
	}
	inNeed := p.inNeed(s, i)
	if inNeed == 0 && !p.free || !p.due(i, p.arrived(s, i)) {
		return
	}
	step := p.rules.Timeout(i, s.node[i], rules.HeartbeatTimer)
	if !p.free {
		step.KeepTo(inNeed)
	}
	if p.affords(i, &step) {
		p.take(i, &step)
		p.end(spec.HeartbeatTimeout, i)
	}
}

// keepHeeded leaves out of step, of i in s, what a member that may not stand says in vain: it would not change who hears it, and
// no answer to it would change i.
func (c *cluster) keepHeeded(s *clusterState, i rules.ID, step *rules.Step) {
	if c.rules.MayStand(i, s.node[i]) {
		return
	}
	var heeds rules.Set
	for m := range step.All() {
		if c.moves(s, m, step.State) {
			heeds = heeds.With(m.To)
		}
	}
	step.KeepTo(heeds)
}

// moves reports whether m, of a sender that is in state after then, changes who hears it, or the answer to it its sender.
func (c *cluster) moves(s *clusterState, m rules.Message, after rules.State) bool {
	if !c.carries(s, m.From, m.To) {
		return false
	}
	heard := c.rules.Hear(m.To, s.node[m.To], m)
	if !heard.State.Is(s.node[m.To]) {
		return true
	}
	for answer := range heard.All() {
		if c.carries(s, m.To, m.From) && !c.rules.Hear(m.From, after, answer).State.Is(after) {
			return true
		}
	}
	return false
}

// Calls and faults, the last actions of Next in tla/Cluster.tla.

// spend begins an action that costs one of the budget of f, and reports whether there is one left.
func (p *stepper) spend(f fault) bool {
	if p.now.budget[f] == 0 {
		return false
	}
	p.begin()
	p.next.budget[f]--
	return true
}

// A leader is told to resign, or stops in good order; or to hand over to a node that is named: one step for each that it may name.
func (p *stepper) resign(i rules.ID) {
	s := &p.now
	if !s.up.Has(i) || !p.rules.MayResign(s.node[i]) {
		return
	}
	for k := range p.timing.nameable(p.cluster, s, i).All() {
		if p.rules.MayName(i, s.node[i], k) && p.spend(resign) {
			step := p.rules.HandOver(i, s.node[i], k, 0)
			p.take(i, &step)
			p.end(spec.ResignAction, i, k)
		}
	}
	if p.timing.namesNobody && p.spend(resign) {
		step := p.rules.Resign(i, s.node[i])
		p.take(i, &step)
		p.end(spec.ResignAction, i)
	}
}

// A node is told that the holder of its lease is dead. R41.
func (p *stepper) holderDead(i rules.ID) {
	s := &p.now
	if !s.up.Has(i) || !p.rules.HasHolder(i, s.node[i]) || !p.timing.mayProve(p.cluster, s, i, s.node[i].Leader) {
		return
	}
	p.begin()
	step := p.rules.HolderDead(i, s.node[i])
	p.take(i, &step)
	p.end(spec.HolderDeadAction, i)
}

// A leader is asked for a change, and makes it: one step for each of the members that are wanted and that it may change to.
func (p *stepper) change(i rules.ID) {
	if !p.now.up.Has(i) {
		return
	}
	for _, c := range p.wanted {
		c.Epoch, c.Version = p.now.node[i].Epoch, p.now.node[i].Conf.Version+1
		if !p.rules.MayChange(i, p.now.node[i], c) || !p.spend(change) {
			continue
		}
		step := p.rules.Change(i, p.now.node[i], c)
		if !p.affords(i, &step) {
			continue
		}
		p.take(i, &step)
		p.end(spec.ChangeAction, i)
	}
}

func (p *stepper) crash(i rules.ID) {
	if !p.now.up.Has(i) || !p.spend(crash) {
		return
	}
	p.next.up = p.now.up.Without(i)
	p.next.since[i] = [MaxNodes + 1]rules.Question{}
	p.next.node[i] = p.rules.Survives(p.now.node[i])
	for l, ends := range p.links {
		if (ends.from == i || ends.to == i) && !p.kept {
			p.next.clear(l)
		}
	}
	p.end(spec.CrashAction, i)
}

func (p *stepper) restart(i rules.ID) {
	if p.now.up.Has(i) {
		return
	}
	p.begin()
	step := p.rules.Restart(i, p.now.node[i])
	p.next.up = p.now.up.With(i)
	p.next.node[i] = step.State
	p.next.sinceNow(i)
	p.send(i, &step)
	p.end(spec.RestartAction, i)
}

// A message is lost though its link holds: the connection broke and came back.
func (p *stepper) lose(l int) {
	if p.now.net[l].n != 0 && !p.kept && p.spend(loss) {
		p.next.pop(l, 0)
		p.end(spec.LoseAction, p.links[l].from, p.links[l].to)
	}
}

// The set of cut links changes to that of the topology with index k. The step is Cut(k+1): it counts from 1.
func (p *stepper) changeCut(k uint8) {
	if k == p.now.cut || !p.spend(cutChange) {
		return
	}
	p.next.cut = k
	for l, ends := range p.links {
		if p.cuts[k].has(ends.from, ends.to) && !p.kept {
			p.next.clear(l)
		}
	}
	p.end(spec.CutAction, rules.ID(k+1))
}
