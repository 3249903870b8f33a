package changing

import "github.com/seed-fdf591db/bully/spec"

// Calls and faults, the last actions of Next in tla/ChangingCluster.tla.

// proofs are what may stand for MayProve; nobody is told that another is dead, unless a configuration says who may be.
var proofs = map[string]func(s *clusterState, i, l ID) bool{
	"nobody":         func(*clusterState, ID, ID) bool { return false },
	"Down":           func(s *clusterState, _, l ID) bool { return !s.up.Has(l) },
	"ProvesAnything": func(*clusterState, ID, ID) bool { return true },
}

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
func (p *stepper) resign(i ID) {
	if p.now.up.Has(i) && mayResign(p.now.node[i]) && p.spend(resign) {
		o := p.rules.Resign(i, p.now.node[i])
		p.take(i, &o)
		p.end(spec.ResignAction, i)
	}
}

// A node is told that the holder of its lease is dead. R41.
func (p *stepper) holderDead(i ID) {
	s := &p.now
	if !s.up.Has(i) || !hasHolder(i, s.node[i]) || !p.mayProve(s, i, s.node[i].Leader) {
		return
	}
	p.begin()
	o := p.rules.HolderDead(i, s.node[i])
	p.take(i, &o)
	p.end(spec.HolderDeadAction, i)
}

// A leader is asked for a change, and makes it: one step for each of the members that are wanted and that it may change to.
func (p *stepper) change(i ID) {
	if !p.now.up.Has(i) {
		return
	}
	for _, c := range p.wanted {
		c.Epoch, c.Version = p.now.node[i].Epoch, p.now.node[i].Conf.Version+1
		if !p.rules.mayChange(i, p.now.node[i], c) || !p.spend(change) {
			continue
		}
		o := p.rules.Change(i, p.now.node[i], c)
		p.take(i, &o)
		p.end(spec.ChangeAction, i)
	}
}

func (p *stepper) crash(i ID) {
	if !p.now.up.Has(i) || !p.spend(crash) {
		return
	}
	p.next.up = p.now.up.Without(i)
	p.next.node[i] = p.rules.Survives(p.now.node[i])
	for l, ends := range p.links {
		if ends.from == i || ends.to == i {
			p.next.clear(l)
		}
	}
	p.end(spec.CrashAction, i)
}

func (p *stepper) restart(i ID) {
	if p.now.up.Has(i) {
		return
	}
	p.begin()
	o := p.rules.Restart(i, p.now.node[i])
	p.next.up = p.now.up.With(i)
	p.next.node[i] = o.State
	p.send(&o)
	p.end(spec.RestartAction, i)
}

// A message is lost though its link holds: the connection broke and came back.
func (p *stepper) lose(l int) {
	if p.now.net[l].n != 0 && p.spend(loss) {
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
		if p.cuts[k].has(ends.from, ends.to) {
			p.next.clear(l)
		}
	}
	p.end(spec.CutAction, ID(k+1))
}
