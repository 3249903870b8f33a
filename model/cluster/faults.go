package cluster

import (
	"github.com/seed-fdf591db/bully/model/rules"
	"github.com/seed-fdf591db/bully/spec"
)

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

// A leader is told to resign, or stops in good order.
func (p *stepper) resign(i rules.ID) {
	if p.now.up.Has(i) && p.rules.MayResign(p.now.node[i]) && p.spend(resign) {
		step := p.rules.Resign(i, p.now.node[i])
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
		p.next.pop(l)
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
