package sim

import (
	"time"

	"github.com/seed-fdf591db/bully/spec"
)

// beginFault begins a fault of the plan. What befalls a node that is down is nothing.
func (r *Runner) beginFault(n int) {
	f := &r.plan.Faults[n]
	k, i := f.Kind.kind(), r.members.of(&f.Node)
	if f.Kind.ofLinks() || k.whileDown || r.net.Up(int(i)) {
		k.begin(r, n, f, i)
	}
}

// endFault ends a fault of the plan.
func (r *Runner) endFault(n int) {
	f := &r.plan.Faults[n]
	r.active[n] = false
	if k := f.Kind.kind(); k.end != nil {
		k.end(r, n, f, r.members.of(&f.Node))
	}
}

// endCrash ends a fault that crashes a node. A crash whose point has not come does not come any more.
func endCrash(r *Runner, n int, _ *Fault, i rank) {
	h := &r.hosts[i]
	if h.crash == n {
		h.crash = -1
	}
	if h.fail == n {
		h.fail = -1
	}
	r.restartAfter(n)
}

// restartAfter restarts the node that a fault has crashed, if it is down.
func (r *Runner) restartAfter(n int) {
	i := r.members.of(&r.plan.Faults[n].Node)
	if r.hosts[i].downBy == n && !r.net.Up(int(i)) {
		r.hosts[i].downBy = -1
		r.restart(i)
	}
}

// lose notes that a message is lost which was the first of all on its link.
func (r *Runner) lose(m *spec.Message) {
	r.result.Stats.Actions[loseAction]++
	r.trace.lose(r, m)
}

// setCuts cuts links, or heals them, by set.
func (r *Runner) setCuts(links []spec.Link, set func(from, to int) bool) {
	r.links.note(r)
	changed := false
	for _, l := range links {
		from, to := r.members.of(&l.From), r.members.of(&l.To)
		if set(int(from), int(to)) {
			changed = true
			r.links.disturb(from, to, r.net.Now())
		}
	}
	if changed {
		r.result.Stats.Actions[cutAction]++
		r.trace.cut(r)
	}
}

// setConditions gives links the conditions of the last fault that changes theirs, or those of the plan.
func (r *Runner) setConditions(links []spec.Link) {
	for _, l := range links {
		conditions := r.plan.Links
		for n := range r.plan.Faults {
			if f := &r.plan.Faults[n]; r.active[n] && f.Kind == ConditionsFault {
				for _, k := range f.Links {
					if k == l {
						conditions = f.Conditions
					}
				}
			}
		}
		r.net.SetConditions(int(r.members.of(&l.From)), int(r.members.of(&l.To)), conditions)
	}
}

// setDisk makes the disk of a node as slow as the last fault says, or the plan.
func (r *Runner) setDisk(i rank) {
	disk := r.plan.Disk
	for n := range r.plan.Faults {
		if f := &r.plan.Faults[n]; r.active[n] && f.Kind == SlowDiskFault && f.Node == r.members[i] {
			disk = f.Disk
		}
	}
	r.net.SetDisk(int(i), disk)
}

// becomeCalm ends what the plan says of the conditions: nothing is lost any more.
func (r *Runner) becomeCalm() {
	r.calm = true
	if r.result.Bound > 0 {
		r.result.Bound = r.plan.settleBound(int(r.result.Stats.Actions[preemptAction]) + 1)
	}
	conditions := Conditions{Delay: r.plan.Links.Delay}
	for i := range r.members {
		for j := range r.members {
			r.net.SetConditions(i, j, conditions)
		}
	}
	r.settle()
}

// probeAll lets the host of i try all nodes that are down.
func (r *Runner) probeAll(i rank) {
	for j := range rank(len(r.members)) {
		if !r.net.Up(int(j)) {
			r.probeSoon(i, j)
		}
	}
}

// probeSoon lets the host of i try whether j lives, when it has had time to see that their connection is broken.
func (r *Runner) probeSoon(i, j rank) {
	if i != j {
		wait := r.hosts[i].random.In(Range{Max: r.plan.Timing.Delay})
		r.net.At(r.net.Now()+wait, probeTag|uint32(i)<<4|uint32(j))
	}
}

// probe tries whether j lives. If it does not, and its machine can be reached, the answer is a proof. If the machine cannot
// be reached, nothing is proved, and it is tried again.
func (r *Runner) probe(i, j rank) {
	if !r.net.Up(int(i)) || r.net.Up(int(j)) {
		return
	}
	h := &r.hosts[i]
	if r.net.IsCut(int(i), int(j)) || r.net.IsCut(int(j), int(i)) {
		wait := r.plan.Timing.Heartbeat + time.Duration(h.random.Below(uint64(r.plan.Timing.Heartbeat)))
		r.net.At(r.net.Now()+wait, probeTag|uint32(i)<<4|uint32(j))
		return
	}
	h.policy.Broken(int(j))
	h.tried[j] = r.net.Now()
	there, back := h.random.In(r.plan.Links.Delay), h.random.In(r.plan.Links.Delay)
	r.net.Call(int(i), there+back, proofTag|uint32(j))
}

// connectAll lets a node that has started connect to all others.
func (r *Runner) connectAll(i rank) {
	for j := range rank(len(r.members)) {
		r.connectSoon(i, j)
	}
}

// heal lets links carry again, and nodes connect over them.
func (r *Runner) heal(links []spec.Link) {
	r.setCuts(links, r.net.Heal)
	for _, l := range links {
		r.connectSoon(r.members.of(&l.From), r.members.of(&l.To))
	}
}

// connectSoon lets two nodes connect, when one of them has had time to try, if hosts see their connections.
func (r *Runner) connectSoon(i, j rank) {
	if i != j && r.plan.Proofs {
		wait := r.hosts[i].random.In(Range{Max: r.plan.Timing.Delay})
		r.net.At(r.net.Now()+wait, linkTag|uint32(i)<<4|uint32(j))
	}
}

// connect lets two nodes know that they are connected, if both run and can reach each other.
func (r *Runner) connect(i, j rank) {
	if r.net.Up(int(i)) && r.net.Up(int(j)) && !r.net.IsCut(int(i), int(j)) && !r.net.IsCut(int(j), int(i)) {
		there := r.hosts[i].random.In(r.plan.Links.Delay)
		r.net.Call(int(j), there, upTag|uint32(i))
		r.net.Call(int(i), there+r.hosts[j].random.In(r.plan.Links.Delay), upTag|uint32(j))
	}
}
