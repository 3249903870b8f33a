package compare

import (
	"fmt"
	"time"

	"github.com/seed-fdf591db/bully/conformance/sim/simnet"
)

// plan lets a fault begin or end at a time.
func (p *Play) plan(at time.Duration, tag uint32, f int) {
	p.alarms++
	p.network.At(at, tag|uint32(f))
}

// begin lets a fault begin.
func (p *Play) begin(f int) {
	fault, result := &p.scenario.Faults[f], &p.result.Faults[f]
	leader := p.leader()
	if leader < 0 && fault.ofLeader() {
		p.waiting = append(p.waiting, f)
		return
	}
	i := fault.Node - 1
	if fault.Node == Leader {
		i = leader
	}
	if !fault.ofLinks() {
		if i >= len(p.hosts) || !p.network.Up(i) || p.network.Doomed(i) {
			p.began++
			return // there is no such server, or it is down already
		}
		result.Node = i + 1
	}
	p.began++
	result.Began, result.Election = p.network.Now(), p.result.Election
	switch fault.Kind {
	case Crash:
		p.tell(Entry{Kind: Happens, Node: i + 1, Text: crashes})
		p.hosts[i].fault = f
		p.network.Crash(i)
		return
	case Pause:
		p.tell(Entry{Kind: Happens, Node: i + 1, Text: "is paused"})
		p.moment.What, p.moment.Node, p.moment.Planned, p.moment.For = Paused, i+1, true, fault.For
		p.plan(p.network.Now()+fault.For, endTag, f) // first, so that it comes before what has waited
		p.network.Pause(i, fault.For)
		return
	case Suspect:
		p.hosts[i].told++
		p.network.Call(i, 0, suspectTag)
		return
	case Cut, Slow:
		p.faults[f].links = p.resolve(fault, leader)
		p.tell(Entry{Kind: Happens, Text: fault.text(p.faults[f].links)})
		p.moment.What, p.moment.Planned, p.moment.Text = Linked, true, fault.text(p.faults[f].links)
		for _, l := range p.faults[f].links {
			if fault.Kind == Slow {
				p.network.SetConditions(l.From, l.To, simnet.Conditions{Delay: simnet.Range(fault.Delay), Loss: fault.Loss})
			} else {
				p.cut(l)
			}
		}
	}
	if fault.For > 0 {
		p.plan(p.network.Now()+fault.For, endTag, f)
	}
}

// end lets a fault end.
func (p *Play) end(f int) {
	fault := &p.scenario.Faults[f]
	switch fault.Kind {
	case Crash:
		if i := p.result.Faults[f].Node - 1; !p.network.Up(i) {
			p.moment.Planned = true
			p.restart(i)
		}
	case Pause:
		if i := p.result.Faults[f].Node - 1; p.network.Up(i) && !p.network.Paused(i) {
			p.tell(Entry{Kind: Happens, Node: i + 1, Text: "goes on"})
			p.moment.What, p.moment.Node, p.moment.Planned = WentOn, i+1, true
		}
	case Cut, Slow:
		for _, l := range p.faults[f].links {
			if fault.Kind == Slow {
				p.network.SetConditions(l.From, l.To, p.scenario.conditions())
			} else {
				p.network.Heal(l.From, l.To)
			}
		}
		p.tell(Entry{Kind: Happens, Text: linkText(p.faults[f].links) + "as before"})
		p.moment.What, p.moment.Planned, p.moment.Text = Linked, true, linkText(p.faults[f].links)+"as before"
	}
}

// crashed notes that a node is down.
func (p *Play) crashed(i int) {
	h, n := &p.hosts[i], len(p.hosts)
	for j := range p.hosts {
		p.flying[i*n+j], p.flying[j*n+i] = 0, 0
	}
	p.endReign(i)
	h.status, h.saves, h.told, h.writes = Status{}, false, 0, 0
	if h.fault < 0 {
		return // nobody has planned that it comes back
	}
	p.moment.Planned = true
	fault := &p.scenario.Faults[h.fault]
	if fault.For > 0 {
		at := p.result.Faults[h.fault].Began + fault.For
		p.plan(max(at, p.network.Now()), endTag, h.fault)
	}
}

// restart makes a node anew, with what is on its disk.
func (p *Play) restart(i int) {
	h := &p.hosts[i]
	p.moment.What, p.moment.Node = Restarted, i+1
	p.network.Restart(i)
	h.fault = -1
	h.node = p.algorithm.New(h.config)
	p.tell(Entry{Kind: Happens, Node: i + 1, Text: "restarts"})
	p.step(i, func(out *Output) { h.node.Restart(h.saved, out) })
}

// leader returns who leads: of many, who has begun last; or -1.
func (p *Play) leader() int {
	found := -1
	for i := range p.hosts {
		if p.acts(i) && (found < 0 || p.hosts[i].reign > p.hosts[found].reign) {
			found = i
		}
	}
	return found
}

// ofLeader reports whether a fault befalls whoever leads.
func (f *Fault) ofLeader() bool {
	if f.Node == Leader || f.Aside > 0 {
		return true
	}
	for _, l := range f.Links {
		if min(l.From, l.To) < 0 {
			return true
		}
	}
	return false
}

// ofLinks reports whether a fault befalls links.
func (f *Fault) ofLinks() bool { return len(f.Links) > 0 || f.Aside > 0 }

// resolve returns the directed links, by place, that are meant.
func (p *Play) resolve(f *Fault, leader int) (resolved []Link) {
	lowest := 0
	if leader == 0 {
		lowest = 1
	}
	meant := func(id, i int) bool {
		return id == 0 || id == i+1 || id == Leader && i == leader || id == Lowest && i == lowest
	}
	aside := func(i int) bool { // the leader, and the lowest others
		lower := i
		if i > leader {
			lower--
		}
		return f.Aside > 0 && i < p.scenario.Nodes && (i == leader || lower < f.Aside)
	}
	for from := range p.hosts {
		for to := range p.hosts {
			if aside(from) != aside(to) {
				resolved = append(resolved, Link{from, to})
			}
			for _, l := range f.Links {
				if from != to && meant(l.From, from) && meant(l.To, to) {
					resolved = append(resolved, Link{from, to})
					break
				}
			}
		}
	}
	return resolved
}

// text says what befalls links.
func (f *Fault) text(links []Link) string {
	what := "cut"
	if f.Kind == Slow {
		what = fmt.Sprintf("delayed by %s", f.Delay.Min)
		if f.Delay.Max > f.Delay.Min {
			what = fmt.Sprintf("delayed by %s to %s", f.Delay.Min, f.Delay.Max)
		}
		if f.Loss > 0 {
			what += fmt.Sprintf(", losing %.0f %%", 100*f.Loss)
		}
	}
	return linkText(links) + what
}

// linkText names links: as many as can be read.
func linkText(links []Link) string {
	const most = 12
	is := make(map[Link]bool, len(links))
	for _, l := range links {
		is[l] = true
	}
	text, named := "", 0
	for _, l := range links {
		back := Link{l.To, l.From}
		if is[back] && l.From > l.To {
			continue // said with the other direction
		}
		if named++; named > most {
			continue
		}
		arrow := "→"
		if is[back] {
			arrow = "–"
		}
		text += fmt.Sprintf("%d%s%d ", l.From+1, arrow, l.To+1)
	}
	if named > most {
		text += fmt.Sprintf("and %d more ", named-most)
	}
	return text
}

// conditions are those of all links where no fault says otherwise.
func (s *Scenario) conditions() simnet.Conditions {
	delay := s.Delay
	if delay == (Range{}) {
		delay = Range{time.Millisecond, time.Millisecond}
	}
	return simnet.Conditions{Delay: simnet.Range(delay), Loss: s.Loss}
}
