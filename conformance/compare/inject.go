package compare

import (
	"fmt"
	"time"

	"github.com/seed-fdf591db/bully/conformance/sim/simnet"
)

// What is here is injected into a run between two events. It is done at once, at the present
// time, and draws no random number: the same doings at the same places of the same run give the same run. Who watches is told
// of each moment that comes of it. An error says why something cannot be done, and then nothing has happened.
//
// Links stay first in, first out, whatever is done (section 2 of the specification): to deliver a message is to deliver what
// is before it too, to delay it is to delay what is behind it; only to drop it is to lose it alone.

// inject does something that is no event of the network, and measures what has come of it.
func (p *Play) inject(what What, id int, text string, do func()) {
	p.account()
	p.moment = Moment{What: what, Node: id, Text: text, Sent: p.moment.Sent[:0]}
	do()
	p.look()
	p.heal()
	p.tellWatch()
}

// has says what is wrong with an id, and whether the node is up, or down, as it must be.
func (p *Play) has(id int, up bool) error {
	switch {
	case id < 1 || id > len(p.hosts):
		return fmt.Errorf("there is no node %d: give one from 1 to %d", id, len(p.hosts))
	case p.started < len(p.hosts):
		return fmt.Errorf("not all nodes have started: wait until %d have", len(p.hosts))
	case p.network.Up(id-1) == up:
		return nil
	case up:
		return fmt.Errorf("node %d is down: restart it first", id)
	}
	return fmt.Errorf("node %d is up", id)
}

// Crash crashes a node at once. If it is saving, it has saved nothing: its disk is as it was before the step, and what the
// step would have sent is lost with all else that is under way to or from the node.
func (p *Play) Crash(id int) error {
	if err := p.has(id, true); err != nil {
		return err
	}
	p.inject(Crashed, id, "", func() {
		p.tell(Entry{Kind: Happens, Node: id, Text: crashes})
		p.network.Kill(id - 1)
		p.crashed(id - 1)
	})
	return nil
}

// Restart brings a node back that is down, whoever has crashed it, with what is on its disk.
func (p *Play) Restart(id int) error {
	if err := p.has(id, false); err != nil {
		return err
	}
	p.inject(Restarted, id, "", func() { p.restart(id - 1) })
	return nil
}

// Pause lets a node do nothing until [Play.Resume]: its timers run, its messages wait. Its disk goes on.
func (p *Play) Pause(id int) error {
	if err := p.has(id, true); err != nil {
		return err
	}
	p.inject(Paused, id, "", func() { p.network.Pause(id-1, simnet.Forever) })
	return nil
}

// Resume lets a node go on that is paused, whoever has paused it. What has waited for it comes next, at the same time.
func (p *Play) Resume(id int) error {
	if err := p.has(id, true); err != nil {
		return err
	}
	if !p.network.Paused(id - 1) {
		return fmt.Errorf("node %d is not paused", id)
	}
	p.inject(WentOn, id, "", func() { p.network.Resume(id - 1) })
	return nil
}

// Cut makes links carry nothing, until they are healed; what is under way on them is lost. A link that is cut already, by the
// scenario perhaps, is cut by this too: it stays so when the scenario heals it.
func (p *Play) Cut(links []Link) error { return p.links(links, true) }

// Heal lets links carry again, whoever has cut them.
func (p *Play) Heal(links []Link) error { return p.links(links, false) }

// links cuts or heals links.
func (p *Play) links(links []Link, cut bool) error {
	if len(links) == 0 {
		return fmt.Errorf("no links: name one or more")
	}
	var resolved []Link
	for _, l := range links {
		if n := len(p.hosts); min(l.From, l.To) < 1 || max(l.From, l.To) > n || l.From == l.To {
			return fmt.Errorf("there is no link from %d to %d: nodes are from 1 to %d, and a link joins two of them", l.From, l.To, n)
		}
		resolved = append(resolved, Link{l.From - 1, l.To - 1})
	}
	text := linkText(resolved) + "cut"
	if !cut {
		text = linkText(resolved) + "healed"
	}
	p.inject(Linked, 0, text, func() {
		p.tell(Entry{Kind: Happens, Text: text})
		for _, l := range resolved {
			if cut {
				p.cut(l)
				continue
			}
			for p.network.IsCut(l.From, l.To) {
				p.network.Heal(l.From, l.To)
			}
		}
	})
	return nil
}

// cut cuts a link, given by places.
func (p *Play) cut(l Link) {
	if p.network.Cut(l.From, l.To) {
		p.flying[l.From*len(p.hosts)+l.To] = 0
	}
}

// find returns where a message is under way: its link, by places, and its place on that.
func (p *Play) find(number int) (from, to, place int, err error) {
	for from := range p.hosts {
		for to := range p.hosts {
			for k := range p.network.UnderWay(from, to) {
				if m, _ := p.network.Packet(from, to, k); m.number == number {
					return from, to, k, nil
				}
			}
		}
	}
	return 0, 0, 0, fmt.Errorf("message %d is not under way: it has arrived, or is lost, or was never sent", number)
}

// Deliver lets a message arrive now, and before it all that are before it on its link. The receiver takes them at once, or when
// it can: when its disk is done, or it is paused no more. A message that waits for the disk of its sender arrives as soon as
// that is done. Each that the receiver takes is a moment; that some wait is one more.
func (p *Play) Deliver(number int) error {
	from, to, place, err := p.find(number)
	if err != nil {
		return err
	}
	p.network.Hurry(from, to, place)
	var e simnet.Event[packet]
	for p.err == nil {
		if _, _, _, err := p.find(number); err != nil {
			return nil
		}
		if !p.network.Take(from, to, &e) {
			break
		}
		p.after(&e)
	}
	if p.err != nil {
		return nil // the run is given up, as Next will say
	}
	_, _, place, _ = p.find(number)
	text := fmt.Sprintf("message %d has arrived, and waits until %d can take it", number, to+1)
	if !p.network.Left(from, to, place) {
		text = fmt.Sprintf("message %d arrives as soon as it leaves %d, which waits for its disk", number, from+1)
	}
	p.inject(Injected, to+1, text, func() { p.moved(from, to, 0, place) })
	return nil
}

// moved notes when messages arrive that are under way on a link, at these places and all between.
func (p *Play) moved(from, to, first, last int) {
	for k := first; k <= last; k++ {
		m, due := p.network.Packet(from, to, k)
		p.moment.Moved = append(p.moment.Moved, Arrival{Number: m.number, Due: due})
	}
}

// Drop loses a message, and none else. It must have left its sender.
func (p *Play) Drop(number int) error {
	from, to, place, err := p.find(number)
	if err != nil {
		return err
	}
	if !p.network.Left(from, to, place) {
		return fmt.Errorf("message %d has not left %d, which waits for its disk: go on until it has", number, from+1)
	}
	p.inject(Lost, to+1, "", func() {
		m, _ := p.network.Packet(from, to, place)
		p.moment.From, p.moment.Number, p.moment.Message, p.moment.Behind = from+1, number, m.Message, place
		p.network.Drop(from, to, place)
		p.lands(&simnet.Event[packet]{From: from, Node: to, Message: m})
		p.result.Lost++
	})
	return nil
}

// Delay lets a message arrive later by a time, and those behind it on its link no sooner than it.
func (p *Play) Delay(number int, by time.Duration) error {
	from, to, place, err := p.find(number)
	if err != nil {
		return err
	}
	if by <= 0 {
		return fmt.Errorf("a delay is above 0, and not %s", by)
	}
	m, _ := p.network.Packet(from, to, place)
	text := fmt.Sprintf("%s from %d to %d is delayed by %s", m.Kind, from+1, to+1, by)
	if more := p.network.UnderWay(from, to) - place - 1; more > 0 {
		text += fmt.Sprintf(", with %d behind it", more)
	}
	p.inject(Injected, 0, text, func() {
		p.network.Hold(from, to, place, by)
		p.moved(from, to, place, p.network.UnderWay(from, to)-1)
	})
	return nil
}

// Fire ends a timer of a node now. If the node is paused or busy, it has ended when the node goes on.
func (p *Play) Fire(id int, t Timer) error {
	if err := p.has(id, true); err != nil {
		return err
	}
	if t < 0 || int(t) >= len(p.algorithm.Timers) {
		return fmt.Errorf("there is no timer %d: %s has %d", t, p.algorithm.Name, len(p.algorithm.Timers))
	}
	name := p.algorithm.Timers[t]
	if _, runs := p.network.Due(id-1, int(t)); !runs {
		return fmt.Errorf("the timer %q of node %d does not run", name, id)
	}
	var e simnet.Event[packet]
	if p.network.EndTimer(id-1, int(t), &e) {
		p.after(&e)
		return nil
	}
	p.inject(Injected, id, fmt.Sprintf("the timer %q has ended, and %d will see it when it can", name, id), func() {})
	return nil
}

// Suspect tells a node, right or wrong, that its leader is dead. A node that is paused or busy hears it when it can.
func (p *Play) Suspect(id int) error { return p.callBy(id, SuspectCall, calledTag) }

// Resign tells a node to lead no longer, if it is a [Resigner]; and when it can listen, as with Suspect.
func (p *Play) Resign(id int) error { return p.callBy(id, ResignCall, resignTag) }

// Ask asks a node for something that only its algorithm knows, if it is an [Asker], and can listen now.
func (p *Play) Ask(id int, what any) error {
	if err := p.has(id, true); err != nil {
		return err
	}
	asker, ok := p.hosts[id-1].node.(Asker)
	switch {
	case !ok:
		return fmt.Errorf("a node of %s cannot be asked for that", p.algorithm.Name)
	case !p.network.Free(id - 1):
		return fmt.Errorf("node %d is paused, or waits for its disk: ask when it goes on", id)
	}
	if err := asker.MayAsk(what); err != nil {
		return err
	}
	p.inject(Called, id, "", func() {
		p.moment.Call = AskCall
		p.step(id-1, func(out *Output) { asker.Ask(what, out) })
	})
	return nil
}

func (p *Play) callBy(id int, c Call, tag uint32) error {
	if err := p.has(id, true); err != nil {
		return err
	}
	if _, ok := p.hosts[id-1].node.(Resigner); !ok && c == ResignCall {
		return fmt.Errorf("a node of %s cannot be told to lead no longer", p.algorithm.Name)
	}
	if p.network.Free(id - 1) {
		p.inject(Called, id, "", func() { p.call(id-1, c) })
		return nil
	}
	p.network.Call(id-1, 0, tag)
	p.inject(Injected, id, fmt.Sprintf("%d will be told when it can listen", id), func() {})
	return nil
}
