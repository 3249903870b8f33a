package contest

import (
	"fmt"
	"time"

	"github.com/seed-fdf591db/bully/conformance/sim/world"
)

// begin lets a fault begin.
func (r *run) begin(f int) {
	fault, result := &r.scenario.Faults[f], &r.result.Faults[f]
	leader := r.leader()
	if leader < 0 && fault.ofLeader() {
		r.waiting = append(r.waiting, f)
		return
	}
	i := fault.Node - 1
	if fault.Node == Leader {
		i = leader
	}
	if !fault.ofLinks() {
		if i >= len(r.hosts) || !r.world.Up(i) || r.world.Doomed(i) {
			r.began++
			return // there is no such server, or it is down already
		}
		result.Node = i + 1
	}
	r.began++
	result.Began, result.Election = r.world.Now(), r.result.Election
	switch fault.Kind {
	case Crash:
		r.tell(Entry{Kind: Happens, Node: i + 1, Text: crashes})
		r.hosts[i].fault = f
		r.world.Crash(i)
		return
	case Pause:
		r.tell(Entry{Kind: Happens, Node: i + 1, Text: "is paused"})
		r.world.At(r.world.Now()+fault.For, endTag|uint32(f)) // first, so that it comes before what has waited
		r.world.Pause(i, fault.For)
		return
	case Suspect:
		r.hosts[i].told++
		r.world.Call(i, 0, suspectTag)
		return
	case Cut, Slow:
		r.faults[f].links = r.resolve(fault, leader)
		r.tell(Entry{Kind: Happens, Text: fault.text(r.faults[f].links)})
		for _, l := range r.faults[f].links {
			if fault.Kind == Slow {
				r.world.SetWeather(l.From, l.To, world.Weather{Delay: world.Range(fault.Delay), Loss: fault.Loss})
			} else if r.world.Cut(l.From, l.To) {
				r.flying[l.From*len(r.hosts)+l.To] = 0
			}
		}
	}
	if fault.For > 0 {
		r.world.At(r.world.Now()+fault.For, endTag|uint32(f))
	}
}

// end lets a fault end.
func (r *run) end(f int) {
	fault := &r.scenario.Faults[f]
	switch fault.Kind {
	case Crash:
		r.restart(r.result.Faults[f].Node - 1)
	case Pause:
		if i := r.result.Faults[f].Node - 1; r.world.Up(i) && !r.world.Paused(i) {
			r.tell(Entry{Kind: Happens, Node: i + 1, Text: "goes on"})
		}
	case Cut, Slow:
		for _, l := range r.faults[f].links {
			if fault.Kind == Slow {
				r.world.SetWeather(l.From, l.To, r.scenario.weather())
			} else {
				r.world.Heal(l.From, l.To)
			}
		}
		r.tell(Entry{Kind: Happens, Text: linkText(r.faults[f].links) + "as before"})
	}
}

// crashed notes that a node is down.
func (r *run) crashed(i int) {
	h, n := &r.hosts[i], len(r.hosts)
	for j := range r.hosts {
		r.flying[i*n+j], r.flying[j*n+i] = 0, 0
	}
	r.endReign(i)
	h.status, h.saves, h.told = Status{}, false, 0
	fault := &r.scenario.Faults[h.fault]
	if fault.For > 0 {
		at := r.result.Faults[h.fault].Began + fault.For
		r.world.At(max(at, r.world.Now()), endTag|uint32(h.fault))
	}
}

// restart makes a node anew, with what is on its disk.
func (r *run) restart(i int) {
	h := &r.hosts[i]
	r.world.Restart(i)
	h.node = r.algorithm.New(h.config)
	r.tell(Entry{Kind: Happens, Node: i + 1, Text: "restarts"})
	r.step(i, func(out *Output) { h.node.Restart(h.saved, out) })
}

// leader returns who leads: of many, who has begun last; or -1.
func (r *run) leader() int {
	found := -1
	for i := range r.hosts {
		if r.acts(i) && (found < 0 || r.hosts[i].reign > r.hosts[found].reign) {
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
func (r *run) resolve(f *Fault, leader int) (resolved []Link) {
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
		return f.Aside > 0 && i < r.scenario.Nodes && (i == leader || lower < f.Aside)
	}
	for from := range r.hosts {
		for to := range r.hosts {
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

// weather is that of all links where no fault says otherwise.
func (s *Scenario) weather() world.Weather {
	delay := s.Delay
	if delay == (Range{}) {
		delay = Range{time.Millisecond, time.Millisecond}
	}
	return world.Weather{Delay: world.Range(delay), Loss: s.Loss}
}
